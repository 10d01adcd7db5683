// Who looked at a share, from when to when, and how exactly they saw it.

import { h } from "../dom.js";
import { count, time24 } from "../format.js";
import { listTime } from "../chat/times.js";
import { icon } from "../icons.js";
import { audienceName, endText, rungName, untilText } from "../sharing/words.js";
import { openDialog } from "./safetydialogs.js";

/** Opens the receipt of a share, and keeps it new while the share works. */
export function openReceipt({ net, sharing }, share) {
  const body = h("div", { class: "stack" }, h("p", { class: "muted", role: "status" }, "Loading…"));
  const dialog = openDialog({ id: "receipt", title: `Who looked: ${audienceName(share)}`, content: body });
  let watchingBefore = share.watching;
  let isClosed = false;

  async function load() {
    try {
      const receipt = await net.request("sharing.receipt", { share: share.id });
      if (!isClosed) draw(receipt);
    } catch (error) {
      if (!isClosed) body.replaceChildren(h("p", { class: "problem", role: "alert" }, error.message), h("button", { class: "button", type: "button", onclick: load }, "Try again"));
    }
  }

  function draw({ share: now, watches, watchers }) {
    const isOver = Boolean(now.endedAt);
    const looking = watches.filter(({ to }) => !to).length;
    body.replaceChildren(
      h("p", { class: "muted" }, isOver ? `Over since ${listTime(now.endedAt)}: ${endText(now.end)}.` : `It works ${untilText(now.expiresAt, Date.now())}.`),
      h("p", { id: "receipt-count" }, h("strong", {}, watchers === 0 ? "Nobody has looked." : `${count(watchers, "person", "people")} looked${!isOver && looking > 0 ? `, ${looking.toLocaleString("en")} of them now` : ""}.`)),
      h("ul", { class: "rows", id: "receipt-watches" }, ...watches.map((watch) => h("li", { class: "row-item" }, icon(watch.person ? "account" : "link"),
        h("div", { class: "grow" }, h("strong", {}, watch.person?.name ?? "Somebody with the link"), h("p", { class: "muted small" }, `${sentenceOf(watch)} · saw your ${rungName(watch.precision)}`)),
        watch.to || isOver ? null : h("span", { class: "tag" }, "now")))),
      watches.length >= 1000 ? h("p", { class: "muted small" }, "Only the last 1,000 times are listed.") : "");
  }

  const changed = () => {
    const now = sharing.shares.find(({ id }) => id === share.id)?.watching ?? null;
    if (now === watchingBefore) return;
    watchingBefore = now;
    load();
  };
  sharing.addEventListener("change", changed);
  dialog.addEventListener("close", () => {
    isClosed = true;
    sharing.removeEventListener("change", changed);
  });
  load();
}

function sentenceOf({ from, to }) {
  const begin = listTime(from);
  if (!to) return `Since ${begin === time24(from) ? begin : `${begin}, ${time24(from)}`}`;
  return `${begin === time24(from) ? begin : `${begin}, ${time24(from)}`} to ${time24(to)}`;
}
