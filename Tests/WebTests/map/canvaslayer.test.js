import assert from "node:assert/strict";
import { test } from "node:test";
import { makeCanvasLayer } from "../../../Sources/WebApp/map/canvaslayer.js";

const point = (x, y) => ({
  x, y, multiplyBy: (factor) => point(x * factor, y * factor), round: () => point(Math.round(x), Math.round(y)),
  equals: (other) => other.x === x && other.y === y, subtract: (other) => point(x - other.x, y - other.y),
});
const map = {
  options: {}, getSize: () => point(400, 300), containerPointToLayerPoint: (at) => (Array.isArray(at) ? point(...at) : at), fire() {},
  getZoom: () => 16, getCenter: () => ({ lat: 51, lng: 8 }), getPixelOrigin: () => point(1_000, 1_000),
};
const context = { setTransform() {}, clearRect() {} };
const canvas = () => ({ style: {}, width: 0, height: 0, setAttribute() {}, remove() {}, getContext: () => context });
const L = {
  Layer: {
    extend: (members) => function Layer() {
      Object.assign(this, members, { _map: map, getPane: () => null });
    },
  },
  DomUtil: { create: canvas, setTransform() {} },
};

test("a layer that is removed and added again is drawn again", () => {
  globalThis.devicePixelRatio = 1;
  let paints = 0;
  const layer = makeCanvasLayer(L, { paint: () => { paints += 1; } });
  layer.onAdd(map);
  layer.place();
  assert.equal(paints, 1);
  layer.onRemove();
  layer.redraw();
  assert.equal(paints, 1);
  layer.onAdd(map);
  assert.equal(paints, 2);
});
