// The pages about sharing, as shell/pages.js describes them.

export const pages = [
  { name: "sharing", path: "/sharing", title: "Sharing", tab: "account", load: () => import("./overview.js") },
  { name: "linkshare", path: "/l/:token", title: "Shared location", load: () => import("./link.js") },
];
