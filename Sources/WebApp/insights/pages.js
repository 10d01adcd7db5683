// The page of personal analytics, as shell/pages.js describes it.

export const pages = [
  { name: "insights", path: "/insights", title: "Progress", tab: "account", load: () => import("./insights.js") },
];
