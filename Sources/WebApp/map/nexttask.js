// Long work in parts, between which the browser paints and answers touches.

/** Resolves in a task of its own: promises alone go on in the same one. */
export function nextTask() {
  return new Promise((resolve) => { setTimeout(resolve); });
}
