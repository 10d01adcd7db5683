// A chart of days with its figures as a table. Chart.js is loaded when the first chart comes into view; the table is drawn when it is
// opened.

import { h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { loadStyles } from "../kit/styles.js";
import { dayOf, numberOf, wordsOf } from "./days.js";
import { loadCharts } from "./library.js";
import { pointsOf, summaryOf, withFigures } from "./series.js";

const stylesLoaded = loadStyles("/app/charts/charts.css");
/** A chart this far below the screen is drawn already. */
const drawnAheadPixels = 200;
const ticksMax = 7;
const colours = ["--accent", "--read", "--good"];
const figureText = (value) => value.toLocaleString("en", { maximumFractionDigits: 2 });

/**
 * `{element, draw(rows, options), close()}`. `names` are those of the series, `kind` is `bar` or `line`; a line spans gaps of up to
 * `gapDays`. `unit` stands behind each figure, `format` writes one. `draw` takes rows as of `daily` and `weekly`, and `{goal}`, a line
 * across the chart. `empty` is shown in place of a chart without figures. `firstColumn`, also of `draw`, heads the days of the table.
 */
export function makeChart(options) {
  return new ChartOfDays(options);
}

class ChartOfDays {
  element;

  /** @type {any} */
  #options;
  #rows = [];
  #goal = null;
  #chart = null;
  #isInView = false;
  #isClosed = false;
  #observer;
  #canvas = h("canvas", { role: "img" });
  #frame = h("div", { class: "chart-frame" }, this.#canvas);
  #empty = h("p", { class: "muted chart-empty", hidden: true });
  #problem = h("p", { class: "muted", role: "status", hidden: true });
  #table = h("div", { class: "chart-table", tabindex: "0", role: "group", hidden: true });
  #toggle;
  #toggleText = h("span", {}, "Show as table");
  #theme = new MutationObserver(() => this.#drawChart());
  #scheme = matchMedia("(prefers-color-scheme: dark)");
  #schemeChanged = () => this.#drawChart();

  constructor({ format = figureText, unit = "", gapDays = 7, firstColumn = "Day", empty = "Nothing in this time.", ...options }) {
    this.#options = { format, unit, gapDays, firstColumn, ...options };
    setText(this.#empty, empty);
    this.#table.setAttribute("aria-label", `${options.label} as a table`);
    this.#toggle = h("button", { class: "button quiet small-button chart-toggle", type: "button", "aria-expanded": "false",
      onclick: () => this.#showTable(this.#table.hidden) }, icon("log"), this.#toggleText);
    this.element = h("div", { class: "chart", id: options.id }, this.#frame, this.#empty, this.#problem, this.#toggle, this.#table);
    this.#observer = new IntersectionObserver((entries) => {
      this.#isInView = entries.at(-1).isIntersecting;
      if (this.#isInView && !this.#chart) this.#drawChart();
    }, { rootMargin: `${drawnAheadPixels}px` });
    this.#observer.observe(this.element);
    this.#theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    this.#scheme.addEventListener("change", this.#schemeChanged);
  }

  draw(rows, { goal = null, names = this.#options.names, firstColumn = this.#options.firstColumn } = {}) {
    this.#options.firstColumn = firstColumn;
    this.#rows = rows;
    this.#goal = goal;
    this.#options.names = names;
    const hasFigures = withFigures(rows).length > 0;
    this.#frame.hidden = this.#toggle.hidden = !hasFigures;
    this.#empty.hidden = hasFigures;
    if (!hasFigures) this.#showTable(false);
    this.#canvas.setAttribute("aria-label", `${this.#options.label}. ${summaryOf(rows, this.#options)}`);
    if (!this.#table.hidden) this.#drawTable();
    if (this.#isInView || this.#chart) this.#drawChart();
  }

  close() {
    this.#isClosed = true;
    this.#observer.disconnect();
    this.#theme.disconnect();
    this.#scheme.removeEventListener("change", this.#schemeChanged);
    this.#chart?.destroy();
    this.#chart = null;
  }

  // MARK: The table

  #showTable(isShown) {
    this.#table.hidden = !isShown;
    this.#toggle.setAttribute("aria-expanded", String(isShown));
    setText(this.#toggleText, isShown ? "Hide table" : "Show as table");
    if (isShown) this.#drawTable();
    else this.#table.replaceChildren();
  }

  /** The latest first: that is what is looked up. */
  #drawTable() {
    const { names, unit, format, firstColumn, label } = this.#options;
    const head = h("tr", {}, h("th", { scope: "col" }, firstColumn),
      ...names.map((name) => h("th", { scope: "col" }, `${name}${unit && ` (${unit.trim()})`}`)));
    const cell = (value) => (value === null ? h("td", { class: "number" }, "–")
      : h("td", { class: "number", dataset: { value } }, format(value)));
    const rows = withFigures(this.#rows).reverse().map(({ key, label: day, values }) => h("tr", { dataset: { day: key } },
      h("th", { scope: "row" }, day), ...values.map(cell)));
    this.#table.replaceChildren(h("table", {},
      h("caption", { class: "visually-hidden" }, label), h("thead", {}, head), h("tbody", {}, ...rows)));
  }

  // MARK: The chart

  async #drawChart() {
    if (this.#frame.hidden) return;
    let Chart;
    try {
      [Chart] = await Promise.all([loadCharts(), stylesLoaded]);
    } catch (error) {
      setText(this.#problem, `${error.message} The table has all figures.`);
      this.#problem.hidden = false;
      this.#frame.hidden = true;
      return;
    }
    if (this.#isClosed || this.#frame.hidden) return;
    this.#problem.hidden = true;
    this.#chart?.destroy();
    this.#chart = new Chart(this.#canvas, this.#options.kind === "bar" ? this.#bars() : this.#lines());
  }

  #bars() {
    const { names } = this.#options;
    const datasets = names.map((name, index) => ({
      label: name, data: this.#rows.map(({ values }) => values[index]), backgroundColor: colour(colours[index]), maxBarThickness: 36,
      borderRadius: 3, categoryPercentage: 0.8, barPercentage: 0.95,
    }));
    return this.#config("bar", { labels: this.#rows.map(({ short }) => short), datasets }, {
      type: "category", ticks: { autoSkip: true, maxTicksLimit: ticksMax, maxRotation: 0 },
    });
  }

  #lines() {
    const { names, gapDays } = this.#options;
    const datasets = names.map((name, index) => {
      const points = pointsOf(this.#rows, index);
      return {
        label: name, data: points, borderColor: colour(colours[index]), backgroundColor: colour(colours[index]), borderWidth: 2,
        spanGaps: gapDays, pointRadius: points.length > 60 ? 1.5 : 3, tension: 0, clip: false,
      };
    });
    const [min, max] = [this.#rows[0].key, this.#rows.at(-1).key].map(numberOf);
    // Around a single day there is one on both sides.
    const isOne = min === max;
    return this.#config("line", { datasets }, {
      type: "linear", min: isOne ? min - 1 : min, max: isOne ? max + 1 : max,
      ticks: { maxTicksLimit: ticksMax, maxRotation: 0, precision: 0, callback: (value) => this.#rows[value - min]?.short ?? "" },
    });
  }

  #config(type, data, x) {
    const { format, unit, names } = this.#options;
    const [ink, line] = [colour("--ink-2"), colour("--line")];
    const title = (item) => (type === "line" ? wordsOf(dayOf(item.parsed.x)) : this.#rows[item.dataIndex]?.label);
    return {
      type, data,
      options: {
        animation: false, responsive: true, maintainAspectRatio: false, normalized: true,
        parsing: type === "line" ? false : undefined,
        interaction: { mode: "index", intersect: false },
        scales: {
          x: { ...x, grid: { display: false }, border: { color: line }, ticks: { ...x.ticks, color: ink } },
          y: {
            beginAtZero: type === "bar", suggestedMax: this.#goal ?? undefined, grace: type === "bar" ? 0 : "10%",
            grid: { color: line, drawBorder: false }, ticks: { color: ink, maxTicksLimit: 5, callback: (value) => figureText(value) },
          },
        },
        plugins: {
          legend: { display: names.length > 1, position: "bottom", labels: { color: ink, boxWidth: 14 } },
          tooltip: { callbacks: {
            title: (items) => (items.length > 0 ? title(items[0]) : ""),
            label: ({ dataset, parsed }) => `${dataset.label}: ${format(parsed.y)}${unit}`,
          } },
        },
      },
      plugins: this.#goal === null ? [] : [goalLine(this.#goal, colour("--good"))],
    };
  }
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A line across the chart at a goal. */
function goalLine(goal, strokeStyle) {
  return { id: "goal", afterDatasetsDraw: ({ ctx, chartArea: { left, right }, scales: { y } }) => {
    const at = y.getPixelForValue(goal);
    ctx.save();
    Object.assign(ctx, { strokeStyle, lineWidth: 2 });
    ctx.setLineDash([6, 5]);
    ctx.beginPath();
    ctx.moveTo(left, at);
    ctx.lineTo(right, at);
    ctx.stroke();
    ctx.restore();
  } };
}
