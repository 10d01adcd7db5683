// The server's messages as people read them: it speaks to programs, too, and names its methods and parameters. Pure.

import { errorCodes, methodAreas } from "../client/registry.js";

const areas = new Set(methodAreas);
/** How a sentence goes on behind the name of a parameter. */
const verbs = /^(?:is|are|has|have|must|may|cannot|needs|was)\b/;

/** Whether a text names a method, as in `events.list has yours`. */
const namesMethod = (text) => [...text.matchAll(/([A-Za-z]+)\.[a-z][A-Za-z]*/g)].some(([, area]) => areas.has(area));

/** The message of an error's code, with `field` when it names one. What is rejected is for people already, word for word. */
export function plainMessage(code, message, field = null) {
  if (code === errorCodes.rejected || code === errorCodes.noRoute) return message;
  if (code === errorCodes.clientOutdated) return "This version of Campanile is too old. Update to go on.";
  let text = field && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  // Where a program finds it stands behind the last colon.
  const colon = text.lastIndexOf(": ");
  if (colon >= 0 && namesMethod(text.slice(colon))) text = text.slice(0, colon);
  if (verbs.test(text)) text = `This ${text}`;
  text = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
