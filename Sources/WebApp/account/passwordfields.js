// The two fields in which people choose a password.

import { makeField } from "../kit/form.js";

/**
 * The fields of a new password and of its repetition, which is `again`. `rule` is that of `passwordRule`, `name` that of the method's
 * parameter. `ids` are needed where the page has other forms.
 */
export function makePasswordFields({ rule, name = "password", isFirst = false, ids = [] }) {
  const what = isFirst ? "password" : "new password";
  const type = { type: "password", autocomplete: "new-password" };
  return [
    makeField({ name, label: capitalized(what), ...type, id: ids[0],
      hint: rule.hint }),
    makeField({ name: "again", label: `Repeat ${what}`, ...type, id: ids[1] }),
  ];
}

function capitalized(text) {
  return text[0].toUpperCase() + text.slice(1);
}
