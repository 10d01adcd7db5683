// The pages of privacy and of the person's data, as shell/pages.js describes them.

export const pages = [
  { name: "privacysettings", path: "/settings/privacy", title: "Privacy", tab: "account", load: () => import("./settings.js") },
  { name: "datasettings", path: "/settings/data", title: "Your data", tab: "account", load: () => import("./data.js") },
];
