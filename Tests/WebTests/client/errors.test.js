import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestError, errorName } from "../../../Sources/WebApp/client/errors.js";
import { errorCodes } from "../../../Sources/WebApp/client/registry.js";

test("an error answers to the name of its code, and to no other", () => {
  const getters = {
    isInvalid: "invalidParams", isInternal: "internalError", isUnauthenticated: "unauthenticated", isForbidden: "forbidden", isNotFound: "notFound",
    isConflict: "conflict", isRateLimited: "rateLimited", isUnavailable: "unavailable", isInvalidCredentials: "invalidCredentials",
    isRejected: "rejected", isStorageFull: "storageFull",
  };
  for (const [getter, name] of Object.entries(getters)) {
    for (const [other, code] of Object.entries(errorCodes)) assert.equal(new RequestError(code, "")[getter], other === name, `${getter} of ${other}`);
  }
});

test("only missing answers and retryable codes are transient", () => {
  const transient = ["offline", "timeout", "internalError", "rateLimited", "unavailable", "storageFull"];
  for (const [name, code] of [...Object.entries(errorCodes), ["offline", "offline"], ["timeout", "timeout"], ["aborted", "aborted"]]) {
    assert.equal(new RequestError(code, "").isTransient, transient.includes(name), name);
  }
  assert.ok(new RequestError("timeout", "").isUnanswered);
  assert.ok(!new RequestError("aborted", "").isUnanswered);
});

test("codes have names, and unknown codes have none", () => {
  assert.equal(errorName(1003), "notFound");
  assert.equal(errorName(-32602), "invalidParams");
  assert.equal(errorName(1), undefined);
});

test("null as data is an empty object", () => {
  assert.deepEqual(new RequestError(1003, "", null).data, {});
});
