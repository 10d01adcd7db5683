// The message about changes that waited and were refused, `{method, params, shown, error, needing}` each. Pure.

import { waitingMethods } from "../connection/waitingmethods.js";
import { count, sentence } from "../kit/format.js";

/** So many are named, the last ones. */
const refusedMax = 8;
const excerptCharactersMax = 120;

/** The text of the message. */
export function refusedText(refused) {
  const reasons = refused.map((one) => [
    waitingMethods[one.method].refusal?.(one.error) ?? sentence(one.error.message),
    ...[one, ...(one.needing ?? [])].map(({ method }) => waitingMethods[method].undone), excerpt(lostOf(one)),
  ].filter(Boolean).join(" "));
  if (reasons.length === 1) return `A change you made offline wasn't saved. ${reasons[0]}`;
  const named = refused.map((one, index) => `${waitingMethods[one.method].what}: ${reasons[index]}`);
  return [`${count(refused.length, "change")} you made offline weren't saved.`, ...named.slice(-refusedMax)].join("\n");
}

/** The texts that the person wrote in them, in full: they are nowhere else. */
export function lostText(refused) {
  return refused.map(lostOf).filter(Boolean).join("\n\n");
}

const lostOf = ({ method, params, shown }) => waitingMethods[method].lost?.(params, shown) ?? "";

function excerpt(text) {
  if (text === "") return "";
  const characters = [...text];
  return characters.length > excerptCharactersMax ? `“${characters.slice(0, excerptCharactersMax).join("")}…”` : `“${text}”`;
}
