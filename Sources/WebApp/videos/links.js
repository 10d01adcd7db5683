// Addresses of videos. Pure.

const playable = /\.(mp4|m4v|webm)$/i;
const youTubeID = /^[\w-]{11}$/;
const youTubeHosts = new Set(["youtube.com", "m.youtube.com", "youtube-nocookie.com"]);
/** Longest beginning that is skipped, in seconds: a day. */
const startMax = 86_400;

/** The seconds of `90`, `90s` or `1m30s`; 0 for anything else. */
function secondsOf(text) {
  const [, hours, minutes, seconds] = /^(?:(\d{1,2})h)?(?:(\d{1,3})m)?(?:(\d{1,5})s?)?$/.exec(text ?? "") ?? [];
  return Math.min(startMax, Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0));
}

function youTubePlayer(host, { pathname, searchParams }) {
  const parts = pathname.split("/").filter(Boolean);
  let id = null;
  if (host === "youtu.be") id = parts[0];
  else if (youTubeHosts.has(host) && parts[0] === "watch") id = searchParams.get("v");
  else if (youTubeHosts.has(host) && ["embed", "shorts", "live"].includes(parts[0])) [, id] = parts;
  if (!youTubeID.test(id || "")) return null;
  const start = secondsOf(searchParams.get("t") ?? searchParams.get("start"));
  return `https://www.youtube-nocookie.com/embed/${id}?autoplay=1&rel=0${start > 0 ? `&start=${start}` : ""}`;
}

function vimeoPlayer(host, { pathname }) {
  const [, id, key] = /^\/(?:video\/)?(\d{1,12})(?:\/([0-9a-f]{6,20}))?\/?$/.exec(pathname) ?? [];
  return id && ["vimeo.com", "player.vimeo.com"].includes(host)
    ? `https://player.vimeo.com/video/${id}?autoplay=1&dnt=1${key ? `&h=${key}` : ""}` : null;
}

/**
 * `{host, isPlayable, player}` of an address: a file of this server is playable, `player` is the address of a page of another site that
 * plays the video in a frame, or null. Null for an address that is not `https`, or not of this server. The content security policy of the
 * server names the same players.
 */
export function readVideo(url, origin) {
  let read;
  try {
    read = new URL(url);
  } catch {
    return null;
  }
  const isOwn = read.origin === origin;
  if (read.protocol !== "https:" && !isOwn) return null;
  const host = read.host.replace(/^www\./, "");
  return { host, isPlayable: isOwn && playable.test(read.pathname), player: youTubePlayer(host, read) ?? vimeoPlayer(host, read) };
}
