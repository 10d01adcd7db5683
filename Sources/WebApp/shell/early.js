// What must not wait for the modules: the stored theme, so that the page does not flash, the outline of the page that is opened, and what
// takes a way there and back over a slow network: the connection, the settings of the server, the map, and the modules of the page.
// A classic script on purpose: modules run after parsing. `connection/early.js` takes what is begun here.
(() => {
  const root = document.documentElement;
  const [, section] = location.pathname.split("/");
  const isLink = ["s", "l"].includes(section);
  root.dataset.outline = isLink || section === "map" ? "map" : "page";
  try {
    const theme = localStorage.getItem("campanile.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage may be blocked; the system theme is then used.
  }
  // A release has `[[pattern of a path, addresses], …]`: modules and styles.
  const patterns = JSON.parse(document.currentScript.dataset.preloads ?? "[]");
  const preloads = patterns.find(([pattern]) => new RegExp(pattern).test(location.pathname))?.[1] ?? [];
  let socket = null;
  try {
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`, "campanile.v1");
  } catch {
    // The app tries again, and says so if it cannot.
  }
  const replies = new Map();
  // The end of the document calls it, after the request for the core: that is the largest, and gets the connection which is free then.
  const request = () => {
    for (const href of preloads) {
      const kind = href.endsWith(".css") ? { rel: "preload", as: "style" } : { rel: "modulepreload" };
      document.head.append(Object.assign(document.createElement("link"), { ...kind, href }));
    }
    // The live map lists the runners before it draws the campus.
    for (const path of isLink ? ["/config.json", "/campus/map.geojson"] : ["/config.json"]) {
      const reply = fetch(path);
      // `fetchEarly` hands the failure on; until then the browser would report it as unhandled.
      reply.catch(() => {});
      replies.set(path, reply);
    }
  };
  Object.assign(globalThis, { campanileEarly: { replies, socket, request } });
})();
