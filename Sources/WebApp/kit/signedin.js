// Pages that need an account.

/** Returns whether an account is signed in. If not, it replaces the page by the login, which leads to `path` afterwards. */
export function requireSignIn({ net, router }, path) {
  if (net.account) return true;
  router.go(`/login?next=${encodeURIComponent(path)}`, { replace: true });
  return false;
}

/** Leaves the page for the home page when the account signs out, until `signal` ends. */
export function leaveWhenSignedOut({ net, router }, signal) {
  net.addEventListener("account", () => { if (!net.account) router.go("/", { replace: true }); }, { signal });
}
