// The page of places, as shell/pages.js describes it.

export const pages = [
  { name: "places", path: "/map/places", title: "Places", tab: "map", load: () => import("./places.js") },
];
