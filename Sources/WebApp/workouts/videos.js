// Links to the videos of workouts. Videos of other sites open in a new tab: the content security policy of the app lets it load media from
// its own server alone, which also keeps trackers away.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { readVideo } from "./links.js";

function videoRow({ title, url }) {
  const video = readVideo(url, location.origin);
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
