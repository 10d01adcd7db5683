// The heart rate of a training that has ended: added, replaced and removed. It comes from a file that is read in the browser, or is an
// average.

import { confirmDialog, h, setText } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { isPulse, pulseRange } from "./heartrate.js";
import { fileBytesMax, pulseRequests, readPulseFile, samplesOfAverage, samplesWithin } from "./pulsefile.js";

/** The element; `changed()` is called when the server has the samples. */
export function makePulseEntry({ net }, training, { changed }) {
  const replaces = Boolean(training.pulse);
  const status = h("p", { class: "small", role: "status", id: "pulse-status" });
  const span = { from: Date.parse(training.startedAt), until: Date.parse(training.endedAt) };

  async function send(samples) {
    const isRemoval = samples.length === 0;
    if (replaces && !(await confirmDialog(isRemoval ? removeQuestion : replaceQuestion))) return;
    setText(status, "Saving…");
    try {
      for (const [method, params] of pulseRequests(training, samples, { replaces })) await net.request(method, params);
      setText(status, isRemoval ? "Removed." : `${count(samples.length, "value")} ${replaces ? "saved" : "added"}.`);
      changed();
    } catch (error) {
      setText(status, error.message);
    }
  }

  async function take(chosen) {
    if (!chosen) return undefined;
    if (chosen.size > fileBytesMax) return setText(status, "Choose a file of at most 10 MB.");
    const samples = readPulseFile(await chosen.text());
    const within = samplesWithin(samples, span);
    if (samples.length === 0) {
      return setText(status, "There is no heart rate in this file. Choose a TCX, GPX or CSV file with times and heart rates.");
    }
    return within.length > 0 ? send(within) : setText(status, "The heart rates in this file are from another time.");
  }

  const file = h("input", { class: "visually-hidden", type: "file", id: "pulse-file",
    accept: ".tcx,.gpx,.csv,text/csv,application/gpx+xml", onchange: () => {
      const [chosen] = file.files ?? [];
      file.value = "";
      take(chosen);
    } });
  const average = h("input", { class: "input", inputmode: "numeric", id: "pulse-average", autocomplete: "off", maxlength: 3 });
  const form = h("form", { class: "pulse-form", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    const bpm = Number(average.value.trim() || NaN);
    if (isPulse(bpm)) send(samplesOfAverage(bpm, span));
    else {
      setText(status, `Enter a heart rate from ${pulseRange.min} to ${pulseRange.max}.`);
      average.focus();
    }
  } }, h("label", { for: "pulse-average" }, "Average, bpm"), average,
  h("button", { class: "button small-button", type: "submit", id: "pulse-enter" }, replaces ? "Replace" : "Enter"));
  const remove = replaces ? h("button", { class: "button small-button", type: "button", id: "pulse-remove", onclick: () => send([]) },
    icon("bin"), "Remove heart rate") : null;
  return h("div", { class: "stack tight pulse-entry" }, form,
    h("div", { class: "row" }, file, h("label", { class: "button small-button file-button", for: "pulse-file" }, icon("log"),
      replaces ? "Replace from a file" : "From a file"), remove),
    h("p", { class: "hint" }, "TCX, GPX or CSV from a watch or another app. The file is read on this device."), status);
}

const replaceQuestion = {
  id: "replace-pulse", title: "Replace the heart rate?", confirm: "Replace", danger: true,
  text: "The heart rate that is there now is deleted. You can't undo this.",
};
const removeQuestion = {
  id: "remove-pulse", title: "Remove the heart rate?", confirm: "Remove", danger: true,
  text: "It's deleted from this workout, and calories are calculated without it. You can't undo this.",
};
