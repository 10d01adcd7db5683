// The frame of each page of the console: the check of the role, the navigation, the stylesheet.

import { partsOf } from "./parts.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { loadStyles } from "../kit/styles.js";

// The console's styles are only for people who open it.
await loadStyles("/app/admin/admin.css");

/** The way through the console, for a role; null when there is nowhere to go. */
export function consoleNav(role, current) {
  const parts = partsOf(role);
  if (parts.length < 2) return null;
  const links = parts.map(({ id, path, label, icon: iconName }) => h("li", {},
    h("a", { href: path, dataset: { part: id }, "aria-current": id === current ? "page" : null }, icon(iconName), label)));
  const nav = h("nav", { class: "console-nav", "aria-label": "Campus admin", onscroll: () => markMore(nav) }, h("ul", {}, ...links));
  return nav;
}

/** Where there is more than fits, the edge fades. */
function markMore(nav) {
  const hidden = nav.scrollWidth - nav.clientWidth;
  nav.dataset.more = [nav.scrollLeft > 1 ? "before" : "", nav.scrollLeft < hidden - 1 ? "after" : ""].join(" ").trim();
}

/**
 * A page of the console in `root`: `{page, close}`, or null when who asks has no part in it, which is said then. `roles` are
 * those whom the page is for.
 */
export function consolePage(root, { net, router, config }, { part, title, roles = ["admin"], className = "", actions = [] }) {
  const path = location.pathname + location.search;
  if (!net.account) {
    router.go(`/login?next=${encodeURIComponent(path)}`, { replace: true });
    return null;
  }
  const { id, role, hasSecondFactor } = net.account;
  const nav = consoleNav(role, part);
  const heading = h("h1", { tabindex: "-1" }, title);
  const page = h("div", { class: `page stack console ${className}` }, nav,
    h("div", { class: "console-head" }, heading, h("div", { class: "row" }, ...actions)));
  root.append(page);
  nav?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  // Another account, or another role: what is shown is not theirs.
  const changed = () => {
    if (net.account?.id === id && net.account?.role === role && net.account?.hasSecondFactor === hasSecondFactor) return;
    router.go(location.pathname + location.search, { replace: true });
  };
  net.addEventListener("account", changed);
  const sizes = new ResizeObserver(() => markMore(nav));
  if (nav) sizes.observe(nav);
  const close = () => {
    sizes.disconnect();
    net.removeEventListener("account", changed);
  };
  const lacksFactor = role === "admin" && config?.adminSecondFactor === "required" && !hasSecondFactor;
  if (roles.includes(role) && !lacksFactor) return { page, heading, close };
  page.querySelector(".console-head .row").remove();
  page.append(lacksFactor ? factorNeeded() : refusal(role));
  return { page, heading, close, isRefused: true };
}

/** Page in place of one that the role may not open. */
function refusal(role) {
  const own = partsOf(role);
  return h("div", { class: "empty", id: "no-right", role: "status" }, icon("block"), h("h2", {}, "You don't have access"),
    h("p", { class: "muted" }, own.length > 0 ? "Your role doesn't include this page. If you need it, ask a campus admin."
      : "These pages are for admins and lecturers. If you're one of them, ask an admin to set your role."),
    h("a", { class: "button", href: own.length > 0 ? "/admin" : "/" }, own.length > 0 ? "Go to overview" : "Go to start page"));
}

/** Element in place of content that could not be loaded; a refusal of the server is no fault of the network. */
export function trouble(error, again) {
  if (error.isForbidden && error.data?.field === "secondFactor") return factorNeeded();
  if (error.isForbidden) {
    return h("div", { class: "empty small-empty", id: "no-right", role: "alert" }, icon("block"),
      h("h2", {}, "You no longer have access"),
      h("p", { class: "muted" }, "Your role may have changed. Log in again, or ask another admin."));
  }
  return h("div", { class: "empty small-empty", role: "alert" }, icon(error.isTransient ? "offline" : "warning"),
    h("h2", {}, "Couldn't load this page"), h("p", { class: "muted" }, error.message),
    h("button", { class: "button", type: "button", onclick: again }, "Try again"));
}

/** Element in place of content that needs a second factor first. */
function factorNeeded() {
  return h("div", { class: "empty small-empty", id: "factor-needed", role: "alert" }, icon("key"),
    h("h2", {}, "Set up two-step log-in"),
    h("p", { class: "muted" }, "Admins need a passkey or an authenticator app. It takes a minute, and these pages open right after."),
    h("a", { class: "button primary", href: "/settings/security" }, "Set it up"));
}

/** Whether a part is not this role's. */
export function isAbsent(error) {
  return error.isForbidden;
}
