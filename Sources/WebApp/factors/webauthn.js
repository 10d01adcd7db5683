// Passkeys in this browser (WebAuthn): bytes as base64url, and words for what went wrong.

const timeoutMilliseconds = 120_000;

/** Whether this browser can use passkeys. */
export const hasPasskeys = () => typeof globalThis.PublicKeyCredential === "function" && Boolean(navigator.credentials);

/** Whether this browser can also make passkeys as the server takes them: Firefox before 119 has no `getAuthenticatorData()`. */
export const makesPasskeys = () => hasPasskeys()
  && typeof /** @type {any} */ (globalThis.AuthenticatorAttestationResponse)?.prototype.getAuthenticatorData === "function";

/** Whether this browser can offer passkeys in the field of the email. */
export async function offersPasskeys() {
  try {
    const { isConditionalMediationAvailable: isOffered } = /** @type {any} */ (PublicKeyCredential);
    return hasPasskeys() && await isOffered?.call(PublicKeyCredential) === true;
  } catch {
    return false;
  }
}

/** Whether passkeys of `site` work on pages of `host`. */
export const isSiteOf = (site, host) => host === site || host.endsWith(`.${site}`);

/** Bytes of base64url. */
export function bytesOf(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

/** Base64url of bytes. */
export function textOf(buffer) {
  const letters = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte));
  return btoa(letters.join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const named = (ids) => ids.map((id) => ({ type: /** @type {const} */ ("public-key"), id: bytesOf(id) }));

/** Makes a passkey for the account: what `account.addPasskey` takes of it. `begun` is the answer of `account.beginPasskey`. */
export async function createPasskey(begun, { username, email }) {
  const made = /** @type {PublicKeyCredential | null} */ (await navigator.credentials.create({ publicKey: {
    challenge: bytesOf(begun.challenge), timeout: timeoutMilliseconds, attestation: "none",
    rp: { id: begun.site, name: "Campanile" },
    user: { id: bytesOf(begun.user), name: email ?? username, displayName: username },
    pubKeyCredParams: begun.algorithms.map((alg) => ({ type: "public-key", alg })),
    excludeCredentials: named(begun.passkeys),
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
  } }));
  if (!made) throw new DOMException("No passkey was made", "NotAllowedError");
  const response = /** @type {any} */ (made.response);
  return { clientDataJSON: textOf(response.clientDataJSON), authenticatorData: textOf(response.getAuthenticatorData()) };
}

/**
 * Has a passkey answer a challenge: a `PasskeySignature`. With `mediation` "conditional" the browser offers passkeys in a field, until
 * `signal` ends it.
 */
export async function answerByPasskey({ challenge, site, passkeys }, { mediation = undefined, signal = undefined } = {}) {
  const given = /** @type {PublicKeyCredential | null} */ (await navigator.credentials.get({ mediation, signal, publicKey: {
    challenge: bytesOf(challenge), rpId: site, allowCredentials: named(passkeys), userVerification: "required",
    timeout: timeoutMilliseconds,
  } }));
  if (!given) throw new DOMException("No passkey was chosen", "NotAllowedError");
  const response = /** @type {AuthenticatorAssertionResponse} */ (given.response);
  return {
    id: textOf(given.rawId), clientDataJSON: textOf(response.clientDataJSON), authenticatorData: textOf(response.authenticatorData),
    signature: textOf(response.signature), ...(response.userHandle && { userHandle: textOf(response.userHandle) }),
  };
}

const browserWords = {
  NotAllowedError: "That didn't work, or was cancelled. Try again when you're ready.",
  InvalidStateError: "This device or password manager has a passkey for your account already.",
  NotSupportedError: "This device can't make a passkey for Campanile. Use another device.",
  SecurityError: "Passkeys don't work at this address. Open Campanile at its usual address.",
  AbortError: "That was cancelled. Try again when you're ready.",
};

/** Words for an error of the browser; null for an error of the server. */
export function browserProblem(error) {
  if (!(error instanceof DOMException)) return null;
  return browserWords[error.name] ?? "Your browser couldn't use the passkey. Try again.";
}

/** Runs `work`; errors of the browser get words. */
export async function inWords(work) {
  try {
    return await work();
  } catch (error) {
    const text = browserProblem(error);
    throw text ? new Error(text) : error;
  }
}
