// Keeps the shell, Leaflet and the campus map, so that the app opens without a network. Never touches /ws, /rpc or
// /pictures: what people write and show is kept by the server alone, who checks each time who may see it.

const version = "6";
const cacheName = `campanile-${version}`;
const shellPath = "/";
const networkMillisecondsMax = 4000;

const shell = [
  shellPath, "/manifest.webmanifest", "/config.json", "/campus/map.geojson",
  "/lib/leaflet/leaflet.js", "/lib/leaflet/leaflet.css",
  ...["kit/base.css", "kit/pages.css", "map/map.css", "buddies/buddies.css", "chat/chat.css", "events/events.css", "notices/notices.css", "privacy/privacy.css", "sharing/sharing.css", "admin/admin.css", "shell/large.css", "assets/icon.svg", "assets/person.svg", "assets/person-female.svg", "assets/person-male.svg", "shell/early.js", "shell/main.js", "client/backoff.js", "shell/badge.js", "map/campuslayer.js",
    "map/canvaslayer.js", "client/clock.js", "map/clusters.js", "livemap/memory.js", "map/namelayer.js", "map/tools.js", "kit/dialog.js", "kit/dom.js", "kit/notifications.js", "places/words.js", "kit/format.js", "kit/geolocation.js", "kit/icons.js", "map/labels.js", "map/leaflet.js", "map/mapview.js", "client/mercator.js",
    "client/motion.js", "client/liveness.js", "kit/livestate.js", "tracking/firstfix.js", "tracking/locationhelp.js", "tracking/recentspeed.js", "kit/units.js", "client/net.js", "client/outbox.js", "client/outboxplan.js", "map/palette.js", "client/plainwords.js", "client/positions.js", "tracking/recording.js", "client/roster.js", "shell/router.js", "map/routeline.js", "client/signout.js",
    "map/runnerglyphs.js", "map/runnerlayer.js", "tracking/tablock.js", "kit/theme.js", "tracking/tracker.js", "client/trackframe.js", "kit/uuid.js", "kit/validate.js", "client/viewport.js",
    "home/home.js", "livemap/map.js", "livemap/runnerlist.js", "livemap/clusterlist.js", "livemap/followcard.js", "kit/sheet.js", "tracking/track.js", "tracking/warnings.js", "tracking/readout.js", "tracking/start.js", "tracking/audience.js",
    "tracking/trackmap.js", "history/list.js", "history/goalcard.js", "history/session.js", "tracking/sessionedit.js", "history/splits.js", "livemap/shared.js", "tracking/sharecontrols.js", "kit/form.js",
    "client/known.js", "map/narrow.js",
    "tracking/watchers.js", "account/login.js", "account/register.js", "account/account.js", "shell/missing.js",
    "kit/choices.js", "kit/pictures.js", "kit/swipe.js", "chat/alerts.js", "chat/store.js", "chat/conversation.js", "chat/drafts.js", "chat/inbox.js", "chat/log.js", "chat/rows.js",
    "chat/sender.js", "chat/sendplan.js", "kit/times.js", "chat/waitingroom.js", "buddies/buddies.js", "buddies/profile.js", "buddies/card.js", "buddies/profileform.js",
    "buddies/deck.js", "kit/fields.js", "kit/person.js", "kit/keyed.js", "chat/chats.js", "chat/list.js", "chat/pane.js", "chat/actions.js", "chat/message.js",
    "kit/menu.js", "chat/composer.js", "buddies/safety.js", "chat/groups.js", "chat/settings.js", "admin/reports.js",
    "events/alerts.js", "events/drafts.js", "events/store.js", "events/formvalues.js", "events/kept.js", "events/times.js", "events/words.js", "home/comingup.js", "events/event.js",
    "events/dialogs.js", "events/fields.js", "events/form.js", "map/picker.js", "events/row.js", "events/list.js", "events/keptnote.js", "kit/loading.js",
    "kit/formdrafts.js", "notices/alerts.js", "notices/drafts.js", "notices/feed.js", "notices/formvalues.js", "notices/log.js", "notices/words.js", "home/notices.js",
    "notices/fields.js", "notices/form.js", "notices/row.js", "notices/list.js", "notices/sent.js", "notices/sentlist.js",
    "reminders/push.js", "reminders/words.js", "reminders/channels.js", "reminders/settings.js", "reminders/quiet.js", "reminders/choices.js", "kit/saved.js",
    "admin/figures.js", "admin/parts.js", "admin/sentences.js", "map/shape.js", "admin/overview.js", "admin/audit.js", "admin/frame.js", "map/editmap.js", "admin/newuser.js",
    "admin/placeform.js", "admin/places.js", "admin/user.js", "admin/userdialogs.js", "admin/users.js", "admin/zoneform.js", "admin/auditrow.js",
    "heatmap/layer.js", "heatmap/scale.js", "privacy/exporting.js", "account/forgetting.js", "privacy/words.js", "account/deletion.js", "privacy/exportcard.js", "account/farewell.js",
    "heatmap/heatmap.js", "history/hiddenroute.js", "privacy/keptdata.js", "kit/loadable.js", "livemap/savedplaces.js", "places/places.js", "places/search.js", "privacy/settings.js",
    "privacy/switches.js", "privacy/zones.js", "places/savedialog.js", "privacy/zonemap.js",
    "sharing/peoplelayer.js", "sharing/alerts.js", "sharing/board.js", "sharing/keptshares.js", "sharing/people.js", "sharing/reporter.js", "sharing/reportplan.js", "sharing/store.js", "sharing/words.js", "sharing/ask.js",
    "sharing/link.js", "livemap/me.js", "livemap/people.js", "sharing/bar.js", "sharing/fields.js", "sharing/receipt.js", "sharing/rows.js", "sharing/sharesheet.js", "sharing/status.js",
    "sharing/whom.js", "sharing/overview.js", "account/welcome.js", "admin/welcomelink.js"].map((name) => `/app/${name}`),
];

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(cacheName);
    // One by one: a missing optional file must not keep the rest out.
    await Promise.all(shell.map((path) => cache.add(new Request(path, { cache: "reload" })).catch(() => {})));
    await self.skipWaiting();
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith("campanile-") && name !== cacheName) await caches.delete(name);
    await self.clients.claim();
  })());
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (event.request.mode === "navigate" && isPage(url.pathname)) event.respondWith(networkFirst(event.request, shellPath));
  else if (isKept(url.pathname)) event.respondWith(networkFirst(event.request, url.pathname));
});

