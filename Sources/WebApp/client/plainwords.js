// The server's messages as people read them: it speaks to programs, too, and names its methods and parameters. Pure.

import { errorCodes } from "./registry.js";

const areas = "account|admin|buddies|campus|chat|events|goals|groups?|heatmap|location|notices|people|places|positions|privacy|profile|"
  + "reminders|reports|safety|saved|searches|sharing|topic|tracking|visits";
/** `: events.list has yours`, `: read those of buddies.options`: where a program finds it. */
const pointer = new RegExp(`: [^:]*\\b(?:${areas})\\.[a-z][A-Za-z]+\\b[^:]*$`);
/** How a sentence goes on behind the name of a parameter. */
const verbs = /^(?:is|are|has|have|must|may|cannot|needs|was)\b/;

/** The message of an error's code, with `field` when it names one. What is rejected is for people already, word for word. */
export function plainMessage(code, message, field = null) {
  if (code === errorCodes.rejected) return message;
  let text = field && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  text = text.replace(pointer, "");
  if (verbs.test(text)) text = `This ${text}`;
  text = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
