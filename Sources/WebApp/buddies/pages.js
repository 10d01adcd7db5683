// The pages about buddies, as shell/pages.js describes them.

export const pages = [
  { name: "buddies", path: "/buddies", title: "Buddies", tab: "buddies", load: () => import("./buddies.js") },
  { name: "buddyprofile", path: "/buddies/profile", title: "My buddy profile", tab: "buddies", load: () => import("./profile.js") },
];
