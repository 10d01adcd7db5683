// Texts on the range of a month's goal and on its progress. Pure.

import { km } from "../kit/format.js";

const kilometresMin = 10;
const kilometresMax = 999;

/** The problem of a goal in the words of U-6; null without one. `metres` is the distance that the month already has. */
export function goalProblem(text, metres) {
  const kilometres = Number(text);
  if (text.trim() !== "" && kilometres > kilometresMax) return "Goal must not exceed 999KM";
  if (text.trim() === "" || !Number.isInteger(kilometres) || kilometres < kilometresMin) return "Goal must be between 10-999 km";
  return kilometres * 1000 < metres ? `Goal must not be below the ${km(metres)} km that this month already has` : null;
}

/** `16.000`: of the goal, with three decimals. */
export function percentText(percent) {
  return Math.max(0, percent || 0).toFixed(3);
}
