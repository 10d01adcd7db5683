// Taking everything away as files.

import { announce, h, setText } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { ExportError, exportData, exportTracks, sizeText } from "./exporting.js";

/** `{element, close()}`. */
export function makeExportCard({ net }) {
  // No live region: it counts bytes. What begins and how it ended are announced.
  const status = h("p", { class: "saved", id: "export-status" });
  const bar = h("progress", { class: "export-bar", max: "1", hidden: true, "aria-label": "Download progress" });
  const cancel = h("button", { class: "button quiet", type: "button", id: "export-cancel", hidden: true, onclick: () => running?.abort() },
    "Cancel");
  const buttons = [
    h("button", { class: "button", type: "button", id: "export-json",
      onclick: () => run(exportData,
        ({ bytes, files }) => files === 1 ? `Saved campanile-data.json, ${sizeText(bytes)}.`
        : `Saved your data in ${count(files, "file")}, ${sizeText(bytes)}.`) }, icon("down"), "Everything as JSON"),
    h("button", { class: "button", type: "button", id: "export-gpx",
      onclick: () => run(exportTracks, ({ files }) => `Saved your routes in ${count(files, "file")}.`) }, icon("down"), "Routes as GPX"),
  ];
  let running = null;

  let announced = "";

  /** Progress alone is not announced. */
  function progress(text, part = null) {
    const news = text.replace(/:.*/, "");
    if (news !== announced) announce(text);
    announced = news;
    setText(status, text);
    status.dataset.state = "saving";
    bar.hidden = false;
    if (part === null) bar.removeAttribute("value");
    else bar.value = part;
  }

  async function run(work, done) {
    if (running) return;
    running = new AbortController();
    announced = "";
    cancel.hidden = false;
    for (const button of buttons) button.setAttribute("aria-disabled", "true");
    try {
      const result = await work({ token: net.token, progress, signal: running.signal });
      say(done(result), "saved");
    } catch (error) {
      if (running.signal.aborted) say("Cancelled.", "");
      else say(error instanceof ExportError ? error.message : "Couldn't create the file. Try again.", "bad");
    }
    if (cancel === document.activeElement) buttons[0].focus({ preventScroll: true });
    running = null;
    cancel.hidden = bar.hidden = true;
    for (const button of buttons) button.removeAttribute("aria-disabled");
  }

  function say(text, state) {
    status.dataset.state = state;
    status.replaceChildren(...(state === "" ? [] : [icon(state === "bad" ? "warning" : "tick")]), text);
    announce(text);
  }

  return {
    element: h("section", { class: "card stack", id: "export", "aria-labelledby": "export-title" },
      h("h2", { id: "export-title" }, "Download your data"),
      h("p", { class: "muted" },
        "Everything we have about you. Routes include the parts hidden from others, so keep the files private."),
      h("div", { class: "row" }, ...buttons, cancel), bar, status),
    close: () => running?.abort(),
  };
}
