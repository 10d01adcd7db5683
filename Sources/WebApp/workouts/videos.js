// Links to the videos of workouts. The app's content security policy loads media from the app's own server alone: videos of other sites open
// in a new tab, which also keeps their trackers away.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";

const playable = /\.(mp4|m4v|webm)$/i;

/** `{host, isPlayable}` of an address; null for one that is not `https`, or not of this server. */
export function readVideo(url, origin = location.origin) {
  try {
    const { protocol, host, pathname, origin: from } = new URL(url);
    const isOwn = from === origin;
    return protocol === "https:" || isOwn ? { host: host.replace(/^www\./, ""), isPlayable: isOwn && playable.test(pathname) } : null;
  } catch {
    return null;
  }
}

function videoRow({ title, url }) {
  const video = readVideo(url);
  if (!video) return null;
  if (video.isPlayable) {
    return h("li", { class: "video-item" }, h("strong", {}, title),
      h("video", { controls: true, preload: "none", playsinline: true, src: url, "aria-label": title }));
  }
  return h("li", {}, h("a", { class: "video-link", href: url, target: "_blank", rel: "noopener noreferrer" }, icon("play"),
    h("span", { class: "grow" }, h("strong", {}, title), h("span", { class: "muted small" }, `Opens ${video.host} in a new tab`))));
}

/** A list of videos, or null when there are none that can be opened. */
export function videoList(videos, label = "Videos") {
  const rows = videos.map(videoRow).filter(Boolean);
  return rows.length === 0 ? null : h("ul", { class: "video-list", "aria-label": label }, ...rows);
}
