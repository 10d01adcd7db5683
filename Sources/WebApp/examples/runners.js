// Shows the runners of a campus that everybody may see, on a plain map and in a list. It uses campanile.js and nothing else of the web app.

import { CampanileClient, toUnit } from "../campanile.js";

const zoom = 16;
const margin = 40;
const dot = 6;

const element = (id) => document.getElementById(id);
const canvas = /** @type {HTMLCanvasElement} */ (element("map"));
const client = new CampanileClient(`${location.origin.replace("http", "ws")}/ws`, { client: { name: "example page" } });
const positions = client.positions();

/** The map's view, `[south, west, north, east]`: the campus, with its size on the canvas. */
function box() {
  const { south, west, north, east } = client.campus?.bounds ?? { south: -85, west: -180, north: 85, east: 180 };
  return /** @type {[number, number, number, number]} */ ([south, west, north, east]);
}

/** A function from degrees to pixels of the canvas: the whole box fits. */
function projection() {
  const [south, west, north, east] = box();
  const from = toUnit(north, west);
  const to = toUnit(south, east);
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = Math.min((width - 2 * margin) / (to.x - from.x), (height - 2 * margin) / (to.y - from.y));
  const [left, top] = [(width - (to.x - from.x) * scale) / 2, (height - (to.y - from.y) * scale) / 2];
  return ({ lat, lon }) => {
    const { x, y } = toUnit(lat, lon);
    return { x: left + (x - from.x) * scale, y: top + (y - from.y) * scale };
  };
}

function drawMap() {
  const ratio = devicePixelRatio;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = canvas.clientHeight * ratio;
  const context = canvas.getContext("2d");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
  const at = projection();
  context.scale(ratio, ratio);
  context.font = "600 12px system-ui, sans-serif";
  context.textAlign = "center";
  const [south, west, north, east] = box();
  const [first, last] = [at({ lat: north, lon: west }), at({ lat: south, lon: east })];
  context.strokeStyle = colour("--line");
  context.setLineDash([4, 4]);
  context.strokeRect(first.x, first.y, last.x - first.x, last.y - first.y);
  context.setLineDash([]);
  for (const runner of positions.runners) {
    const { x, y } = at(runner);
    context.globalAlpha = client.state === "live" && runner.state === "moving" ? 1 : 0.5;
    context.fillStyle = colour(runner.activity === "cycle" ? "--cycle" : "--run");
    context.beginPath();
    context.arc(x, y, dot, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = colour("--ink");
    context.fillText(runner.name, x, y - dot - 4);
  }
  context.globalAlpha = 1;
  for (const cluster of [...positions.clusters.values()].flat()) {
    const { x, y } = at(cluster);
    context.fillStyle = colour("--run");
    context.beginPath();
    context.arc(x, y, 10 + Math.sqrt(cluster.count), 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = colour("--pane");
    context.fillText(String(cluster.count), x, y + 4);
  }
}

/** `1:02:07` */
function duration(seconds) {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

function row(runner) {
  const item = document.createElement("li");
  item.dataset.activity = runner.activity;
  const [name, time, more] = ["strong", "span", "small"].map((tag) => item.appendChild(document.createElement(tag)));
  name.textContent = runner.name;
  time.textContent = duration(positions.elapsed(runner));
  more.textContent = `${(runner.distance / 1000).toFixed(2)} km · ${runner.state}`;
  return item;
}

function drawList() {
  const runners = positions.runners.sort((a, b) => b.distance - a.distance);
  const counted = [...positions.clusters.values()].flat().reduce((sum, { count }) => sum + count, 0);
  const total = runners.length + counted;
  const text = positions.isKnown ? `${total} ${total === 1 ? "runner" : "runners"}` : positions.problem?.message ?? "Connecting…";
  if (element("count").textContent !== text) element("count").textContent = text;
  const none = Object.assign(document.createElement("li"), { className: "empty", textContent: "Nobody shares a run at the moment." });
  element("list").replaceChildren(...(positions.isKnown && total === 0 ? [none] : runners.map(row)));
}

function draw() {
  drawMap();
  drawList();
}

client.addEventListener("state", () => {
  const { state, campus } = client;
  Object.assign(element("state"), { textContent: state }).dataset.state = state;
  if (state === "live" && campus) {
    element("campus").textContent = campus.name;
    positions.show(box(), zoom);
  }
  draw();
});
positions.addEventListener("change", draw);
addEventListener("resize", draw);
addEventListener("online", () => client.retryNow());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") positions.resume();
  else positions.suspend();
});
setInterval(drawList, 1_000);
client.connect();
