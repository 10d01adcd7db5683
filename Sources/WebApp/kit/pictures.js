// Pictures of people and messages: uploads with progress, and downloads with the account's token.

import { RequestError } from "../client/errors.js";
import { errorCodes } from "../client/registry.js";
import { plainMessage } from "../connection/plainwords.js";
import { sentence } from "./format.js";

/** Longer sides are scaled down before an upload, to spare slow networks; the server keeps no more. */
const sideMax = 1_600;
const bytesAsIsMax = 1_500_000;
const quality = 0.86;
const uploadMilliseconds = 120_000;
/** A picture that two pages in a row show is not fetched twice. */
const graceMilliseconds = 1_000;
/** Types that the server accepts. */
export const pictureTypes = ["image/jpeg", "image/png", "image/webp"];

/** `{blob, width, height}` of a chosen file, made smaller when it is large. Throws an `Error` with a sentence for people. */
export async function preparePicture(file) {
  if (!pictureTypes.includes(file.type)) throw new Error("This file type isn't supported. Choose a JPEG, PNG or WebP picture.");
  let bitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    throw new Error("Couldn't read this picture. Choose another one.");
  }
  const scale = Math.min(1, sideMax / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  if (scale === 1 && file.size <= bytesAsIsMax) {
    bitmap.close();
    return { blob: file, width, height };
  }
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  // JPEG has no transparency: transparent parts become white rather than black.
  context.fillStyle = "#fff";
  context.fillRect(0, 0, width, height);
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", quality));
  if (!blob) throw new Error("This picture is too large for this device. Choose a smaller one.");
  return { blob, width, height };
}

/**
 * Uploads; resolves with `{picture, width, height}`, throws a `RequestError`. `purpose` is `chat`, `profile` or `place`;
 * `onProgress(0…1)`; `signal` aborts it (then the error's code is `aborted`).
 */
export function uploadPicture({ token, blob, purpose, onProgress = (_part) => {}, signal = null }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/pictures?purpose=${purpose}`);
    request.setRequestHeader("Authorization", `Bearer ${token}`);
    request.setRequestHeader("Content-Type", blob.type);
    request.responseType = "json";
    request.timeout = uploadMilliseconds;
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      if (request.status >= 200 && request.status < 300 && request.response?.picture) resolve(request.response);
      else reject(uploadError(request.status, request.response));
    };
    request.onerror = () => reject(new RequestError("offline", "Couldn't upload the picture. Check your connection and try again."));
    request.ontimeout = () => reject(new RequestError("timeout", "The upload took too long. Try again."));
    request.onabort = () => reject(new RequestError("aborted", "Not sent."));
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(blob);
  });
}

function uploadError(status, reply) {
  const error = reply?.error;
  if (error?.code) return new RequestError(error.code, sentence(plainMessage(error.code, error.message, error.data?.field)), error.data);
  if (status === 408) return new RequestError("timeout", "The upload took too long. Try again.");
  if (status === 413) return new RequestError("tooLarge", "The picture is too large. Choose a smaller one.");
  return new RequestError(status >= 500 ? errorCodes.internalError : "refused", "Couldn't accept this picture. Choose another.");
}

/**
 * Pictures that are on screen, as blob URLs. Access is checked at each fetch, so nothing is kept: an URL ends with the last
 * view that shows it.
 */
export class Pictures {
  /** path → `{url, loading, holders}` */
  #held = new Map();
  #net;

  constructor(net) {
    this.#net = net;
  }

  /** The pictures of one view: `show(img, id, {thumb, otherwise})`, and `close()` when the view goes. */
  scope() {
    const mine = new Map();
    let isClosed = false;
    return {
      show: (img, id, { thumb = true, otherwise = null, onMissing = null } = {}) => {
        if (!id) {
          img.src = otherwise;
          return;
        }
        const path = `/pictures/${encodeURIComponent(id)}${thumb ? "/thumb" : ""}`;
        // A picture that could not be loaded is fetched again.
        if (!mine.has(path) || mine.get(path).isMissing) mine.set(path, this.#hold(path));
        const held = mine.get(path);
        if (held.url) img.src = held.url;
        else if (otherwise) img.src = otherwise;
        if (held.url) return;
        held.loading.then((url) => {
          if (url && !isClosed) img.src = url;
          else if (!isClosed) onMissing?.();
        });
      },
      close: () => {
        isClosed = true;
        for (const path of mine.keys()) this.#release(path);
        mine.clear();
      },
    };
  }

  /** Ends all: the account is another now. */
  clear() {
    for (const { url } of this.#held.values()) if (url) URL.revokeObjectURL(url);
    this.#held.clear();
  }

  #hold(path) {
    let held = this.#held.get(path);
    if (!held) {
      held = { url: null, holders: 0, loading: null, isMissing: false };
      held.loading = this.#load(path, held);
      this.#held.set(path, held);
    }
    held.holders += 1;
    return held;
  }

  #release(path) {
    const held = this.#held.get(path);
    if (!held) return;
    held.holders -= 1;
    setTimeout(() => {
      if (held.holders > 0 || this.#held.get(path) !== held) return;
      this.#held.delete(path);
      if (held.url) URL.revokeObjectURL(held.url);
    }, graceMilliseconds);
  }

  async #load(path, held) {
    try {
      const { token } = this.#net;
      const reply = await fetch(path, { headers: token ? { Authorization: `Bearer ${token}` } : {}, cache: "no-store" });
      if (!reply.ok) throw new Error(`status ${reply.status}`);
      const url = URL.createObjectURL(await reply.blob());
      if (this.#held.get(path) === held) held.url = url;
      else URL.revokeObjectURL(url);
    } catch {
      held.isMissing = true;
      if (this.#held.get(path) === held) this.#held.delete(path);
    }
    return held.url;
  }
}

/** The drawing that stands for somebody without a picture. */
export function defaultPicture(gender) {
  return `/app/assets/${{ female: "person-female.svg", male: "person-male.svg" }[gender] ?? "person.svg"}`;
}
