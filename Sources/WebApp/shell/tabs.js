// The tabs of the bar, by who is logged in. Order and icons are here; path and word are those of the page with the name (pages.js). Pure.

import { pages } from "./pages.js";

/** Names of pages with their icons, in order. Without `isFor` everybody gets the tab; without `label` it has the word of its page. */
const tabs = [
  { name: "map", icon: "map" },
  { name: "track", icon: "track" },
  // On a phone there is no room for it: the track page and the account lead there.
  { name: "history", icon: "history" },
  { name: "events", icon: "events" },
  { name: "buddies", icon: "buddies", isFor: (account) => account !== null },
  { name: "chats", icon: "chats", isFor: (account) => account !== null },
  // Only where there is room; the account page leads there, too.
  { name: "admin", icon: "admin", isFor: (account) => ["admin", "lecturer"].includes(account?.role) },
  { name: "account", icon: "account", isFor: (account) => account !== null, label: (account, name) => name ?? account.username },
  { name: "login", icon: "account", isFor: (account) => account === null },
];

/** `[{name, path, label, icon}]` for an account, or for a guest, who is null. `ownName` is the account's name, if it is known. */
export function tabsFor(account, ownName = null) {
  return tabs.filter(({ isFor }) => isFor?.(account) ?? true).map(({ name, icon, label }) => {
    const page = pages.find((one) => one.name === name);
    return { name, path: page.path, label: label?.(account, ownName) ?? page.label ?? page.title, icon };
  });
}
