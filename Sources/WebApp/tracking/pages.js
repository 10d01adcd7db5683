// The page that records, as shell/pages.js describes it.

export const pages = [
  { name: "track", path: "/track", title: "Track", tab: "track", load: () => import("./track.js") },
];
