// The heart rate during a training: from a monitor, or entered by hand, with its zone.

import { h, setText, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { PulseBuckets, isPulse, pulseRange, zoneNames, zoneOf } from "./heartrate.js";
import { HeartSensor, canConnect } from "./heartsensor.js";

/** Samples of so long go in one request. */
const requestSamples = 24;
const staleMilliseconds = 15_000;

/** `{element, zone(), collect(), close()}`: samples go into the record of `guide`; `flush()` sends them. */
export function makePulseCard({ net }, guide, { flush }) {
  const sensor = canConnect() ? new HeartSensor() : null;
  const buckets = new PulseBuckets();
  const rate = h("strong", { class: "pulse-rate number" }, "–");
  const words = h("span", { class: "muted small", role: "status" }, sensor ? "No monitor connected" : "Enter your heart rate by hand");
  let maximum = null;
  let last = null;
  const zone = () => (last && net.clock.now() - last.at < staleMilliseconds ? zoneOf(last.bpm, maximum) : null);
  net.request("body.get").then((body) => { maximum = body.maximumPulse ?? body.estimatedMaximumPulse ?? null; }, () => {});

  function add(sample) {
    if (!sample || guide.state === "finished") return;
    // The span of time of the first sample may have begun before the training.
    const at = new Date(Math.max(Date.parse(sample.at), guide.record.startedAt)).toISOString();
    guide.noteSent({ pulse: [...guide.record.pulse, { ...sample, at }] });
    if (guide.record.pulse.length >= requestSamples) flush();
  }
  function take(bpm, { contact = null, isByHand = false } = {}) {
    const at = net.clock.now();
    last = { bpm, at };
    setText(rate, String(bpm));
    const current = zoneOf(bpm, maximum);
    setText(words, contact === false ? "The monitor has no contact with your skin" : current === null ? "beats per minute"
      : current === 0 ? zoneNames[0] : `Zone ${current}: ${zoneNames[current].toLowerCase()}`);
    if (isByHand) add({ at: new Date(at).toISOString(), bpm });
    else add(buckets.add(bpm, at));
  }
  const connect = sensor && h("button", { class: "button small-button", type: "button", id: "pulse-connect", onclick: async () => {
    try {
      await sensor.connect();
    } catch (error) {
      toast(error.message);
    }
  } }, icon("pulse"), "Connect monitor");
  const input = h("input", { class: "input", type: "number", inputmode: "numeric", min: pulseRange.min, max: pulseRange.max,
    id: "pulse-hand",
    "aria-label": "Heart rate now, beats per minute", placeholder: "bpm" });
  const form = h("form", { class: "pulse-form", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    const bpm = Number(input.value);
    if (!isPulse(bpm)) return void toast(`Enter a heart rate from ${pulseRange.min} to ${pulseRange.max}.`);
    take(bpm, { isByHand: true });
    input.value = "";
    return undefined;
  } }, input, h("button", { class: "button small-button", type: "submit" }, "Enter"));
  const draw = () => {
    const names = { off: "No monitor connected", connecting: "Connecting…", on: `${sensor?.name} is connected`,
      lost: "The connection was lost. Trying again…" };
    setText(words, names[sensor?.state ?? "off"]);
    if (connect) connect.hidden = ["connecting", "on", "lost"].includes(sensor.state);
  };
  sensor?.addEventListener("rate", (/** @type {any} */ { detail }) => take(detail.bpm, detail));
  sensor?.addEventListener("change", draw);
  return {
    element: h("section", { class: "card pulse-card", "aria-labelledby": "pulse-title" },
      h("h2", { id: "pulse-title" }, icon("heart"), "Heart rate"), h("div", { class: "pulse-now" }, rate, words),
      h("div", { class: "row" }, connect, form)),
    zone,
    /** Takes what was collected since the last sample. */
    collect: () => add(buckets.flush()),
    close() {
      add(buckets.flush());
      sensor?.close();
    },
  };
}
