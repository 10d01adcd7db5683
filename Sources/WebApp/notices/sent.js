// One notice that was sent: where it stands, how many have it and have read it, correcting and withdrawing it.

import { confirmDialog, h, setText } from "../kit/dom.js";
import { dayText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { reachText, shareOf } from "./words.js";
import { loading } from "../kit/loading.js";
import { stateTag } from "./sentlist.js";
import { noticeRow } from "./row.js";
import { attempt } from "../kit/dialog.js";

/** Figures are asked for anew so often, as long as they are looked at. */
const refreshMilliseconds = 3_000;

/** What is said beside the figures. */
function figuresText(state, hasFigures, kind) {
  if (!hasFigures) {
    return "To protect privacy, receipts are counted only for notices to the whole campus or a role, with at least 20 people. Those of a role are shown 24 hours after the notice went out.";
  }
  const rule = "Rounded to five, without people who keep receipts off.";
  if (kind === "role") return `Counted once, 24 hours after the notice went out. ${rule}`;
  return state === "published" ? `Updates live. ${rule}` : rule;
}

/** Serves `/notices/sent/:id`. */
export function show(root, { id: given }, app) {
  const { net, router } = app;
  const number = Number(given);
  if (!net.account) {
    router.go(`/login?next=/notices/sent/${encodeURIComponent(given)}`, { replace: true });
    return undefined;
  }
  let sent = null;
  let closed = false;
  let timer = 0;

  const heading = h("h1", { tabindex: "-1" }, "Notice");
  const badges = h("div", { class: "event-badges" });
  const look = h("div", {});
  const when = h("p", { class: "muted", id: "sent-when" });
  const figures = h("section", { class: "card stack", id: "sent-figures", "aria-label": "Delivery" });
  const manage = h("div", { class: "manage-buttons" });
  const status = h("div", {}, loading(net));
  const content = h("div", { class: "stack", hidden: true }, badges, look, when, figures, manage);
  root.append(h("div", { class: "page stack notices-page" }, h("p", {}, h("a", { href: "/notices/sent", class: "back" }, "← Sent notices")), heading, status, content));

  const bars = ["received", "read"].map((name) => {
    const label = h("span", { id: `${name}-label` }, name === "received" ? "On a device" : "Read");
    const figure = h("strong", { class: "number", dataset: { figure: name } });
    const share = h("span", { class: "muted number" });
    const fill = h("span", {});
    const bar = h("div", { class: "sent-bar", role: "progressbar", "aria-labelledby": `${name}-label`, "aria-valuemin": 0, "aria-valuemax": 100 }, fill);
    return { name, element: h("div", { class: "sent-figure", dataset: { kind: name } }, h("p", { class: "sent-label" }, label, h("span", {}, figure, " ", share)), bar), draw(value, whole) {
      const percent = shareOf(value, whole);
      setText(figure, value.toLocaleString("en"));
      setText(share, `of ${whole.toLocaleString("en")}, ${percent} %`);
      fill.style.setProperty("width", `${percent}%`);
      bar.setAttribute("aria-valuenow", percent);
      bar.setAttribute("aria-valuetext", `${value.toLocaleString("en")} of ${whole.toLocaleString("en")}`);
    } };
  });
  const figuresTitle = h("h2", {}, "Delivery");
  const figuresNote = h("p", { class: "hint", role: "status" });
  figures.append(figuresTitle, ...bars.map(({ element }) => element), figuresNote);

  async function load() {
    clearTimeout(timer);
    if (document.visibilityState === "visible" && net.state === "live") {
      try {
        const found = await net.request("notices.status", { notice: number });
        if (closed) return;
        sent = found;
        draw();
      } catch (error) {
        if (closed) return;
        if (!sent) return fail(error);
        setText(figuresNote, "No connection: this is how it was.");
      }
    }
    clearTimeout(timer);
    if (!closed) timer = setTimeout(load, refreshMilliseconds);
    return undefined;
  }

  function fail(error) {
    const isMissing = error.code === 1003 || error.code === -32602;
    status.replaceChildren(h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, isMissing ? "There is no such notice of yours." : error.message)),
      h("p", { class: "event-retry" }, isMissing ? h("a", { class: "button", href: "/notices/sent" }, "To the sent notices") : h("button", { class: "button", type: "button", onclick: load }, "Try again")));
  }

  let drawn = "";

  function draw() {
    const { notice, audience, state, publishAt, recipients, received, read } = sent;
    status.replaceChildren();
    content.hidden = false;
    const hasFigures = state !== "scheduled" && received !== undefined;
    for (const bar of bars) {
      bar.element.hidden = !hasFigures;
      if (hasFigures) bar.draw(bar.name === "read" ? read : received, recipients);
    }
    setText(figuresTitle, state === "scheduled" ? "Audience" : "Delivery");
    setText(figuresNote, state === "scheduled" ? `${reachText(audience.kind, sent)}.` : figuresText(state, hasFigures, audience.kind));
    setText(when, state === "scheduled" ? `Goes out ${dayText(publishAt)}, ${timeText(publishAt)}` : `Sent ${dayText(publishAt)}, ${timeText(publishAt)}`);
    const sig = JSON.stringify([notice, state]);
    if (sig === drawn) return;
    drawn = sig;
    setText(heading, notice.title);
    badges.replaceChildren(stateTag(state), ...(notice.revision > 1 && notice.changedAt ? [h("span", { class: "notice-mark" }, `Corrected ${dayText(notice.changedAt)}, ${timeText(notice.changedAt)}`)] : []));
    look.replaceChildren(noticeRow({ ...notice, to: audience, readAt: "sent" }, { app, now: net.clock.now(), isOpen: true, tag: "div", isMine: false, heading: "h2", known: () => { drawn = ""; draw(); } }));
    const isOpen = state === "scheduled" || state === "published";
    manage.hidden = !isOpen;
    // It bears its sender's name.
    const isOwn = notice.from?.username === net.account?.username;
    manage.replaceChildren(!isOwn ? "" : h("a", { class: "button", href: `/notices/sent/${number}/edit`, id: "correct-notice" }, icon("edit"), "Correct"),
      h("button", { class: "button danger", type: "button", id: "withdraw-notice", onclick: withdraw }, icon("close"), "Withdraw"));
  }

  async function withdraw() {
    const isScheduled = sent.state === "scheduled";
    const sure = await confirmDialog({
      id: "withdraw-dialog", title: "Withdraw this notice?", confirm: "Withdraw", danger: true, cancel: "Keep it",
      text: isScheduled ? "It does not go out." : "It disappears for everyone who has it. What was read can't be unread.",
    });
    if (!sure || !(await attempt(async () => { sent = await net.request("notices.withdraw", { notice: number }); }, "Withdrawn.")) || closed) return;
    draw();
    heading.focus({ preventScroll: true });
  }

  const wake = () => { if (document.visibilityState === "visible") load(); };
  const leaveIfSignedOut = () => { if (!net.account) router.go("/", { replace: true }); };
  document.addEventListener("visibilitychange", wake);
  net.addEventListener("state", load);
  net.addEventListener("account", leaveIfSignedOut);
  load();
  return () => {
    closed = true;
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", wake);
    net.removeEventListener("state", load);
    net.removeEventListener("account", leaveIfSignedOut);
  };
}
