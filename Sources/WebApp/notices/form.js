// Sending a notice, and correcting one that was sent (N-7).

import { confirmDialog, h, setText, toast } from "../kit/dom.js";
import { dayText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { noticeDrafts } from "./drafts.js";
import { audienceOf, audiencesFor, detailsOfNotice, emptyNotice, fieldOfNoticeServer, noticeProblems, valuesOfNotice } from "./formvalues.js";
import { peopleText, reachText, toText } from "./words.js";
import { timeOf } from "../events/times.js";
import { uuid } from "../kit/uuid.js";
import { loading } from "../kit/loading.js";
import { makeNoticeFields } from "./fields.js";
import { noticeRow } from "./row.js";

const keepAfterMilliseconds = 300;
const previewAfterMilliseconds = 400;
const previewEveryMilliseconds = 20_000;
const conflict = 1004;

/** Serves `/notices/new`, with `?event=ID` to the people of that event, and `/notices/sent/:id/edit`. */
export function show(root, { id: given, query }, app) {
  const { net, events, router } = app;
  const number = given === undefined ? null : Number(given);
  const isNew = number === null;
  if (!net.account) {
    router.go(`/login?next=${encodeURIComponent(location.pathname + location.search)}`, { replace: true });
    return undefined;
  }
  const { id: account, role } = net.account;
  const event = isNew ? Number(query.get("event")) || null : null;
  const audiences = audiencesFor(role, { hasEvent: event !== null });
  const draftKey = isNew ? (event === null ? "new" : `event-${event}`) : `correct-${number}`;
  const backPath = isNew ? (event === null ? "/notices" : `/events/${event}`) : `/notices/sent/${number}`;
  const place = h("div", { class: "stack" });
  root.append(h("div", { class: "page stack notice-form-page" }, h("p", {}, h("a", { href: backPath, class: "back" }, isNew ? (event === null ? "← Notices" : "← The event") : "← The notice")),
    h("h1", { tabindex: "-1" }, isNew ? (event === null ? "New notice" : "Message attendees") : "Correct a notice"), place));
  if (isNew && audiences.length === 0) {
    place.append(h("p", { class: "notice warn", id: "notice-form-closed" }, icon("warning"), h("span", {}, "Admins and lecturers send notices. To the people of an event of yours you write from its page.")), h("p", {}, h("a", { class: "button", href: "/notices" }, "To the notices")));
    return undefined;
  }

  /** The same for each try, so that it is one notice however often it is sent. */
  let clientId = uuid();
  /** What the server has, of one that is corrected. */
  let base = null;
  let eventName = null;
  let fields = null;
  let keepTimer = 0;
  let previewTimer = 0;
  let previewed = null;
  let reach = null;
  let person = { text: "", account: null, name: null };
  let isTouched = false;
  let isSending = false;
  let closed = false;

  const problem = h("p", { class: "problem", role: "alert", id: "notice-form-problem" });
  const banner = h("div", { class: "stack" });
  const look = h("div", { class: "notice-look" });
  const reachLine = h("p", { class: "notice-reach", id: "notice-reach", role: "status" });
  const submit = h("button", { class: "button primary big", type: "submit", id: "send-notice" });

  // MARK: loading

  async function load() {
    place.replaceChildren(loading(net));
    try {
      const [found, about] = await Promise.all([isNew ? null : net.request("notices.status", { notice: number }), event === null ? null : events.get(event)]);
      if (closed) return;
      base = found;
      eventName = about?.details.title ?? null;
      const over = { withdrawn: "This notice is withdrawn: send another.", expired: "This notice has expired: send another." }[found?.state];
      if (over) place.replaceChildren(h("p", { class: "notice warn" }, icon("warning"), over), h("p", {}, h("a", { class: "button", href: backPath }, "Back")));
      else draw();
    } catch (error) {
      if (closed) return;
      place.replaceChildren(h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, error.message)),
        h("p", {}, error.isTransient ? h("button", { class: "button", type: "button", onclick: () => load() }, "Try again") : h("a", { class: "button", href: "/notices" }, "To the notices")));
    }
  }

  const original = () => (base ? valuesOfNotice(base, net.clock.now()) : emptyNotice(net.clock.now(), event === null ? audiences[0].id : "event"));

  /** Who writes is still the one at this device, or comes back to it. */
  const isTheirs = () => (net.account?.id ?? net.returning) === account;

  function keep() {
    clearTimeout(keepTimer);
    if (closed || !isTouched || !fields || !isTheirs()) return;
    noticeDrafts.write(account, draftKey, { clientId, values: fields.values, at: Date.now() });
  }

  function touched() {
    isTouched = true;
    setText(problem, "");
    clearTimeout(keepTimer);
    keepTimer = setTimeout(keep, keepAfterMilliseconds);
    drawLook();
    clearTimeout(previewTimer);
    previewTimer = setTimeout(preview, previewAfterMilliseconds);
  }

  function forget() {
    clearTimeout(keepTimer);
    isTouched = false;
    noticeDrafts.write(account, draftKey, null);
  }

  // MARK: drawing

  function draw() {
    const kept = noticeDrafts.read(account, draftKey);
    const values = { ...original(), ...kept?.values };
    if (kept?.clientId) ({ clientId } = kept);
    isTouched = Boolean(kept);
    const campus = net.campus ?? app.lastCampus();
    fields = makeNoticeFields({
      values, audiences, zones: campus?.zones ?? [], isNew, mayDisturb: role === "admin", event: eventName, changed: touched,
      audienceText: base ? toText({ to: base.audience }, { campus, isMine: false }).text : "",
    });
    banner.replaceChildren(...(kept ? [h("div", { class: "notice", id: "draft-note" }, icon("edit"), h("div", { class: "grow" }, `What you wrote on ${dayText(kept.at)}, ${timeText(kept.at)} is back.`), h("button", { class: "button small-button", type: "button", id: "start-afresh", onclick: afresh }, "Start afresh"))] : []));
    const form = h("form", { id: "notice-form", class: "stack", novalidate: true, onsubmit: (submitted) => {
      submitted.preventDefault();
      send();
    } }, fields.element,
    h("section", { class: "card stack", "aria-label": "Preview" }, h("h2", {}, "How it will look"), look, reachLine),
    h("div", { class: "save-bar" }, problem, h("div", { class: "row" }, submit)));
    place.replaceChildren(banner, form);
    drawLook();
    preview();
  }

  function drawLook() {
    const values = fields.values;
    const now = net.clock.now();
    const audience = base?.audience ?? currentAudience(values) ?? { kind: values.audience };
    look.replaceChildren(noticeRow({
      number: "preview", revision: 1, at: new Date(base ? base.publishAt : values.when === "later" ? timeOf(values.date, values.time) ?? now : now).toISOString(), readAt: "preview", level: values.level,
      title: values.title.trim() || "What it is about", ...(values.body.trim() && { body: values.body.trim() }), from: base?.notice.from ?? { username: net.account?.username, role },
      to: audience, ...(base && { changedAt: new Date(now).toISOString() }),
    }, { app, now, isOpen: true, tag: "div", isMine: false, known: drawLook }));
    // What is looked at is not there: there is nothing to go to.
    for (const link of look.querySelectorAll("a")) link.replaceWith(h("span", {}, link.textContent));
    submit.replaceChildren(icon("send"), !isNew ? "Send the correction" : values.when === "later" ? "Schedule" : values.level === "emergency" ? "Send the emergency" : "Send");
    submit.classList.toggle("danger", values.level === "emergency");
  }

  async function afresh() {
    const sure = await confirmDialog({ id: "afresh-dialog", title: "Start afresh?", text: "What you wrote here goes.", confirm: "Start afresh", danger: true });
    if (!sure || closed) return;
    forget();
    clientId = uuid();
    banner.replaceChildren();
    fields.set(original());
    drawLook();
    preview();
  }

  // MARK: who gets it

  const currentAudience = (values) => audienceOf(values, { event, account: person.text === values.person.trim() ? person.account : null });

  /** The account that was meant; says so next to the field. Throws what is to be shown there. */
  async function findPerson(text) {
    if (text === "" || person.text === text) return;
    const isNumber = /^\d{1,15}$/.test(text);
    let found = null;
    const { users } = await net.request("admin.users", { text, limit: 100 });
    found = users.find(({ username }) => username.toLowerCase() === text.toLowerCase());
    if (!found && isNumber) ({ user: found } = await net.request("admin.user", { account: Number(text) }));
    if (!found) throw new Error("There is no such account.");
    person = { text, account: found.id, name: found.username };
    fields.sayPerson(found.username ? `${found.username}${found.name ? `, ${found.name}` : ""}, account ${found.id}` : "");
  }

  async function preview() {
    clearTimeout(previewTimer);
    if (closed || !fields) return;
    previewTimer = setTimeout(() => {
      previewed = null;
      preview();
    }, previewEveryMilliseconds);
    const { values } = fields;
    if (isNew && values.audience === "user") {
      try {
        await findPerson(values.person.trim());
      } catch (error) {
        if (!closed && !error.isTransient) fields.setProblems({ person: error.message }, { focuses: false });
      }
      if (closed) return;
      drawLook();
    }
    const audience = base ? base.audience : currentAudience(fields.values);
    const key = JSON.stringify(audience);
    if (key === previewed) return;
    if (audience === null) {
      reach = null;
      previewed = key;
      setText(reachLine, "Choose an audience to see how many people it reaches.");
      return;
    }
    if (net.state !== "live" || document.visibilityState !== "visible") return;
    try {
      const result = await net.request("notices.preview", { audience });
      if (closed) return;
      previewed = key;
      reach = { key, ...result };
      reachLine.replaceChildren(icon("group"), h("span", {}, h("strong", {}, `${reachText(audience.kind, result)}.`), values.audience === "campus" || values.audience === "zone" ? " Guests see it, too." : ""));
    } catch (error) {
      if (closed) return;
      reach = null;
      setText(reachLine, error.isTransient ? "You'll see how many people it reaches when the network is back." : error.message);
    }
  }

  // MARK: sending

  async function send() {
    if (isSending) return;
    const { values } = fields;
    const problems = noticeProblems(values, net.clock.now(), { isNew, publishedAt: base ? Date.parse(base.publishAt) : undefined });
    fields.setProblems(problems);
    setText(problem, "");
    if (Object.keys(problems).length > 0) return;
    keep();
    isSending = true;
    submit.disabled = true;
    try {
      if (isNew && values.audience === "user") {
        try {
          await findPerson(values.person.trim());
        } catch (error) {
          if (error.isTransient) throw error;
          return fields.setProblems({ person: error.message });
        }
      }
      const audience = base ? base.audience : currentAudience(values);
      if (values.level === "emergency" && !(await askEmergency(audience))) return;
      const sent = await store(values, audience);
      forget();
      if (closed) return;
      toast(sent.state === "scheduled" ? "Scheduled." : isNew ? "Sent." : "Corrected.");
      router.go(`/notices/sent/${sent.notice.number}`, { replace: true });
    } catch (error) {
      if (!closed) refused(error);
    } finally {
      isSending = false;
      submit.disabled = false;
    }
    return undefined;
  }

  async function askEmergency(audience) {
    let known = reach?.key === JSON.stringify(audience) ? reach : null;
    try {
      known = await net.request("notices.preview", { audience });
    } catch {
      // What is known has to do.
    }
    const who = known && audience.kind !== "event" ? peopleText(known.people) : "everyone it is for";
    return confirmDialog({
      id: "emergency-dialog", title: isNew ? "Send an emergency?" : "Correct as an emergency?", confirm: isNew ? "Send the emergency" : "Send the correction", danger: true,
      text: `It disturbs ${who}: at once, over whatever they do, also during a run and at night. Send it only when somebody is in danger.`,
    });
  }

  async function store(values, audience) {
    const details = detailsOfNotice(values, { isNew });
    if (!isNew) {
      base = await net.request("notices.correct", { notice: number, revision: base.notice.revision, ...details });
      return base;
    }
    const sent = await net.request("notices.publish", { id: clientId, audience, ...details });
    const { title, body = "", level } = sent.notice;
    const isSame = title === details.title.normalize("NFC") && body === (details.body ?? "").normalize("NFC") && level === details.level;
    // A try before this one arrived, and said something else: it is that notice.
    return isSame ? sent : net.request("notices.correct", { notice: sent.notice.number, revision: sent.notice.revision, title: details.title, ...(details.body && { body: details.body }), level: details.level });
  }

  async function refused(error) {
    if (error.code === conflict && error.data?.field === "revision") {
      try {
        base = await net.request("notices.status", { notice: number });
        setText(problem, `Somebody corrected this notice meanwhile. It says now: “${base.notice.title}”. Yours takes its place when you press the button again.`);
        return;
      } catch (again) {
        error = again;
      }
    }
    const field = fieldOfNoticeServer(error.data?.field);
    if (field) fields.setProblems({ [field]: error.message });
    else {
      const wait = error.data?.retryAfter > 0 ? ` Try again in ${Math.ceil(error.data.retryAfter)} s.` : "";
      setText(problem, ["offline", "timeout"].includes(error.code) ? `${error.message} What you wrote stays here: press the button again when the network is back, it stays one notice.` : `${error.message}${wait}`);
      problem.scrollIntoView({ block: "nearest" });
    }
  }

  const state = () => {
    previewed = null;
    if (net.state === "live") preview();
  };
  const leaveIfSignedOut = () => { if (!net.account) router.go("/", { replace: true }); };
  net.addEventListener("state", state);
  net.addEventListener("account", leaveIfSignedOut);
  addEventListener("pagehide", keep);
  load();
  return () => {
    keep();
    closed = true;
    clearTimeout(previewTimer);
    net.removeEventListener("state", state);
    net.removeEventListener("account", leaveIfSignedOut);
    removeEventListener("pagehide", keep);
  };
}
