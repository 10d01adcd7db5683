// The page of reminders, as shell/pages.js describes it.

export const pages = [
  {
    name: "notificationsettings", path: "/settings/notifications", title: "Notifications", tab: "account",
    load: () => import("./settings.js"),
  },
];
