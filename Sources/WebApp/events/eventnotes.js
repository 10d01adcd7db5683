// Notes about an event: its state, a change that was made while its page is open, and a change that conflicts with its form.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { waitingLine } from "../kit/saved.js";
import { phaseOf } from "./times.js";
import { differences } from "./words.js";

/** The notes at the top of an event's page, one below the other. */
export class EventNotes {
  element = h("div", { class: "stack event-notices" });

  clear() {
    this.element.replaceChildren();
  }

  /** Shows that the event is cancelled, a draft or over, and whether a change of it waits. */
  drawState(event, now, { isWaiting = false } = {}) {
    for (const id of ["#event-state", "#event-waiting"]) this.element.querySelector(id)?.remove();
    const note = stateNote(event, now);
    if (note) this.element.prepend(note);
    if (isWaiting) this.element.append(waitingLine("event-waiting"));
  }

  /** Shows the differences between two revisions. */
  drawChange(before, after, { workouts, now }) {
    const changed = differences(before.details, after.details, { workouts, now });
    this.element.querySelector("#event-changed")?.remove();
    if (changed.length === 0) return;
    this.element.append(h("div", { class: "notice warn", id: "event-changed", role: "status" }, icon("warning"),
      h("div", { class: "grow" }, h("strong", {}, "This event was just changed."),
        h("ul", { class: "change-list" }, ...changed.map(changeItem)))));
  }
}

function stateNote(event, now) {
  if (event.state === "cancelled") {
    return h("div", { class: "notice bad", id: "event-state" }, icon("close"), h("div", {}, h("strong", {}, "This event is cancelled."),
      event.cancelReason ? h("p", { class: "event-reason" }, event.cancelReason) : null));
  }
  if (event.state === "draft") {
    return h("div", { class: "notice warn", id: "event-state" }, icon("edit"),
      h("div", {}, h("strong", {}, "Draft. "), "Only you see it. Publish it to invite people."));
  }
  return phaseOf(event, now) === "over" ? h("div", { class: "notice", id: "event-state" }, icon("clock"), "This event is over.") : null;
}

function changeItem({ field, was, is }) {
  return h("li", {}, `${field}: `, h("s", {}, h("span", { class: "visually-hidden" }, "before: "), was), " ",
    h("strong", {}, h("span", { class: "visually-hidden" }, "now: "), is));
}

/**
 * The note in an event's form that somebody else changed the event meanwhile. `changes` as of `differences`, from the form to the event;
 * `keepMine()` and `takeTheirs()` are the ways out.
 */
export function conflictNote(changes, { keepMine, takeTheirs }) {
  const button = (id, label, run) => h("button", { class: "button small-button", type: "button", id, onclick: run }, label);
  const hint = changes.length === 0 ? "Their version is the same as yours." : "Choose which version to keep:";
  return h("div", { class: "notice warn conflict", id: "event-conflict", role: "alert", tabindex: "-1" }, icon("warning"),
    h("div", { class: "grow stack" },
      h("div", {}, h("strong", {}, "Someone else changed this event. "), hint),
      h("ul", { class: "change-list" },
        ...changes.map(({ field, was, is }) => h("li", {}, h("strong", {}, field), `: yours is “${was}”, theirs is “${is}”.`))),
      h("div", { class: "row" }, button("keep-mine", "Keep mine", keepMine), button("take-theirs", "Use theirs", takeTheirs))));
}