// A reminder came, perhaps with no page open. Who looks at Campanile sees it there; an emergency is shown in any case.
self.addEventListener("push", (event) => {
  event.waitUntil((async () => {
    const { title, body, tag, path, urgent } = pushed(event.data);
    const clients = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    if (!urgent && clients.some(({ visibilityState }) => visibilityState === "visible")) return;
    await self.registration.showNotification(title, { body, tag, renotify: true, requireInteraction: urgent, icon: "/app/assets/icon.svg", data: { path } });
  })());
});

// The push service gives this browser another address: subscribed anew here, and told to the server by a page, which knows who is logged in.
self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil((async () => {
    const options = event.oldSubscription?.options ?? event.newSubscription?.options;
    if (!event.newSubscription && options?.applicationServerKey) {
      await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: options.applicationServerKey }).catch(() => {});
    }
    for (const client of await self.clients.matchAll({ type: "window", includeUncontrolled: true })) client.postMessage({ type: "pushChanged" });
  })());
});

/** What a push says, whatever is in it: browsers want each to be shown. */
function pushed(data) {
  let given = null;
  try {
    given = data?.json();
  } catch {
    // Not ours, or of a newer server.
  }
  const text = (value, other) => (typeof value === "string" && value !== "" ? value : other);
  return {
    title: text(given?.title, "Campanile"), body: text(given?.body, given ? "" : "There is something new."), tag: text(given?.tag, "campanile"),
    path: /^\/(?![/\\])/.test(given?.path) ? given.path : "/", urgent: given?.urgent === true,
  };
}

// A notification was tapped: the app comes to the front and opens what it is about.
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const path = event.notification.data?.path ?? "/chats";
  event.waitUntil((async () => {
    const [client] = await self.clients.matchAll({ type: "window" });
    if (!client) return self.clients.openWindow(path);
    client.postMessage({ type: "open", path });
    return client.focus();
  })());
});

function isPage(path) {
  return /^\/(|map(\/places)?|track|login|register|account(\/deleted)?|reports|history(\/[^/]+)?|buddies(\/profile)?|chats(\/[^/]+)?|events(\/new|\/\d+(\/edit)?)?|notices(\/new|\/sent(\/\d+(\/edit)?)?)?|settings\/(notifications|privacy)|admin(\/(users(\/[^/]+)?|places|audit))?|welcome\/[^/]+|sharing|[sl]\/[^/]+)$/.test(path);
}

function isKept(path) {
  return path.startsWith("/app/") || path.startsWith("/lib/leaflet/") || ["/config.json", "/campus/map.geojson", "/manifest.webmanifest"].includes(path);
}

/** The network's answer, kept for later; what was kept when the network fails or takes too long. */
async function networkFirst(request, key) {
  const cache = await caches.open(cacheName);
  const fromNetwork = fetch(request).then(async (reply) => {
    // A page route answers with the shell; keep it under one name.
    if (reply.ok && reply.type === "basic") await cache.put(key, reply.clone());
    return reply;
  });
  const slow = new Promise((resolve) => setTimeout(resolve, networkMillisecondsMax));
  try {
    const first = await Promise.race([fromNetwork, slow]);
    if (first && first.status < 500) return first;
    return (await cache.match(key)) ?? (await fromNetwork);
  } catch {
    return (await cache.match(key)) ?? Response.error();
  } finally {
    fromNetwork.catch(() => {});
  }
}
