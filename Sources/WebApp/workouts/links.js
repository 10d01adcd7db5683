// Addresses of videos. Pure.

const playable = /\.(mp4|m4v|webm)$/i;

/** `{host, isPlayable}` of an address; null for one that is not `https`, or not of this server. */
export function readVideo(url, origin) {
  try {
    const { protocol, host, pathname, origin: from } = new URL(url);
    const isOwn = from === origin;
    return protocol === "https:" || isOwn ? { host: host.replace(/^www\./, ""), isPlayable: isOwn && playable.test(pathname) } : null;
  } catch {
    return null;
  }
}
