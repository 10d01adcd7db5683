// Errors of requests, and the codes of the server's errors. No DOM.

import { errorCodes, retryableCodes } from "./registry.js";

const names = new Map(Object.entries(errorCodes).map(([name, code]) => [code, name]));

/**
 * Name of a code, as in `error.data.name`; undefined for a code that is not in the table.
 * @param {number} code
 */
export const errorName = (code) => names.get(code);

/**
 * Failure of a request. `code` is a number of `errorCodes`, or a word for a failure on this side: `offline`, `timeout` (the request may
 * have arrived), `aborted`, `tooLarge`, `refused`.
 */
export class RequestError extends Error {
  /**
   * @param {number | string} code
   * @param {string} message
   * @param {{name?: string, field?: string, retryAfter?: number, reference?: string}} [data] The members of the server's error.
   */
  constructor(code, message, data = {}) {
    super(message);
    this.name = "RequestError";
    this.code = code;
    this.data = data ?? {};
  }

  /** Whether the same request can succeed when it is sent again later. */
  get isTransient() {
    return this.isUnanswered || (typeof this.code === "number" && retryableCodes.includes(this.code));
  }

  /** Whether no reply came. It is not known then whether the server has done what the request asks for. */
  get isUnanswered() {
    return this.code === "offline" || this.code === "timeout";
  }

  get isOffline() {
    return this.code === "offline";
  }

  get isTimeout() {
    return this.code === "timeout";
  }

  get isAborted() {
    return this.code === "aborted";
  }

  get isInvalid() {
    return this.code === errorCodes.invalidParams;
  }

  get isInternal() {
    return this.code === errorCodes.internalError;
  }

  get isUnauthenticated() {
    return this.code === errorCodes.unauthenticated;
  }

  get isForbidden() {
    return this.code === errorCodes.forbidden;
  }

  get isNotFound() {
    return this.code === errorCodes.notFound;
  }

  get isConflict() {
    return this.code === errorCodes.conflict;
  }

  get isRateLimited() {
    return this.code === errorCodes.rateLimited;
  }

  get isUnavailable() {
    return this.code === errorCodes.unavailable;
  }

  get isInvalidCredentials() {
    return this.code === errorCodes.invalidCredentials;
  }

  get isRejected() {
    return this.code === errorCodes.rejected;
  }

  get isStorageFull() {
    return this.code === errorCodes.storageFull;
  }
}
