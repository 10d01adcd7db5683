// Whether Campanile uses the location at all, and who may see a new session (C-6).

import { confirmDialog, h } from "../kit/dom.js";
import { audiences, count } from "../kit/format.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { settingsFrame } from "./frame.js";
import { makeChoiceSetting, makeSwitchSetting } from "./settingfield.js";

/** What ends when the location is switched off, as a sentence; empty when nothing does. */
function endsText({ sharing, tracker }) {
  const shares = sharing.working.length;
  return [shares > 0 && `${count(shares, "share")} will end`, tracker.record?.state === "running" && "your session will pause"]
    .filter(Boolean).join(" and ");
}

/** Serves `/settings/location`. */
export function show(root, _params, app) {
  if (!requireSignIn(app, "/settings/location")) return undefined;
  const location = makeSwitchSetting(app, "location", {
    label: "Use my location",
    hint: "When this is off, none of your devices records a session or shares where you are.",
    mayChange: async (isOn) => {
      const ends = isOn ? "" : endsText(app);
      return ends === "" || confirmDialog({ id: "location-dialog", title: "Turn location off?",
        text: `On all your devices: ${ends}. Others no longer see your unfinished sessions.`, confirm: "Turn off", danger: true });
    },
  });
  const audience = makeChoiceSetting(app, "audience", {
    label: "Who can see new sessions", hint: "You can still choose for each session.",
    options: audiences.map(({ value, name, explanation }) => ({ id: value, label: `${name}: ${explanation.toLowerCase()}` })),
  });
  root.append(settingsFrame(app, "location", [
    h("h1", { tabindex: "-1" }, "Location and sessions"), h("p", { class: "muted" }, "Applies on all your devices."),
    h("section", { class: "card" }, location.element), h("section", { class: "card" }, audience.element),
    h("p", {}, h("a", { class: "link", href: "/settings/privacy" }, "Private zones and what others see")),
    h("p", {}, h("a", { class: "link", href: "/settings/profile#home" }, "Home location")),
  ]));
  const end = new AbortController();
  leaveWhenSignedOut(app, end.signal);
  return () => {
    end.abort();
    location.close();
    audience.close();
  };
}
