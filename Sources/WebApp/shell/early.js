// What must not wait for the modules: the stored theme, so that the page does not flash, the outline of the page that is opened, and what
// takes a way there and back over a slow network: the connection, the settings of the server, the map, and the modules of the page.
// A classic script on purpose: modules run after parsing. `connection/early.js` takes what is begun here.
(() => {
  const root = document.documentElement;
  const hasMap = ["map", "s", "l"].includes(location.pathname.split("/")[1]);
  root.dataset.outline = hasMap ? "map" : "page";
  try {
    const theme = localStorage.getItem("campanile.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage may be blocked; the system theme is then used.
  }
  // A release has `[[pattern of a path, addresses], …]`. Leaflet is no module.
  const preloads = JSON.parse(document.currentScript.dataset.preloads ?? "[]");
  for (const href of preloads.find(([pattern]) => new RegExp(pattern).test(location.pathname))?.[1] ?? []) {
    const kind = href.includes("leaflet") ? { rel: "preload", as: "script" } : { rel: "modulepreload" };
    document.head.append(Object.assign(document.createElement("link"), { ...kind, href }));
  }
  const replies = new Map();
  for (const path of hasMap ? ["/config.json", "/campus/map.geojson"] : ["/config.json"]) {
    const reply = fetch(path);
    // Whoever takes it handles its failure.
    reply.catch(() => {});
    replies.set(path, reply);
  }
  let socket = null;
  try {
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`, "campanile.v1");
  } catch {
    // The app tries again, and says so if it cannot.
  }
  Object.assign(globalThis, { campanileEarly: { replies, socket } });
})();
