// The map of the session that is recorded here: the last position with its accuracy, and the route so far.

import { mayAnimate } from "../map/animation.js";
import { makeMapView } from "../map/mapview.js";
import { RouteLine } from "../map/routeline.js";
import { token } from "../kit/theme.js";

const closeZoom = 17;

/** `{update(), recentre(), destroy()}`: the map of `tracker` in `container`. */
export function makeTrackMap(container, app, tracker) {
  let view = null;
  let route = null;
  let dot = null;
  let ring = null;
  let closed = false;
  let isNear = false;
  let follows = true;

  const colours = () => ({ colour: token("--accent"), halo: token("--map-ring") });

  makeMapView(container, app, { label: "Map of your session" }).then((made) => {
    if (closed) return made.destroy();
    view = made;
    route = new RouteLine(view.L, view.map, colours());
    view.map.on("dragstart", () => { follows = false; });
    view.whenThemeChanges(() => {
      route.setColours(colours());
      dot?.setStyle({ fillColor: token("--accent"), color: token("--map-ring") });
    });
    update();
    return undefined;
  }, () => {});

  function update() {
    if (!view) return;
    route.set(tracker.route);
    const place = tracker.fix ? [tracker.fix.lat, tracker.fix.lon] : route.end;
    if (!place) {
      dot?.remove();
      ring?.remove();
      dot = ring = null;
      return;
    }
    const { L, map } = view;
    ring ??= L.circle(place, {
      radius: 1, weight: 1, color: token("--accent"), opacity: 0.5, fillOpacity: 0.12, interactive: false,
    }).addTo(map);
    dot ??= L.circleMarker(place, {
      radius: 9, weight: 3, color: token("--map-ring"), fillColor: token("--accent"), fillOpacity: 1, interactive: false,
    }).addTo(map);
    dot.setLatLng(place);
    ring.setLatLng(place).setRadius(Math.min(tracker.fix?.accuracy ?? 1, 500));
    if (!isNear) {
      isNear = true;
      map.setView(place, closeZoom, { animate: false });
    } else if (follows && !map.getBounds().pad(-0.3).contains(place)) {
      map.panTo(place, { animate: mayAnimate() });
    }
  }

  return {
    update,
    /** Moves the map to the last position again after it was dragged away. */
    recentre() {
      follows = true;
      isNear = false;
      update();
    },
    destroy() {
      closed = true;
      view?.destroy();
    },
  };
}
