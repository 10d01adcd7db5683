// The pages with the live map, as shell/pages.js describes them.

export const pages = [
  { name: "map", path: "/map", title: "Live map", label: "Map", tab: "map", isFirst: true, load: () => import("./map.js") },
  { name: "shared", path: "/s/:token", title: "Shared session", load: () => import("./shared.js") },
];
