// Pages that need an account.

import { h } from "./dom.js";

/**
 * Returns whether an account is signed in, with a confirmed email where the operator requires it. If not, it replaces the page by the one
 * for that, which leads to `path` afterwards.
 */
export function requireSignIn({ net, router, config }, path) {
  if (net.account && !(net.account.confirmBy && config?.confirmation === "required")) return true;
  router.go(`${net.account ? "/confirm" : "/login"}?next=${encodeURIComponent(path)}`, { replace: true });
  return false;
}

/** Leaves the page for the home page when the account signs out, until `signal` ends. */
export function leaveWhenSignedOut({ net, router }, signal) {
  net.addEventListener("account", () => { if (!net.account) router.go("/", { replace: true }); }, { signal });
}

/**
 * In place of a page for people whose email is confirmed: its heading, why it is closed, and the way to the code. `purpose` completes
 * “Confirm your email”.
 */
export function confirmFirst(title, purpose) {
  return h("div", { class: "page narrow" }, h("div", { class: "card form-card stack", id: "confirm-first" },
    h("h1", { tabindex: "-1" }, title),
    h("p", { class: "muted" }, `Confirm your email ${purpose}.`),
    h("a", { class: "button primary", href: `/confirm?next=${encodeURIComponent(location.pathname)}` }, "Confirm your email")));
}
