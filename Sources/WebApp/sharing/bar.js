// While anything is shared: a bar on every page that says so and stops it.

import { announce, dropToast, h, keepFocus, setText, toast } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { seenOf, tellingOf } from "./reportplan.js";
import { audienceName, barText, endsText, hiddenBarText, seenText, watchingText, withWhom } from "./words.js";
import { KeyedChildren } from "../kit/keyed.js";
import { openDialog } from "../kit/dialog.js";

/** Why the position is not reported, in one line for the bar; null while it is reported. */
export function troubleLine(reporter, net, told = null) {
  if (reporter.duty === "elsewhere" && net.state === "live"
    && tellingOf(reporter.mine, net.clock.now(), told)?.silent) return "No device is sending your location";
  if (reporter.trouble) {
    const seen = seenText(seenOf(reporter.mine, { told, isLive: net.state === "live", serverNow: net.clock.now() }));
    return { denied: `Location is blocked: ${seen}`, unavailable: `No location found: ${seen}`, insecure: "No location on this page",
      unsupported: "No location in this browser" }[reporter.trouble.code] ?? reporter.trouble.text;
  }
  return net.state === "live" || !net.wasLive ? null : `Offline: ${seenText("last")}`;
}

/**
 * Kind of the hidden place for which others see nothing, or null. The state that viewers get of the shares counts before the reports of
 * this device.
 */
export function hiddenOf(reporter, net, told) {
  if (net.state !== "live" || (told !== null && told !== "hidden")) return null;
  return reporter.mine?.hidden ?? (told === "hidden" ? "zone" : null);
}

/** State of the shares before the server has answered. */
function unsureText(working, net) {
  const what = working.length === 1 ? `With ${withWhom(working[0])} ${endsText(working[0], Date.now())}` : `In ${working.length} ways`;
  return `${what} · ${net.state === "live" ? "checking" : "you're offline"}`;
}

/** Draws the bar into `element`, hidden while nothing is shared. */
export function startShareBar(element, { sharing, reporter, net }) {
  const words = h("strong", { id: "share-bar-text" }, "Not sharing");
  const more = h("span", { class: "share-bar-more number", id: "share-bar-more" });
  const link = h("a", { class: "share-bar-link", href: "/sharing" }, h("span", { class: "share-bar-dot", "aria-hidden": "true" }),
    h("span", { class: "share-bar-words" }, words, more));
  const stop = h("button", { class: "button share-bar-stop", type: "button", id: "share-bar-stop", onclick: () => press() },
    icon("stop", { filled: true }), "Stop");
  element.append(link, stop);
  let announced = null;

  function press() {
    const { working } = sharing;
    if (working.length === 1) stopOne(sharing, working[0]);
    else openStop(sharing);
  }

  /** Its own Stop goes when it is pressed: the keyboard goes on in the page. */
  const draw = () => keepFocus(element, drawBar);

  function drawBar() {
    const { working } = sharing;
    const isStopping = sharing.isStopping();
    element.hidden = working.length === 0 && !isStopping;
    document.documentElement.toggleAttribute("data-sharing", !element.hidden);
    if (element.hidden) {
      announced = null;
      return;
    }
    stop.hidden = working.length === 0;
    // The shares that this device knew last, until the server answers.
    const isSure = working.length === 0 || working.some(({ isKept }) => !isKept);
    const trouble = isSure ? troubleLine(reporter, net, sharing.toldState) : null;
    const hidden = isSure && working.length > 0 && !trouble ? hiddenOf(reporter, net, sharing.toldState) : null;
    element.dataset.state = working.length === 0 ? "stopping" : trouble ? "trouble" : hidden ? "hidden" : isSure ? "on" : "unsure";
    const text = working.length === 0 ? "Stopping…" : hidden ? hiddenBarText(hidden) : isSure ? barText(working) : "You may be sharing";
    setText(words, text);
    setText(more, moreText({ isSure, trouble, hidden }));
    stop.setAttribute("aria-label", working.length === 1 ? `Stop sharing with ${withWhom(working[0])}` : "Stop sharing");
    if (announced !== text && announced !== null) announce(text);
    announced = isSure ? text : null;
  }

  /** The second line of the bar. */
  function moreText({ isSure, trouble, hidden }) {
    const { working } = sharing;
    if (working.length === 0) {
      const sends = reporter.goesOn ? "sends no location until then" : "no longer sends your location";
      return net.state === "live" ? "" : `when you're back online. This device ${sends}.`;
    }
    if (!isSure) return unsureText(working, net);
    if (hidden) return `${barText(working)} continues when you leave it`;
    const ends = working.length === 1 ? endsText(working[0], Date.now()) : "";
    return trouble ?? [ends, watchingText(working, "for everyone logged in")].filter(Boolean).join(" · ");
  }

  for (const emitter of [sharing, reporter]) emitter.addEventListener("change", draw);
  net.addEventListener("state", draw);
  setInterval(draw, 15_000);
  draw();
}

