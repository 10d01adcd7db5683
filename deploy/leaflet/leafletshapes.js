// What the app draws on maps with Leaflet, from Debian's node-leaflet.

import "/usr/share/nodejs/leaflet/src/layer/Tooltip.js";
import "/usr/share/nodejs/leaflet/src/layer/vector/Renderer.getRenderer.js";
import { layerGroup } from "/usr/share/nodejs/leaflet/src/layer/LayerGroup.js";
import { divIcon } from "/usr/share/nodejs/leaflet/src/layer/marker/DivIcon.js";
import { marker } from "/usr/share/nodejs/leaflet/src/layer/marker/Marker.js";
import { tileLayer } from "/usr/share/nodejs/leaflet/src/layer/tile/TileLayer.js";
import { circle } from "/usr/share/nodejs/leaflet/src/layer/vector/Circle.js";
import { circleMarker } from "/usr/share/nodejs/leaflet/src/layer/vector/CircleMarker.js";
import { polygon } from "/usr/share/nodejs/leaflet/src/layer/vector/Polygon.js";
import { polyline } from "/usr/share/nodejs/leaflet/src/layer/vector/Polyline.js";
import { L } from "./leafletmaps.js";

Object.assign(L, { circle, circleMarker, divIcon, layerGroup, marker, polygon, polyline, tileLayer });
