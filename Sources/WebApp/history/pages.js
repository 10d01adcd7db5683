// The pages of the history, as shell/pages.js describes them.

export const pages = [
  { name: "history", path: "/history", title: "History", tab: "history", load: () => import("./list.js") },
  { name: "session", path: "/history/:id", title: "Session", tab: "history", load: () => import("./session.js") },
];
