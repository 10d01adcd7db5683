// Keeps the shell, Leaflet and the campus map, so that the app opens without a network. Never touches /ws, /rpc or
// /pictures: what people write and show is kept by the server alone, who checks each time who may see it.

const version = "5";
const cacheName = `campanile-${version}`;
const shellPath = "/";
const networkMillisecondsMax = 4000;

const shell = [
  shellPath, "/manifest.webmanifest", "/config.json", "/campus/map.geojson",
  "/lib/leaflet/leaflet.js", "/lib/leaflet/leaflet.css",
  ...["style.css", "styles/pages.css", "styles/map.css", "styles/buddies.css", "styles/chat.css", "styles/events.css", "styles/notices.css", "styles/personal.css", "styles/sharing.css", "styles/admin.css", "styles/large.css", "icon.svg", "person.svg", "person-female.svg", "person-male.svg", "early.js", "main.js", "backoff.js", "badge.js", "campuslayer.js",
    "canvaslayer.js", "clock.js", "clusters.js", "mapmemory.js", "namelayer.js", "views/maptools.js", "dom.js", "format.js", "geolocation.js", "icons.js", "labels.js", "leaflet.js", "mapview.js", "mercator.js",
    "motion.js", "liveness.js", "livestate.js", "firstfix.js", "locationhelp.js", "recentspeed.js", "units.js", "net.js", "outbox.js", "outboxplan.js", "palette.js", "plainwords.js", "positions.js", "recording.js", "roster.js", "router.js", "routeline.js", "signout.js",
    "runnerglyphs.js", "runnerlayer.js", "tablock.js", "theme.js", "tracker.js", "trackframe.js", "uuid.js", "validate.js", "viewport.js",
    "views/home.js", "views/map.js", "views/runnerlist.js", "views/clusterlist.js", "views/followcard.js", "views/sheet.js", "views/track.js", "views/tracknotices.js", "views/trackreadout.js", "views/trackstart.js", "views/trackwatchers.js",
    "views/trackmap.js", "views/history.js", "views/goalcard.js", "views/session.js", "views/sessionedit.js", "views/splits.js", "views/shared.js", "views/sharecontrols.js", "views/form.js",
    "client/registry.js", "known.js", "narrow.js",
    "views/watchers.js", "views/login.js", "views/register.js", "views/account.js", "views/missing.js",
    "choices.js", "pictures.js", "swipe.js", "chat/alerts.js", "chat/chat.js", "chat/conversation.js", "chat/drafts.js", "chat/inbox.js", "chat/log.js", "chat/rows.js",
    "chat/sender.js", "chat/sendplan.js", "chat/times.js", "chat/waitingroom.js", "views/buddies.js", "views/buddyprofile.js", "views/buddycard.js", "views/buddyform.js",
    "views/deck.js", "views/fields.js", "views/person.js", "views/keyed.js", "views/chats.js", "views/chatlist.js", "views/conversation.js", "views/conversationactions.js", "views/message.js",
    "views/messagemenu.js", "views/composer.js", "views/safetydialogs.js", "views/groupdialogs.js", "views/chatsettings.js", "views/reports.js",
    "events/alerts.js", "events/drafts.js", "events/events.js", "events/formvalues.js", "events/kept.js", "events/times.js", "events/words.js", "views/comingup.js", "views/event.js",
    "views/eventdialogs.js", "views/eventfields.js", "views/eventform.js", "views/eventmap.js", "views/eventrow.js", "views/events.js", "views/keptnote.js", "views/loading.js",
    "formdrafts.js", "notices/alerts.js", "notices/drafts.js", "notices/feed.js", "notices/formvalues.js", "notices/log.js", "notices/words.js", "views/homenotices.js",
    "views/noticefields.js", "views/noticeform.js", "views/noticerow.js", "views/notices.js", "views/noticesent.js", "views/noticessent.js",
    "reminders/push.js", "reminders/words.js", "views/channelcards.js", "views/notificationsettings.js", "views/quietsettings.js", "views/reminderchoices.js", "views/saved.js",
    "admin/figures.js", "admin/parts.js", "admin/sentences.js", "admin/shape.js", "views/admin.js", "views/adminaudit.js", "views/adminframe.js", "views/adminmap.js", "views/adminnewuser.js",
    "views/adminplaceform.js", "views/adminplaces.js", "views/adminuser.js", "views/adminuserdialogs.js", "views/adminusers.js", "views/adminzoneform.js", "views/auditrow.js",
    "heatlayer.js", "heatscale.js", "personal/exporting.js", "personal/forgetting.js", "personal/words.js", "views/deleteaccount.js", "views/exportcard.js", "views/farewell.js",
    "views/heatmap.js", "views/hiddenroute.js", "views/keptdata.js", "views/loadable.js", "views/mapplaces.js", "views/places.js", "views/placesearch.js", "views/privacysettings.js",
    "views/privacyswitches.js", "views/privatezones.js", "views/savedialog.js", "views/zonemap.js",
    "peoplelayer.js", "sharing/alerts.js", "sharing/board.js", "sharing/keptshares.js", "sharing/people.js", "sharing/reporter.js", "sharing/reportplan.js", "sharing/sharing.js", "sharing/words.js", "views/askdialogs.js",
    "views/linkshare.js", "views/mapme.js", "views/mappeople.js", "views/sharebar.js", "views/sharefields.js", "views/sharereceipt.js", "views/sharerows.js", "views/sharesheet.js", "views/sharestatus.js",
    "views/sharewhom.js", "views/sharing.js", "views/welcome.js", "views/welcomelink.js"].map((name) => `/app/${name}`),
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
    await self.registration.showNotification(title, { body, tag, renotify: true, requireInteraction: urgent, icon: "/app/icon.svg", data: { path } });
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
