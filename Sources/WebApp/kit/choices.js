// Choices from a list, and how they are written. Pure.

/** The choice after a tap on `id`; the same array when `most` are chosen already. */
export function toggled(chosen, id, most = Infinity) {
  if (chosen.includes(id)) return chosen.filter((other) => other !== id);
  return chosen.length >= most ? chosen : [...chosen, id];
}

/** The labels of ids, in the order of the list. An id that is not in the list (of a newer server) is left out. */
export function labelled(ids, options) {
  return options.filter(({ id }) => ids.includes(id));
}

/**
 * Times such as `mon-evening` for reading: `[{part, days: [{id, label}]}]`, parts of a day in their order, days as the first
 * three letters. Only parts with days are there.
 */
export function timesByPart(times, days, dayParts) {
  const daysOf = (part) => days
    .map((day) => ({ id: `${day.id}-${part.id}`, label: day.label.slice(0, 3) }))
    .filter(({ id }) => times.includes(id));
  return dayParts.map((part) => ({ part: part.label, days: daysOf(part) })).filter(({ days: found }) => found.length > 0);
}

/** Age in years of a person with this birthday (`2003-04-30`); null when it is no date. */
export function ageOn(birthday, now = new Date()) {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(birthday);
  if (!match) return null;
  const [year, month, day] = match.slice(1).map(Number);
  const hadBirthday = now.getMonth() + 1 > month || (now.getMonth() + 1 === month && now.getDate() >= day);
  return now.getFullYear() - year - (hadBirthday ? 0 : 1);
}

/** Number of characters as a reader counts them: emoji are one each, as on the server. */
export function characters(text) {
  return [...text].length;
}
