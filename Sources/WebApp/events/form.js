// Making an event, and changing one (C-4).

import { confirmDialog, h, setText, toast } from "../kit/dom.js";
import { readEventDraft, writeEventDraft } from "./drafts.js";
import { detailsOf, emptyValues, eventProblems, fieldOfServer, sameDetails, valuesOf } from "./formvalues.js";
import { timeOf } from "./times.js";
import { closedReason, differences } from "./words.js";
import { count, dayText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { uuid } from "../kit/uuid.js";
import { makeEventFields } from "./fields.js";
import { loading } from "../kit/loading.js";

const keepAfterMilliseconds = 300;
const conflict = 1004;

/** Serves `/events/new` and `/events/:id/edit`. */
export function show(root, { id: given }, app) {
  const { net, events, router } = app;
  const id = given === undefined ? null : Number(given);
  const backPath = id === null ? "/events" : `/events/${id}`;
  if (!net.account) {
    router.go(`/login?next=${encodeURIComponent(location.pathname)}`, { replace: true });
    return undefined;
  }
  const account = net.account.id;
  let fields = null;
  /** What the server has, of an event that is changed. */
  let base = null;
  let options = null;
  /** The same for each try, so that it is one event however often it is sent. */
  let clientId = uuid();
  let keepTimer = 0;
  let isTouched = false;
  let isSending = false;
  let closed = false;

  const place = h("div", { class: "stack" });
  root.append(h("div", { class: "page stack event-form-page" }, h("p", {}, h("a", { href: backPath, class: "back" }, id === null ? "← Events" : "← The event")), h("h1", { tabindex: "-1" }, id === null ? "New event" : "Edit event"), place));

  async function load() {
    place.replaceChildren(loading(net));
    try {
      const [choices, found] = await Promise.all([events.options(), id === null ? null : events.get(id)]);
      if (closed) return;
      options = choices;
      base = found;
      const reason = found && (found.mine.owns ? found.state !== "draft" && closedReason(found, net.clock.now()) : "Only who made an event can change it.");
      if (reason) place.replaceChildren(h("p", { class: "notice warn", id: "event-form-closed" }, icon("warning"), reason), h("p", {}, h("a", { class: "button", href: backPath }, "Back")));
      else draw();
    } catch (error) {
      if (closed) return;
      place.replaceChildren(h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, error.code === 1003 ? "There is no such event, or it is not open to you." : error.message)),
        h("p", {}, error.isTransient ? h("button", { class: "button", type: "button", onclick: () => load() }, "Try again") : h("a", { class: "button", href: "/events" }, "To the events")));
    }
  }

  // MARK: what was begun

  const original = () => (base ? valuesOf(base) : emptyValues(net.clock.now()));

  /** Who writes is still the one at this device, or comes back to it. */
  const isTheirs = () => (net.account?.id ?? net.returning) === account;

  function keep() {
    clearTimeout(keepTimer);
    if (closed || !isTouched || !fields || !isTheirs()) return;
    writeEventDraft(account, id, { clientId, revision: base?.revision ?? null, values: fields.values, at: Date.now() });
  }

  function touched() {
    isTouched = true;
    setText(problem, "");
    clearTimeout(keepTimer);
    keepTimer = setTimeout(keep, keepAfterMilliseconds);
  }

  function forget() {
    clearTimeout(keepTimer);
    isTouched = false;
    writeEventDraft(account, id, null);
  }

  // MARK: drawing

  const problem = h("p", { class: "problem", role: "alert", id: "event-form-problem" });
  const banner = h("div", { class: "stack" });
  const conflictPlace = h("div", {});
  let submits = [];

  function draw() {
    const kept = readEventDraft(account, id);
    const values = { ...original(), ...kept?.values };
    if (kept?.clientId) ({ clientId } = kept);
    isTouched = Boolean(kept);
    fields = makeEventFields({ app, values, workouts: options.workouts, mayAnnounce: options.mayAnnounce, isNew: id === null, changed: touched });
    const isDraft = !base || base.state === "draft";
    const publish = h("button", { class: "button primary big", type: "submit", id: "publish" }, icon("send"), isDraft ? "Publish" : "Save changes");
    const draft = isDraft ? h("button", { class: "button big", type: "button", id: "save-draft", onclick: () => send(false) }, "Save as draft") : null;
    submits = [publish, draft].filter(Boolean);
    const told = base ? base.going + base.maybe + base.waiting : 0;
    banner.replaceChildren(...(kept ? [h("div", { class: "notice", id: "draft-note" }, icon("edit"), h("div", { class: "grow" }, `What you wrote on ${dayText(kept.at)}, ${timeText(kept.at)} is back.`), h("button", { class: "button small-button", type: "button", id: "start-afresh", onclick: afresh }, "Start afresh"))] : []));
    const form = h("form", { id: "event-form", class: "stack", novalidate: true, onsubmit: (event) => {
      event.preventDefault();
      send(true);
    } }, fields.element, h("div", { class: "save-bar" }, conflictPlace, problem,
      h("p", { class: "hint" }, isDraft ? "A draft is seen by nobody else." : told > 0 ? told === 1 ? "The person who answered is told of the change." : `${count(told, "person", "people")} who answered are told of the change.` : "Who has to do with it is told of the change."),
      h("div", { class: "row" }, publish, draft)));
    place.replaceChildren(banner, form);
    // It was changed while the draft lay here.
    if (base && kept && kept.revision !== null && kept.revision !== base.revision) drawConflict(base);
  }

  async function afresh() {
    const sure = await confirmDialog({ id: "afresh-dialog", title: "Start afresh?", text: id === null ? "What you wrote here goes." : "Your changes go; the event stays as it is.", confirm: "Start afresh", danger: true });
    if (!sure || closed) return;
    forget();
    clientId = uuid();
    banner.replaceChildren();
    conflictPlace.replaceChildren();
    fields.set(original());
  }

  /** Somebody changed the event meanwhile: both are shown, and one is chosen. */
  function drawConflict(theirs) {
    const { values } = fields;
    const mine = { ...detailsOf(values), ...(timeOf(values.date, values.time) === null && { startsAt: theirs.details.startsAt }) };
    const changes = differences(mine, theirs.details, { workouts: options.workouts, now: net.clock.now() });
    conflictPlace.replaceChildren(h("div", { class: "notice warn conflict", id: "event-conflict", role: "alert", tabindex: "-1" }, icon("warning"), h("div", { class: "grow stack" },
      h("div", {}, h("strong", {}, "Somebody changed this event meanwhile. "), changes.length === 0 ? "It says the same as yours." : "Choose what it is to be:"),
      h("ul", { class: "change-list" }, ...changes.map(({ field, was, is }) => h("li", {}, h("strong", {}, field), `: yours is “${was}”, theirs “${is}”.`))),
      h("div", { class: "row" },
        h("button", { class: "button small-button", type: "button", id: "keep-mine", onclick: () => {
          base = theirs;
          conflictPlace.replaceChildren();
          keep();
          send(true);
        } }, "Save mine"),
        h("button", { class: "button small-button", type: "button", id: "take-theirs", onclick: () => {
          base = theirs;
          forget();
          conflictPlace.replaceChildren();
          banner.replaceChildren();
          fields.set(valuesOf(theirs));
        } }, "Take theirs")))));
  }

  // MARK: sending

  async function send(publish) {
    if (isSending) return;
    const { values } = fields;
    const problems = eventProblems(values, net.clock.now());
    fields.setProblems(problems);
    setText(problem, "");
    if (Object.keys(problems).length > 0) return;
    keep();
    isSending = true;
    for (const button of submits) button.disabled = true;
    try {
      const wasPublished = base?.state === "published";
      const event = await store(values, publish);
      forget();
      if (closed) return;
      toast(event.state === "draft" ? "The draft is saved." : wasPublished ? "Saved, and all are told." : "Published.");
      router.go(`/events/${event.id}`, { replace: true });
    } catch (error) {
      if (!closed) await refused(error);
    } finally {
      isSending = false;
      for (const button of submits) button.disabled = false;
    }
  }

  async function store(values, publish) {
    const details = detailsOf(values);
    let event;
    if (id === null) {
      event = await events.create({ id: clientId, audience: values.audience, details, publish });
      // A try before this one arrived, and said something else: it is that event.
      if (!sameDetails(event.details, details)) event = await events.update(event.id, event.revision, details);
    } else {
      event = sameDetails(base.details, details) ? base : await events.update(id, base.revision, details);
      base = event;
    }
    return publish && event.state === "draft" ? events.publish(event.id) : event;
  }

  async function refused(error) {
    const field = fieldOfServer(error.data?.field);
    if (error.code === conflict && error.data?.field === "revision") {
      try {
        const theirs = await events.get(id);
        if (closed) return;
        drawConflict(theirs);
        document.getElementById("event-conflict").focus();
        return;
      } catch (again) {
        error = again;
      }
    }
    if (field) fields.setProblems({ [field]: error.message });
    else {
      const wait = error.data?.retryAfter > 0 ? ` Try again in ${Math.ceil(error.data.retryAfter)} s.` : "";
      setText(problem, ["offline", "timeout"].includes(error.code) ? `${error.message} What you wrote stays here: press the button again when the network is back, it stays one event.` : `${error.message}${wait}`);
      problem.scrollIntoView({ block: "nearest" });
    }
  }

  const taken = ({ detail }) => {
    if (detail.id !== id || isSending || !base || detail.revision <= base.revision) return;
    if (detail.state === "cancelled") return load();
    return isTouched ? drawConflict(detail) : (base = detail, fields?.set(valuesOf(detail)));
  };
  const leaveIfSignedOut = () => { if (!net.account) router.go("/", { replace: true }); };
  events.addEventListener("event", taken);
  net.addEventListener("account", leaveIfSignedOut);
  addEventListener("pagehide", keep);
  load();
  return () => {
    keep();
    closed = true;
    fields?.close();
    events.removeEventListener("event", taken);
    net.removeEventListener("account", leaveIfSignedOut);
    removeEventListener("pagehide", keep);
  };
}
