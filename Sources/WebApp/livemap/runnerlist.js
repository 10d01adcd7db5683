// The list of runners in view: the map's accessible twin. Rows are kept and updated in place, so focus and scroll stay put.

import { h, setText } from "../kit/dom.js";
import { ago, count, hms, km, stateNames } from "../kit/format.js";
import { icon, markIcon } from "../kit/icons.js";
import { shownState, stateText } from "../kit/livestate.js";
import { emptyWords } from "./emptywords.js";
import { runnerColour } from "../map/palette.js";
import { currentTheme } from "../kit/theme.js";
import { speedParts } from "../kit/units.js";

const rowsMax = 100;
const collator = new Intl.Collator("en", { sensitivity: "base", numeric: true });

/**
 * `{element, update()}`; `onSelect(session)` is called when a row is chosen, `followed()` gives the followed session. `isSeen(runner)` is
 * whether a runner is in view, `seesCampus()` whether the whole campus is.
 */
export function makeRunnerList({ roster, net, onSelect, followed, isSeen, seesCampus }) {
  const order = new NameOrder();
  const rows = new Map();
  const search = h("input", {
    class: "input", type: "search", id: "runner-search", placeholder: "Search by name", "aria-label": "Search runners in view by name",
    autocomplete: "off", oninput: () => update(),
  });
  const filter = h("select", { id: "runner-filter", "aria-label": "Show", onchange: () => update() },
    h("option", { value: "" }, "All states"),
    ...["moving", "stationary", "paused", "offline"].map((state) => h("option", { value: state }, stateNames[state])));
  const list = h("ul", { class: "runner-list", id: "runner-list", "aria-label": "Runners in view" });
  const more = h("p", { class: "muted small more" });
  const empty = h("div", { class: "empty small-empty", id: "runners-empty", hidden: true });
  const element = h("div", { class: "runner-panel" },
    h("div", { class: "filters" }, h("div", { class: "search" }, icon("search"), search), filter), list, more, empty);

  function matching() {
    const words = search.value.trim().toLowerCase();
    return order.of(roster.entries)
      .map((session) => roster.entries.get(session).runner)
      .filter((runner) => isSeen(runner)
        && (!words || [runner.name, runner.username, runner.title].some((text) => (text ?? "").toLowerCase().includes(words)))
        && (!filter.value || runner.state === filter.value));
  }

  let hasCrowds = false;

  /** `hasCrowds`: whether crowds are in view, which the list does not have; as last given unless given. */
  function update(given = { hasCrowds }) {
    ({ hasCrowds } = given);
    const found = matching();
    const shown = found.slice(0, rowsMax);
    const wanted = new Set(shown.map((runner) => runner.session));
    for (const [session, row] of rows) {
      if (wanted.has(session)) continue;
      row.item.remove();
      rows.delete(session);
    }
    shown.forEach((runner, index) => {
      let row = rows.get(runner.session);
      if (!row) {
        row = makeRow(runner, onSelect);
        rows.set(runner.session, row);
      }
      fillRow(row, runner, { roster, net, isFollowed: followed() === runner.session });
      if (list.children[index] !== row.item) list.insertBefore(row.item, list.children[index] ?? null);
    });
    const left = found.length - shown.length;
    setText(more, left > 0 ? `And ${count(left, "more", "more")} in view. Search, or zoom in, to narrow the list.` : "");
    drawEmpty(found.length);
  }

  function drawEmpty(found) {
    empty.hidden = found > 0 || (hasCrowds && !search.value && !filter.value);
    list.hidden = found === 0;
    if (found > 0) return;
    const isFiltered = Boolean(search.value.trim() || filter.value);
    const [title, text] = emptyWords({ roster, net, isFiltered, hasCampus: seesCampus() });
    if (empty.dataset.title === title) return;
    empty.dataset.title = title;
    empty.replaceChildren(h("h2", {}, title), h("p", { class: "muted" }, text));
  }

  return { element, update, search };
}

/** Sessions by name. Names mostly stay, so only new and renamed runners are put in order: with many runners sorting would be felt. */
class NameOrder {
  #runners = [];
  /** session → the name by which it is sorted. */
  #known = new Map();

  /** All of `entries`, in order. */
  of(entries) {
    const added = [];
    const renamed = new Set();
    for (const [session, { runner: { name } }] of entries) {
      const before = this.#known.get(session);
      if (before === name) continue;
      if (before !== undefined) renamed.add(session);
      this.#known.set(session, name);
      added.push({ session, name });
    }
    if (this.#known.size > entries.size || renamed.size > 0) {
      this.#runners = this.#runners.filter(({ session }) => (entries.has(session) ? !renamed.has(session) : !this.#known.delete(session)));
    }
    if (added.length > 0) this.#merge(added.sort(byName));
    return this.#runners.map(({ session }) => session);
  }

  #merge(added) {
    const merged = [];
    let next = 0;
    for (const runner of this.#runners) {
      while (next < added.length && byName(added[next], runner) < 0) merged.push(added[next++]);
      merged.push(runner);
    }
    this.#runners = merged.concat(added.slice(next));
  }
}

function byName(a, b) {
  return collator.compare(a.name, b.name) || a.session - b.session;
}

function makeRow(runner, onSelect) {
  const mark = h("span", { class: "runner-mark", "aria-hidden": "true" });
  const name = h("span", { class: "runner-name" });
  const state = h("span", { class: "runner-state" });
  const figure = () => h("span", { class: "number" });
  const figures = { distance: figure(), time: figure(), speed: figure() };
  const button = h("button", {
    class: "runner-row", type: "button", dataset: { session: runner.session }, onclick: () => onSelect(runner.session),
  }, mark, h("span", { class: "runner-who" }, name, state),
  h("span", { class: "runner-figures" }, figures.distance, figures.time, figures.speed));
  return { item: h("li", {}, button), button, mark, name, state, figures, drawn: "" };
}

function fillRow(row, runner, { roster, net, isFollowed }) {
  const theme = currentTheme();
  const isLive = net.state === "live";
  const state = shownState(runner.state, isLive);
  const key = `${runner.state} ${state} ${theme}`;
  if (row.drawn !== key) {
    row.drawn = key;
    const { fill, ink } = runnerColour(runner.session, theme);
    row.mark.replaceChildren(markIcon(state));
    row.mark.dataset.state = row.button.dataset.state = state;
    row.mark.style.setProperty("--mark", fill);
    row.mark.style.setProperty("--mark-ink", ink);
  }
  setText(row.name, runner.name);
  setText(row.state, `${stateText(runner.state, isLive)} · ${ago(net.clock.age(runner.at))}`);
  setText(row.figures.distance, `${km(runner.distance)} km`);
  setText(row.figures.time, hms(roster.elapsed(runner)));
  setText(row.figures.speed, speedParts(runner.averageSpeed, runner.activity).short);
  const current = String(isFollowed);
  if (row.button.getAttribute("aria-current") !== current) row.button.setAttribute("aria-current", current);
}
