// Words about places. Pure.

import { dayText } from "../kit/format.js";

/** `lecture_hall` in words. */
export const kindWords = (name) => String(name).replaceAll("_", " ");

/** A day such as `2026-11-20` as the reader writes it, in any time zone of the reader. */
export function visitDay(day) {
  const [year, month, date] = day.split("-").map(Number);
  return dayText(new Date(year, month - 1, date));
}

/** An address of the web, or null: one of another kind is no link. */
export function webAddress(text) {
  if (!text) return null;
  try {
    const url = new URL(/^[a-z]+:/i.test(text) ? text : `https://${text}`);
    // `https://unioncoffee` is an address, but of no site of the web.
    const isSite = ["http:", "https:"].includes(url.protocol) && /[^.]\.[^.]/.test(url.hostname);
    return isSite ? url : null;
  } catch {
    return null;
  }
}
