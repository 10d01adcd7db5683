// Starts a live group: the workout, the people, and whether they see the heart-rate zone.

import { uuid } from "../client/uuid.js";
import { h, keepFocus } from "../kit/dom.js";
import { makeRadios, makeSwitch } from "../kit/fields.js";
import { icon } from "../kit/icons.js";
import { loading } from "../kit/loading.js";
import { groupMark } from "../kit/person.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { loadOnline, makeBuddyPicker, makeWorkoutPicker } from "./choose.js";
import { zoneHint } from "./words.js";

await loadStyles("/app/together/together.css");

const whom = [{ id: "buddies", label: "Buddies" }, { id: "conversation", label: "A group chat" }, { id: "event", label: "An event" }];
const eventsMax = 20;

/** Serves `/together/new?workout=&buddy=`. */
export function show(root, { query }, app) {
  if (!requireSignIn(app, location.pathname + location.search)) return undefined;
  const end = new AbortController();
  const scope = app.pictures.scope();
  leaveWhenSignedOut(app, end.signal);
  root.append(h("div", { class: "page stack group-page" }, h("a", { class: "back", href: "/together" }, "← Train together"),
    h("h1", { tabindex: "-1" }, "New group"),
    h("p", { class: "muted" }, "Everyone does the same workout, in one place or apart, and sees how far the others are."),
    makeNewForm(app, scope, end.signal, { workout: query?.get("workout") || null, buddy: query?.get("buddy") || null })));
  return () => {
    end.abort();
    scope.close();
  };
}

function makeNewForm(app, scope, signal, { workout, buddy }) {
  const { net, router } = app;
  // The same group, however often the request is sent.
  const id = uuid();
  const workouts = makeWorkoutPicker({ app, signal, chosen: workout });
  const parts = {
    buddies: makeBuddyPicker({ app, scope, signal, legend: "Which buddies?", chosen: buddy }),
    conversation: conversationField(app, signal), event: eventField(app, signal),
  };
  const draw = (shown) => { for (const [name, { element }] of Object.entries(parts)) element.hidden = name !== shown; };
  const radios = makeRadios({ name: "whom", label: "Train with", options: whom, value: "buddies", isColumn: true, changed: draw });
  const zone = makeSwitch({ id: "shares-zone", label: "Share my heart-rate zone", hint: zoneHint });
  const problem = h("p", { class: "problem", role: "alert", id: "new-group-problem" });
  const submit = h("button", { class: "button primary big wide", type: "submit", id: "new-group-submit" }, "Invite");
  draw("buddies");
  return h("form", { class: "stack", id: "new-group", novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    const chosen = parts[radios.value].value;
    problem.textContent = !workouts.value ? "Choose a workout."
      : chosen === null || chosen.length === 0 ? { buddies: "Choose at least one buddy.", conversation: "Choose a group chat.",
        event: "Choose an event." }[radios.value] : "";
    if (problem.textContent) return;
    submit.disabled = true;
    const people = radios.value === "buddies" ? { invite: chosen } : { [radios.value]: Number(chosen) };
    try {
      await net.request("together.create", { id, workout: workouts.value, ...people, sharesZone: zone.input.checked });
      router.go(`/together/${id}`, { replace: true });
    } catch (error) {
      problem.textContent = error.message;
      submit.disabled = false;
    }
  } },
  h("div", { class: "card stack" }, workouts.element),
  h("div", { class: "card stack" }, radios.element, ...Object.values(parts).map(({ element }) => element)),
  h("div", { class: "card stack" }, zone.element, h("p", { class: "hint" },
    "Everyone in the group sees your name, exercise, set and rests.")),
  problem, submit);
}

/** `{element, get value}`: a group conversation, by its number. The list of chats may load after this page. */
function conversationField({ chat, net }, signal) {
  const field = radioList({ net, name: "conversation", legend: "Which group chat?" });
  const draw = () => {
    const { inbox, problem } = chat;
    if (!inbox.isLoaded) return problem && field.fill([], problem.message);
    const groups = inbox.ordered.filter(({ kind, state }) => kind === "group" && state !== "invited");
    return field.fill(groups.map(({ id, name }) => ({ id, name, mark: () => groupMark({ size: 36 }), hint: "All members are invited" })),
      "You're not in a group chat. Create one in ", h("a", { href: "/chats" }, "Chats"), ".");
  };
  chat.addEventListener("change", draw, { signal });
  draw();
  return field;
}

/** `{element, get value}`: an event that the account takes part in, by its number. */
function eventField({ net }, signal) {
  const field = radioList({ net, name: "event", legend: "Which event?" });
  loadOnline(net, async () => {
    const { events } = await net.request("events.list", { which: "coming", limit: eventsMax });
    field.fill(events.map(({ id, details: { title }, mine }) => ({
      id, name: title, mark: () => icon("events"),
      hint: mine.owns ? "Everyone taking part is invited" : "Your buddies taking part are invited",
    })),
      "You have no coming events. ", h("a", { href: "/events" }, "Find one"), ".");
  }, (error) => field.fill([], error.message), signal);
  return field;
}

/** `{element, fill(rows, ...none), get value}`: `none` is what stands there without rows. */
function radioList({ net, name, legend }) {
  const list = h("ul", { class: "picker", id: `${name}-list` });
  const status = loading(net);
  const checked = () => /** @type {HTMLInputElement | null} */ (list.querySelector("input:checked"));
  let drawn = "[]";
  const fill = (rows, ...none) => {
    status.replaceChildren(...none);
    status.hidden = rows.length > 0;
    const key = JSON.stringify(rows.map(({ id, name: label }) => [id, label]));
    if (key === drawn) return;
    drawn = key;
    const chosen = checked()?.value;
    keepFocus(list, () => list.replaceChildren(...rows.map(({ id, name: label, mark, hint }) => h("li", {},
      h("label", { class: "choice" }, mark(), h("span", { class: "grow" }, label, h("span", { class: "hint" }, hint)),
        h("input", { type: "radio", name: `${name}-choice`, value: id, checked: String(id) === chosen }))))), checked);
  };
  return {
    element: h("fieldset", { class: "choices" }, h("legend", { class: "legend" }, legend), status, list), fill,
    get value() { return checked()?.value ?? null; },
  };
}
