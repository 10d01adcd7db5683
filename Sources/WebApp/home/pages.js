// The start page, as shell/pages.js describes it.

export const pages = [
  { name: "home", path: "/", title: null, load: () => import("./home.js") },
];
