// This browser's subscription to Web Push: its permission, its endpoint at the server, and its end. No DOM.

/** Key of `{account, endpoint}`: the subscription that the server knows. */
const knownKey = "campanile.push";

/** Marks in a user agent string and the names they stand for; the first that is found counts. */
const browserMarks = [
  ["Edg/", "Edge"], ["OPR/", "Opera"], ["SamsungBrowser/", "Samsung Internet"], ["Firefox/", "Firefox"], ["FxiOS/", "Firefox"],
  ["CriOS/", "Chrome"], ["Chrome/", "Chrome"], ["Safari/", "Safari"],
];
const systemMarks = [
  ["iPhone", "iPhone"], ["iPad", "iPad"], ["Android", "Android"], ["Windows", "Windows"], ["Mac OS X", "Mac"], ["CrOS", "ChromeOS"],
  ["Linux", "Linux"],
];

/** The name of a browser from its user agent string: `Firefox on Linux`. Pure. */
export function clientName(agent) {
  const nameIn = (marks) => marks.find(([mark]) => agent.includes(mark))?.[1];
  const browser = nameIn(browserMarks) ?? "Browser";
  const system = nameIn(systemMarks);
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

const notAllowedText = "Notifications aren't allowed in this browser.";
const unreachableText = "The browser couldn't reach its push service. Check your connection and try again.";

/** This browser's subscription, or null. */
export async function currentSubscription() {
  try {
    const registration = await navigator.serviceWorker?.getRegistration();
    return (await registration?.pushManager?.getSubscription()) ?? null;
  } catch {
    return null;
  }
}

/** Subscribes this browser, and gives the settings then. To be called from a tap: browsers ask for the permission only then. */
export async function subscribePush(net) {
  if ((await Notification.requestPermission()) !== "granted") throw new Error(notAllowedText);
  const { key } = await net.request("reminders.pushKey");
  const registration = await navigator.serviceWorker.ready;
  const wanted = bytesOf(key);
  let subscription = await registration.pushManager.getSubscription();
  // The server has another key than before: the old subscription is of no use.
  if (subscription && !isSameKey(subscription.options.applicationServerKey, wanted)) {
    await subscription.unsubscribe();
    subscription = null;
  }
  try {
    subscription ??= await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: wanted });
  } catch (error) {
    throw new Error(error.name === "NotAllowedError" ? notAllowedText : unreachableText, { cause: error });
  }
  return sendSubscription(net, subscription);
}

async function sendSubscription(net, subscription) {
  const { endpoint, keys: { p256dh, auth } } = subscription.toJSON();
  const account = net.account?.id;
  const client = clientName(navigator.userAgent);
  const settings = await net.request("reminders.subscribePush", { endpoint, keys: { p256dh, auth }, client });
  localStorage.setItem(knownKey, JSON.stringify({ account, endpoint }));
  return settings;
}

/** Keeps the server's endpoint of this browser current, which a push service may change, and unsubscribes when the account logs out. */
export function startPushUpkeep(net) {
  let account = net.account?.id ?? null;
  const check = async () => {
    const known = readKnown();
    if (known === null || net.state !== "live" || known.account !== net.account?.id) return;
    const subscription = await currentSubscription();
    // Without one the settings say that this browser is not reminded.
    if (subscription && subscription.endpoint !== known.endpoint) await sendSubscription(net, subscription).catch(() => {});
  };
  net.addEventListener("state", check);
  net.addEventListener("account", async () => {
    const before = account;
    account = net.account?.id ?? null;
    if (before === null || before === account || readKnown() === null) return;
    localStorage.removeItem(knownKey);
    await (await currentSubscription())?.unsubscribe().catch(() => {});
  });
  navigator.serviceWorker?.addEventListener("message", ({ data }) => { if (data?.type === "pushChanged") check(); });
}

function readKnown() {
  try {
    return JSON.parse(localStorage.getItem(knownKey));
  } catch {
    return null;
  }
}

/** Removes a browser by its endpoint; this one ends its subscription as well. Gives the settings then. */
export async function unsubscribePush(net, endpoint) {
  const mine = await currentSubscription();
  const settings = await net.request("reminders.unsubscribePush", { endpoint });
  if (mine?.endpoint === endpoint) {
    localStorage.removeItem(knownKey);
    await mine.unsubscribe().catch(() => {});
  }
  return settings;
}
