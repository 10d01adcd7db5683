// Of what one is reminded by which way, how long before, and how much it says.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { channels, kinds, leadChoices, leadLabel, leadsMax, minutesProblem, switched } from "./words.js";
import { makeSwitch } from "../kit/fields.js";
import { makeField } from "../kit/form.js";
import { makeSaved } from "../kit/saved.js";

/** `{element, draw(settings)}`; `taken(settings)` gets what the server says after each change. */
export function makeReminderChoices({ app, taken }) {
  const { net } = app;
  let settings = null;
  const saved = { matrix: makeSaved(), leads: makeSaved(), unread: makeSaved(), hides: makeSaved() };

  async function save(which, change) {
    const before = settings;
    settings = { ...settings, ...change };
    const result = await saved[which].run(() => net.request("reminders.saveSettings", change));
    // What came meanwhile is newer than this answer.
    if (result) taken(result);
    else draw(before);
  }

  // MARK: kinds × channels

  const boxes = new Map();
  const head = h("tr", {}, h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "Of what")), ...channels.map(({ id, label, icon: name }) => h("th", { scope: "col", dataset: { channel: id } }, icon(name), h("span", {}, label))));
  const rows = kinds.map(({ id, label, hint }) => h("tr", {}, h("th", { scope: "row" }, h("strong", {}, label), h("span", { class: "hint" }, hint)), ...channels.map((channel) => {
    const input = h("input", { type: "checkbox", id: `remind-${id}-${channel.id}`, "aria-label": `${label} by ${channel.label.toLowerCase()}`, onchange: () => save("matrix", { kinds: switched(settings.kinds, id, channel.id, input.checked) }) });
    boxes.set(`${id}-${channel.id}`, input);
    return h("td", { dataset: { channel: channel.id } }, h("label", { class: "box" }, input));
  })));
  const matrixNote = h("p", { class: "hint", id: "matrix-note" });

  // MARK: the rest

  const leadButtons = h("div", { class: "chip-buttons", role: "group", "aria-label": "How long before an event" });
  const leadsNote = h("p", { class: "hint" });
  const minutes = makeField({ name: "unread", label: "Mail or text me of a message that is unread for", inputmode: "numeric", autocomplete: "off", maxlength: 4, hint: "Minutes. Browsers are told at once." });
  minutes.input.addEventListener("change", () => {
    const wrong = minutesProblem(minutes.input.value);
    minutes.setProblem(wrong);
    if (!wrong) save("unread", { unreadMinutes: Number(minutes.input.value) });
  });
  const hides = makeSwitch({ id: "hides-text", label: "Hide the text", hint: "Reminders in browsers say who wrote, and not what.", changed: (isOn) => save("hides", { hidesText: isOn }) });

  const element = h("div", { class: "stack" },
    h("section", { class: "card stack", "aria-labelledby": "matrix-title" }, h("h2", { id: "matrix-title" }, "What to remind you of"), h("div", { class: "matrix-wrap" }, h("table", { class: "matrix", id: "reminder-matrix" }, h("thead", {}, head), h("tbody", {}, ...rows))), matrixNote, saved.matrix.element),
    h("section", { class: "card stack", "aria-labelledby": "leads-title" }, h("h2", { id: "leads-title" }, "Before an event begins"), leadsNote, leadButtons, saved.leads.element),
    h("section", { class: "card stack" }, h("h2", {}, "Messages"), h("div", { class: "narrow-field" }, minutes.element), saved.unread.element, hides.element, saved.hides.element));

  function draw(next) {
    settings = next;
    const stateOf = (id) => settings.channels.find(({ channel }) => channel === id)?.state ?? "unavailable";
    for (const choice of settings.kinds) {
      for (const { id } of channels) {
        const box = boxes.get(`${choice.kind}-${id}`);
        if (!box) continue;
        box.checked = choice.channels.includes(id);
        box.disabled = stateOf(id) === "unavailable";
      }
    }
    for (const cell of element.querySelectorAll("[data-channel]")) cell.classList.toggle("is-off", stateOf(cell.dataset.channel) !== "on");
    const idle = channels.filter(({ id }) => !["on", "unavailable"].includes(stateOf(id))).map(({ label }) => label.toLowerCase());
    const isNone = channels.every(({ id }) => stateOf(id) === "unavailable");
    matrixNote.textContent = isNone ? "This server sends no reminders: no way is set up. Ask who runs it." : idle.length === 0 ? "" : `What is chosen for ${idle.join(" and ")} counts once that is on, above.`;
    drawLeads();
    if (document.activeElement !== minutes.input) minutes.input.value = String(settings.unreadMinutes);
    hides.input.checked = settings.hidesText;
  }

  function drawLeads() {
    const chosen = settings.leads;
    const focused = leadButtons.contains(document.activeElement) ? document.activeElement.dataset.minutes : null;
    const all = [...new Set([...leadChoices.map(({ minutes: value }) => value), ...chosen])].sort((a, b) => a - b);
    leadsNote.textContent = chosen.length === 0 ? "No reminder before events: choose how long before." : `${chosen.length} of ${leadsMax} chosen.`;
    leadButtons.replaceChildren(...all.map((value) => {
      const isChosen = chosen.includes(value);
      const isFull = !isChosen && chosen.length >= leadsMax;
      return h("button", { class: "chip-button", type: "button", dataset: { minutes: value }, "aria-pressed": String(isChosen), "aria-disabled": isFull ? "true" : null, onclick: () => {
        if (isFull) return saved.leads.say(`${leadsMax} are chosen already. Take one away first.`, "bad");
        return save("leads", { leads: (isChosen ? chosen.filter((other) => other !== value) : [...chosen, value]).sort((a, b) => b - a) });
      } }, icon("tick"), leadLabel(value));
    }));
    if (focused) leadButtons.querySelector(`[data-minutes="${focused}"]`)?.focus({ preventScroll: true });
  }

  return { element, draw };
}
