// The server's figures in plain words, and those of the last two minutes. Pure.

/** How often they are asked for while somebody looks. */
export const figuresEveryMilliseconds = 2_000;
/** Without an answer for so long, what is shown is old. */
export const staleAfterMilliseconds = 7_000;
const keptMilliseconds = 120_000;
const samplesMax = 90;

/** The newest samples `{at, value}` of the last two minutes, the new one among them. `at` is local ms. */
export function withSample(samples, at, value) {
  return [...samples, { at, value }].filter((sample) => at - sample.at <= keptMilliseconds).slice(-samplesMax);
}

/** A line through the samples as an SVG path in a box, the newest at the right edge; the highest touches the top. */
export function sparkline(samples, { now, width, height, floor = 1 }) {
  if (samples.length === 0) return { line: "", highest: 0 };
  const highest = Math.max(...samples.map(({ value }) => value));
  const scale = Math.max(floor, highest);
  const place = ({ at, value }) =>
    `${(width - ((now - at) / keptMilliseconds) * width).toFixed(1)} ${(height - 1.5 - (value / scale) * (height - 3)).toFixed(1)}`;
  return { line: samples.map((sample, index) => `${index === 0 ? "M" : "L"}${place(sample)}`).join(""), highest };
}

/** `0.4 ms`, `12 ms`, `1.2 s`. */
export function milliseconds(value) {
  if (!Number.isFinite(value)) return "–";
  if (value >= 1_000) return `${(value / 1_000).toFixed(1)} s`;
  return `${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString("en")} ms`;
}

/** `0`, `3.5`, `1,204`: how many a second. */
export function rate(value) {
  if (!Number.isFinite(value)) return "–";
  return value > 0 && value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString("en");
}

/** `212 MB`, `1.4 GB`. */
export function bytes(value) {
  if (!Number.isFinite(value)) return "–";
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)} GB`;
  if (value >= 1e6) return `${Math.round(value / 1e6).toLocaleString("en")} MB`;
  return `${Math.round(value / 1e3).toLocaleString("en")} kB`;
}

/** `42 s`, `12 min`, `5 h 12 min`, `3 days 4 h`. */
export function span(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return `${Math.max(0, Math.floor(seconds))} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days ${hours % 24} h`;
}

/** How a delay is: `good`, `slow`, `bad`, by the slowest one of a hundred. Milliseconds. */
export function health(p99, { slow, bad }) {
  if (!Number.isFinite(p99)) return "good";
  return p99 >= bad ? "bad" : p99 >= slow ? "slow" : "good";
}
