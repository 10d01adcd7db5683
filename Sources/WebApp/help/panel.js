// The help for one page, in a dialog beside it.

import { openDialog } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { loadStyles } from "../kit/styles.js";
import { browserFamily } from "../tracking/locationhelp.js";
import { entryBody, entryDetails } from "./entry.js";
import { answersOf, topicOf } from "./topics.js";

/** Loads the styles. Returns a function that opens the help for the page of that name. */
export async function loadPanel() {
  await loadStyles("/app/help/help.css");
  return openPanel;
}

function openPanel({ net, router, tutorial, page }) {
  const topic = topicOf(page);
  const answers = answersOf(topic, browserFamily(navigator.userAgent, navigator.maxTouchPoints));
  const content = h("div", { class: "stack" },
    h("div", { class: "stack tight" }, ...entryBody(topic)),
    answers.length === 0 ? null : h("section", { class: "help-list", "aria-labelledby": "help-panel-answers" },
      h("h3", { id: "help-panel-answers" }, "Common questions"), ...answers.map((one) => entryDetails(one))),
    h("div", { class: "row help-ends" },
      h("a", { class: "button", href: "/help", id: "help-all" }, icon("search"), "All help"),
      net.account ? h("button", { class: "button", type: "button", id: "help-tutorial", onclick: () => {
        dialog.close();
        tutorial.open();
      } }, icon("play"), "Start tutorial") : null));
  const dialog = openDialog({ id: "help-panel", title: `Help: ${topic.title}`, content });
  dialog.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest("a[href]");
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    // The page behind the panel is left, or is the one that the link leads to.
    event.preventDefault();
    dialog.close();
    router.go(link.getAttribute("href"));
  });
}
