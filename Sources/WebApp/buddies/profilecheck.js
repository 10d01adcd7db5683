// The rules for the personal part of a buddy profile. Pure; the server checks the same again.

import { ageOn, characters } from "../kit/choices.js";

const nameCharactersMax = 40;
const ageMax = 120;

/** Problems of the personal part, as `{field: message}`; empty when there are none. */
export function profileProblems({ firstName, lastName, birthday, gender }, now = new Date()) {
  const problems = {};
  for (const [field, value] of Object.entries({ firstName, lastName })) {
    if (value === "") problems[field] = "Enter a name.";
    else if (characters(value) > nameCharactersMax) problems[field] = `At most ${nameCharactersMax} characters.`;
  }
  const age = ageOn(birthday, now);
  if (age === null) problems.birthday = "Choose your birthday.";
  else if (age < 0 || age > ageMax) problems.birthday = "Check the date.";
  if (!gender) problems.gender = "Choose one.";
  return problems;
}

/** The hint below the switch that shows the age. `birthday` may be empty or wrong. */
export function ageHint(birthday, isShown, now = new Date()) {
  if (!isShown) return "Others see an age range, such as 22–25.";
  const age = ageOn(birthday, now);
  const isPlausible = age !== null && age > 0 && age <= ageMax;
  return `Others see your age${isPlausible ? `: ${age}` : ""}.`;
}
