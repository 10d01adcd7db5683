// Words of passkeys and codes, and bytes as base64url.
import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";

import { grouped, passkeyName, recoveryCodeProblem, totpProblem } from "../../../Sources/WebApp/factors/passkeywords.js";
import { browserProblem, bytesOf, hasPasskeys, isSiteOf, makesPasskeys, textOf } from "../../../Sources/WebApp/factors/webauthn.js";

test("a passkey is named after the browser and the device", () => {
  const chrome = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36";
  assert.equal(passkeyName(chrome), "Chrome on Windows");
  assert.equal(passkeyName(`${chrome} Edg/130.0`), "Edge on Windows");
  assert.equal(passkeyName("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1"), "Safari on iPhone");
  assert.equal(passkeyName("curl"), "My passkey");
});

test("codes are checked as they are typed", () => {
  assert.deepEqual(["123456", "123 456"].map(totpProblem), [null, null]);
  for (const code of ["", "12345", "1234567", "12345x", "１２３４５６"]) assert.match(totpProblem(code) ?? "", /6 digits/);
  assert.equal(recoveryCodeProblem("ABCD efgh-jkmn-pqrs"), null);
  assert.match(recoveryCodeProblem("abcd") ?? "", /16 letters/);
  assert.equal(grouped("ABCDEFGHIJ"), "ABCD EFGH IJ");
});

test("a browser that cannot give the authenticator's data adds no passkey, but uses them", (context) => {
  const names = ["PublicKeyCredential", "AuthenticatorAttestationResponse"];
  context.after(() => names.forEach((name) => delete globalThis[name]));
  const { credentials } = navigator;
  Object.defineProperty(navigator, "credentials", { value: {}, configurable: true });
  context.after(() => Object.defineProperty(navigator, "credentials", { value: credentials, configurable: true }));
  globalThis.PublicKeyCredential = /** @type {any} */ (class {});
  assert.deepEqual([hasPasskeys(), makesPasskeys()], [true, false]);
  globalThis.AuthenticatorAttestationResponse = /** @type {any} */ (class {});
  assert.equal(makesPasskeys(), false);
  globalThis.AuthenticatorAttestationResponse = /** @type {any} */ (class { getAuthenticatorData() {} });
  assert.equal(makesPasskeys(), true);
});

test("bytes become base64url and back, and a page of the site is one of its domain", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  assert.deepEqual(bytesOf(textOf(bytes)), bytes);
  assert.doesNotMatch(textOf(bytes), /[+/=]/);
  assert.ok(isSiteOf("campus.example", "campus.example") && isSiteOf("campus.example", "www.campus.example"));
  assert.ok(!isSiteOf("campus.example", "evilcampus.example"));
});

test("errors of the browser have words, those of the server keep their own", () => {
  assert.match(browserProblem(new DOMException("x", "NotAllowedError")) ?? "", /cancelled/);
  assert.match(browserProblem(new DOMException("x", "DataError")) ?? "", /Try again/);
  assert.equal(browserProblem(new Error("x")), null);
  assert.equal(hasPasskeys(), false);
});
