// The way from a notification that was tapped to its page.

/** Opens the page that the service worker names: a tap on a notification brings an open tab to the front. */
export function followNotifications(router) {
  navigator.serviceWorker?.addEventListener("message", ({ data }) => {
    if (data?.type === "open" && router.match(new URL(data.path, location.origin).pathname)) router.go(data.path);
  });
}
