// When to reconnect: the close codes of the Protocol page, exponential backoff with full jitter. Pure.

export const backoffBaseMilliseconds = 500;
export const backoffMillisecondsMax = 30_000;
const restartSpreadMilliseconds = 5000;
/** The longest wait taken from a server, whose word is input. */
const restartWaitMillisecondsMax = 300_000;
const backoffDoublingsMax = 10;

/** Full jitter: anywhere between 0 and the doubled base, bounded. `attempt` counts from 0; `random` gives 0..<1. */
export function backoffDelay(attempt, random = Math.random) {
  const ceiling = Math.min(backoffMillisecondsMax, backoffBaseMilliseconds * 2 ** Math.min(attempt, backoffDoublingsMax));
  return Math.round(random() * ceiling);
}

/** Delay that a restarting server gives in the close reason, in ms; null if it gives none. */
function restartDelay(reason) {
  const said = /reconnect-after-ms=(\d+)/.exec(reason);
  return said ? Math.min(Number(said[1]), restartWaitMillisecondsMax) : null;
}

/**
 * Reaction to a close: `{action, delay}`, where `action` is `retry` (after `delay` ms), `signOut` (forget the
 * token, connect again as a guest) or `giveUp` (trying again would end the same way).
 */
export function afterClose(code, attempt, random = Math.random, reason = "") {
  switch (code) {
    case 1002: case 1003: case 1007: case 1008: case 1009:
      return { action: "giveUp", delay: 0 };
    case 1012:
      // Everybody was sent away at once, each with a moment of its own to come back; without one, a spread of our own.
      return { action: "retry", delay: restartDelay(reason) ?? Math.round(random() * restartSpreadMilliseconds)
        + (attempt > 0 ? backoffDelay(attempt, random) : 0) };
    case 4003:
      return { action: "signOut", delay: 0 };
    case 4008:
      return { action: "retry", delay: attempt === 0 ? 0 : backoffDelay(attempt, random) };
    default:
      return { action: "retry", delay: backoffDelay(attempt, random) };
  }
}
