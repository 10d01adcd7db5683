// Takes what shell/early.js began before the modules were there; each once.

/** @returns {{replies: Map<string, Promise<Response>>, socket: WebSocket | null} | undefined} */
const begun = () => /** @type {any} */ (globalThis).campanileEarly;

/** The reply to a GET of `path`, which may be on its way already. */
export function fetchEarly(path) {
  const reply = begun()?.replies.get(path);
  begun()?.replies.delete(path);
  return reply ?? fetch(path);
}

/** The socket to `url` that was opened before, if it may still be used; null otherwise. */
export function takeEarlySocket(url) {
  const early = begun();
  const socket = early?.socket;
  if (!socket) return null;
  early.socket = null;
  return socket.url === url && socket.readyState <= WebSocket.OPEN ? socket : null;
}
