// An attempt to log in by a provider of OpenID Connect, such as Google. The page makes a secret and keeps it while the browser is at the
// provider; only a page that has the secret can use what the browser brings back.

const storageKey = "campanile.openid";

const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/**
 * Keeps a new attempt and resolves to the address that begins it. `purpose` is `login` or `connect`, `next` the path to open afterwards.
 * Rejects where the browser computes no hashes, which is so outside https.
 */
export async function beginAttempt({ name, label, purpose, next }, { storage = sessionStorage, crypto = globalThis.crypto } = {}) {
  if (!crypto?.subtle) throw new Error(`Open Campanile by its https address to continue with ${label}.`);
  const secret = base64url(crypto.getRandomValues(new Uint8Array(32)));
  storage.setItem(storageKey, JSON.stringify({ secret, name, label, purpose, next }));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret));
  return `/openid/${encodeURIComponent(name)}/start?secret=${base64url(new Uint8Array(digest))}`;
}

/** The attempt that this tab began, once; null if there is none. */
export function takeAttempt(storage = sessionStorage) {
  const kept = storage.getItem(storageKey);
  storage.removeItem(storageKey);
  try {
    const attempt = JSON.parse(kept);
    return typeof attempt?.secret === "string" ? attempt : null;
  } catch {
    return null;
  }
}
