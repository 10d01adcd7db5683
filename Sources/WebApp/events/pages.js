// The pages of events, as shell/pages.js describes them.

export const pages = [
  { name: "events", path: "/events", title: "Events", tab: "events", load: () => import("./list.js") },
  { name: "eventform", path: "/events/new", title: "New event", tab: "events", load: () => import("./form.js") },
  { name: "event", path: "/events/:id", title: "Event", tab: "events", load: () => import("./event.js") },
  { name: "eventform", path: "/events/:id/edit", title: "Edit event", tab: "events", load: () => import("./form.js") },
];
