// A person as the web app shows them everywhere: a name, and a round picture or initials in its place.

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { defaultPicture } from "./pictures.js";

/** The name of a person: `You` for the reader, whose account is `me`; `Someone` where the server does not name them. */
export function personName({ account, name }, me = null) {
  return me !== null && account === me ? "You" : name || "Someone";
}

/** A round picture. The name stands beside it, so it says nothing to a screen reader. */
export function avatar(scope, { gender = null, picture = null } = {}, { size = 48 } = {}) {
  const img = h("img", { class: "avatar face", alt: "", width: size, height: size });
  img.style.width = img.style.height = `${size}px`;
  scope.show(img, picture, { otherwise: defaultPicture(gender) });
  return img;
}

/** Picture and name of a person, for a row that is to be filled with both: an array of elements. */
export function pictureAndName(scope, person, { size = 36, me = null } = {}) {
  return [avatar(scope, person, { size }), h("span", { class: "grow" }, personName(person, me))];
}

/** The letter or two that stand for a person on a map. */
export function initials(name) {
  const words = String(name).trim().split(/\s+/).filter(Boolean);
  const [first = "?"] = [...(words[0] ?? "?")];
  const second = words.length > 1 ? [...words.at(-1)][0] : "";
  return (first + second).toUpperCase();
}

/**
 * Fills the mark of a person on a map: with the picture that the viewer may see, else with initials, as drawings of many people would
 * look the same. `scope` is of `Pictures`, or null.
 */
export function fillFace(face, scope, { name, picture = null }) {
  const key = `${picture ?? ""} ${name}`;
  if (face.dataset.face === key) return;
  face.dataset.face = key;
  const showInitials = () => face.replaceChildren(initials(name));
  if (!picture || !scope) {
    showInitials();
    return;
  }
  const photo = h("img", { class: "person-photo", alt: "" });
  face.replaceChildren(photo);
  scope.show(photo, picture, { onMissing: showInitials });
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
