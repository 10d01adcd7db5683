// Help: all topics with a search. It works offline, because it is part of the app.

import { h, setText } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { loadStyles } from "../kit/styles.js";
import { settingsFrame } from "../settings/frame.js";
import { entryDetails } from "./entry.js";
import { permissions, problems } from "./problems.js";
import { questions } from "./questions.js";
import { search, suggestion } from "./search.js";
import { topics } from "./topics.js";

/** Of results that fit equally, the first are shown first. */
const entries = [...questions, ...problems, ...topics, ...permissions];
/** Searches that find something, for people whose own did not. */
const commonSearches = ["location", "privacy", "battery", "password"];

await loadStyles("/app/help/help.css");

/** Serves `/help`, with `?q=` for a search. */
export function show(root, { query }, app) {
  const page = new HelpPage(app, query?.get("q") ?? "");
  root.append(page.element);
}

class HelpPage {
  element;

  #all;
  #field;
  #found = h("section", { class: "card help-list", id: "help-found", "aria-label": "Results", hidden: true });
  #status = h("p", { class: "muted small", id: "help-count", role: "status" });

  constructor(app, text) {
    this.#all = h("div", { class: "stack" }, app.net.account ? tutorialCard(app) : null, part("Common questions", questions),
      part("When something doesn't work", problems), part("Allow location", permissions), part("Page by page", topics));
    this.#field = h("input", {
      class: "input search-input", type: "search", id: "help-search", "aria-label": "Search help", placeholder: "Search help",
      maxlength: 80, autocomplete: "off", value: text, oninput: () => this.#search(),
    });
    this.element = settingsFrame(app, "help", [
      h("h1", { tabindex: "-1" }, "Help"),
      h("div", { class: "search-box" }, icon("search"), this.#field), this.#status, this.#found, this.#all,
      h("p", { class: "muted" }, "Something else? Ask a campus admin."),
    ]);
    this.#draw();
  }

  /** The search is part of the address: the way back from a page that a result leads to shows it again. */
  #search() {
    const text = this.#field.value.trim();
    history.replaceState(history.state, "", text === "" ? "/help" : `/help?q=${encodeURIComponent(text)}`);
    this.#draw();
  }

  #draw() {
    const text = this.#field.value.trim();
    const found = text === "" ? null : search(entries, text);
    this.#all.hidden = found !== null;
    this.#found.hidden = !found?.length;
    this.#found.replaceChildren(...(found ?? []).map((entry) => entryDetails(entry, { isOpen: found.length === 1 })));
    if (found?.length === 0) this.#status.replaceChildren(...this.#nothing(text));
    else setText(this.#status, found ? count(found.length, "result") : "");
  }

  #nothing(text) {
    const near = suggestion(entries, text);
    const words = near ? [near] : commonSearches;
    return [
      h("span", { class: "help-nothing" }, `No help for “${text}”. ${near ? "Did you mean:" : "Try another word, or one of these:"}`),
      h("span", { class: "row" }, ...words.map((word) => h("button", { class: "button small-button", type: "button", dataset: { word },
        onclick: () => {
          this.#field.value = word;
          this.#search();
          this.#field.focus();
        } }, word))),
    ];
  }
}

function part(title, list) {
  return h("section", { class: "card help-list" }, h("h2", {}, title), ...list.map((entry) => entryDetails(entry)));
}

function tutorialCard({ tutorial }) {
  return h("section", { class: "card row help-tutorial" },
    h("div", {}, h("h2", {}, "New here?"), h("p", { class: "muted" }, "See the most important parts in about a minute.")),
    h("button", { class: "button", type: "button", id: "start-tutorial", onclick: () => tutorial.open() }, icon("play"), "Start tutorial"));
}
