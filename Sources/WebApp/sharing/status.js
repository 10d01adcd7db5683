// The state of this device's position reports in plain words, and the action that it suggests.

import { announce, h, keepFocus, setText, toast } from "../kit/dom.js";
import { ago } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { seenOf, tellingOf } from "./reportplan.js";
import { metresText, seenText, sourceName } from "./words.js";

/** Parts of a sentence on a trouble: the cause, and what to do. What others see is said between them. */
const troubles = {
  denied: ["Location is blocked for this site", "Allow it in the browser's site settings (the icon beside the address), then try again."],
  unavailable: ["No location found", "Turn on location services or step outside. Sharing continues automatically."],
};

const howLong = ", until it is 15 minutes old";
const lastSeen = seenText("last", howLong);

function troubleText({ code, text }, seen) {
  const [what, help] = troubles[code] ?? [];
  return what ? `${what}: ${seenText(seen, howLong)}. ${help}` : text;
}

/** Of a share that was begun on another device. */
function elsewhereStatus(telling) {
  const status = (kind, text) => ({ kind, iconName: kind === "" ? "devices" : "warning", text, action: "here" });
  if (!telling) return status("", "This device isn't sending your location. Checking your other devices…");
  if (telling.silent && telling.age === null) {
    const seen = { none: ": nobody sees you", old: `: ${lastSeen}` }[telling.told] ?? "";
    return status("warn", `No device is sending your location${seen}.`);
  }
  if (telling.age === null) return status("", "Another device is sending your location.");
  if (telling.silent) return status("warn",
    `No device is sending your location. The last one did ${ago(telling.age)}, and ${lastSeen}.`);
  return status("", `Another device is sending your location, last ${ago(telling.age)}.`);
}

/**
 * What the reporter does, as `{kind, iconName, text, action}`; null when there is nothing to say. `action` is `again`, `here` or `clear`.
 * `told` is `Sharing.toldState`; `isLoaded` says whether the list of shares is loaded; `now` is local ms, `serverNow` the server's. Pure.
 */
export function statusOf(reporter, { isLive, isSharing, isLoaded = true, told = null, now, serverNow = now }) {
  const { duty, trouble, mine, toldAt, fix, missedSeconds, isSparing, goesOn } = reporter;
  if (!isSharing && !reporter.isPinned) return null;
  if (duty === "stopping") return { kind: "warn", iconName: "offline", text: goesOn
    ? "This device sends no location until the shares you stopped have ended. That happens when you're back online."
    : "This device no longer sends your location. The shares you stopped end when you're back online.", action: null };
  if (reporter.isPinned) return { kind: "", iconName: "pin",
    text: `Your location is a pin you set${isSharing || !isLoaded ? "" : ". Nobody sees it"}. Lasts 2 hours, or until you clear it.`,
    action: "clear" };
  if (duty === "unsure") return { kind: "warn", iconName: isLive ? "clock" : "offline",
    text: `You may still be sharing: ${isLive ? "checking with the server" : "you're offline"}. `
      + `If you are, ${lastSeen}, or the location another device sends.`, action: null };
  if (duty === "elsewhere" && isLive) return elsewhereStatus(tellingOf(mine, serverNow, told));
  if (duty === "otherTab") return { kind: "", iconName: "devices", text: "Another tab is sending your location.", action: null };
  if (duty === "tracking") return { kind: "good", iconName: "track", text: "Your session is sending your location.", action: null };
  if (trouble) return { kind: "bad", iconName: "warning", text: troubleText(trouble, seenOf(mine, { told, isLive, serverNow })),
    action: "again" };
  if (!isLive) return { kind: "warn", iconName: "offline",
    text: `You're offline: ${lastSeen}${duty === "elsewhere" ? ", or the location another device sends" : ""}.`, action: null };
  if (mine?.hidden) return { kind: "warn", iconName: "unseen", text: mine.hidden === "zone"
    ? "You're in a private zone. Others see you as hidden."
    : "You're in a residence. Others see you as hidden. You can change that in Privacy.", action: null };
  if (missedSeconds) return { kind: "warn", iconName: "phone",
    text: `Campanile was in the background and sent no location for ${ago(missedSeconds).replace(" ago", "")}. Keep it open to share.`,
    action: null };
  if (toldAt === null || !fix) return { kind: "", iconName: "here", text: "Finding your location…", action: null };
  const place = mine?.building?.name ?? mine?.zone?.name ?? null;
  const how = [`±${metresText(fix.accuracy)}`, sourceName(mine?.location?.source), `sent ${ago((now - toldAt) / 1000)}`]
    .filter(Boolean).join(", ");
  return { kind: "good", iconName: "here", text: `This device is sending your location: `
    + `${how}${place ? ` (${place})` : ""}.${isSparing ? " It sends less often because the battery is low." : ""}`, action: null };
}

const troubling = new Set(["warn", "bad"]);

/** `{element, draw, close}`. */
export function makeShareStatus({ reporter, sharing, net }) {
  const words = h("span", { class: "grow" });
  const place = h("span", { class: "share-status-icon" });
  const buttons = {
    again: h("button", { class: "button small-button", type: "button", id: "tell-again", onclick: () => reporter.again() }, "Try again"),
    here: h("button", { class: "button small-button", type: "button", id: "tell-here", onclick: () => reporter.setHere(true) },
      "Use this device"),
    clear: h("button", { class: "button small-button", type: "button", id: "clear-pin",
      onclick: () => reporter.clear().catch((error) => toast(error.message)) }, "Clear pin"),
  };
  // No live region, since it contains an age. Trouble is announced, and its end.
  const element = h("div", { class: "notice", id: "share-status" }, place, words, ...Object.values(buttons));
  let drawnIcon = null;
  let kind = null;

  const draw = () => keepFocus(element, drawStatus);

  function drawStatus() {
    const status = statusOf(reporter,
      { isLive: net.state === "live", isSharing: sharing.working.length > 0 || sharing.isStopping(), isLoaded: sharing.isLoaded,
        told: sharing.toldState ?? null, now: Date.now(), serverNow: net.clock.now() });
    element.hidden = status === null;
    const before = kind;
    kind = status?.kind ?? null;
    if (!status) return;
    if (element.isConnected && kind !== before && [kind, before].some((one) => troubling.has(one))) announce(status.text);
    element.className = `notice ${status.kind}`;
    setText(words, status.text);
    if (drawnIcon !== status.iconName) place.replaceChildren(icon(status.iconName));
    drawnIcon = status.iconName;
    for (const [name, button] of Object.entries(buttons)) button.hidden = name !== status.action;
  }

  reporter.addEventListener("change", draw);
  draw();
  return { element, draw, close: () => reporter.removeEventListener("change", draw) };
}
