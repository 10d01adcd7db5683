// Body data (C-2, W-1): height, weight, injuries, conditions, goals, last period and heart rate. Each change is saved as it is made.

import { keptAt } from "../connection/keptage.js";
import { followWaiting } from "../connection/waitingmethods.js";
import { h } from "../kit/dom.js";
import { makeChips } from "../kit/fields.js";
import { icon } from "../kit/icons.js";
import { sentence } from "../kit/format.js";
import { isOnlyOffline, loadProblem, whenLive } from "../kit/loadable.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { makeSaved } from "../kit/saved.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { makeInjuryCard } from "./injuries.js";
import { makeNumberField } from "./numberfield.js";
import { makePeriodCard } from "./period.js";
import { makeWeightCard } from "./weights.js";
import { conditions, figures, goals, goalsMax } from "./words.js";

await loadStyles("/app/body/body.css");

/** Serves `/body`. */
export function show(root, _params, app) {
  if (!requireSignIn(app, "/body")) return undefined;
  const page = new BodyPage(root, app);
  return () => page.close();
}

const isOfBody = ({ method }) => method.startsWith("body.");

class BodyPage {
  #net;
  #end = new AbortController();
  #kept = makeKeptNote("body-kept");
  #status;
  #problem = h("div", {});
  #place = h("div", { class: "stack", id: "body-data" });
  /** `{draw(), close?()}` of each part; null before the data is there. */
  #parts = null;
  #data = null;
  #weights = [];
  #isWanting = false;

