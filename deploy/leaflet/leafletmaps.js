// What every map needs of Leaflet, from Debian's node-leaflet.

import "/usr/share/nodejs/leaflet/src/map/handler/Map.BoxZoom.js";
import "/usr/share/nodejs/leaflet/src/map/handler/Map.DoubleClickZoom.js";
import "/usr/share/nodejs/leaflet/src/map/handler/Map.Drag.js";
import "/usr/share/nodejs/leaflet/src/map/handler/Map.Keyboard.js";
import "/usr/share/nodejs/leaflet/src/map/handler/Map.ScrollWheelZoom.js";
import "/usr/share/nodejs/leaflet/src/map/handler/Map.TouchZoom.js";
import { attribution } from "/usr/share/nodejs/leaflet/src/control/Control.Attribution.js";
import { zoom } from "/usr/share/nodejs/leaflet/src/control/Control.Zoom.js";
import { any3d } from "/usr/share/nodejs/leaflet/src/core/Browser.js";
import { create, setTransform } from "/usr/share/nodejs/leaflet/src/dom/DomUtil.js";
import { toLatLng } from "/usr/share/nodejs/leaflet/src/geo/LatLng.js";
import { toLatLngBounds } from "/usr/share/nodejs/leaflet/src/geo/LatLngBounds.js";
import { toPoint } from "/usr/share/nodejs/leaflet/src/geometry/Point.js";
import { Layer } from "/usr/share/nodejs/leaflet/src/layer/Layer.js";
import { createMap } from "/usr/share/nodejs/leaflet/src/map/Map.js";

export const L = {
  Browser: { any3d }, DomUtil: { create, setTransform }, Layer, control: { attribution, zoom }, latLng: toLatLng,
  latLngBounds: toLatLngBounds, map: createMap, point: toPoint,
};
