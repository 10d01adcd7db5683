// The start page, as shell/pages.js describes it.

export const pages = [
  { name: "about", path: "/about", title: "About Campanile", load: () => import("./about.js") },
  { name: "home", path: "/", title: null, isFirst: true, load: () => import("./home.js") },
];
