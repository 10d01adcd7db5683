// How a notice reaches a person who has the app open: the bell, toasts, the browser's notifications, and the emergency's banner (N-7, U-7).

import { alertSettings, dropNotifications, isNotificationAllowed, notify } from "../kit/notifications.js";
import { announce, dropToast, h, toast } from "../kit/dom.js";
import { count, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { isUnread } from "./log.js";
import { alertWords, fromText } from "./words.js";

/** More than so many at once are told of together. */
const toastsAtOnceMax = 3;
/** Another tab or device may have it read meanwhile. */
const alertAfterMilliseconds = 250;
/** Some expire while one looks. */
const tickMilliseconds = 15_000;

/** As the server's reminders have it: a notification takes the place of the other. */
const keyOf = (number) => `notice/${number}`;

/** From now on notices are told of. */
export function startNoticeAlerts({ notices, tracker, net, router }) {
  const bell = document.getElementById("bell");
  const banner = document.getElementById("emergency");
  const mark = h("span", { class: "tab-count number", id: "notices-total", "aria-hidden": "true", hidden: true });
  bell.replaceChildren(icon("bell"), mark);
  /** Emergencies that were corrected here, until they are seen again. */
  const corrected = new Set();
  const toasted = new Set();
  let shownEmergency = "";

  function drawBell() {
    const unread = notices.unread;
    mark.hidden = unread === 0;
    mark.textContent = unread > 99 ? "99+" : String(unread);
    bell.setAttribute("aria-label", unread === 0 ? "Notices, none unread" : `Notices, ${unread.toLocaleString("en")} unread`);
    if (location.pathname === "/notices") bell.setAttribute("aria-current", "page");
    else bell.removeAttribute("aria-current");
  }

  function drawBanner() {
    const open = notices.log.shown(notices.now).filter((item) => item.level === "emergency" && !item.withdrawn && (isUnread(item) || corrected.has(item.number)));
    const sig = JSON.stringify(open);
    if (sig === shownEmergency) return;
    shownEmergency = sig;
    const hadFocus = banner.contains(document.activeElement);
    banner.hidden = open.length === 0;
    const [first] = open;
    if (!first) {
      banner.replaceChildren();
      banner.removeAttribute("role");
      if (hadFocus) document.querySelector("#view h1")?.focus({ preventScroll: true });
      return;
    }
    banner.setAttribute("role", "alert");
    const seen = h("button", { class: "button", type: "button", id: "emergency-seen", onclick: () => {
      corrected.delete(first.number);
      notices.read([first.number]);
      drawBanner();
    } }, icon("tick"), "I have seen it");
    banner.replaceChildren(icon("warning"),
      h("div", { class: "emergency-what" },
        h("p", { class: "emergency-title" }, h("strong", {}, first.changedAt ? "Emergency, corrected: " : "Emergency: "), first.title),
        first.body ? h("p", { class: "emergency-body", tabindex: "0", role: "group", "aria-label": "What it says" }, first.body) : null,
        h("p", { class: "small" }, `${fromText(first)}, ${timeText(first.changedAt ?? first.at)}${open.length > 1 ? `. ${count(open.length - 1, "other emergency", "other emergencies")} after this one.` : ""}`)),
      seen);
    const body = banner.querySelector(".emergency-body");
    // Only what has to be scrolled is a stop for the keyboard.
    if (body && body.scrollHeight <= body.clientHeight) body.removeAttribute("tabindex");
    if (hadFocus) seen.focus({ preventScroll: true });
  }

  /** A dialog makes what is around it unreachable: then the banner is in it. */
  function place() {
    const dialog = [...document.querySelectorAll("dialog:modal")].at(-1);
    if (banner.parentElement === (dialog ?? document.body)) return;
    if (!dialog) document.querySelector("body > .bar").before(banner);
    else if (!banner.hidden) {
      dialog.prepend(banner);
      dialog.addEventListener("close", place);
    }
  }

  function draw() {
    drawBell();
    drawBanner();
    place();
    for (const number of toasted) {
      const item = notices.log.items.get(number);
      // On their page there is nothing to point at.
      if (item && isUnread(item) && location.pathname !== "/notices") continue;
      toasted.delete(number);
      dropToast(keyOf(number));
      dropNotifications(keyOf(number));
    }
  }

  function tell(arrived, isLive) {
    const isVisible = document.visibilityState === "visible";
    const isRecording = tracker.record?.state === "running";
    const news = arrived.filter(({ notice }) => notices.log.items.get(notice.number)?.revision === notice.revision);
    const open = (number) => router.go(number === null ? "/notices" : `/notices?open=${number}`);
    const others = [];
    for (const one of news) {
      const { notice } = one;
      const isEmergency = notice.level === "emergency";
      // Who sent it knows.
      if (!isEmergency && notice.from?.username && notice.from.username === net.account?.username) continue;
      // The page itself shows what is new.
      if (isVisible && !isEmergency && location.pathname === "/notices") continue;
      const isNotified = isNotificationAllowed() && !isVisible && (isEmergency || !isRecording);
      if (isNotified) {
        notify({ ...alertWords({ ...one, hidesText: alertSettings().hidesText }), tag: keyOf(notice.number), path: `/notices?open=${notice.number}`, open: (to) => router.go(to), isUrgent: isEmergency });
        if (isUnread(notice)) toasted.add(notice.number);
      }
      // Its banner is shown already.
      if (!isEmergency && (!isNotified || notice.level === "important")) others.push(one);
    }
    if (others.length > toastsAtOnceMax) {
      const isImportant = others.some(({ notice }) => notice.level === "important");
      toast(`${count(others.length, isLive ? "new notice" : "notice")} came${isLive ? "" : " while you were away"}.`, { key: "notices", seconds: isImportant ? null : 10, action: { label: "Open", run: () => open(null) } });
      return;
    }
    for (const one of others) {
      const { notice } = one;
      const { title } = alertWords({ ...one, hidesText: false });
      if (isUnread(notice)) toasted.add(notice.number);
      toast(notice.level === "important" ? `Important: ${title}` : title, { key: keyOf(notice.number), ...(notice.level === "important" && { seconds: null }), action: { label: "Open", run: () => open(notice.number) } });
    }
    if (isVisible && location.pathname === "/notices" && news.length > 0) announce(`${count(news.length, "new notice")}.`);
  }

  notices.addEventListener("change", draw);
  notices.addEventListener("arrived", ({ detail: { notices: arrived, isLive } }) => {
    for (const { notice, isCorrection } of arrived) if (isCorrection && notice.level === "emergency") corrected.add(notice.number);
    drawBanner();
    place();
    setTimeout(() => tell(arrived.filter(({ notice, isCorrection }) => isCorrection || !notices.log.items.get(notice.number)?.readAt), isLive), alertAfterMilliseconds);
  });
  notices.addEventListener("withdrawn", ({ detail: number }) => {
    corrected.delete(number);
    draw();
    dropToast(keyOf(number));
    dropNotifications(keyOf(number));
  });
  new MutationObserver(place).observe(document.body, { childList: true });
  setInterval(draw, tickMilliseconds);
  net.addEventListener("account", () => {
    corrected.clear();
    toasted.clear();
    draw();
  });
  draw();
  return { draw };
}
