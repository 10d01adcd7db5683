// The home location: the default place where a location helps, for the owner alone (C-2).

import { h, keepFocus, setText } from "../kit/dom.js";
import { openDialog } from "../kit/dialog.js";
import { makeField } from "../kit/form.js";
import { icon } from "../kit/icons.js";
import { makeSaved } from "../kit/saved.js";
import { makePlacePicker } from "../map/picker.js";
import { makePlaceSearch } from "../places/search.js";
import { waitingText } from "./profileedits.js";

const nameCharactersMax = 60;

/** The card: `{element, draw(), close()}`. `edits` is a `ProfileEdits`. */
export function makeHomeField({ app, edits }) {
  return new HomeField(app, edits);
}

class HomeField {
  element;

  #app;
  #edits;
  #note = makeSaved();
  #problem = h("p", { class: "problem", role: "alert" });
  #place = h("div", { class: "home-place", id: "home-place" });
  #drawn = null;
  #state = null;
  #dialog = null;

  constructor(app, edits) {
    this.#app = app;
    this.#edits = edits;
    this.element = h("section", { class: "card stack", id: "home-card", "aria-labelledby": "home-title" },
      h("h2", { id: "home-title" }, "Home location"),
      h("p", { class: "muted" }, "Your starting point where a place helps, such as in Places and when your location isn't known. "
        + "Only you see it."),
      this.#place, this.#problem, this.#note.element,
      h("p", { class: "hint" }, "To hide this place from people you share with, add a ",
        h("a", { href: "/settings/privacy" }, "private zone"), "."));
  }

  draw() {
    const home = this.#edits.value("home");
    setText(this.#problem, this.#edits.problem("home") ?? "");
    this.#drawNote();
    const key = JSON.stringify(home);
    if (key === this.#drawn) return;
    this.#drawn = key;
    const button = (id, className, label, run) => h("button", { class: `button ${className}`, type: "button", id, onclick: run }, label);
    keepFocus(this.#place, () => this.#place.replaceChildren(...(home
      ? [icon("pin"), h("strong", { class: "grow", id: "home-name" }, home.name), button("home-change", "", "Change", () => this.#open()),
        button("home-remove", "quiet", "Remove", () => this.#edits.edit("home", null))]
      : [button("home-choose", "", "Choose home location", () => this.#open())])));
  }

  close() {
    if (this.#dialog?.open) this.#dialog.close();
  }

  #drawNote() {
    const state = this.#edits.state("home");
    if (state === this.#state) return;
    this.#state = state;
    if (state === "saving") this.#note.say("Saving…", "saving");
    else if (state === "waiting") this.#note.say(waitingText, "saving");
    else this.#note.say(state === "saved" ? "Saved" : "", state === "saved" ? "saved" : "");
  }

  #open() {
    const home = this.#edits.value("home");
    const name = makeField({ name: "homeName", label: "Name (only you see it)", value: home?.name ?? "Home", maxlength: nameCharactersMax,
      autocomplete: "off", id: "home-name-field" });
    const problem = h("p", { class: "problem", role: "alert", id: "home-problem" });
    const picker = makePlacePicker({ app: this.#app, value: home && { lat: home.lat, lon: home.lon },
      changed: () => setText(problem, "") });
    const search = makePlaceSearch({ app: this.#app, id: "home-search", label: "Search the campus", chosen: (place) => {
      picker.set({ lat: place.lat, lon: place.lon });
      setText(problem, "");
      if (["", "Home"].includes(name.input.value.trim())) name.input.value = [...place.name].slice(0, nameCharactersMax).join("");
    } });
    const save = (event) => {
      event.preventDefault();
      const where = picker.value;
      if (!where) return setText(problem, "Mark the place: tap the map or search.");
      if (name.input.value.trim() === "") return name.setProblem("Enter a name.");
      this.#dialog.close();
      this.#edits.edit("home", { lat: where.lat, lon: where.lon, name: name.input.value.trim() });
      return undefined;
    };
    this.#dialog = openDialog({ id: "home-dialog", title: "Home location", className: "home-dialog", content: h("form", {
      class: "stack", novalidate: true, onsubmit: save,
    }, search.element, picker.element, name.element, problem,
    h("button", { class: "button primary", type: "submit", id: "home-save" }, "Save")) });
    this.#dialog.addEventListener("close", () => {
      picker.close();
      search.close();
    });
  }
}
