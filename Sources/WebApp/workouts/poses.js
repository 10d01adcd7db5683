// The poses of the diagrams of exercises, our own drawings on a grid of 120 by 100 units with the floor at 92. Pure.

/** A figure: the middle of its head, and lines of its body as points of a polyline. */
const figure = (head, ...lines) => ({ head, lines });

const legs = ["60,55 53,73 52,91", "60,55 67,73 68,91"];
const trunk = "60,23 60,55";
const upright = figure([60, 16], trunk, "60,30 49,42 46,56", "60,30 71,42 74,56", ...legs);
const side = figure([58, 16], "58,23 57,54", "58,30 60,43 63,55", "57,54 60,73 57,91 65,91");
const hinged = figure([82, 44], "76,48 48,54", "74,49 75,64 75,77", "48,54 55,72 50,91 58,91");
const floor = { line: "8,92 112,92" };

/**
 * Name of a diagram → `{label, from?, to, props}`: `from` is the pose in which a movement begins, `props` are `{line}`, `{circle: [x, y,
 * radius]}` and `{curve}`, a path.
 */
export const poses = {
  stand: { label: "Standing upright", to: upright },
  squat: {
    label: "From standing into a squat", from: side,
    to: figure([63, 37], "60,44 45,66", "58,49 73,52 88,50", "45,66 69,68 60,91 68,91"),
  },
  lunge: {
    label: "A lunge with one leg in front", from: side,
    to: figure([56, 24], "56,31 55,60", "56,38 48,50 56,58", "55,60 77,64 77,91 85,91", "55,60 47,85 28,90"),
  },
  hinge: { label: "Bending forwards at the hips with a straight back", from: side, to: hinged, props: [{ circle: [75, 80, 5] }] },
  "push-up": {
    label: "A push-up", from: figure([93, 50], "86,55 52,70", "85,57 86,91", "52,70 18,90"),
    to: figure([94, 70], "86,74 52,81", "85,75 70,72 84,91", "52,81 18,90"),
  },
  plank: { label: "A plank on the forearms", to: figure([93, 61], "86,66 52,75", "85,67 85,90 100,90", "52,75 18,86 17,91") },
  "side-plank": {
    label: "A plank on one side", to: figure([94, 48], "87,55 54,72", "86,57 87,90 100,90", "86,57 82,28", "54,72 18,89 18,84"),
  },
  "press-overhead": {
    label: "Pressing a weight overhead",
    from: figure([60, 29], "60,36 60,60", "60,42 47,50 48,36", "60,42 73,50 72,36", "60,60 54,76 53,91", "60,60 66,76 67,91"),
    to: figure([60, 29], "60,36 60,60", "60,42 49,28 46,12", "60,42 71,28 74,12", "60,60 54,76 53,91", "60,60 66,76 67,91"),
    props: [{ line: "32,11 88,11" }],
  },
  "press-lying": {
    label: "Lying on a bench and pressing a weight up",
    from: figure([24, 65], "32,67 66,69", "38,67 50,60 40,50", "66,69 84,64 86,91"),
    to: figure([24, 65], "32,67 66,69", "38,67 40,48 40,33", "66,69 84,64 86,91"),
    props: [{ line: "16,74 76,74" }, { line: "26,74 26,92" }, { line: "68,74 68,92" }, { circle: [40, 28, 5] }],
  },
  row: {
    label: "Bent over, pulling a weight to the body", from: hinged,
    to: figure([82, 44], "76,48 48,54", "74,49 62,40 66,57", "48,54 55,72 50,91 58,91"), props: [{ circle: [66, 61, 5] }],
  },
  "pull-up": {
    label: "Pulling up to a bar", from: figure([60, 38], "60,45 60,68", "60,48 48,30 46,11", "60,48 72,30 74,11", "60,68 57,78 62,87"),
    to: figure([60, 18], "60,25 60,54", "60,30 45,34 44,11", "60,30 75,34 76,11", "60,54 56,70 62,84"), props: [{ line: "30,10 90,10" }],
  },
  curl: {
    label: "Curling a weight up to the shoulder", from: side,
    to: figure([58, 16], "58,23 57,54", "58,30 58,46 70,36", "57,54 60,73 57,91 65,91"), props: [{ circle: [73, 33, 4] }],
  },
  extension: {
    label: "Straightening the arm above the head",
    from: figure([56, 30], "56,37 55,62", "56,42 64,26 50,22", "55,62 58,77 55,91 63,91"),
    to: figure([56, 30], "56,37 55,62", "56,42 64,26 66,10", "55,62 58,77 55,91 63,91"), props: [{ circle: [66, 7, 4] }],
  },
  raise: {
    label: "Raising both arms to the sides", from: upright,
    to: figure([60, 16], trunk, "60,30 44,30 29,30", "60,30 76,30 91,30", ...legs), props: [{ circle: [25, 30, 4] },
      { circle: [95, 30, 4] }],
  },
  crunch: {
    label: "Lying on the back and lifting the shoulders", from: figure([20, 82], "28,84 62,86", "30,84 24,74 20,80", "62,86 80,64 90,91"),
    to: figure([34, 62], "39,68 62,86", "40,69 48,58 38,56", "62,86 80,64 90,91"),
  },
  twist: {
    label: "Sitting and turning the trunk from side to side", from: figure([44, 40], "46,47 58,80", "47,53 50,68 38,74",
      "58,80 80,66 102,74"),
    to: figure([44, 40], "46,47 58,80", "47,53 60,60 74,54", "58,80 80,66 102,74"), props: [{ curve: "M38 24q14-10 28 2m0-8v8h-8" }],
  },
  bridge: {
    label: "Lying on the back and lifting the hips", from: figure([20, 84], "28,86 60,87", "29,88 48,90", "60,87 80,66 84,91"),
    to: figure([20, 84], "28,85 62,64", "29,88 48,90", "62,64 84,62 85,91"),
  },
  step: {
    label: "Stepping up onto a box", from: figure([46, 24], "46,31 45,58", "46,38 40,48 46,56", "45,58 62,60 70,71",
      "45,58 44,75 42,91 49,91"),
    to: figure([80, 12], "80,19 79,44", "80,26 73,36 78,43", "79,44 82,58 80,71 87,71", "79,44 72,58 66,66"),
    props: [{ line: "62,92 62,72 104,72 104,92" }],
  },
  jump: {
    label: "Jumping with arms up", from: figure([60, 42], "60,49 60,68", "60,54 50,62 44,72", "60,54 70,62 76,72", "60,68 48,78 54,91",
      "60,68 72,78 66,91"),
    to: figure([60, 14], "60,21 60,46", "60,28 49,18 42,6", "60,28 71,18 78,6", "60,46 50,60 42,74", "60,46 70,60 78,74"),
  },
  run: {
    label: "Running", to: figure([70, 15], "67,22 58,52", "66,28 53,38 62,48", "66,28 78,40 90,32", "58,52 77,58 73,78 81,80",
      "58,52 51,71 29,72 27,78"),
  },
  cycle: {
    label: "Riding a bicycle", to: figure([80, 20], "75,27 50,46", "74,30 82,46", "50,46 70,56 60,77", "50,46 58,62 50,72"),
    props: [{ circle: [30, 76, 15] }, { circle: [92, 76, 15] }, { line: "30,76 56,76 82,50 50,52 56,76" }, { line: "82,46 92,76" }],
  },
  "row-machine": {
    label: "Rowing on a machine", from: figure([62, 36], "60,43 50,74", "60,48 76,54 92,52", "50,74 66,52 84,76"),
    to: figure([34, 36], "36,43 46,74", "37,48 52,58 62,54", "46,74 66,70 88,76"),
    props: [{ line: "12,84 112,84" }, { line: "92,66 92,92" }, { line: "20,84 20,92" }, { line: "62,49 62,59" }],
  },
  swim: {
    label: "Swimming", to: figure([86, 42], "78,46 46,52", "76,47 92,30 108,42", "76,47 66,62 54,66", "46,52 16,58", "46,52 18,46"),
    props: [{ curve: "M6 66q9-8 18 0t18 0 18 0 18 0 18 0 18 0" }, { curve: "M6 80q9-8 18 0t18 0 18 0 18 0 18 0 18 0" }], isAfloat: true,
  },
  "stretch-leg": { label: "Sitting and reaching for the feet", to: figure([76, 52], "70,58 42,86", "68,61 92,80",
    "42,86 72,84 100,88 102,80") },
  "stretch-arm": {
    label: "Pulling one arm across the chest", to: figure([60, 16], trunk, "60,30 70,34 40,36", "60,30 46,44 54,34", ...legs),
  },
  "stretch-back": {
    label: "Kneeling with the back rounded and the arms in front", to: figure([88, 80], "81,80 62,64 40,82", "80,82 96,88 110,90",
      "40,82 64,90 32,91"),
  },
  balance: { label: "Standing on one leg", to: figure([60, 16], trunk, "60,30 44,30 30,24", "60,30 76,30 90,24", "60,55 60,73 60,91",
    "60,55 77,66 62,74") },
  breathe: {
    label: "Sitting upright and breathing",
    to: figure([60, 28], "60,35 60,72", "60,42 48,58 40,78", "60,42 72,58 80,78", "60,72 36,82 66,89", "60,72 84,82 54,89"),
    props: [{ curve: "M88 22q10 10 0 20M98 16q16 16 0 32M32 22q-10 10 0 20M22 16q-16 16 0 32" }],
  },
};

/** The floor below all figures but those in the water. */
export const floorProps = ({ isAfloat = false }) => (isAfloat ? [] : [floor]);
