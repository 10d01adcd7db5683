// The stored data of a person: each kind with its amount and retention, and the way to see or erase it.

import { followWaiting } from "../connection/waitingmethods.js";
import { announce, confirmDialog, h, toast } from "../kit/dom.js";
import { keptInOrder } from "./words.js";
import { makeLoadable } from "../kit/loadable.js";
import { waitingText } from "../kit/saved.js";

/** `{element, load(), countOf(kind), returned(), close()}`. */
export function makeKeptData({ app }) {
  const { net, router } = app;
  const place = h("div", { class: "stack" });
  const ended = new AbortController();
  let kept = [];
  const loadable = makeLoadable({ net, fetch: () => net.read("account.data"), draw(result) {
    ({ kept } = result);
    draw();
  } });

  function draw() {
    const { some, none } = keptInOrder(kept);
    const focusedRow = /** @type {HTMLElement | null} */ (document.activeElement?.closest?.("#kept [data-kind]"));
    const focused = focusedRow?.dataset.kind;
    place.replaceChildren(
      h("ul", { class: "rows kept-list", id: "kept-list" }, ...some.map(row)),
      none.length === 0 ? "" : h("details", { id: "kept-none" }, h("summary", {}, "Nothing stored for these"),
        h("p", { class: "muted kept-none" }, `${none.map(({ label }) => label).join(", ")}.`)));
    if (focused) place.querySelector(`[data-kind="${focused}"] :is(button, a)`)?.focus({ preventScroll: true });
  }

  function row(one) {
    const { kind, label, page, noun, count, time, erase } = one;
    const leads = page !== null && page !== "/settings/privacy" && router.match(page) !== null;
    return h("li", { class: "row-item kept-row", dataset: { kind } },
      h("div", { class: "grow" }, h("strong", {}, label),
        h("p", { class: "muted small" }, hintText(one, net.writes.waiting.some(isErasureOf(kind))))),
      h("span", { class: "kept-count number", "aria-label": `${count} stored` }, count.toLocaleString("en")),
      h("span", { class: "kept-do" }, erase
        ? h("button", { class: "button quiet danger", type: "button", "aria-label": `Delete all ${noun}`, onclick: () => eraseAll(one) },
          "Delete")
        : leads ? h("a", { class: "button quiet", href: page, "aria-label": `Open ${label}` }, "Open")
          : h("span", { class: "muted small" }, page === "/settings/privacy" ? "on this page" : time === "as long as your account"
            ? "with your account" : "goes by itself")));
  }

  async function eraseAll({ label, noun, count, erase }) {
    const sure = await confirmDialog(
      { id: "erase-dialog", title: `Delete all ${noun}?`,
        text: `${label}: ${count.toLocaleString("en")}. This can't be undone.`, confirm: "Delete all",
        danger: true });
    if (!sure) return;
    try {
      if (!await eraseNow(net, erase)) return;
      toast(`All ${noun} deleted.`);
      announce(`All ${noun} deleted.`);
    } catch (error) {
      toast(error.message);
    }
    loadable.load();
  }

  followWaiting(net.writes, isErasure, () => loadable.load(), ended.signal);
  loadable.load();
  return {
    element: h("section", { class: "card stack", id: "kept", "aria-labelledby": "kept-title" },
      h("h2", { id: "kept-title" }, "Your data"),
      h("p", { class: "muted" },
        "What Campanile stores about you, and for how long. Your latest location isn't stored: it's forgotten after "
        + "15 minutes without a new one, and a pin after 2 hours."), loadable.element, place),
    load: loadable.load,
    countOf: (kind) => kept.find((one) => one.kind === kind)?.count ?? 0,
    returned: loadable.load,
    close() {
      ended.abort();
      loadable.close();
    },
  };
}

/** Whether a change erases all of a kind. */
const isErasure = ({ method, subject }) => method === "visits.erase" || (method === "searches.erase" && subject === "all");

/** Resolves to null when it waits. Saved places do not: those that were added meanwhile would be deleted later, too. */
function eraseNow(net, erase) {
  const at = new Date(net.clock.now()).toISOString();
  return erase === "saved.remove" ? net.request(erase) : net.writes.write(erase, { at });
}

const isErasureOf = (kind) => (change) => isErasure(change) && change.method === `${kind}.erase`;

function hintText({ hint, time }, isWaiting) {
  return [hint, `stored ${time === "as long as your account" ? time : `for ${time}`}`, isWaiting ? waitingText : null]
    .filter(Boolean).join(" · ");
}
