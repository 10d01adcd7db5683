// When to reconnect: the close codes of the Protocol article, exponential backoff with full jitter. Pure.

import { closeCodes, restartNotice, retryAfterSecondsMax } from "./registry.js";

export const backoffBaseMilliseconds = 500;
export const backoffMillisecondsMax = 30_000;
const restartSpreadMilliseconds = 5_000;
const backoffDoublingsMax = 10;
const retryBaseMilliseconds = 1_000;
const retryDoublingsMax = 5;

const restartDelayPattern = new RegExp(`${restartNotice.delayKey}(\\d+)`);
const reconnectByCode = new Map(Object.values(closeCodes).map(({ code, reconnect }) => [code, reconnect]));

/**
 * Random delay in ms from 0 to the doubled base, bounded (full jitter).
 * @param {number} attempt Number of failed attempts before this one.
 * @param {() => number} [random] Gives 0..<1.
 */
export function backoffDelay(attempt, random = Math.random) {
  const ceiling = Math.min(backoffMillisecondsMax, backoffBaseMilliseconds * 2 ** Math.min(attempt, backoffDoublingsMax));
  return Math.round(random() * ceiling);
}

/** Delay that a restarting server gives in the close reason, in ms; null if it gives none. */
function restartDelay(reason) {
  const match = restartDelayPattern.exec(reason);
  return match ? Math.min(Number(match[1]), restartNotice.waitMillisecondsMax) : null;
}

/**
 * Reaction to a close. `retry` connects again after `delay` ms, `signOut` forgets the token and connects as a guest, and `giveUp` stops,
 * because the next attempt would end the same way.
 * @param {number} code
 * @param {number} attempt Number of failed attempts before.
 * @param {() => number} [random] Gives 0..<1.
 * @param {string} [reason] The reason of the close.
 * @returns {{action: "retry" | "signOut" | "giveUp", delay: number}}
 */
export function afterClose(code, attempt, random = Math.random, reason = "") {
  switch (reconnectByCode.get(code)) {
    case "never":
      return { action: "giveUp", delay: 0 };
    case "afterSignIn":
      return { action: "signOut", delay: 0 };
    case "immediately":
      return { action: "retry", delay: attempt === 0 ? 0 : backoffDelay(attempt, random) };
    case "afterDelay":
      // All clients were disconnected together, each with a delay of its own. Without one, the client spreads by itself.
      return { action: "retry", delay: restartDelay(reason) ?? Math.round(random() * restartSpreadMilliseconds)
        + (attempt > 0 ? backoffDelay(attempt, random) : 0) };
    default:
      return { action: "retry", delay: backoffDelay(attempt, random) };
  }
}

/**
 * Delay in ms before a request that failed is sent again: the server's if it gave one, else doubling up to half a minute.
 * @param {number} failures Number of failures in a row before this one.
 * @param {number} [retryAfterSeconds] `data.retryAfter` of the error.
 */
export function retryDelay(failures, retryAfterSeconds = 0) {
  if (retryAfterSeconds > 0) return Math.min(retryAfterSeconds, retryAfterSecondsMax) * 1_000;
  return Math.min(backoffMillisecondsMax, retryBaseMilliseconds * 2 ** Math.min(failures, retryDoublingsMax));
}
