// The pages of routes, as shell/pages.js describes them.

export const pages = [
  { name: "route", path: "/route", title: "Directions", tab: "map", load: () => import("./route.js") },
  { name: "walk", path: "/walk", title: "Your walk", tab: "map", load: () => import("./walk.js") },
];
