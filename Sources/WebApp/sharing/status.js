// The state of this device's position reports in plain words, and the action that it suggests.

import { announce, h, keepFocus, setText, toast } from "../kit/dom.js";
import { ago } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { seenOf, tellingOf } from "./reportplan.js";
import { metresText, seenText, sourceText } from "./words.js";

/** Parts of a sentence on a trouble: the cause, and what to do. What others see is said between them. */
const troubles = {
  denied: ["Location is blocked for this site", "Allow it in the browser’s site settings (the icon beside the address), then try again."],
  unavailable: ["No position is found", "Turn on location services and, if you can, step outside; it goes on by itself."],
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
  if (!telling) return status("", "This device does not tell where you are. Whether another one of yours does is not known yet.");
  if (telling.silent && telling.age === null) {
    const seen = { none: ": nobody sees it", old: ` now: ${lastSeen}` }[telling.told] ?? "";
    return status("warn", `No device of yours seems to tell where you are${seen}.`);
  }
  if (telling.age === null) return status("", "Another device of yours tells where you are.");
  if (telling.silent) return status("warn",
    `No device of yours seems to tell where you are: the last one did ${ago(telling.age)}, and ${lastSeen}.`);
  return status("", `Another device of yours tells where you are: told ${ago(telling.age)}.`);
}

/**
 * What the reporter does, as `{kind, iconName, text, action}`; null when there is nothing to say. `action` is `again`, `here` or `clear`.
 * `told` is `Sharing.toldState`; `isLoaded` says whether the list of shares is loaded; `now` is local ms, `serverNow` the server's. Pure.
 */
export function statusOf(reporter, { isLive, isSharing, isLoaded = true, told = null, now, serverNow = now }) {
  const { duty, trouble, mine, toldAt, fix, missedSeconds, isSparing, goesOn } = reporter;
  if (!isSharing && !reporter.isPinned) return null;
  if (duty === "stopping") return { kind: "warn", iconName: "offline", text: goesOn
    ? "This device tells nothing until what you stopped has ended, as soon as the server can be told."
    : "This device tells nothing more. What you stopped ends as soon as the server can be told.", action: null };
  if (reporter.isPinned) return { kind: "", iconName: "pin",
    text: `You are where you set a pin by hand${isSharing || !isLoaded ? "" : ", and nobody sees it"}. Lasts 2 hours, or until you `
    + `clear it.`, action: "clear" };
  if (duty === "unsure") return { kind: "warn", iconName: isLive ? "clock" : "offline",
    text: `Whether you still share is not known: ${isLive ? "the server has not said yet" : "there is no connection"}. What is above was `
    + `so when this device last heard; if it still is, ${lastSeen}, or what another device of yours tells.`, action: null };
  if (duty === "elsewhere" && isLive) return elsewhereStatus(tellingOf(mine, serverNow, told));
  if (duty === "otherTab") return { kind: "", iconName: "devices", text: "Another tab of this browser tells where you are.", action: null };
  if (duty === "tracking") return { kind: "good", iconName: "track", text: "Your session tells where you are.", action: null };
  if (trouble) return { kind: "bad", iconName: "warning", text: troubleText(trouble, seenOf(mine, { told, isLive, serverNow })),
    action: "again" };
  if (!isLive) return { kind: "warn", iconName: "offline",
    text: `There is no connection: ${lastSeen}${duty === "elsewhere" ? ", or what another device of yours tells" : ""}.`, action: null };
  if (mine?.hidden) return { kind: "warn", iconName: "unseen", text: mine.hidden === "zone"
    ? "You are in a private zone of yours: others see “not shown here”."
    : "You are in a residence: others see “not shown here”, as you set it.", action: null };
  if (missedSeconds) return { kind: "warn", iconName: "phone",
    text: `While Campanile was in the background nothing was told for ${ago(missedSeconds).replace(" ago", "")}. Keep it open to be seen.`,
    action: null };
  if (toldAt === null || !fix) return { kind: "", iconName: "here", text: "Looking for your position…", action: null };
  const place = mine?.building?.name ?? mine?.zone?.name ?? null;
  const how = [`within ${metresText(fix.accuracy)}`, sourceText(mine?.location?.source), `told ${ago((now - toldAt) / 1000)}`]
    .filter(Boolean).join(", ");
  return { kind: "good", iconName: "here", text: `This device tells where you are: `
    + `${how}${place ? ` (${place})` : ""}.${isSparing ? " The battery is low, so it tells less often." : ""}`, action: null };
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
      onclick: () => reporter.clear().catch((error) => toast(error.message)) }, "Clear the pin"),
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
