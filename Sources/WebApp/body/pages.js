// The page of body data, as shell/pages.js describes it.

export const pages = [
  { name: "body", path: "/body", title: "Body data", tab: "account", load: () => import("./body.js") },
];
