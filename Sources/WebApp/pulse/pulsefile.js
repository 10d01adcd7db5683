// Heart rates from a file that a watch or another app wrote: TCX, GPX or CSV. It is read in the browser. Pure.

import { PulseBuckets, isPulse } from "./heartrate.js";

export const fileBytesMax = 10_000_000;
/** More samples are averaged over longer spans of time. */
export const samplesMax = 6_000;
const readMax = 200_000;
const linesMax = 300_000;
const shortestSpan = 5_000;
/** The server counts a sample for the zone for so long, if no other follows. */
const heldMilliseconds = 15_000;

/** An element's name, and the text behind it; the attributes are limited so that damaged files cost no time. */
const tagShape = /<(?:[\w-]{1,40}:)?([\w-]{1,40})(?:\s[^<>]{0,400})?>([^<]{0,200})/g;

/** Rates of a TCX or GPX file, as `{at, bpm}` with ms. The time of a point stands before its rate. */
function readMarkup(text) {
  const samples = [];
  let at = NaN;
  let isRate = false;
  for (const [, tag, content] of text.matchAll(tagShape)) {
    if (tag === "Trackpoint" || tag === "trkpt") at = NaN;
    else if (tag === "Time" || tag === "time") at = Date.parse(content.trim());
    else if (tag === "HeartRateBpm") isRate = true;
    else if (tag === "hr" || (tag === "Value" && isRate)) {
      isRate = false;
      samples.push({ at, bpm: Math.round(Number(content)) });
      if (samples.length >= readMax) break;
    }
  }
  return samples;
}

const separators = [",", ";", "\t"];
const timeHeads = /^(time|timestamp|date|date.?time|zeit)/i;
const rateHeads = /(heart|pulse|bpm|^hr$|puls)/i;

/** A time in a table: a date, or seconds or ms since 1970. */
function readTime(text) {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number)) return number > 1e11 ? number : number * 1_000;
  return Date.parse(text);
}

function readTable(text) {
  const lines = text.split(/\r?\n/, linesMax).filter((line) => line.trim() !== "");
  const separator = separators.find((one) => lines[0]?.includes(one));
  if (!separator) return [];
  const cells = (line) => line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
  const heads = cells(lines[0]);
  const time = heads.findIndex((head) => timeHeads.test(head));
  const rate = heads.findIndex((head) => rateHeads.test(head));
  if (time < 0 || rate < 0) return [];
  return lines.slice(1, readMax).map((line) => {
    const row = cells(line);
    return { at: readTime(row[time] ?? ""), bpm: Math.round(Number(row[rate] || NaN)) };
  });
}

/** The rates in a file's text, oldest first, `{at, bpm}` with ms. Empty when there are none. */
export function readPulseFile(text) {
  const isMarkup = /^\s*\uFEFF?\s*</.test(text.slice(0, 200));
  return (isMarkup ? readMarkup(text) : readTable(text)).filter(({ at, bpm }) => Number.isFinite(at) && isPulse(bpm))
    .sort((one, other) => one.at - other.at);
}

/** The samples of a training from those of a file, in the form of the protocol: averaged, and only within the training. */
export function samplesWithin(samples, { from, until }) {
  const span = Math.max(shortestSpan, Math.ceil((until - from) / samplesMax));
  const buckets = new PulseBuckets(span);
  const made = [];
  for (const { at, bpm } of samples.filter((one) => one.at >= from && one.at <= until)) {
    const sample = buckets.add(bpm, at);
    if (sample) made.push(sample);
  }
  const last = buckets.flush();
  return [...made, ...(last ? [last] : [])].map((sample) => (Date.parse(sample.at) < from
    ? { ...sample, at: new Date(from).toISOString() } : sample));
}

/** An average that a person entered, as samples all through a training. */
export function samplesOfAverage(bpm, { from, until }) {
  const step = Math.max(heldMilliseconds, Math.ceil((until - from) / samplesMax));
  const times = [];
  for (let at = from; at <= until && times.length < samplesMax; at += step) times.push(at);
  return times.map((at) => ({ at: new Date(at).toISOString(), bpm }));
}

/** The server takes no more samples in one request. */
const requestSamplesMax = 600;

/**
 * The requests, `[method, params]` each, that give a training these samples. `replaces`: the training has samples, and these come in their
 * place; none removes them.
 */
export function pulseRequests({ id, generation }, samples, { replaces }) {
  const chunks = Array.from({ length: Math.ceil(samples.length / requestSamplesMax) }, (_, index) => (
    samples.slice(index * requestSamplesMax, (index + 1) * requestSamplesMax)));
  const added = (pulse) => ["training.record", { training: id, generation, pulse }];
  if (!replaces) return chunks.map(added);
  const [first = [], ...rest] = chunks;
  return [["training.edit", { training: id, pulse: first }], ...rest.map(added)];
}
