// The access log of a share: viewers, times, and precision.

import { h, keepFocus } from "../kit/dom.js";
import { capital, count } from "../kit/format.js";
import { listTime } from "../kit/times.js";
import { audienceName, endText, isLooking, seesText, untilText, watchedText, watchingText } from "./words.js";
import { openDialog } from "../kit/dialog.js";
import { personMenu, shareMark } from "./rows.js";

/** A share with everybody has no messages about viewers: its receipt is requested at this interval while it is open. */
const againMilliseconds = 10_000;
/** Lines that the server gives at most. */
const linesMax = 1_000;

/** Opens the receipt of a share, and keeps it new while the share works. */
export function openReceipt({ net, sharing, pictures }, share) {
  const body = h("div", { class: "stack" }, h("p", { class: "muted", role: "status" }, "Loading…"));
  const dialog = openDialog({ id: "receipt", title: `Who watched: ${audienceName(share)}`, content: body });
  let watchingBefore = share.watching;
  const scope = pictures.scope();
  let isClosed = false;
  let isOver = Boolean(share.endedAt);
  let isDrawn = false;
  /** Made once: the focus may be on one, or its menu open, while the lines are drawn again. */
  const menus = new Map();

  async function load() {
    try {
      const receipt = await net.request("sharing.receipt", { share: share.id });
      if (isClosed) return;
      const { activeElement } = document;
      keepFocus(body, () => draw(receipt), () => (activeElement.isConnected ? activeElement : dialog.querySelector("h2")));
    } catch (error) {
      // The lines of before stay.
      if (isClosed || isDrawn) return;
      body.replaceChildren(h("p", { class: "problem", role: "alert" }, error.message),
        h("button", { class: "button", type: "button", onclick: load }, "Try again"));
    }
  }

  function draw(receipt) {
    isOver = Boolean(receipt.share.endedAt);
    isDrawn = true;
    body.replaceChildren(...summary(receipt), h("ul", { class: "rows", id: "receipt-watches" }, ...receipt.watches.map(row)));
  }

  function row(told) {
    const watch = sharing.named(told);
    return h("li", { class: "row-item" }, shareMark(scope, watch.person, watch.person ? "account" : "link"),
      h("div", { class: "grow" }, h("strong", {}, watch.person?.name ?? "Guests with the link"),
        h("p", { class: "muted small" }, capital(`${watchedText(watch, Date.now())} · ${seesText(watch.precision, { isPast: true })}`))),
      isLooking(watch, isOver) ? h("span", { class: "tag" }, "now") : null, watch.person ? menuOf(watch) : null);
  }

  function menuOf({ person, precision }) {
    const key = `${person.account} ${precision} ${person.name}`;
    if (!menus.has(key)) menus.set(key, personMenu({ net }, person, load));
    return menus.get(key);
  }

  const changed = () => {
    const now = sharing.shares.find(({ id }) => id === share.id)?.watching ?? null;
    if (now === watchingBefore) return;
    watchingBefore = now;
    load();
  };
  sharing.addEventListener("change", changed);
  const again = share.audience === "campus"
    ? setInterval(() => { if (!isOver && document.visibilityState === "visible" && net.state === "live") load(); }, againMilliseconds) : 0;
  dialog.addEventListener("close", () => {
    isClosed = true;
    scope.close();
    clearInterval(again);
    sharing.removeEventListener("change", changed);
  });
  load();
}

/** The note below the lines. */
function notes({ audience, invited, endedAt }, { watches, guests, left }) {
  return [
    audience === "campus" && watches.length > 0 ? "We don't know how long someone had you on their map." : null,
    audience === "campus" ? "Only buddies are listed. Others are counted when a share of at least an hour ends, "
      + "rounded down to five." : null,
    !endedAt && (audience === "link" || invited) ? "People who aren't your buddies are listed when it ends." : null,
    audience === "group" || (endedAt && audience !== "campus") ? "For people who aren't your buddies, times are those of the share."
      : null,
    guests.length > 0 ? "A guest who opens the link again is counted again." : null,
    left > 0 && audience !== "campus" ? `${count(left, "more person", "more people")} watched.`
      : watches.length >= linesMax
      ? `Showing ${linesMax.toLocaleString("en")} lines, each person's most precise one first.` : null,
  ].filter(Boolean);
}

/** How long the share works, how many people looked, and notes about both. */
function summary({ share, watches, watchers }) {
  const isOver = Boolean(share.endedAt);
  const guests = watches.filter(({ person }) => !person);
  const people = new Set(watches.filter(({ person }) => person).map(({ person }) => person.account));
  const listed = people.size + guests.reduce((sum, { times }) => sum + times, 0);
  const watching = isOver ? "" : capital(watchingText([share]));
  return [
    h("p", { class: "muted" }, isOver ? `Ended ${listTime(share.endedAt).replace("Yesterday", "yesterday")}: ${endText(share.end)}.`
      : `Shared ${untilText(share.expiresAt, Date.now())}.`),
    h("p", { id: "receipt-count" },
      h("strong", {}, watchers === 0 ? "Nobody has watched." : `${count(watchers, "person", "people")} watched.`),
      watching ? ` ${watching}.` : ""),
    ...notes(share, { watches, guests, left: watchers - listed }).map((text) => h("p", { class: "muted small" }, text)),
  ];
}