/** The key of the message that a share began, or was changed: it goes when the share is stopped. */
export const startToast = ({ id }) => `share-${id}`;

/** Ends one, and says who had it open. */
export async function stopOne(sharing, share) {
  let watchers = null;
  dropToast(startToast(share));
  const heard = ({ detail }) => { if (detail.share.id === share.id) ({ watchers } = detail); };
  sharing.addEventListener("stopped", heard);
  const isDone = await sharing.stop(share.id);
  sharing.removeEventListener("stopped", heard);
  const isLast = sharing.working.length === 0;
  const looked = watchers === null ? "" : watchers === 0 ? " Nobody watched." : ` ${count(watchers, "person", "people")} watched.`;
  toast(isDone ? `Stopped sharing with ${withWhom(share)}.${looked}`
    : `You're offline. This device ${isLast ? "no longer sends your location" : "sends no location until you're back online"}, `
      + `and the share ends ${isLast ? "when you're back online." : "then. Your other shares continue."}`, { key: "share-stopped" });
}

/** Ends all. */
export async function stopAll(sharing) {
  for (const share of sharing.working) dropToast(startToast(share));
  const isDone = await sharing.stop("all");
  toast(isDone ? "Stopped sharing."
    : "You're offline. This device no longer sends your location, and all shares end when you're back online.",
    { key: "share-stopped" });
}

/** Which is to end, or all of them: the second tap. */
export function openStop(sharing) {
  const list = h("ul", { class: "rows", id: "stop-list" });
  const rows = new KeyedChildren(list);
  const row = (share) => h("li", { class: "row-item", dataset: { share: share.id } },
    h("div", { class: "grow" }, h("strong", {}, audienceName(share)), h("p", { class: "muted small" })),
    h("button", { class: "button", type: "button", "aria-label": `Stop sharing with ${withWhom(share)}`,
      onclick: () => stopOne(sharing, share) }, "Stop"));
  const draw = () => {
    if (sharing.working.length === 0) return dialog.close();
    return keepFocus(list, () => rows.draw(sharing.working.map((share) => ({
      key: share.id, sig: audienceName(share), make: () => row(share),
      set: (element) => setText(element.querySelector("p"), `${endsText(share, Date.now())} · ${watchingText([share])}`),
    }))), () => dialog.querySelector("h2"));
  };
  const dialog = openDialog({ id: "stop-shares", title: "Stop sharing", content: h("div", { class: "stack" },
    h("button", { class: "button danger big wide", type: "button", id: "stop-all", onclick: () => {
      dialog.close();
      stopAll(sharing);
    } }, icon("stop", { filled: true }), "Stop all"), list) });
  sharing.addEventListener("change", draw);
  dialog.addEventListener("close", () => sharing.removeEventListener("change", draw));
  draw();
}
