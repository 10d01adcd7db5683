// Keeps the shell, the libraries and the campus map, so that the app opens without a network. Never touches /ws, /rpc or
// /pictures: what people write and show is kept by the server alone, who checks each time who may see it.

// The paths of all pages and the app's files, as self.offline.
importScripts("/app/offline.js");

/** The number is that of the cache's form. Raise it when kept replies must not be used any more although the files are the same. */
const cacheName = `campanile-8-${self.offline.version}`;
const shellPath = "/";
const networkMillisecondsMax = 4000;
/** More files than this come with the pack. */
const singleFilesMax = 12;

const shell = [
  shellPath, "/manifest.webmanifest", "/config.json", "/campus/map.geojson",
  ...self.offline.libraries, ...self.offline.files.map((name) => `/app/${name}`),
];
const routes = self.offline.routes.map((route) => new RegExp(`^${route.replace(/:\w+/g, "[^/]+")}$`));

/** Names in this folder change with the content: what is kept stays right. */
const immutablePrefix = "/app/bundle/";

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(cacheName);
    // One by one: a missing optional file must not keep the rest out.
    await Promise.all([...shell.map((path) => keep(cache, path).catch(() => {})), keepPack(cache)]);
    await self.skipWaiting();
  })());
});

/**
 * Puts a file into the cache: as the server has it now, which costs no body where the page has loaded it just before; a file of the
 * bundle from wherever the browser has it.
 */
async function keep(cache, path) {
  if (!path.startsWith(immutablePrefix)) return cache.add(new Request(path, { cache: "no-cache" }));
  const kept = await caches.match(path);
  return kept ? cache.put(path, kept) : cache.add(path);
}

/**
 * Keeps the files of the pack: those that an earlier version has kept from there, and the others by themselves if they are few. A file of
 * the bundle does not change under its name.
 */
async function keepPack(cache) {
  if (!self.offline.pack) return;
  const { path, files } = self.offline.pack;
  const missing = [];
  for (const name of files.map((file) => `/app/${file}`)) {
    const kept = name.startsWith(immutablePrefix) ? await caches.match(name) : null;
    if (kept) await cache.put(name, kept);
    else missing.push(name);
  }
  if (missing.length > singleFilesMax && (await keepFromPack(cache, `/app/${path}`, missing).catch(() => false))) return;
  await Promise.all(missing.map((name) => keep(cache, name).catch(() => {})));
}

async function keepFromPack(cache, path, names) {
  const reply = await fetch(path);
  if (!reply.ok) return false;
  const texts = await reply.json();
  for (const name of names) {
    const type = name.endsWith(".css") ? "text/css" : "text/javascript";
    await cache.put(name, new Response(texts[name.slice("/app/".length)], {
      headers: { "Content-Type": `${type}; charset=utf-8`, "X-Content-Type-Options": "nosniff" },
    }));
  }
  return true;
}

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
  else if (url.pathname.startsWith(immutablePrefix)) event.respondWith(cacheFirst(event.request, url.pathname));
  else if (isKept(url.pathname)) event.respondWith(networkFirst(event.request, url.pathname));
});

// A reminder came, perhaps with no page open. A visible page shows it itself; an emergency becomes a notification in any case.
self.addEventListener("push", (event) => {
  event.waitUntil((async () => {
    const { title, body, tag, path, urgent } = pushed(event.data);
    const clients = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    if (!urgent && clients.some(({ visibilityState }) => visibilityState === "visible")) return;
    await self.registration.showNotification(title, {
      body, tag, renotify: true, requireInteraction: urgent, icon: "/app/assets/icon.svg", data: { path },
    });
  })());
});

// The push service gives this browser another address. The worker subscribes again, and a page, which knows the account, sends the new
// address to the server.
self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil((async () => {
    const options = event.oldSubscription?.options ?? event.newSubscription?.options;
    if (!event.newSubscription && options?.applicationServerKey) {
      const { applicationServerKey } = options;
      await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }).catch(() => {});
    }
    const clients = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    for (const client of clients) client.postMessage({ type: "pushChanged" });
  })());
});

/** The notification for a push, also for one that cannot be read: browsers require a notification for each push. */
function pushed(data) {
  let given = null;
  try {
    given = data?.json();
  } catch {
    // Not ours, or of a newer server.
  }
  const text = (value, other) => (typeof value === "string" && value !== "" ? value : other);
  return {
    title: text(given?.title, "Campanile"), body: text(given?.body, given ? "" : "There is something new."),
    tag: text(given?.tag, "campanile"),
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
  return routes.some((route) => route.test(path));
}

function isKept(path) {
  return path.startsWith("/app/") || path.startsWith("/lib/")
    || ["/config.json", "/campus/map.geojson", "/manifest.webmanifest"].includes(path);
}

/** The kept response, or the network's if none is kept. */
async function cacheFirst(request, key) {
  const cache = await caches.open(cacheName);
  const kept = await cache.match(key);
  if (kept) return kept;
  const reply = await fetch(request);
  if (reply.ok && reply.type === "basic") await cache.put(key, reply.clone());
  return reply;
}

/** The network's answer, kept for later; what was kept when the network fails, takes too long, or answers with a 5xx. */
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
