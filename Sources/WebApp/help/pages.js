// The page of all help topics, as shell/pages.js describes it.

export const pages = [
  { name: "help", path: "/help", title: "Help", tab: "account", load: () => import("./help.js") },
];
