// How one runner looks on the map: the shape shows the state, the colour identifies the runner. Canvas only.

import { runnerColour } from "./palette.js";

/** Radius in CSS pixels of a dot that nobody follows. */
export const dotRadius = 9;

const spriteReach = 18;
const spriteReachEmphasised = 25;
const spritesMax = 2500;
const sprites = new Map();

/**
 * Draws a runner's dot at `x`, `y`. `colour` is `{fill, ink}`, `ring` the colour around it, `heading` in degrees or null.
 * Each look is drawn once and then copied: with many runners that is several times cheaper than drawing paths.
 */
export function drawDot(context, x, y, look) {
  const turns = look.state === "moving" && look.heading !== null && look.heading !== undefined;
  const reach = look.emphasis ? spriteReachEmphasised : spriteReach;
  const ratio = pixelRatio();
  const sprite = spriteOf({ ...look, heading: turns ? 0 : null }, reach, ratio);
  if (!turns) {
    context.drawImage(sprite, x - reach, y - reach, reach * 2, reach * 2);
    return;
  }
  context.translate(x, y);
  context.rotate((look.heading * Math.PI) / 180);
  context.drawImage(sprite, -reach, -reach, reach * 2, reach * 2);
  context.rotate((-look.heading * Math.PI) / 180);
  context.translate(-x, -y);
}

function pixelRatio() {
  return Math.min(2, globalThis.devicePixelRatio || 1);
}

function spriteOf(look, reach, ratio) {
  const key = `${look.state} ${look.heading} ${look.colour.fill} ${look.ring} ${look.emphasis} ${ratio}`;
  let sprite = sprites.get(key);
  if (sprite) return sprite;
  if (sprites.size >= spritesMax) sprites.clear();
  sprite = document.createElement("canvas");
  sprite.width = sprite.height = Math.ceil(reach * 2 * ratio);
  const context = sprite.getContext("2d");
  context.scale(ratio, ratio);
  context.translate(reach, reach);
  paintDot(context, look);
  sprites.set(key, sprite);
  return sprite;
}

function paintDot(context, { state, heading, colour, ring, emphasis = false }) {
  const radius = emphasis ? dotRadius + 3 : dotRadius;
  if (emphasis) {
    context.beginPath();
    context.arc(0, 0, radius + 7, 0, Math.PI * 2);
    context.globalAlpha = 0.22;
    context.fillStyle = colour.fill;
    context.fill();
    context.globalAlpha = 1;
  }
  context.lineWidth = 2.25;
  context.strokeStyle = ring;
  context.fillStyle = colour.fill;
  shapes[state]?.(context, radius, colour, heading, ring);
  if (!shapes[state]) shapes.stationary(context, radius, colour);
}

function disc(context, radius) {
  context.beginPath();
  context.arc(0, 0, radius, 0, Math.PI * 2);
  context.stroke();
  context.fill();
}

const pointReach = 6;
const pointRadius = 4;
/** So many that the map would not be seen below them. */
const throngMin = 800;
const pointColours = 24;
let points = { key: "", sheet: null };

/** Many runners as small points in rings, hollow when offline; `items` are `{session, x, y, runner}`. All looks are on one sheet. */
export function drawPoints(context, items, { theme, ring }) {
  const ratio = pixelRatio();
  const radius = items.length < throngMin ? pointRadius : pointRadius - 1;
  const key = `${theme} ${ring} ${ratio} ${radius}`;
  if (points.key !== key) points = { key, sheet: paintPoints(theme, ring, ratio, radius) };
  const size = pointReach * 2;
  const pixels = size * ratio;
  for (const { session, runner, x, y } of items) {
    const row = runner.state === "offline" ? 1 : 0;
    const column = session % pointColours;
    context.drawImage(points.sheet, column * pixels, row * pixels, pixels, pixels, x - pointReach, y - pointReach, size, size);
  }
}

function paintPoints(theme, ring, ratio, radius) {
  const size = pointReach * 2;
  const sheet = document.createElement("canvas");
  sheet.width = Math.ceil(size * ratio * pointColours);
  sheet.height = Math.ceil(size * ratio * 2);
  const context = sheet.getContext("2d");
  context.scale(ratio, ratio);
  context.translate(pointReach, pointReach);
  for (let colour = 0; colour < pointColours; colour += 1) {
    const { fill } = runnerColour(colour, theme);
    context.lineWidth = 1.5;
    context.strokeStyle = ring;
    context.fillStyle = fill;
    disc(context, radius);
    context.translate(0, size);
    context.strokeStyle = fill;
    context.fillStyle = ring;
    disc(context, radius - 0.5);
    context.translate(size, -size);
  }
  return sheet;
}

const shapes = {
  /** A disc with a nose in the direction of movement. */
  moving(context, radius, colour, heading) {
    if (heading !== null && heading !== undefined) {
      context.save();
      context.rotate((heading * Math.PI) / 180);
      context.beginPath();
      context.moveTo(-radius * 0.78, -radius * 0.62);
      context.lineTo(0, -radius * 1.85);
      context.lineTo(radius * 0.78, -radius * 0.62);
      context.stroke();
      context.fill();
      context.restore();
    }
    context.beginPath();
    context.arc(0, 0, radius, 0, Math.PI * 2);
    if (heading === null || heading === undefined) context.stroke();
    context.fill();
    context.beginPath();
    context.arc(0, 0, radius * 0.36, 0, Math.PI * 2);
    context.fillStyle = colour.ink;
    context.fill();
  },

  /** A disc with a flat bar: nothing is moving. */
  stationary(context, radius, colour) {
    disc(context, radius);
    context.fillStyle = colour.ink;
    context.fillRect(-radius * 0.5, -radius * 0.17, radius, radius * 0.34);
  },

  /** A square with the two bars everybody knows. */
  paused(context, radius, colour) {
    const side = radius * 0.92;
    context.beginPath();
    context.rect(-side, -side, side * 2, side * 2);
    context.stroke();
    context.fill();
    context.fillStyle = colour.ink;
    context.fillRect(-radius * 0.48, -radius * 0.48, radius * 0.32, radius * 0.96);
    context.fillRect(radius * 0.16, -radius * 0.48, radius * 0.32, radius * 0.96);
  },

  /** Hollow and crossed: the last place known, not where the runner is. */
  offline(context, radius, colour, _heading, ring) {
    context.fillStyle = ring;
    disc(context, radius);
    context.strokeStyle = colour.fill;
    context.lineWidth = 2.5;
    context.setLineDash([3.4, 2.6]);
    context.beginPath();
    context.arc(0, 0, radius - 1.25, 0, Math.PI * 2);
    context.stroke();
    context.setLineDash([]);
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(-radius * 0.34, -radius * 0.34);
    context.lineTo(radius * 0.34, radius * 0.34);
    context.moveTo(radius * 0.34, -radius * 0.34);
    context.lineTo(-radius * 0.34, radius * 0.34);
    context.stroke();
  },

  /** A diamond with a tick. */
  finished(context, radius, colour) {
    const reach = radius * 1.2;
    context.beginPath();
    context.moveTo(0, -reach);
    context.lineTo(reach, 0);
    context.lineTo(0, reach);
    context.lineTo(-reach, 0);
    context.closePath();
    context.stroke();
    context.fill();
    context.strokeStyle = colour.ink;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(-radius * 0.42, 0);
    context.lineTo(-radius * 0.1, radius * 0.34);
    context.lineTo(radius * 0.46, -radius * 0.34);
    context.stroke();
  },
};
