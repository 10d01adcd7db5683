// The pages of places, as shell/pages.js describes them.

export const pages = [
  { name: "places", path: "/map/places", title: "Places", tab: "map", load: () => import("./places.js") },
  { name: "search", path: "/search", title: "Search", tab: "map", load: () => import("./searchpage.js") },
  { name: "nearby", path: "/nearby", title: "Nearby", tab: "map", load: () => import("./nearby.js") },
  { name: "place", path: "/place/:kind/:id", title: "Place", tab: "map", load: () => import("./place.js") },
];
