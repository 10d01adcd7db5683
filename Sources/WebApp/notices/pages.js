// The pages of notices, as shell/pages.js describes them.

export const pages = [
  { name: "notices", path: "/notices", title: "Notices", load: () => import("./list.js") },
  { name: "noticeform", path: "/notices/new", title: "New notice", load: () => import("./form.js") },
  { name: "noticessent", path: "/notices/sent", title: "Sent notices", load: () => import("./sentlist.js") },
  { name: "noticesent", path: "/notices/sent/:id", title: "Notice", load: () => import("./sent.js") },
  { name: "noticeform", path: "/notices/sent/:id/edit", title: "Correct a notice", load: () => import("./form.js") },
];
