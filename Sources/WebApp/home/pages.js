// The start page and what is known of the server, as shell/pages.js describes them.

export const pages = [
  { name: "about", path: "/about", title: "About Campanile", tab: "account", load: () => import("./about.js") },
  { name: "licences", path: "/licences", title: "Licences", tab: "account", load: () => import("./licences.js") },
  { name: "home", path: "/", title: null, isFirst: true, load: () => import("./home.js") },
];
