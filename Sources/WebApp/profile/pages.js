// The page of the profile, as shell/pages.js describes it.

export const pages = [
  { name: "profile", path: "/settings/profile", title: "Profile", tab: "account", load: () => import("./profile.js") },
];
