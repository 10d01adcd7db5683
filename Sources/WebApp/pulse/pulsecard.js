// The card of the heart rate during a training, with its zone.

import { h, setText, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { isPulse, pulseRange, zoneNames, zoneOf } from "./heartrate.js";

/** `{element, close()}` of a `Pulse`. */
export function makePulseCard(pulse) {
  const { sensor } = pulse;
  const end = new AbortController();
  const rate = h("strong", { class: "pulse-rate number" }, "–");
  const words = h("span", { class: "muted small", role: "status" });
  const connectText = h("span", {});
  // One button for both keeps the focus.
  const connect = sensor && h("button", { class: "button small-button", type: "button", id: "pulse-connect", onclick: async () => {
    if (sensor.state !== "off") return sensor.disconnect();
    try {
      await sensor.connect();
    } catch (error) {
      toast(error.message);
    }
    return undefined;
  } }, icon("pulse"), connectText);
  const input = h("input", { class: "input", type: "number", inputmode: "numeric", min: pulseRange.min, max: pulseRange.max,
    id: "pulse-hand",
    "aria-label": "Heart rate now, beats per minute", placeholder: "bpm" });
  const form = h("form", { class: "pulse-form", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    const bpm = Number(input.value);
    if (!isPulse(bpm)) return void toast(`Enter a heart rate from ${pulseRange.min} to ${pulseRange.max}.`);
    pulse.enter(bpm);
    input.value = "";
    return undefined;
  } }, input, h("button", { class: "button small-button", type: "submit" }, "Enter"));
  const draw = () => {
    setText(rate, pulse.last ? String(pulse.last.bpm) : "–");
    setText(words, pulseText(pulse));
    if (sensor) setText(connectText, sensor.state === "off" ? "Connect monitor" : "Disconnect monitor");
  };
  let drawnState = sensor?.state ?? null;
  pulse.addEventListener("change", () => {
    const isNew = sensor && sensor.state !== drawnState;
    if (sensor) drawnState = sensor.state;
    draw();
    // The name of the monitor, until its first rate after that.
    if (isNew) setText(words, sensorText(sensor));
  }, { signal: end.signal });
  draw();
  return {
    element: h("section", { class: "card pulse-card", "aria-labelledby": "pulse-title" },
      h("h2", { id: "pulse-title" }, icon("heart"), "Heart rate"), h("div", { class: "pulse-now" }, rate, words),
      h("div", { class: "row" }, connect, form)),
    close: () => end.abort(),
  };
}

function sensorText(sensor) {
  const names = { off: "No monitor connected", connecting: "Connecting…", on: `${sensor?.name} is connected`,
    lost: "The connection was lost. Trying again…" };
  return sensor ? names[sensor.state] : "Enter your heart rate by hand";
}

function pulseText({ last, maximum, sensor }) {
  if (!last) return sensorText(sensor);
  const zone = zoneOf(last.bpm, maximum);
  return last.contact === false ? "The monitor has no contact with your skin" : zone === null ? "beats per minute"
    : zone === 0 ? zoneNames[0] : `Zone ${zone}: ${zoneNames[zone].toLowerCase()}`;
}
