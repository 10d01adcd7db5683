// Names of passkeys. No DOM.

const systems = [[/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Android/, "Android"], [/Windows/, "Windows"], [/Mac OS X/, "Mac"],
  [/CrOS/, "Chromebook"], [/Linux/, "Linux"]];
const browsers = [[/Edg\//, "Edge"], [/Firefox\//, "Firefox"], [/Chrome\//, "Chrome"], [/Safari\//, "Safari"]];

/** Name for a passkey that is made in a browser, from its user agent: `Chrome on Windows`. */
export function passkeyName(userAgent) {
  const find = (list) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [find(browsers), find(systems)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? "My passkey";
}

/** The problem of what was typed as a code of an app, or null. */
export function totpProblem(code) {
  return /^\d{3} ?\d{3}$/.test(code) ? null : "Enter the 6 digits from your app.";
}

/** The problem of what was typed as a recovery code, or null. */
export function recoveryCodeProblem(code) {
  return code.replaceAll(/[\s-]/g, "").length === 16 ? null : "Recovery codes have 16 letters and digits, such as abcd-efgh-jkmn-pqrs.";
}

/** A secret in groups of four, to type. */
export function grouped(secret) {
  return secret.match(/.{1,4}/g)?.join(" ") ?? "";
}
