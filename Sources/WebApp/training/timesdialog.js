// The dialog that changes the start and the end of a past training.

import { openDialog } from "../kit/dialog.js";
import { h, setText } from "../kit/dom.js";
import { makeField, makeForm } from "../kit/form.js";
import { localTime, timeOfLocal } from "../kit/times.js";
import { secondsText } from "../workouts/words.js";
import { timesProblems } from "./edits.js";

/** Opens the dialog. `save({startedAt, endedAt})` gets both times in the form of the protocol. */
export function openTimesDialog({ training, now, save }) {
  const field = (name, label) => {
    const before = Date.parse(training[name]);
    const made = makeField({ name, id: `training-${name}`, label, type: "datetime-local", value: localTime(before), max: localTime(now()),
      oninput: () => drawLength() });
    // Such a field has whole minutes: an unchanged time keeps its seconds.
    return { ...made, get time() { return made.input.value === localTime(before) ? before : timeOfLocal(made.input.value); } };
  };
  const start = field("startedAt", "Started");
  const end = field("endedAt", "Ended");
  const length = h("p", { class: "muted", id: "training-length" });
  const drawLength = () => {
    const seconds = (end.time - start.time) / 1_000;
    setText(length, seconds > 0 ? `${secondsText(seconds)} from start to end, with pauses.` : "");
  };
  drawLength();
  const form = makeForm({
    id: "times-form", fields: [start, end], submitLabel: "Save",
    check: () => timesProblems({ startedAt: start.time, endedAt: end.time }, now()),
    send: async () => {
      const times = { startedAt: new Date(start.time).toISOString(), endedAt: new Date(end.time).toISOString() };
      dialog.close();
      await save(times);
    },
  });
  form.querySelector("#times-form-problem").before(length);
  const dialog = openDialog({ id: "times-dialog", title: "Date and time", content: form });
}
