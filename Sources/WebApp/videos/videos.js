// The videos of workouts. One of a known player plays in the page once it is asked for: before, nothing is loaded from another site.
// Others open in a new tab, because the content security policy lets the app load media from its own server alone.

import { openDialog } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { readVideo } from "./links.js";

const names = (title, note) => h("span", { class: "grow" }, h("strong", {}, title), h("span", { class: "muted small" }, note));

/**
 * Plays the video in a dialog, which stays while the page below is drawn anew. Players refuse pages that do not say where they are, so the
 * frame names the app's origin.
 */
function openPlayer({ title, url }, { host, player }) {
  openDialog({ id: "video-dialog", title, className: "video-dialog", content: h("div", { class: "stack tight" },
    h("iframe", { class: "video-frame", src: player, title: `Video: ${title}`, referrerpolicy: "strict-origin-when-cross-origin",
      allow: "autoplay; fullscreen; encrypted-media; picture-in-picture", allowfullscreen: true,
      sandbox: "allow-scripts allow-same-origin allow-presentation allow-popups" }),
    h("p", { class: "small" }, "Doesn't it play? ",
      h("a", { class: "link", href: url, target: "_blank", rel: "noopener noreferrer" }, `Open it on ${host}`))) });
}

function videoRow({ title, url }) {
  const video = readVideo(url, location.origin);
  if (!video) return null;
  if (video.isPlayable) {
    return h("li", { class: "video-item" }, h("strong", {}, title),
      h("video", { controls: true, preload: "none", playsinline: true, src: url, "aria-label": title }));
  }
  if (video.player) {
    return h("li", {}, h("button", { class: "video-link", type: "button", onclick: () => openPlayer({ title, url }, video) }, icon("play"),
      names(title, `Plays here, from ${video.host}`)));
  }
  return h("li", {}, h("a", { class: "video-link", href: url, target: "_blank", rel: "noopener noreferrer" }, icon("play"),
    names(title, `Opens ${video.host} in a new tab`)));
}

/** A list of videos, or null when there are none that can be opened. */
export function videoList(videos, label = "Videos") {
  const rows = videos.map(videoRow).filter(Boolean);
  return rows.length === 0 ? null : h("ul", { class: "video-list", "aria-label": label }, ...rows);
}
