// Fields that choose a workout, and buddies by their usernames. Their `signal` ends with the page or the dialog.

import { announce, h, toast } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { isOnlyOffline, whenLive } from "../kit/loadable.js";
import { loading } from "../kit/loading.js";
import { pictureAndName } from "../kit/person.js";

/** A group has at most 50 people, its host among them. */
export const invitedMax = 49;
const workoutsMax = 30;

/** Loads now, or without a connection when it is back; `fail(error)` gets any other error. Nothing is loaded after the end of `signal`. */
export function loadOnline(net, load, fail, signal) {
  if (signal.aborted) return;
  load().catch((error) => {
    if (signal.aborted) return undefined;
    if (!isOnlyOffline(error, net)) return fail(error);
    const stop = whenLive(net, () => {
      stop();
      signal.removeEventListener("abort", stop);
      loadOnline(net, load, fail, signal);
    });
    signal.addEventListener("abort", stop);
    return undefined;
  });
}

/** The buddies of the account as `people.known` names them, with usernames. */
async function loadBuddies(net) {
  const [{ buddies }, { people }] = await Promise.all([net.request("buddies.list"), net.request("people.known")]);
  const byAccount = new Map(people.map((person) => [person.account, person]));
  return buddies.flatMap(({ person }) => {
    const known = byAccount.get(person.account);
    return known ? [{ ...person, username: known.username }] : [];
  }).sort((one, other) => one.name.localeCompare(other.name));
}

/**
 * `{element, get value, get names}`: usernames of the chosen buddies; with `isSingle` at most one. `chosen` is a username that is chosen at
 * first; `without` are usernames that are not offered.
 */
export function makeBuddyPicker({ app, scope, signal, legend = "Buddies", name = "buddy", chosen = null, without = [], isSingle = false }) {
  const list = h("ul", { class: "picker", id: `${name}-list` });
  const status = loading(app.net);
  const names = new Map();
  const boxes = () => /** @type {HTMLInputElement[]} */ ([...list.querySelectorAll("input:checked")]);
  const row = (person) => h("li", {}, h("label", { class: "choice" }, ...pictureAndName(scope, person),
    h("input", { type: isSingle ? "radio" : "checkbox", name, value: person.username, checked: person.username === chosen,
      onchange: ({ currentTarget: box }) => { if (boxes().length > invitedMax) box.checked = false; } })));
  const load = async () => {
    const buddies = await loadBuddies(app.net);
    if (signal.aborted) return;
    const offered = buddies.filter(({ username }) => !without.includes(username));
    for (const { username, name: text } of offered) names.set(username, text);
    list.append(...offered.map(row));
    status.hidden = offered.length > 0;
    status.replaceChildren(...(buddies.length > 0 ? ["All your buddies are invited."]
      : ["You have no buddies yet. ", h("a", { href: "/buddies" }, "Find people to train with"), "."]));
  };
  loadOnline(app.net, load, (error) => { status.textContent = error.message; }, signal);
  return {
    element: h("fieldset", { class: "choices" }, h("legend", { class: "legend" }, legend), status, list),
    get value() { return boxes().map(({ value }) => value); },
    get names() { return boxes().map(({ value }) => names.get(value)); },
  };
}

/** `{element, get value, get title}`: the UUID of a workout of the account. `chosen` is one that is chosen at first. */
export function makeWorkoutPicker({ app, signal, chosen = null }) {
  const { net } = app;
  const list = h("ul", { class: "picker", id: "workout-list" });
  const status = loading(net);
  const titles = new Map();
  let next;
  const more = h("button", { class: "button wide", type: "button", id: "more-workouts", hidden: true, onclick: () => addMore() },
    "Show more");
  const row = ({ id, title, minutes, sets }) => {
    titles.set(id, title);
    return h("li", {}, h("label", { class: "choice" }, icon("strength"),
      h("span", { class: "grow" }, title, h("span", { class: "hint" }, `${minutes} min, ${count(sets, "set")}`)),
      h("input", { type: "radio", name: "workout", value: id, checked: id === chosen })));
  };
  const load = async () => {
    const [reply, preset] = await Promise.all([net.request("workouts.list", { limit: workoutsMax }),
      chosen ? net.request("workouts.get", { workout: chosen }) : null]);
    const first = preset ? [{ id: preset.id, title: preset.plan.title, minutes: preset.plan.minutes, sets: setsOf(preset.plan) }] : [];
    list.append(...first.map(row));
    add(reply);
    status.hidden = list.children.length > 0;
    status.replaceChildren("You have no workouts yet. ", h("a", { href: "/workouts" }, "Choose or make one"), ".");
  };
  const add = (reply) => {
    const added = reply.workouts.filter(({ id }) => !titles.has(id));
    list.append(...added.map(row));
    ({ next } = reply);
    more.hidden = !next;
    return added.length;
  };
  const addMore = async () => {
    more.disabled = true;
    try {
      const before = list.children.length;
      announce(`${count(add(await net.request("workouts.list", { limit: workoutsMax, before: next })), "more workout")}.`);
      /** @type {HTMLElement | null | undefined} */ (list.children[before]?.querySelector("input"))?.focus();
    } catch (error) {
      toast(error.message);
    } finally {
      more.disabled = false;
    }
  };
  loadOnline(net, load, (error) => { status.textContent = error.message; }, signal);
  const box = () => /** @type {HTMLInputElement | null} */ (list.querySelector("input:checked"));
  return {
    element: h("fieldset", { class: "choices" }, h("legend", { class: "legend" }, "Workout"), status, list, more),
    get value() { return box()?.value ?? null; },
    get title() { return titles.get(box()?.value) ?? "your workout"; },
  };
}

const setsOf = ({ sections }) => sections.flatMap(({ groups }) => groups).flatMap(({ entries }) => entries)
  .reduce((sum, { sets }) => sum + sets.length, 0);
