// The figures of the session that is being recorded.

import { h, setText } from "../kit/dom.js";
import { averageSpeed, hms, km } from "../kit/format.js";
import { distanceShown, elapsedSeconds, lastKilometreSpeed } from "./recording.js";
import { speedParts } from "../kit/units.js";

const unsentShownMin = 5;

/** `{element, update(record)}`. Of a session without positions only the time is shown. */
export function makeReadout({ tracker, net }) {
  const figures = Object.fromEntries(["distance", "time", "now", "speed", "kilometre", "accuracy", "unsent"]
    .map((key) => [key, h("dd", { class: "number", id: `figure-${key}`, dataset: { figure: key } })]));
  const { activity } = tracker.record;
  const { label, unit } = speedParts(0, activity);
  const meaning = "Estimated on this device until all points are uploaded.";
  const estimate = h("span", { class: "tag", id: "estimate", hidden: true, title: meaning }, "estimate");
  const rates = [[`${label} now`, figures.now], [`Avg ${label.toLowerCase()}`, figures.speed], ["Last km", figures.kilometre]];
  const fromPositions = [
    h("div", { class: "readout-main" }, h("dt", {}, "Distance, km"), figures.distance, estimate),
    ...rates.map(([name, figure]) => h("div", {}, h("dt", {}, name), figure, h("dd", { class: "unit" }, unit))),
    h("div", { class: "readout-half" }, h("dt", {}, "GPS accuracy"), figures.accuracy),
    h("div", { class: "readout-half" }, h("dt", {}, "Points to upload"), figures.unsent)];
  const [distance, ...rest] = fromPositions;
  const element = h("dl", { class: "readout" }, distance, h("div", { class: "readout-main" }, h("dt", {}, "Time"), figures.time), ...rest);

  function update(record) {
    const seconds = elapsedSeconds(record, net.clock.now());
    const { metres, isEstimate } = distanceShown(record);
    const rate = (metresPerSecond) => speedParts(metresPerSecond, activity).value;
    element.dataset.timeOnly = record.isTimeOnly === true;
    for (const part of fromPositions) part.hidden = record.isTimeOnly;
    setText(figures.distance, km(metres));
    setText(figures.time, hms(seconds));
    setText(figures.now, rate(tracker.currentSpeed));
    setText(figures.speed, rate(averageSpeed(metres, seconds)));
    setText(figures.kilometre, rate(lastKilometreSpeed(record)));
    setText(figures.accuracy, tracker.fix ? `±${Math.round(tracker.fix.accuracy)} m` : "–");
    setText(figures.unsent, tracker.unsent.toLocaleString("en"));
    estimate.hidden = !(isEstimate && (net.state !== "live" || tracker.unsent > unsentShownMin || record.id === null));
  }

  return { element, update };
}
