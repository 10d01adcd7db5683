// The diagram of an exercise: a figure that shows the movement, or a body that shows the muscles. Our own drawings, made as SVG elements.

import { bodies, muscleShapes } from "./bodymap.js";
import { floorProps, poses } from "./poses.js";
import { muscleName } from "./words.js";

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

const part = ({ line, circle, curve }) => (line ? svg("polyline", { points: line })
  : circle ? svg("circle", { cx: circle[0], cy: circle[1], r: circle[2] }) : svg("path", { d: curve }));

const drawn = (name, { head: [x, y], lines }) => svg("g", { class: name }, svg("circle", { cx: x, cy: y, r: 7 }),
  ...lines.map((points) => svg("polyline", { points })));

function figureOf(pose) {
  const { label, from, to, props = [] } = pose;
  return svg("svg", { viewBox: "0 0 120 100", role: "img", "aria-label": label, class: "diagram diagram-pose" },
    svg("g", { class: "diagram-props" }, ...[...floorProps(pose), ...props].map(part)),
    ...(from ? [drawn("diagram-from", from)] : []), drawn("diagram-to", to));
}

function muscleMap(primary, secondary) {
  const names = primary.map((id) => muscleName(id).toLowerCase());
  const ellipses = (ids, name) => ids.flatMap((id) => (muscleShapes[id] ?? []).map(([cx, cy, rx, ry]) => (
    svg("ellipse", { cx, cy, rx, ry, class: name }))));
  return svg("svg", { viewBox: "0 0 140 150", role: "img", class: "diagram diagram-muscles",
    "aria-label": names.length > 0 ? `Muscles: ${names.join(", ")}` : "A body from the front and the back" },
  svg("g", { class: "diagram-body" }, ...bodies.heads.map(([cx, cy]) => svg("circle", { cx, cy, r: 8 })),
    ...bodies.strokes.map(([width, points]) => svg("polyline", { points, "stroke-width": width }))),
  ...ellipses(secondary, "muscle-secondary"), ...ellipses(primary, "muscle-primary"));
}

/** Whether the app draws a figure for a name. */
export const hasPose = (name) => Object.hasOwn(poses, name ?? "");

/** The diagram of an exercise: its figure, or its muscles when there is none. */
export function exerciseDiagram({ diagram = null, primaryMuscles = [], secondaryMuscles = [] }) {
  return hasPose(diagram) ? figureOf(poses[diagram]) : muscleMap(primaryMuscles, secondaryMuscles);
}

/** The diagram of the muscles alone. */
export const muscleDiagram = ({ primaryMuscles = [], secondaryMuscles = [] }) => muscleMap(primaryMuscles, secondaryMuscles);
