// The note beside a setting or a change: it is being saved, it waits to be sent, it is saved, or why it is not.

import { announce, h } from "./dom.js";
import { icon } from "./icons.js";

const savedMilliseconds = 2_500;
export const waitingText = "Waiting to be sent";

/** The line beside a change that waits. */
export const waitingLine = (id = null) => h("p", { class: "muted small waiting-words", id }, icon("waiting"), waitingText);

/**
 * `{element, say(text, state), follow(writes, isMine, signal), run(work)}`: `run` shows the progress of `work` and returns its result, or
 * null when it failed or waits. `follow` says so while one of the changes `isMine` waits. `state` is `saving`, `waiting`, `saved` or `bad`.
 */
export function makeSaved() {
  const element = h("p", { class: "saved", role: "status" });
  let timer = 0;
  let runs = 0;
  const say = (text, state) => {
    clearTimeout(timer);
    element.dataset.state = state;
    element.replaceChildren(...(text ? [icon(state === "bad" ? "warning" : state === "saved" ? "tick" : "clock"), text] : []));
  };
  return {
    element,
    say,
    follow(writes, isMine, signal) {
      const draw = () => {
        if (writes.waiting.some(isMine)) say(waitingText, "waiting");
        else if (element.dataset.state === "waiting") say("", "");
      };
      writes.addEventListener("change", draw, { signal });
      draw();
    },
    async run(work) {
      const mine = ++runs;
      say("Saving…", "saving");
      try {
        const result = await work();
        if (mine !== runs) return result;
        if (result === null) {
          if (element.dataset.state === "saving") say("", "");
          return null;
        }
        say("Saved", "saved");
        announce("Saved.");
        timer = setTimeout(() => say("", ""), savedMilliseconds);
        return result;
      } catch (error) {
        if (mine === runs) say(`Not saved. ${error.message}`, "bad");
        return null;
      }
    },
  };
}
