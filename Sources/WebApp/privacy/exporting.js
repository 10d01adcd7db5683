// Everything about somebody as files: fetched with their token, saved by the browser.

import { sentence } from "../kit/format.js";

/** Files of one kind: 10 million points. */
const filesMax = 200;
/** When the server is busy with the last one, or with others', it is asked again, so often for each file. */
const retriesMax = 8;
const retrySecondsMax = 20;

/** What was not fetched, with a sentence. */
export class ExportError extends Error {}

/** Fetches the JSON, file by file; `progress(text)` gets the progress. Returns the numbers of bytes and files. */
export const exportData = (options) => exportFiles("/account/data.json", "campanile-data", "json", "Your data", options);

/** Fetches the tracks, as `exportData` does. */
export const exportTracks = (options) => exportFiles("/account/tracks.gpx", "campanile-tracks", "gpx", "Your routes", options);

/** The `Link` of each file leads to the next. */
async function exportFiles(first, name, ending, what, { token, progress, signal }) {
  let path = first;
  let bytes = 0;
  for (let number = 1; number <= filesMax; number += 1) {
    const { blob, next } = await load(path, { token, progress, signal, what: number === 1 ? what : `File ${number}` });
    save(blob, number === 1 && !next ? `${name}.${ending}` : `${name}-${number}.${ending}`);
    bytes += blob.size;
    if (!next) return { bytes, files: number };
    path = next;
  }
  throw new ExportError(`There are more than ${filesMax} files. Ask a campus admin for the rest.`);
}

/** The path of the next file, when the server names one of its own. */
export function nextOf(link) {
  const path = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? "")?.[1] ?? null;
  return path !== null && /^\/account\/(tracks\.gpx\?after=\d+(\.\d+)?|data\.json\?after=[A-Za-z]+\.\d+)$/.test(path) ? path : null;
}

/** `1.2 MB`, `48 KB`. */
export function sizeText(bytes) {
  return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.max(1, Math.round(bytes / 1e3))} KB`;
}

async function load(path, { token, progress, signal, what }) {
  progress(`Preparing: ${what}…`);
  const reply = await ask(path, { token, progress, signal });
  const total = Number(reply.headers.get("Content-Length")) || 0;
  // What was compressed on the way counts otherwise.
  const isWhole = total > 0 && !reply.headers.get("Content-Encoding");
  const chunks = [];
  let bytes = 0;
  try {
    for (const reader = reply.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      bytes += value.byteLength;
      progress(`${what}: ${sizeText(bytes)}${isWhole ? ` of ${sizeText(total)}` : ""}`, isWhole ? bytes / total : null);
    }
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ExportError("The connection was lost during the download. Try again.", { cause: error });
  }
  return { blob: new Blob(chunks, { type: reply.headers.get("Content-Type") ?? "" }), next: nextOf(reply.headers.get("Link")) };
}

async function ask(path, { token, progress, signal }) {
  for (let turn = 0; ; turn += 1) {
    let reply;
    try {
      reply = await fetch(path, { headers: { Authorization: `Bearer ${token}` }, cache: "no-store", signal });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ExportError("Couldn't reach the server. Check your connection and try again.", { cause: error });
    }
    if (reply.ok) return reply;
    const said = await reply.json().catch(() => null);
    const seconds = said?.error?.data?.retryAfter ?? said?.data?.retryAfter ?? Number(reply.headers.get("Retry-After"));
    if ((reply.status === 429 || reply.status === 503) && turn < retriesMax) {
      progress("The server is busy. Waiting…");
      await wait(Math.min(retrySecondsMax, Math.max(1, seconds || 1)), signal);
      continue;
    }
    if (reply.status === 401) throw new ExportError("You're no longer logged in. Log in and try again.");
    const message = said?.error?.message ?? said?.message;
    throw new ExportError(message ? sentence(message) : "The server couldn't prepare the file. Try again later.");
  }
}

function wait(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
