// The card of live figures: how the server is doing right now, refreshed while the page is visible.

import { figuresEveryMilliseconds, staleAfterMilliseconds, bytes, health, milliseconds, rate, span, sparkline, withSample }
  from "./figures.js";
import { h, setText } from "../kit/dom.js";
import { timeText } from "../kit/format.js";
import { isAbsent, trouble } from "./frame.js";
import { loadingText } from "../kit/loading.js";

/** Milliseconds of the slowest of a hundred. */
const lagLimits = { slow: 20, bad: 100 };
const databaseLimits = { slow: 50, bad: 250 };
const lineBox = { width: 240, height: 56 };
const svgNamespace = "http://www.w3.org/2000/svg";

/** Of the last two minutes, kept while another page is open. */
let samples = [];

const clockText = (time) => `${timeText(time)}:${String(new Date(time).getSeconds()).padStart(2, "0")}`;

/** Uptime, version, memory and servers, as one line. */
function factsText({ uptime, version, memory, sendQueueBytes, nodes, node }) {
  const queued = sendQueueBytes > 0 ? `, ${bytes(sendQueueBytes)} queued for clients` : "";
  const servers = nodes.length > 1 ? `${nodes.length} servers (${nodes.join(", ")}), showing ${node}` : `one server (${node})`;
  return `Up for ${span(uptime)} · version ${version} · ${bytes(memory)} of memory${queued} · ${servers}`;
}

export class LiveFigures {
  #net;
  /** The last reply, and when it came by `performance.now()`. */
  #last = null;
  #lastAt = 0;
  #problem = null;
  #timer = 0;
  #closed = new AbortController();
  /** Elements of each figure: `{value, hint}`. */
  #values = new Map();
  #svg = document.createElementNS(svgNamespace, "svg");
  #line = document.createElementNS(svgNamespace, "path");
  #status = h("p", { class: "small figures-status", id: "figures-status" });
  #facts = h("p", { class: "muted small number", id: "figures-facts" });
  #body;

  constructor({ net }) {
    this.#net = net;
    const attributes = { class: "sparkline", viewBox: `0 0 ${lineBox.width} ${lineBox.height}`, preserveAspectRatio: "none", role: "img" };
    for (const [name, value] of Object.entries(attributes)) this.#svg.setAttribute(name, value);
    this.#svg.append(this.#line);
    this.#body = h("div", { class: "stack figures-body" }, h("dl", { class: "lives" },
      this.#tile("messages", "Messages per second", this.#svg), this.#tile("people", "People online"),
      this.#tile("connections", "Open connections"), this.#tile("tracking", "Recording now"), this.#tile("lag", "Server delay"),
      this.#tile("database", "Database response"), this.#tile("pool", "Database connections")), this.#facts);
    this.element = h("section", { class: "card stack live-figures", id: "live-figures", "aria-labelledby": "live-figures-title" },
      h("div", { class: "live-head" }, h("h2", { id: "live-figures-title" }, "Right now"), this.#status), this.#body);
    const { signal } = this.#closed;
    document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") this.#refresh(); }, { signal });
    net.addEventListener("state", () => this.#refresh(), { signal });
    this.#draw();
    this.#refresh();
  }

  close() {
    this.#closed.abort();
    clearTimeout(this.#timer);
  }

  get #isClosed() {
    return this.#closed.signal.aborted;
  }

  async #refresh() {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    if (document.visibilityState === "visible" && this.#net.state === "live") {
      try {
        await this.#load();
      } catch (error) {
        if (this.#isClosed) return;
        this.#problem = error;
        if (!this.#last && isAbsent(error)) {
          this.#body.replaceChildren(trouble(error));
          setText(this.#status, "");
          return;
        }
      }
      if (this.#isClosed) return;
    }
    this.#draw();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#refresh(), figuresEveryMilliseconds);
  }

  async #load() {
    const figures = await this.#net.request("admin.figures", {}, { timeout: staleAfterMilliseconds });
    if (this.#isClosed) return;
    this.#last = figures;
    this.#lastAt = performance.now();
    this.#problem = null;
    samples = withSample(samples, this.#lastAt, figures.messagesOutPerSecond);
  }

  // MARK: drawing

  /** A figure with its label; `line` is a drawing of the last minutes. */
  #tile(id, label, line = null) {
    const value = h("dd", { class: "live-value number" }, "–");
    const hint = h("dd", { class: "live-hint muted small number" });
    this.#values.set(id, { value, hint });
    const caption = h("span", { class: "muted small", "aria-hidden": "true" }, "Last 2 minutes");
    return h("div", { class: line ? "live wide" : "live", dataset: { figure: id } }, h("dt", {}, label), value, hint,
      line ? h("dd", { class: "live-line" }, line, caption) : null);
  }

  #draw() {
    const now = performance.now();
    const isStale = this.#last !== null && now - this.#lastAt > staleAfterMilliseconds;
    this.element.classList.toggle("is-old", isStale);
    setText(this.#status, this.#statusText(isStale));
    if (!this.#last) return;
    this.#drawFigures(this.#last);
    setText(this.#facts, factsText(this.#last));
    const { line, highest } = sparkline(samples, { now, ...lineBox });
    this.#line.setAttribute("d", line);
    this.#svg.setAttribute("aria-label", `Messages per second in the last 2 minutes, at most ${rate(highest)}`);
  }

  #statusText(isStale) {
    if (!this.#last) return this.#problem ? this.#problem.message : loadingText(this.#net);
    if (!isStale) return "Updates every 2 seconds";
    const reason = this.#net.state === "live" ? this.#problem?.message ?? "The server isn't responding." : "You're offline.";
    return `Last updated ${clockText(this.#last.at)}. ${reason}`;
  }

  #drawFigures({ accounts, connections, tracking, messagesOutPerSecond, messagesInPerSecond, requestsPerSecond, lag, database }) {
    this.#put("people", accounts.toLocaleString("en"), "logged in, on any device");
    this.#put("connections", connections.toLocaleString("en"), "tabs and apps, including guests");
    this.#put("tracking", tracking.toLocaleString("en"), tracking === 1 ? "run or ride" : "runs and rides");
    this.#put("messages", rate(messagesOutPerSecond),
      `sent · ${rate(messagesInPerSecond)} received · ${rate(requestsPerSecond)} requests`);
    this.#put("lag", milliseconds(lag.p50), `slowest 1 %: ${milliseconds(lag.p99)}`, health(lag.p99, lagLimits));
    this.#put("database", milliseconds(database.p50), `slowest 1 %: ${milliseconds(database.p99)}`, health(database.p99, databaseLimits));
    const { idle, waiting } = database;
    this.#put("pool", `${database.connections - idle} of ${database.connections}`,
      waiting > 0 ? `busy · ${waiting} waiting` : "busy · none waiting", waiting > 0 ? "slow" : "good");
  }

  #put(id, value, hint, state = "good") {
    const tile = this.#values.get(id);
    setText(tile.value, value);
    setText(tile.hint, hint);
    tile.value.parentElement.dataset.health = state;
  }
}
