// Sharing where one is: with whom, how exactly, for how long. And another precision or end for a share that works.

import { announce, h, refocus, toast } from "../kit/dom.js";
import { geolocationProblem } from "../kit/geolocation.js";
import { icon } from "../kit/icons.js";
import { audienceName, endsText, rungName, seesText, untilText, withWhom } from "./words.js";
import { uuid } from "../client/uuid.js";
import { openDialog } from "../kit/dialog.js";
import { startToast } from "./bar.js";
import { makeDurations, makeRungs } from "./fields.js";
import { makeWhom } from "./whom.js";

const canPassOn = () => typeof navigator.share === "function";
/** Ends that differ by less are the same: a request takes its time. */
const endMilliseconds = 30_000;

/**
 * `start(wish)` begins a share, and gives what `sharing.start` gives. When a reply was lost and the same one is wished for again, it is
 * that share, however exactly and for how long it is wished for now: two of them, one of which nobody knows of, would be worse.
 */
export function makeStarting(sharing, clock) {
  let sent = { whom: null, clientId: null };
  return async function start({ precision, expiresIn, ...whom }) {
    const key = JSON.stringify(whom);
    if (sent.whom !== key) sent = { whom: key, clientId: uuid() };
    const begun = await sharing.start({ clientId: sent.clientId, ...whom, precision, expiresIn });
    if (begun.share.endedAt) {
      sent = { whom: null, clientId: null };
      return start({ precision, expiresIn, ...whom });
    }
    const isOther = Math.abs(Date.parse(begun.share.expiresAt) - clock.now() - expiresIn * 1000) > endMilliseconds;
    if (!isOther && begun.share.precision === precision) return begun;
    return { ...begun, share: await sharing.change(begun.share.id, { precision, expiresIn }) };
  };
}

/**
 * Opens the sheet. `person` (`{account, name}`) or `group` (`{id, name}`) is the person or group for which the sheet was
 * opened; `session` is the account's running session.
 */
export function openShareSheet(app, { person = null, group = null, session = null } = {}) {
  const { sharing, reporter, net, pictures } = app;
  if (!net.account) {
    app.router.go(`/login?next=${encodeURIComponent(location.pathname)}`);
    return;
  }
  const scope = pictures.scope();
  const whom = makeWhom({ app, scope, person, group });
  const rung = makeRungs({ legend: "How precise?" });
  const duration = makeDurations({ session });
  const problem = h("p", { class: "problem", role: "alert", id: "share-problem" });
  const submit = h("button", { class: "button primary big wide", type: "submit", id: "share-start" }, icon("share"), "Start sharing");
  const start = makeStarting(sharing, net.clock);

  const form = h("form", { class: "stack", id: "share-form", novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    problem.textContent = "";
    if (!whom.check()) return;
    submit.disabled = true;
    try {
      const begun = await start(
        { ...whom.value(), precision: rung.value, expiresIn: duration.seconds(), ...(duration.isWithSession && { session }) });
      reporter.setHere(true);
      if (begun.path) showLink(new URL(begun.path, location.origin).href, begun.share);
      else {
        dialog.close();
        const text = `Sharing with ${withWhom(begun.share)} ${endsText(begun.share, Date.now())}.`;
        toast(begun.share.invited ? `${text} ${audienceName(begun.share)} has to accept first.` : text,
          { key: startToast(begun.share) });
        announce(text);
      }
    } catch (error) {
      if (error.data?.field === "username") whom.refuse(error.message);
      else problem.textContent = error.message;
      submit.disabled = false;
      // A disabled button has lost the focus.
      refocus(submit);
    }
  } }, whom.element, rung.element, duration.element,
  h("p", { class: "notice small", id: "share-device" }, icon("phone"),
    h("span", {}, geolocationProblem()?.text
      ?? "This device sends your location while Campanile is open. Phones stop when the screen is off or another app is "
      + "open. Others see how old your location is.")),
  problem, submit);
  const dialog = openDialog({ id: "share-sheet", title: "Share my location", content: form });
  dialog.addEventListener("close", () => scope.close());

  function showLink(url, share) {
    const made = linkMade(url, share, { done: () => dialog.close() });
    dialog.querySelector("h2").textContent = "Your link";
    form.replaceWith(made);
    announce("Link ready.");
    made.querySelector("#share-link").focus();
  }
}

/** The link of a share that was begun, to copy or to send. */
function linkMade(url, share, { done }) {
  const problem = h("p", { class: "problem", role: "alert" });
  const field = h("input", { class: "input", id: "share-link", readonly: true, value: url, "aria-label": "The link",
    onfocus: ({ target }) => target.select() });
  const copy = h("button", { class: "button primary", type: "button", id: "share-copy", onclick: async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(url);
      copy.lastChild.textContent = "Copied";
      announce("Link copied.");
    } catch {
      problem.textContent = "Couldn't copy. The link is selected, so you can copy it yourself.";
    }
  } }, icon("copy"), h("span", {}, "Copy"));
  const send = canPassOn() ? h("button", { class: "button", type: "button", id: "share-send",
    onclick: () => navigator.share({ title: "My location", url }).catch(() => {}) }, icon("share"), "Send…") : null;
  return h("div", { class: "stack", id: "share-made" },
    h("p", {}, h("strong", {}, "Send it now: "),
      `you won't see it again. Anyone with the link ${seesText(share.precision)} ${endsText(share, Date.now())}.`),
    field,
    h("div", { class: "row link-actions" }, copy, send,
      h("button", { class: "button quiet", type: "button", id: "share-done", onclick: done }, "Done")),
    problem);
}

/** Another precision, or another end. */
export function openShareChange({ sharing }, share) {
  const rung = makeRungs({ name: "change-precision", value: share.precision });
  const duration = makeDurations({ name: "change-duration", keep: `No change, ${untilText(share.expiresAt, Date.now())}` });
  const problem = h("p", { class: "problem", role: "alert" });
  const submit = h("button", { class: "button primary", type: "submit", id: "change-save" }, "Save");
  const form = h("form", { class: "stack", onsubmit: async (event) => {
    event.preventDefault();
    problem.textContent = "";
    const seconds = duration.seconds();
    const changes = { ...(rung.value !== share.precision && { precision: rung.value }), ...(seconds !== null && { expiresIn: seconds }) };
    if (Object.keys(changes).length === 0) return dialog.close();
    submit.disabled = true;
    try {
      const changed = await sharing.change(share.id, changes);
      dialog.close();
      toast(`${audienceName(changed)}: ${rungName(changed.precision)}, ${untilText(changed.expiresAt, Date.now())}.`,
        { key: startToast(changed) });
    } catch (error) {
      problem.textContent = error.message;
      submit.disabled = false;
    }
    return undefined;
  } }, rung.element, duration.element, problem, h("div", { class: "row dialog-actions" }, submit));
  const dialog = openDialog({ id: "share-change", title: `Sharing with ${withWhom(share)}`, content: form });
}
