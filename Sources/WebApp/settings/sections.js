// The sections of the settings area, in order. A page of a section is declared in its folder's pages.js. Pure.

/** Each is `{name, path, label, hint, icon}`; without `isFor` everybody gets it. */
const sections = [
  { name: "profile", path: "/settings/profile", label: "Profile", hint: "Picture, name, degree, interests, home", icon: "account",
    isFor: (account) => account !== null },
  { name: "account", path: "/settings/account", label: "Account", hint: "Username and email", icon: "mail",
    isFor: (account) => account !== null },
  { name: "security", path: "/settings/security", label: "Security", hint: "Password, passkeys, devices", icon: "lock",
    isFor: (account) => account !== null },
  { name: "privacy", path: "/settings/privacy", label: "Privacy", hint: "What others see, private zones", icon: "eye-off",
    isFor: (account) => account !== null },
  { name: "notifications", path: "/settings/notifications", label: "Notifications", hint: "Reminders and quiet hours", icon: "bell",
    isFor: (account) => account !== null },
  { name: "location", path: "/settings/location", label: "Location and sessions",
    hint: "Location on or off, default audience", icon: "target", isFor: (account) => account !== null },
  { name: "appearance", path: "/settings/appearance", label: "Appearance and units", hint: "Light or dark, pace or speed", icon: "sun" },
  { name: "data", path: "/settings/data", label: "Your data", hint: "Download it, or delete your account", icon: "down",
    isFor: (account) => account !== null },
  { name: "help", path: "/help", label: "Help", hint: "How things work", icon: "question" },
  { name: "about", path: "/about", label: "About", hint: "This server", icon: "info" },
  { name: "licences", path: "/licences", label: "Licences", hint: "Software that Campanile uses", icon: "log" },
];

/** The sections for an account, or for a guest, who is null. */
export function sectionsFor(account) {
  return sections.filter(({ isFor }) => isFor?.(account) ?? true);
}
