// Line icons, our own drawings on a 24-unit grid, made as SVG elements (no inline markup, no font). Here are those of the shell and of the
// pages that are shown first; shell/moreicons.js adds the others.

const paths = {
  map: "M9 4 3.5 6.5v13.5L9 17.5l6 2.5 5.5-2.5V4L15 6.5zM9 4v13.5M15 6.5V20",
  track: "M12 21s-6.5-6-6.5-11a6.5 6.5 0 0 1 13 0c0 5-6.5 11-6.5 11zM12 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5",
  history: "M12 7v5l3.5 2M4 12a8 8 0 1 0 2.5-5.8L4 8.5M4 4v4.5h4.5",
  account: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20.5c.8-4 3.8-6 7.5-6s6.7 2 7.5 6",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 2.5v2M12 19.5v2M4.6 4.6 6 6M18 18l1.4 1.4M2.5 12h2M19.5 12h2M4.6 19.4 6 18M18 6l1.4-1.4",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
  play: "M7 4.5v15l12-7.5z",
  pause: "M8 5v14M16 5v14",
  moving: "M12 3.5 18.5 20 12 16.5 5.5 20z",
  stationary: "M12 19a7 7 0 1 0 0-14 7 7 0 0 0 0 14M12 12h.01",
  paused: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16M10 9v6M14 9v6",
  offline: "M12 18.5h.01M8.5 15a5 5 0 0 1 7 0M5 11.5a10 10 0 0 1 4-2.4M19 11.5A10 10 0 0 0 13 8.6M4 4l16 16",
  finished: "M6 21V4M6 4.5h12l-3 4 3 4H6",
  bar: "M6 12h12",
  tick: "M5 12.5l4.5 4.5L19 7.5",
  close: "M6 6l12 12M18 6 6 18",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16.5 16.5 21 21",
  link: "M10 14a4.5 4.5 0 0 0 6.5.2l3-3a4.5 4.5 0 0 0-6.4-6.4L11.5 6.4M14 10a4.5 4.5 0 0 0-6.5-.2l-3 3a4.5 4.5 0 0 0 6.4 6.4l1.6-1.6",
  warning: "M12 4 2.5 20h19zM12 10v4.5M12 17.5h.01",
  run: "M14 6a1.8 1.8 0 1 0 0-3.6A1.8 1.8 0 0 0 14 6M6.5 11l3.5-3 4 1.5 2 3 3 .5M12.5 9.5 10 14.5l4 2.5v4.5M9.5 15.5 8 18.5H4.5",
  cycle: "M6 20a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M18 20a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M6 16.5l3.5-7h5l3.5 7M9.5 9.5l3.5 7" +
    "M8 7h3M14.5 9.5 13.5 6H16",
  arrow: "M5 12h14M13 6l6 6-6 6",
  chevron: "M6 9l6 6 6-6",
  buddies: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 20c.6-3.8 3-5.5 6.5-5.5s5.9 1.7 6.5 5.5M16 4.3a3.5 3.5 0 0 1 0 6.4M18 15" +
    "c2 .8 3.2 2.5 3.5 5",
  chats: "M4 5h16v11.5H11.5L7 20.5v-4H4zM8 9.5h8M8 12.5h5",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  bell: "M6 16.5V11a6 6 0 0 1 12 0v5.5M4.5 16.5h15M10 19.5a2.2 2.2 0 0 0 4 0",
  settings: "M4 7h9M17 7h3M15 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M4 17h3M11 17h9M9 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5",
  events: "M4 6h16v14H4zM4 10.5h16M8.5 3.5V8M15.5 3.5V8M8 14h3M8 17h3",
  bookmark: "M6.5 4h11v16.5L12 16l-5.5 4.5z",
  question: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18",
  admin: "M12 3.5 5 6v5.5c0 4.2 2.9 7.6 7 9 4.1-1.4 7-4.8 7-9V6zM9 12l2.2 2.2L15 10.5",
  chart: "M4 4v16h16M8.5 16v-5M13 16V7.5M17.5 16v-3",
  heart: "M12 20s-8-5-8-10.5A4.5 4.5 0 0 1 12 7a4.5 4.5 0 0 1 8 2.5C20 15 12 20 12 20z",
  share: "M12 15V3.5M7.5 8 12 3.5 16.5 8M5 12v8h14v-8",
};

/** Adds icons by name: the path of each, on the grid. */
export function addIcons(more) {
  Object.assign(paths, more);
}

/** An icon by name, hidden from screen readers: the text beside it says the same. */
export function icon(name, { filled = false } = {}) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const attributes = {
    viewBox: "0 0 24 24", width: "24", height: "24", "aria-hidden": "true", focusable: "false", class: `icon icon-${name}`,
    fill: filled ? "currentColor" : "none", stroke: "currentColor", "stroke-width": "2", "stroke-linecap": "round",
    "stroke-linejoin": "round",
  };
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}

const markIcons = { moving: "moving", stationary: "bar", paused: "pause", offline: "close", finished: "tick" };

/** The sign inside a runner's mark for a state, the same as on the map. */
export function markIcon(state) {
  return icon(markIcons[state] ?? "bar", { filled: state === "moving" });
}