  constructor(root, app) {
    const { net } = app;
    this.#net = net;
    this.#status = loading(net);
    root.append(h("div", { class: "page stack body-page" }, h("h1", { tabindex: "-1" }, "Body data"), privacyNote(), this.#kept.element,
      this.#status, this.#problem, this.#place));
    const { signal } = this.#end;
    leaveWhenSignedOut(app, signal);
    signal.addEventListener("abort", whenLive(net, () => { if (this.#isWanting) this.#load(); }));
    followWaiting(net.writes, isOfBody, () => this.#load(), signal);
    this.#load();
  }

  close() {
    for (const part of this.#parts ?? []) part.close?.();
    this.#end.abort();
  }

  async #load() {
    this.#problem.replaceChildren();
    this.#status.hidden = this.#parts !== null;
    try {
      const replies = await Promise.all([this.#net.read("body.get"), this.#net.read("body.weights")]);
      if (this.#end.signal.aborted) return;
      const at = keptAt(replies);
      this.#isWanting = at !== null;
      this.#kept.draw(at);
      this.#data = replies[0];
      this.#weights = replies[1].weights;
      this.#draw();
    } catch (error) {
      if (this.#end.signal.aborted) return;
      this.#isWanting = isOnlyOffline(error, this.#net);
      if (this.#isWanting || this.#parts) return;
      this.#status.hidden = true;
      this.#problem.replaceChildren(loadProblem({ id: "body-problem", title: "Couldn't load your body data", text: sentence(error.message),
        again: () => this.#load() }));
    }
  }

  #draw() {
    this.#status.hidden = true;
    if (!this.#parts) {
      this.#parts = this.#makeParts();
      this.#place.replaceChildren(...this.#parts.map(({ element }) => element));
    }
    for (const part of this.#parts) part.draw();
  }

  /** Saves a change; `note` says how it goes. Returns whether it was saved, or waits. */
  async #write(note, method, params) {
    const { writes } = this.#net;
    let isRefused = false;
    const saved = await note.run(async () => {
      try {
        return await writes.write(method, params);
      } catch (error) {
        isRefused = true;
        throw error;
      }
    });
    if (saved) this.#data = writes.shown("body.get", {}, saved);
    else if (!isRefused) this.#data = writes.shown("body.get", {}, this.#data);
    if (!isRefused && method.endsWith("Weight")) await this.#load();
    if (!this.#end.signal.aborted) this.#draw();
    return !isRefused;
  }

  /** One member of the data; null clears it. */
  #save(name, value, note) {
    return this.#write(note, "body.save", value === null ? { clear: [name] } : { [name]: value });
  }

  #makeParts() {
    const context = { writes: this.#net.writes, write: (...change) => this.#write(...change), signal: this.#end.signal };
    const weight = makeWeightCard(context);
    const injuries = makeInjuryCard(context);
    const period = makePeriodCard({ save: (value, note) => this.#save("lastPeriod", value, note) });
    return [
      this.#heightCard(),
      { element: weight.element, draw: () => weight.draw(this.#weights), close: () => weight.close() },
      { element: injuries.element, draw: () => injuries.draw(this.#data.injuries), close: () => injuries.close() },
      this.#chipsCard({ id: "conditions", title: "Health", label: "Health conditions", options: conditions, most: conditions.length,
        hint: "Choose all that apply. Workouts leave out what isn't safe with them." }),
      this.#chipsCard({ id: "goals", title: "Fitness goals", label: "Your goals", options: goals, most: goalsMax,
        hint: "Recommended workouts are based on them." }),
      { element: period.element, draw: () => {
        period.element.hidden = !this.#data.asksLastPeriod;
        period.draw(this.#data.lastPeriod);
      } },
      this.#pulseCard(),
    ];
  }

  #number(name, hint = null) {
    const field = makeNumberField({ name, figure: figures[name], hint, value: this.#data[name] ?? null,
      save: (value, note) => this.#save(name, value, note) });
    field.note.follow(this.#net.writes, ({ method, subject }) => method === "body.save" && subject === name, this.#end.signal);
    return field;
  }

  #heightCard() {
    const field = this.#number("heightCentimetres", "For example 172.");
    return { element: card("height-card", "Height", field.element), close: () => field.close(),
      draw: () => field.draw(this.#data.heightCentimetres ?? null) };
  }

  #pulseCard() {
    const [resting, maximum] = [this.#number("restingPulse", "Measured in the morning, before you get up."),
      this.#number("maximumPulse", "Only if you had it measured.")];
    const estimate = h("p", { class: "muted", id: "estimated-pulse" });
    return {
      element: card("pulse-card", "Heart rate", h("div", { class: "two-fields" }, resting.element, maximum.element), estimate),
      draw: () => {
        const { restingPulse, maximumPulse, estimatedMaximumPulse } = this.#data;
        resting.draw(restingPulse ?? null);
        maximum.draw(maximumPulse ?? null);
        estimate.textContent = estimateText(maximumPulse, estimatedMaximumPulse);
      },
      close: () => {
        resting.close();
        maximum.close();
      },
    };
  }

  #chipsCard({ id, title, label, options, most, hint }) {
    const note = makeSaved();
    note.follow(this.#net.writes, ({ method, subject }) => method === "body.save" && subject === id, this.#end.signal);
    const place = h("div", {});
    let drawn = null;
    return { element: card(`${id}-card`, title, place, note.element), draw: () => {
      const key = [...this.#data[id]].sort().join();
      if (key === drawn) return;
      drawn = key;
      const chips = makeChips({ name: id, label, hint, most, options, value: this.#data[id], changed: () => {
        const now = [...chips.value].sort().join();
        // One too many was not taken.
        if (now === drawn) return;
        drawn = now;
        this.#save(id, chips.value, note);
      } });
      place.replaceChildren(chips.element);
    } };
  }
}

function card(id, title, ...content) {
  return h("section", { class: "card stack", id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), ...content);
}

function estimateText(measured, estimated) {
  if (measured) return "Your heart-rate zones use your measured maximum.";
  if (estimated) return `Estimated maximum for your age: ${estimated} bpm. Your heart-rate zones use it. It may be off by 10 bpm or more.`;
  return "Add your birthday in your buddy profile, and we estimate your maximum from your age.";
}

function privacyNote() {
  return h("section", { class: "notice body-privacy", "aria-label": "Privacy" }, icon("lock"), h("div", { class: "stack tight" },
    h("p", {}, h("strong", {}, "Only you can see this.")),
    h("p", {}, "We use it to recommend workouts, to leave out exercises that could hurt you, and to work out calories and heart-rate "
      + "zones. It isn't shown to buddies, hosts or admins. It isn't medical advice."),
    h("p", {}, h("a", { class: "link", href: "/settings/data" }, "Download or delete your data"))));
}
