// Asks for body data that is out of date, before a workout.

/** Resolves when the person may go on: to false when the person cancelled. */
export function askBody(_app) {
  return Promise.resolve(true);
}
