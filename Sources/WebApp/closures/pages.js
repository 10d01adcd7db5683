// The page of closures in the console, as shell/pages.js describes it.

export const pages = [
  { name: "adminclosures", path: "/admin/closures", title: "Closures", tab: "admin", load: () => import("./closures.js") },
];
