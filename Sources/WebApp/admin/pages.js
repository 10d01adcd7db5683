// The pages of the console, as shell/pages.js describes them.

export const pages = [
  { name: "admin", path: "/admin", title: "Campus admin", label: "Admin", tab: "admin", load: () => import("./overview.js") },
  { name: "adminusers", path: "/admin/users", title: "People", tab: "admin", load: () => import("./users.js") },
  { name: "adminnewuser", path: "/admin/users/new", title: "Add person", tab: "admin", load: () => import("./newuser.js") },
  { name: "adminuser", path: "/admin/users/:id", title: "Person", tab: "admin", load: () => import("./user.js") },
  { name: "adminplaces", path: "/admin/places", title: "Places and zones", tab: "admin", load: () => import("./places.js") },
  { name: "adminaudit", path: "/admin/audit", title: "Admin log", tab: "admin", load: () => import("./audit.js") },
  { name: "reports", path: "/reports", title: "Reports", tab: "admin", load: () => import("./reports.js") },
];
