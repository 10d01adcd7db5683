// The pages of training together, as shell/pages.js describes them.

export const pages = [
  { name: "newgroup", path: "/together/new", title: "New group", tab: "buddies", load: () => import("./new.js") },
  { name: "shareworkout", path: "/together/share", title: "Share a workout", tab: "buddies", load: () => import("./sharepage.js") },
  { name: "together", path: "/together", title: "Train together", tab: "buddies", load: () => import("./list.js") },
  { name: "livegroup", path: "/together/:id", title: "Live group", tab: "buddies", load: () => import("./group.js") },
];
