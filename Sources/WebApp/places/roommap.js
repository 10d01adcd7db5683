// The map of a room: the plan of its floor with the room in colour. Without a plan it shows where the room's building is.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { token } from "../kit/theme.js";
import { makeMapView } from "../map/mapview.js";
import { makeMark } from "../map/picker.js";
import { drawnDestinations, destinationAt } from "./drawing.js";

const placeZoom = 16.5;
const closestZoom = 20;
const padding = [28, 28];
/** A plan with more rooms would cost more than it shows. */
const roomsMax = 1_000;
const pane = "floor";
/** Above the drawing of the campus, below marks. */
const paneHeight = "410";

/** `{element, close}` for a room of a page's `destination`. */
export function makeRoomMap({ app, room }) {
  const element = h("div", { class: "map" });
  let view = null;
  let isClosed = false;
  const plan = loadFloor(app, room);
  makeMapView(element, app, { label: `Map: ${room.name}` }).then(async (made) => {
    if (isClosed) return made.destroy();
    view = made;
    const { map } = view;
    if (matchMedia("(pointer: coarse)").matches) map.dragging.disable();
    map.scrollWheelZoom.disable();
    map.setView([room.lat, room.lon], placeZoom, { animate: false });
    const rooms = await plan;
    if (isClosed) return undefined;
    if (rooms.length > 0) drawFloor(view, rooms, room);
    makeMark(view)(room);
    return undefined;
  }, (error) => element.append(h("p", { class: "map-problem notice warn" }, icon("warning"), error.message)));
  return { element: h("div", { class: "event-map room-map" }, element), close: () => { isClosed = true; view?.destroy(); } };
}

/** The rooms of the floor that the room is on; none where there is no plan with the room. */
async function loadFloor(app, room) {
  try {
    const buildings = drawnDestinations(await app.campusMap()).filter(({ kind }) => kind === "building");
    const building = destinationAt(buildings, room, 0);
    if (!building) return [];
    const { floors = [] } = await app.net.request("places.floors", { building: Number(building.id.split("/")[1]) });
    const floor = floors.find(({ rooms = [] }) => rooms.some(({ id }) => id === room.id));
    return floor?.rooms.slice(0, roomsMax) ?? [];
  } catch {
    return [];
  }
}

function drawFloor(view, rooms, room) {
  const { L, map } = view;
  map.createPane(pane).style.zIndex = paneHeight;
  const layer = L.layerGroup().addTo(map);
  const draw = () => {
    const [edge, plain, accent] = [token("--ink-2"), token("--surface"), token("--accent")];
    layer.clearLayers();
    const ordered = [...rooms].sort((one, other) => (one.id === room.id ? 1 : 0) - (other.id === room.id ? 1 : 0));
    for (const { id, lines } of ordered) {
      const isRoom = id === room.id;
      layer.addLayer(L.polygon(lines, { pane, interactive: false, color: isRoom ? accent : edge, weight: isRoom ? 2.5 : 1,
        fillColor: isRoom ? accent : plain, fillOpacity: isRoom ? 0.45 : 1 }));
    }
  };
  draw();
  view.whenThemeChanges(draw);
  map.fitBounds(L.latLngBounds(rooms.flatMap(({ lines }) => lines[0] ?? [])), { padding, maxZoom: closestZoom, animate: false });
}
