// Parts that the form of an event and the form of a notice share.

import { characters } from "../kit/choices.js";
import { h, setText } from "../kit/dom.js";

/** Why the server did not take a form; `thing` is what the form makes, such as `event`. */
export function refusalText(error, thing) {
  if (error.isUnanswered) {
    return `${error.message} Nothing is lost. Press the button again when you're back online. It won't create a second ${thing}.`;
  }
  return `${error.message}${error.data?.retryAfter > 0 ? ` Try again in ${Math.ceil(error.data.retryAfter)} s.` : ""}`;
}

/** The line below a field that says what is wrong with it. */
export function problemLine(name) {
  return h("p", { class: "problem", id: `field-${name}-problem`, dataset: { problem: name } });
}

/** Writes a problem, or null, into a field's line and marks its input. */
export function setProblem(input, line, message) {
  line.textContent = message ?? "";
  if (message) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

/** Writes into a line how many characters of at most `most` a text leaves. */
export function drawCharactersLeft(line, text, most) {
  const left = most - characters(text);
  setText(line, left >= 0 ? `${left.toLocaleString("en")} characters left` : `${(-left).toLocaleString("en")} characters too many`);
  line.classList.toggle("over", left < 0);
}
