// The page of privacy, as shell/pages.js describes it.

export const pages = [
  { name: "privacysettings", path: "/settings/privacy", title: "Privacy", tab: "account", load: () => import("./settings.js") },
];
