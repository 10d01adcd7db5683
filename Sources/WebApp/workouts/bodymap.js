// The shapes of the diagram of muscles: a body from the front and from the back, our own drawing on a grid of 140 by 150 units. Pure.

/** The middle of each body. */
const front = 38;
const back = 102;

/** Both sides of a body: an ellipse `[x, y, rx, ry]` left and right of its middle. */
const pair = (middle, [offset, y, rx, ry]) => [[middle - offset, y, rx, ry], [middle + offset, y, rx, ry]];

/** Muscle → ellipses `[x, y, rx, ry]`. */
export const muscleShapes = {
  neck: [[front, 25, 3.6, 3.4]],
  shoulders: [...pair(front, [14.5, 34, 4.6, 4.6]), ...pair(back, [14.5, 34, 4.6, 4.6])],
  chest: pair(front, [6, 38.5, 5.8, 5]),
  biceps: pair(front, [17.2, 45, 2.9, 6]),
  triceps: pair(back, [17.2, 45, 2.9, 6]),
  forearms: [...pair(front, [19.8, 60, 2.6, 7]), ...pair(back, [19.8, 60, 2.6, 7])],
  abdominals: [[front, 54, 4.6, 9.6]],
  obliques: pair(front, [8.2, 55, 2.5, 8]),
  quadriceps: pair(front, [6.8, 89, 4.4, 13]),
  adductors: pair(front, [2, 82, 1.8, 8]),
  shins: pair(front, [7.2, 119, 2.8, 11]),
  traps: [[back, 31, 6.5, 6.5]],
  middleBack: [[back, 43, 4.4, 6.4]],
  lats: pair(back, [8, 48, 3.4, 8.6]),
  lowerBack: [[back, 59.5, 5.4, 5.6]],
  glutes: pair(back, [5.2, 71, 5, 5.4]),
  abductors: pair(back, [11, 73.5, 2, 6.4]),
  hamstrings: pair(back, [6.8, 91, 4.2, 12]),
  calves: pair(back, [7.2, 116, 3.4, 10]),
};

/** The outline of a body around its middle, as strokes `[width, points]`. */
const outline = (middle) => [
  [14, [[-6, 38], [6, 38], [5, 62], [-5, 62], [-6, 38]]], [17, [[-3, 68], [3, 68]]],
  ...[-1, 1].flatMap((side) => [
    [8.5, [[14 * side, 35], [17.5 * side, 47], [20 * side, 62], [21.5 * side, 73]]],
    [12, [[6.5 * side, 74], [7 * side, 96]]], [9, [[7 * side, 100], [7.2 * side, 132]]], [6, [[7 * side, 136], [10 * side, 137]]],
  ]),
].map(([width, points]) => [width, /** @type {number[][]} */ (points).map(([x, y]) => `${middle + x},${y}`).join(" ")]);

/** `{heads: [[x, y]], strokes: [[width, points]]}` of both bodies. */
export const bodies = { heads: [[front, 15], [back, 15]], strokes: [...outline(front), ...outline(back)] };
