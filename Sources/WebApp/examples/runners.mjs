#!/usr/bin/env node
// Prints the runners of a campus that everybody may see, with each change, until it is interrupted.
//
//   node runners.mjs ws://localhost:8080/ws
//
// Node.js 22 has a WebSocket. An earlier one takes the package ws (Debian: apt-get install node-ws).

import { createRequire } from "node:module";
import { CampanileClient } from "../campanile.js";

const [url] = process.argv.slice(2);
if (!/^wss?:\/\//.test(url ?? "")) {
  console.error("usage: node runners.mjs ws://HOST:PORT/ws");
  process.exit(64);
}

const client = new CampanileClient(url, {
  client: { name: "example program" },
  ...(!globalThis.WebSocket && { makeSocket: (address, subprotocol) => new (webSockets())(address, subprotocol) }),
});

/** The package `ws`: from beside this file, or from Debian's directory. */
function webSockets() {
  const require = createRequire(import.meta.url);
  try {
    return require("ws");
  } catch {
    return require("/usr/share/nodejs/ws");
  }
}

const positions = client.positions();
client.addEventListener("state", () => {
  console.log(`${client.state}${client.state === "live" ? `: ${client.campus.name}` : ""}`);
  const bounds = client.campus?.bounds;
  if (client.state === "live") positions.show(bounds ? [bounds.south, bounds.west, bounds.north, bounds.east] : [-85, -180, 85, 180], 16);
});
positions.addEventListener("change", () => {
  const counted = [...positions.clusters.values()].flat().reduce((sum, { count }) => sum + count, 0);
  console.log(`${new Date(client.clock.now()).toISOString()}  ${positions.runners.length + counted} runners`);
  for (const runner of positions.runners) {
    console.log(`  ${runner.name.padEnd(20)} ${runner.lat.toFixed(5)} ${runner.lon.toFixed(5)}  `
      + `${(runner.distance / 1000).toFixed(2).padStart(6)} km  ${positions.elapsed(runner).toFixed(0).padStart(5)} s  ${runner.state}`);
  }
});
process.on("SIGINT", () => {
  positions.close();
  client.close();
});
client.connect();
