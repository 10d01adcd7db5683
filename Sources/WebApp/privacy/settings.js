// Privacy settings in plain words: switches, private zones, stored data, export, deletion of the account.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeDeleteAccount } from "../account/deletion.js";
import { makeExportCard } from "./exportcard.js";
import { makeKeptData } from "./keptdata.js";
import { makePrivacySwitches } from "./switches.js";
import { makePrivateZones } from "./zones.js";

/** Serves `/settings/privacy`. */
export function show(root, _params, app) {
  const { net, router } = app;
  if (!net.account) {
    router.go("/login?next=/settings/privacy", { replace: true });
    return undefined;
  }
  const kept = makeKeptData({ app });
  const switches = makePrivacySwitches({ app, kept, changed: () => kept.load() });
  const zones = makePrivateZones({ app, changed: () => kept.load() });
  const exports = makeExportCard({ net });
  const end = makeDeleteAccount({ app });
  const offline = h("p", { class: "notice warn", role: "status", id: "privacy-offline", hidden: true }, icon("offline"),
    h("span", {}, "There is no connection. What you see may be old, and changes are not saved until it is back."));
  root.append(h("div", { class: "page stack settings-page privacy-page" },
    h("p", {}, h("a", { href: "/account", class: "back" }, "← Account")), h("h1", { tabindex: "-1" }, "Privacy"),
    h("p", { class: "muted" }, "What others see of where you are, and what Campanile keeps of you. Everything that tells more is off "
      + "until you switch it on."), offline,
    switches.element, zones.element, kept.element, exports.element, end.element));

  let wasLive = net.state === "live";
  const drawState = () => {
    const isLive = net.state === "live";
    offline.hidden = isLive;
    if (isLive && !wasLive) for (const part of [switches, zones, kept]) part.returned();
    wasLive = isLive;
  };
  const leaveIfSignedOut = () => { if (!net.account && !end.isUnderWay) router.go("/", { replace: true }); };
  net.addEventListener("state", drawState);
  net.addEventListener("account", leaveIfSignedOut);
  offline.hidden = wasLive || !net.wasLive;
  return () => {
    for (const part of [switches, zones, kept, exports, end]) part.close();
    net.removeEventListener("state", drawState);
    net.removeEventListener("account", leaveIfSignedOut);
  };
}
