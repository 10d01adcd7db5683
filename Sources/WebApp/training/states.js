// The states of a guided session, and its transitions. Pure.

/** The states. `elsewhere`: another device, or another tab, guides the training. */
export const sessionStates = Object.freeze(["exercise", "rest", "complete", "paused", "restPaused", "elsewhere", "finished"]);

/**
 * State → event → the next state. `rest`, `next` and `last` follow a change of the sets: a rest begins, there is another set, or there is
 * none. `over` is the end of a rest, `lose` and the events of `takeOver` are the change of the device,
 * and `hold`, `reopen` and `reopenLast` follow an end that the server refused.
 * @type {Record<string, Record<string, string>>}
 */
const transitions = {
  exercise: { rest: "rest", next: "exercise", last: "complete", pause: "paused", lose: "elsewhere", finish: "finished" },
  rest: { rest: "rest", over: "exercise", next: "rest", last: "complete", pause: "restPaused", lose: "elsewhere", finish: "finished" },
  complete: { next: "exercise", last: "complete", lose: "elsewhere", finish: "finished" },
  paused: { resume: "exercise", resumeLast: "complete", next: "paused", last: "paused", lose: "elsewhere", finish: "finished" },
  restPaused: { resume: "rest", over: "paused", next: "restPaused", last: "paused", lose: "elsewhere", finish: "finished" },
  elsewhere: { takeOver: "exercise", takeOverPaused: "paused", takeOverLast: "complete", lose: "elsewhere", finish: "finished" },
  finished: { hold: "paused", reopen: "exercise", reopenLast: "complete" },
};

/** The state after an event; null when the event is not possible in the state. */
export function nextState(state, event) {
  return Object.hasOwn(transitions, state) && Object.hasOwn(transitions[state], event) ? transitions[state][event] : null;
}

/** Whether the time of a training runs in a state. */
export const isRunning = (state) => ["exercise", "rest", "complete"].includes(state);
export const isPaused = (state) => ["paused", "restPaused"].includes(state);
/** Whether this device may change the training in a state. */
export const isGuiding = (state) => isRunning(state) || isPaused(state);
