import "../navigator.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorCodes } from "../../../Sources/WebApp/client/registry.js";
import { uploadPicture } from "../../../Sources/WebApp/kit/pictures.js";

/** Uploads to a server that answers with `status` and `response`; returns the error. */
async function refusal(status, response) {
  globalThis.XMLHttpRequest = /** @type {any} */ (class {
    upload = {};
    status = status;
    response = response;
    open() {}
    setRequestHeader() {}
    send() { this.onload(); }
  });
  return uploadPicture({ token: "t", blob: new Blob([]), purpose: "chat" }).then(() => null, (error) => error);
}

test("the server's refusals of an upload are sentences for people", async () => {
  const large = { code: errorCodes.rejected, message: "the picture has more than 10 MiB: make it smaller" };
  assert.equal((await refusal(413, { error: large })).message, "The picture has more than 10 MiB: make it smaller.");
  const field = { code: errorCodes.invalidParams, message: "purpose: must be chat or profile", data: { field: "purpose" } };
  assert.equal((await refusal(400, { error: field })).message, "This must be chat or profile.");
});

test("a refusal without a reason of the server is explained by its status", async () => {
  assert.equal((await refusal(413, null)).message, "The picture is too large. Choose a smaller one.");
  assert.equal((await refusal(502, null)).code, errorCodes.internalError);
});
