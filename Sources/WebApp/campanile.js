// campanile.js at its stable address, /app/campanile.js. A release has one bundled file in its place.

export * from "./client/campanile.js";
