// The person's data: how to get it, and how to delete the account (U-8).

import { makeDeleteAccount } from "../account/deletion.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { settingsFrame } from "../settings/frame.js";
import { makeDeviceCard } from "./devicecard.js";
import { makeExportCard } from "./exportcard.js";

/** Serves `/settings/data`. */
export function show(root, _params, app) {
  const { net, router } = app;
  if (!net.account) {
    router.go("/login?next=/settings/data", { replace: true });
    return undefined;
  }
  const exports = makeExportCard({ net });
  const device = makeDeviceCard(app);
  const end = makeDeleteAccount({ app });
  const offline = h("p", { class: "notice warn", role: "status", id: "data-offline", hidden: true }, icon("offline"),
    h("span", {}, "You're offline. You can't download or delete anything now."));
  root.append(settingsFrame(app, "data", [
    h("h1", { tabindex: "-1" }, "Your data"), offline, device.element, exports.element,
    h("p", {}, h("a", { class: "link", href: "/settings/privacy#kept" }, "See what Campanile stores about you")), end.element,
  ]));
  const ended = new AbortController();
  net.addEventListener("state", () => { offline.hidden = net.state === "live"; }, { signal: ended.signal });
  net.addEventListener("account", () => { if (!net.account && !end.isUnderWay) router.go("/", { replace: true }); },
    { signal: ended.signal });
  offline.hidden = net.state === "live" || !net.wasLive;
  return () => {
    ended.abort();
    for (const part of [device, exports, end]) part.close();
  };
}
