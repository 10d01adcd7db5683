// What this device stores so that the app works without a network: what waits to be sent, how much it is, and whether it is protected.

import { waitingChanges } from "../account/waiting.js";
import { confirmDialog, h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { sizeText } from "./exporting.js";

/** `{element, close()}`. */
export function makeDeviceCard(app) {
  const ended = new AbortController();
  const list = h("ul", { class: "rows", id: "waiting-list" });
  const summary = h("p", { id: "waiting-summary", role: "status" });
  const refusedSummary = h("p", { id: "refused-summary", hidden: true }, "Not sent, because it was refused:");
  const refusedList = h("ul", { class: "rows", id: "refused-list" });
  const answer = h("p", { class: "muted small", id: "protect-answer", role: "status" });
  const size = h("p", { class: "muted small", id: "device-size" });
  const protect = h("button", { class: "button quiet", type: "button", id: "protect-storage", hidden: true, onclick: async () => {
    const isGranted = await navigator.storage.persist().catch(() => false);
    setText(answer, isGranted ? "" : "The browser declined. It may still remove data when space is short.");
    drawSize().catch(() => {});
  } }, icon("lock"), "Ask the browser to keep it");

  function draw() {
    const changes = waitingChanges(app);
    const waiting = changes.filter(({ isRefused }) => !isRefused);
    const refused = changes.filter(({ isRefused }) => isRefused);
    const isLive = app.net.state === "live";
    setText(summary, changes.length === 0 ? "Everything you did here is sent." : waiting.length === 0 ? "Nothing waits to be sent."
      : isLive ? "Being sent now:" : "Waits until you're back online:");
    list.replaceChildren(...waiting.map((change) => changeRow(change, "clock", discardButton(change))));
    refusedSummary.hidden = refused.length === 0;
    refusedList.replaceChildren(...refused.map((change) => changeRow(change, "warning")));
  }

  /** @param {{text: string, methods?: string[]}} change */
  function discardButton({ text, methods }) {
    if (!methods) return null;
    const discard = async () => {
      const sure = await confirmDialog({ id: "discard-changes", title: `Discard ${text}?`, confirm: "Discard", danger: true,
        text: "It isn't sent any more. If it was sent just now, it may be saved already." });
      if (sure) app.net.writes.discard(methods);
    };
    return h("button", { class: "button quiet", type: "button", "aria-label": `Discard ${text}`, onclick: discard },
      "Discard");
  }

  async function drawSize() {
    const storage = navigator.storage;
    if (!storage?.estimate) return;
    const [{ usage = 0 }, isProtected] = await Promise.all([storage.estimate(), storage.persisted()]);
    if (ended.signal.aborted) return;
    setText(size, `This device stores ${sizeText(usage)}: the app, and what you saw last, for 30 days or until you log out. `
      + (isProtected ? "The browser doesn't remove it by itself." : "The browser may remove it when space runs low."));
    protect.hidden = isProtected;
  }

  for (const part of [app.net, app.net.writes, app.tracker, app.chat, app.profileEdits, app.settings, app.sharing, app.notices]) {
    for (const type of ["change", "state"]) part.addEventListener(type, draw, { signal: ended.signal });
  }
  draw();
  drawSize().catch(() => {});
  return {
    element: h("section", { class: "card stack", id: "device-data", "aria-labelledby": "device-title" },
      h("h2", { id: "device-title" }, "On this device"), summary, list, refusedSummary, refusedList,
      size, h("div", { class: "row" }, protect), answer),
    close: () => ended.abort(),
  };
}

function changeRow({ text, path }, iconName, button = null) {
  return h("li", { class: "row-item" }, icon(iconName), h("a", { class: "link grow", href: path }, text), button);
}
