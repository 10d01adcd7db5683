// The heatmap's steps: the colour and the words for a number of people. Pure.

/**
 * From the fewest that are ever shown on, from cool to hot. On a light map the steps get darker, on a dark one lighter, from blue over
 * purple to red or yellow: their order is seen without telling colours apart.
 */
export const steps = [
  { from: 10, light: "#6f98e0", dark: "#6b55cf" },
  { from: 20, light: "#8a58c4", dark: "#c8509f" },
  { from: 40, light: "#a3235f", dark: "#f28160" },
  { from: 80, light: "#640719", dark: "#ffe07a" },
];

/** The number of the step for so many people; -1 for fewer than are shown. */
export function stepOf(people) {
  let step = -1;
  for (const [index, { from }] of steps.entries()) if (people >= from) step = index;
  return step;
}

/** The words of the legend for a step: `about 10`, `about 20`, and `about 80 or more` for the last. */
export function stepWords(index) {
  return `about ${steps[index].from}${index === steps.length - 1 ? " or more" : ""}`;
}

/** Sorts cells by step and leaves out invalid ones: `[[[x, y, people], …], …]`, one list a step. */
export function byStep(cells) {
  const lists = steps.map(() => []);
  for (const cell of cells ?? []) {
    const step = Array.isArray(cell) && cell.every(Number.isFinite) ? stepOf(cell[2]) : -1;
    if (step >= 0) lists[step].push(cell);
  }
  return lists;
}

/** The heatmap in a sentence, for screen readers. */
export function heatSentence(cells) {
  const shown = byStep(cells).flat();
  if (shown.length === 0) return "No busy spots right now.";
  const most = Math.max(...shown.map(([, , people]) => people));
  const squares = shown.length === 1 ? "1 busy square" : `${shown.length} busy squares`;
  return `${squares}, the busiest with about ${most} people.`;
}
