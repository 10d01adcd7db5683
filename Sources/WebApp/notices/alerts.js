// How a notice reaches a person who has the app open: the bell, toasts, the browser's notifications, and the emergency's banner (N-7, U-7).

import { announce, dropToast, toast } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { alertSettings, dropNotifications, isNotificationAllowed, notify } from "../kit/notifications.js";
import { Bell } from "./bell.js";
import { EmergencyBanner } from "./emergency.js";
import { isUnread } from "./log.js";
import { alertPlan, alertWords } from "./words.js";

/** Another tab or device may have it read meanwhile. */
const alertAfterMilliseconds = 250;
/** Notices expire while a page is open. */
const tickMilliseconds = 15_000;
const summarySeconds = 10;

/** The tag of the server's reminders: a notification replaces the reminder of the same notice. */
const keyOf = (number) => `notice/${number}`;

/** Starts to show notices as they arrive. Returns `{draw()}`, to be called after each change of the page. */
export function startNoticeAlerts(app) {
  const alerts = new NoticeAlerts(app);
  return { draw: () => alerts.draw() };
}

class NoticeAlerts {
  #notices;
  #tracker;
  #net;
  #router;
  #bell = new Bell(document.getElementById("bell"));
  #banner;
  /** Numbers of notices that a toast or a notification shows. */
  #alerted = new Set();

  constructor({ notices, tracker, net, router }) {
    this.#notices = notices;
    this.#tracker = tracker;
    this.#net = net;
    this.#router = router;
    this.#banner = new EmergencyBanner(document.getElementById("emergency"), notices);
    notices.addEventListener("change", () => this.draw());
    notices.addEventListener("arrived", ({ detail }) => this.#arrived(detail));
    notices.addEventListener("withdrawn", ({ detail }) => this.#withdrawn(detail));
    setInterval(() => this.draw(), tickMilliseconds);
    net.addEventListener("account", () => {
      this.#banner.clearCorrected();
      this.#alerted.clear();
      this.draw();
    });
    this.draw();
  }

  draw() {
    this.#bell.draw(this.#notices.unread);
    this.#banner.draw();
    this.#banner.place();
    for (const number of this.#alerted) {
      const item = this.#notices.log.items.get(number);
      // The page of notices shows them itself.
      if (item && isUnread(item) && location.pathname !== "/notices") continue;
      this.#alerted.delete(number);
      this.#drop(number);
    }
  }

  #arrived({ notices: arrived, isLive }) {
    for (const { notice, isCorrection } of arrived) {
      if (isCorrection && notice.level === "emergency") this.#banner.addCorrected(notice.number);
    }
    this.#banner.draw();
    this.#banner.place();
    const isNews = ({ notice, isCorrection }) => isCorrection || !this.#notices.log.items.get(notice.number)?.readAt;
    setTimeout(() => this.#alert(arrived.filter(isNews), isLive), alertAfterMilliseconds);
  }

  #withdrawn(number) {
    this.#banner.removeCorrected(number);
    this.draw();
    this.#drop(number);
  }

  #drop(number) {
    dropToast(keyOf(number));
    dropNotifications(keyOf(number));
  }

  #alert(arrived, isLive) {
    const isVisible = document.visibilityState === "visible";
    const isOnPage = location.pathname === "/notices";
    const latest = arrived.filter(({ notice }) => this.#notices.log.items.get(notice.number)?.revision === notice.revision);
    const { notifications, toasts, isSummary } = alertPlan(latest, {
      username: this.#net.account?.username, isVisible, isOnPage, isRecording: this.#tracker.record?.state === "running",
      isAllowed: isNotificationAllowed(),
    });
    for (const one of notifications) this.#notify(one);
    if (isSummary) {
      this.#toastSummary(toasts, isLive);
      return;
    }
    for (const one of toasts) this.#toast(one);
    if (isVisible && isOnPage && latest.length > 0) announce(`${count(latest.length, "new notice")}.`);
  }

  #notify(one) {
    const { notice } = one;
    notify({
      ...alertWords({ ...one, hidesText: alertSettings().hidesText }), tag: keyOf(notice.number), path: `/notices?open=${notice.number}`,
      open: (to) => this.#router.go(to), isUrgent: notice.level === "emergency",
    });
    if (isUnread(notice)) this.#alerted.add(notice.number);
  }

  #toast(one) {
    const { notice } = one;
    const { title } = alertWords({ ...one, hidesText: false });
    const isImportant = notice.level === "important";
    if (isUnread(notice)) this.#alerted.add(notice.number);
    toast(isImportant ? `Important: ${title}` : title, {
      key: keyOf(notice.number), ...(isImportant && { seconds: null }),
      action: { label: "Open", run: () => this.#router.go(`/notices?open=${notice.number}`) },
    });
  }

  #toastSummary(toasts, isLive) {
    const isImportant = toasts.some(({ notice }) => notice.level === "important");
    toast(`${count(toasts.length, "new notice")}${isLive ? "" : " while you were away"}.`, {
      key: "notices", seconds: isImportant ? null : summarySeconds, action: { label: "Open", run: () => this.#router.go("/notices") },
    });
  }
}
