// Pages of settings that follow the account, as shell/pages.js describes them.

export const pages = [
  {
    name: "appearance", path: "/settings/appearance", title: "Appearance and units", tab: "account",
    load: () => import("./appearance.js"),
  },
  {
    name: "locationsettings", path: "/settings/location", title: "Location and sessions", tab: "account",
    load: () => import("./location.js"),
  },
];
