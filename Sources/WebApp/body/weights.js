// The weight by days: a day's entry, a chart, and the list.

import { makeChart } from "../charts/chart.js";
import { daily } from "../charts/series.js";
import { isDay, today, wordsOf } from "../charts/days.js";
import { confirmDialog, h, keepFocus } from "../kit/dom.js";
import { makeField } from "../kit/form.js";
import { icon } from "../kit/icons.js";
import { makeSaved } from "../kit/saved.js";
import { figures, readFigure } from "./words.js";

const shownMax = 5;
/** A line connects weights that lie so far apart. */
const gapDays = 60;
const dayFirst = "1900-01-01";

/** `{element, draw(weights), close()}`; `write(method, params)` saves, `signal` ends it. */
export function makeWeightCard({ writes, write, signal }) {
  return new WeightCard(writes, write, signal);
}

class WeightCard {
  element;

  #write;
  #weights = [];
  #isWhole = false;
  /** Last day of the field, which is its value until another is chosen. */
  #last = today();
  #note = makeSaved();
  #date;
  #kilograms;
  #chart = makeChart({
    id: "weight-chart", label: "Weight", kind: "line", names: ["Weight"], unit: " kg", gapDays, empty: "Add your weight to see a chart.",
  });
  #list = h("ul", { class: "weight-list", id: "weights" });
  #more = h("button", { class: "button quiet", type: "button", id: "weights-more", hidden: true, onclick: () => {
    this.#isWhole = true;
    this.#drawList();
    /** @type {HTMLElement | null} */ (this.#list.querySelectorAll("button")[shownMax])?.focus();
  } }, "Show all");

  constructor(writes, write, signal) {
    this.#write = write;
    this.#date = makeField({ name: "weight-date", label: "Day", type: "date", value: this.#last, min: dayFirst, max: this.#last });
    this.#kilograms = makeField({ name: "weight", label: "Weight (kg)", inputmode: "decimal", autocomplete: "off", maxlength: 6 });
    this.#note.follow(writes, ({ method }) => method.endsWith("Weight"), signal);
    const form = h("form", { class: "weight-form", id: "weight-form", novalidate: true, onsubmit: (event) => {
      event.preventDefault();
      this.#add();
    }, onfocusin: () => this.#toToday() }, this.#kilograms.element, this.#date.element,
    h("button", { class: "button primary", type: "submit", id: "weight-add" }, "Add"));
    this.element = h("section", { class: "card stack", id: "weight-card", "aria-labelledby": "weight-title" },
      h("h2", { id: "weight-title" }, "Weight"), form, this.#note.element, this.#chart.element, this.#list, this.#more);
  }

  /** `weights` are those of `body.weights`, oldest first. */
  draw(weights) {
    this.#weights = weights;
    this.#toToday();
    const rows = weights.map(({ date, kilograms }) => ({ date, kilograms }));
    this.#chart.draw(rows.length === 0 ? [] : daily(rows, ["kilograms"], { from: rows[0].date, to: rows.at(-1).date }));
    this.#drawList();
  }

  /** The page may be open past midnight. */
  #toToday() {
    const now = today();
    if (now === this.#last) return;
    const { input } = this.#date;
    if (input.value === this.#last) input.value = now;
    input.max = this.#last = now;
  }

  close() {
    this.#chart.close();
  }

  #drawList() {
    const latest = [...this.#weights].reverse();
    this.#more.hidden = this.#isWhole || latest.length <= shownMax;
    const row = ({ date, kilograms }) => h("li", { dataset: { day: date } }, h("span", { class: "grow" }, wordsOf(date)),
      h("strong", { class: "number" }, `${kilograms} kg`),
      h("button", { class: "icon-button", type: "button", "aria-label": `Remove the weight of ${wordsOf(date)}`,
        onclick: () => this.#remove(date) }, icon("bin")));
    keepFocus(this.#list, () => this.#list.replaceChildren(...(this.#isWhole ? latest : latest.slice(0, shownMax)).map(row)),
      () => this.#kilograms.input);
  }

  async #add() {
    const date = this.#date.input.value;
    const read = readFigure(this.#kilograms.input.value, figures.kilograms);
    const problem = read.problem ?? (read.value === null ? "Enter your weight." : null);
    const isPast = isDay(date) && date >= dayFirst && date <= today();
    this.#kilograms.setProblem(problem);
    this.#date.setProblem(isPast ? null : "Choose today or an earlier day.");
    if (problem) return this.#kilograms.input.focus();
    if (!isPast) return this.#date.input.focus();
    const isDone = await this.#write(this.#note, "body.saveWeight", { date, kilograms: read.value });
    if (isDone) this.#kilograms.input.value = "";
    return undefined;
  }

  async #remove(date) {
    const sure = await confirmDialog({ id: "remove-weight", title: "Remove this weight?", confirm: "Remove", danger: true,
      text: `Your weight of ${wordsOf(date)} is deleted. Past workouts keep their calories.` });
    if (sure) await this.#write(this.#note, "body.removeWeight", { date });
  }
}
