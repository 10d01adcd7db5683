// This browser's subscription to Web Push: whether it can, may and does. No DOM.

/** `{account, endpoint}`: what the server was told. */
const toldKey = "campanile.push";

/** What a browser calls itself, for the list of one's browsers. Pure. */
export function clientName(agent) {
  const browser = [["Edg/", "Edge"], ["OPR/", "Opera"], ["SamsungBrowser/", "Samsung Internet"], ["Firefox/", "Firefox"], ["FxiOS/", "Firefox"], ["CriOS/", "Chrome"], ["Chrome/", "Chrome"], ["Safari/", "Safari"]].find(([mark]) => agent.includes(mark))?.[1] ?? "Browser";
  const system = [["iPhone", "iPhone"], ["iPad", "iPad"], ["Android", "Android"], ["Windows", "Windows"], ["Mac OS X", "Mac"], ["CrOS", "ChromeOS"], ["Linux", "Linux"]].find(([mark]) => agent.includes(mark))?.[1];
  return system ? `${browser} on ${system}` : browser;
}

/** The bytes of base64url. Pure. */
export function bytesOf(base64url) {
  const text = atob(base64url.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Whether two of a subscription's keys are the same. Pure. */
export function isSameKey(one, other) {
  const [a, b] = [new Uint8Array(one ?? []), new Uint8Array(other ?? [])];
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** `unsupported`, `insecure`, `denied`, `granted` or `default` (not asked yet). */
export function pushPermission() {
  if (!globalThis.isSecureContext) return "insecure";
  if (!("serviceWorker" in navigator) || !("PushManager" in globalThis) || !("Notification" in globalThis)) return "unsupported";
  return Notification.permission;
}

/** This browser's subscription, or null. */
export async function currentSubscription() {
  try {
    const registration = await navigator.serviceWorker?.getRegistration();
    return (await registration?.pushManager?.getSubscription()) ?? null;
  } catch {
    return null;
  }
}

/** Asks the browser and tells the server; gives the settings then. To be called from a tap: browsers ask only then. */
export async function subscribePush(net) {
  if ((await Notification.requestPermission()) !== "granted") throw new Error("The browser was not allowed to show notifications.");
  const { key } = await net.request("reminders.pushKey");
  const registration = await navigator.serviceWorker.ready;
  const wanted = bytesOf(key);
  let subscription = await registration.pushManager.getSubscription();
  // The server has another key than it had: what was subscribed is of no use.
  if (subscription && !isSameKey(subscription.options.applicationServerKey, wanted)) {
    await subscription.unsubscribe();
    subscription = null;
  }
  try {
    subscription ??= await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: wanted });
  } catch (error) {
    throw new Error(error.name === "NotAllowedError" ? "The browser was not allowed to show notifications." : "The browser could not reach its push service. Check the network and try again.", { cause: error });
  }
  return tellSubscription(net, subscription);
}

async function tellSubscription(net, subscription) {
  const { endpoint, keys } = subscription.toJSON();
  const account = net.account?.id;
  const settings = await net.request("reminders.subscribePush", { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth }, client: clientName(navigator.userAgent) });
  localStorage.setItem(toldKey, JSON.stringify({ account, endpoint }));
  return settings;
}

/** Keeps what the server knows of this browser true: a push service may give it another address, and who logs out is not reminded here. */
export function startPushUpkeep(net) {
  let account = net.account?.id ?? null;
  const check = async () => {
    const told = readTold();
    if (told === null || net.state !== "live" || told.account !== net.account?.id) return;
    const subscription = await currentSubscription();
    // Without one the settings say that this browser is not reminded.
    if (subscription && subscription.endpoint !== told.endpoint) await tellSubscription(net, subscription).catch(() => {});
  };
  net.addEventListener("state", check);
  net.addEventListener("account", async () => {
    const before = account;
    account = net.account?.id ?? null;
    if (before === null || before === account || readTold() === null) return;
    localStorage.removeItem(toldKey);
    await (await currentSubscription())?.unsubscribe().catch(() => {});
  });
  navigator.serviceWorker?.addEventListener("message", ({ data }) => { if (data?.type === "pushChanged") check(); });
}

function readTold() {
  try {
    return JSON.parse(localStorage.getItem(toldKey));
  } catch {
    return null;
  }
}

/** A browser is not reminded any more; this one gives up its subscription as well. Gives the settings then. */
export async function unsubscribePush(net, endpoint) {
  const mine = await currentSubscription();
  const settings = await net.request("reminders.unsubscribePush", { endpoint });
  if (mine?.endpoint === endpoint) {
    localStorage.removeItem(toldKey);
    await mine.unsubscribe().catch(() => {});
  }
  return settings;
}
