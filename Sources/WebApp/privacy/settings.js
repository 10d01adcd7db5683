// Privacy settings in plain words: switches, private zones, stored data.

import { h } from "../kit/dom.js";
import { settingsFrame } from "../settings/frame.js";
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
  root.append(settingsFrame(app, "privacy", [h("h1", { tabindex: "-1" }, "Privacy"),
    h("p", { class: "muted" }, "Choose what others see of your location and what Campanile stores. "
        + "Anything that shares more is off until you turn it on."),
    switches.element, zones.element, kept.element,
    h("p", {}, h("a", { class: "link", href: "/settings/data" }, "Download your data or delete your account"))]));

  let wasLive = net.state === "live";
  const drawState = () => {
    const isLive = net.state === "live";
    if (isLive && !wasLive) for (const part of [switches, zones, kept]) part.returned();
    wasLive = isLive;
  };
  const leaveIfSignedOut = () => { if (!net.account) router.go("/", { replace: true }); };
  net.addEventListener("state", drawState);
  net.addEventListener("account", leaveIfSignedOut);
  return () => {
    for (const part of [switches, zones, kept]) part.close();
    net.removeEventListener("state", drawState);
    net.removeEventListener("account", leaveIfSignedOut);
  };
}
