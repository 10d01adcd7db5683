// The parts of the console that each role is offered. The server checks again. Pure.

/** Names of roles. */
export const roleNames = { student: "Student", lecturer: "Lecturer", admin: "Admin", rewards: "Rewards manager" };

/** Permissions of roles, one line each, in the order of the choices. */
export const roles = [
  { id: "student", label: roleNames.student, hint: "Runs, buddies, chats and their own events." },
  { id: "lecturer", label: roleNames.lecturer, hint: "Can also publish campus events and notices." },
  { id: "rewards", label: roleNames.rewards, hint: "Will set up rewards. For now, the same as a student." },
  { id: "admin", label: roleNames.admin, hint: "Manages people, places and reports." },
];

const parts = [
  { id: "overview", path: "/admin", label: "Overview", icon: "pulse", roles: ["admin", "lecturer", "rewards"] },
  { id: "users", path: "/admin/users", label: "People", icon: "buddies", roles: ["admin"] },
  { id: "places", path: "/admin/places", label: "Places", icon: "pin", roles: ["admin"] },
  { id: "closures", path: "/admin/closures", label: "Closures", icon: "block", roles: ["admin"] },
  { id: "events", path: "/events", label: "Events", icon: "events", roles: ["admin", "lecturer"] },
  { id: "notices", path: "/notices/sent", label: "Notices", icon: "bell", roles: ["admin", "lecturer"] },
  { id: "reports", path: "/reports", label: "Reports", icon: "flag", roles: ["admin"] },
  { id: "audit", path: "/admin/audit", label: "Log", icon: "log", roles: ["admin"] },
];

/** The parts of the console that are a role's, in order; none for guests and students. */
export function partsOf(role) {
  return parts.filter((part) => part.roles.includes(role));
}
