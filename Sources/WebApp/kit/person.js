// People as pictures: round ones in lists and heads.

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { defaultPicture } from "./pictures.js";

/** A round picture. The name stands beside it, so it says nothing to a screen reader. */
export function avatar(scope, { gender = null, picture = null } = {}, { size = 48 } = {}) {
  const img = h("img", { class: "avatar face", alt: "", width: size, height: size });
  img.style.width = img.style.height = `${size}px`;
  scope.show(img, picture, { otherwise: defaultPicture(gender) });
  return img;
}

/** The sign of a group, in the place of a picture. */
export function groupMark({ size = 48 } = {}) {
  const mark = h("span", { class: "avatar face group-mark", "aria-hidden": "true" }, icon("group"));
  mark.style.width = mark.style.height = `${size}px`;
  return mark;
}

/** The mark of a conversation: the picture of the other person, or the sign of a group. */
export function conversationMark(scope, { kind, buddy }, options) {
  return kind === "group" ? groupMark(options) : avatar(scope, buddy ?? {}, options);
}
