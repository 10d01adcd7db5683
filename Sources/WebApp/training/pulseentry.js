// Adds a heart rate to a training that has ended: from a file that is read in the browser, or as an average.

import { h, setText } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { isPulse, pulseRange } from "./heartrate.js";
import { fileBytesMax, readPulseFile, samplesOfAverage, samplesWithin } from "./pulsefile.js";

const requestSamplesMax = 600;

/** The element; `added()` is called when the server has the samples. */
export function makePulseEntry({ net }, training, { added }) {
  const status = h("p", { class: "small", role: "status", id: "pulse-status" });
  const span = { from: Date.parse(training.startedAt), until: Date.parse(training.endedAt) };
  const send = async (samples) => {
    setText(status, "Adding…");
    try {
      for (let first = 0; first < samples.length; first += requestSamplesMax) {
        await net.request("training.record", { training: training.id, generation: training.generation,
          pulse: samples.slice(first, first + requestSamplesMax) });
      }
      setText(status, `${count(samples.length, "value")} added.`);
      added();
    } catch (error) {
      setText(status, error.message);
    }
  };
  const file = h("input", { class: "visually-hidden", type: "file", id: "pulse-file",
    accept: ".tcx,.gpx,.csv,text/csv,application/gpx+xml", onchange: async () => {
    const [chosen] = file.files ?? [];
    file.value = "";
    if (!chosen) return;
    if (chosen.size > fileBytesMax) return void setText(status, "Choose a file of at most 10 MB.");
    const samples = readPulseFile(await chosen.text());
    const within = samplesWithin(samples, span);
    if (samples.length === 0) setText(status,
      "There is no heart rate in this file. Choose a TCX, GPX or CSV file with times and heart rates.");
    else if (within.length === 0) setText(status, "The heart rates in this file are from another time.");
    else await send(within);
  } });
  const average = h("input", { class: "input", type: "number", inputmode: "numeric", id: "pulse-average", min: pulseRange.min,
    max: pulseRange.max, placeholder: "bpm",
    "aria-label": "Average heart rate, beats per minute" });
  const form = h("form", { class: "pulse-form", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    const bpm = Number(average.value);
    if (isPulse(bpm)) send(samplesOfAverage(bpm, span));
    else setText(status, `Enter a heart rate from ${pulseRange.min} to ${pulseRange.max}.`);
  } }, average, h("button", { class: "button small-button", type: "submit" }, "Enter average"));
  return h("div", { class: "stack tight" }, h("div", { class: "row" }, file,
    h("label", { class: "button small-button file-button", for: "pulse-file" }, icon("log"), "From a file"), form),
    h("p", { class: "hint" }, "TCX, GPX or CSV from a watch or another app. The file is read on this device."), status);
}
