// The note beside a setting: it is being saved, it is saved, or why it is not.

import { announce, h } from "./dom.js";
import { icon } from "./icons.js";

const savedMilliseconds = 2_500;

/**
 * `{element, say(text, state), run(work)}`: `run` shows the progress of `work` and returns its result, or null when it failed. `state` is
 * `saving`, `saved` or `bad`.
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
    async run(work) {
      const mine = ++runs;
      say("Saving…", "saving");
      try {
        const result = await work();
        if (mine !== runs) return result;
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
