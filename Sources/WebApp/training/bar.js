// A workout that goes on while another page is shown: a bar that leads back to it.

import { followSignals } from "../connection/accountsignals.js";
import { TrainingRecords } from "../connection/trainingrecords.js";
import { h, setText } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { loadStyles } from "../kit/styles.js";
import { clockText } from "../workouts/words.js";
import { keptChanges, sendKept } from "./kept.js";
import { running } from "./running.js";
import { isGuiding, isPaused } from "./states.js";

/** A training that a killed browser left open longer ago is on the page of workouts alone. */
const recentMilliseconds = 12 * 3_600_000;

/** The training to go back to: the latest record of the last hours that has not ended; null without one. */
export const openRecordOf = (records, now) => records.filter(({ state, startedAt }) => isGuiding(state)
  && now - startedAt < recentMilliseconds).sort((one, other) => other.startedAt - one.startedAt)[0] ?? null;

/** What a guide does now, in short. */
export const nowText = (guide) => (isPaused(guide.state) ? "Paused" : guide.state === "rest"
  ? `Rest ${clockText(Math.ceil(guide.restSeconds))}` : clockText(guide.seconds));

let isStarted = false;

/** Starts the bar, once. */
export function startTrainingBar({ net }) {
  if (isStarted) return;
  isStarted = true;
  const title = h("strong", { class: "training-link-title" });
  const now = h("span", { class: "number training-link-now" });
  const link = h("a", { class: "training-link", id: "training-link" }, icon("strength"), title, now);
  const element = h("nav", { class: "training-link-bar", "aria-label": "Workout in progress", hidden: true }, link);
  document.getElementById("share-bar")?.after(element);
  const records = new TrainingRecords();
  /** What a killed browser left open; null while a session is there. */
  let kept = null;

  const draw = () => {
    const { session, isShown } = running;
    const record = session?.guide.record ?? kept;
    const isHere = isShown || (record && location.pathname.startsWith(`/training/${record.id}`));
    element.hidden = isHere || !record || !net.account || !isGuiding(record.state);
    if (element.hidden) return;
    if (link.getAttribute("href") !== `/training/${record.id}`) link.href = `/training/${record.id}`;
    setText(title, `Workout in progress: ${record.plan.title}`);
    setText(now, session ? nowText(session.guide) : "Continue");
  };
  const load = async () => {
    const { account } = net;
    const all = account && !running.session ? await records.all(account.id).catch(() => []) : [];
    kept = openRecordOf(all, net.clock.now());
    draw();
  };
  /** It may have ended, or was deleted, on another device. */
  const check = () => {
    const record = kept;
    if (record && net.account && net.state === "live") {
      sendKept({ net, records: { all: async () => [record], remove: (...of) => records.remove(...of) } }).catch(() => {});
    }
  };
  let signals = null;
  let followed = null;
  const follow = () => {
    const id = net.account?.id ?? null;
    if (id === followed) return;
    followed = id;
    signals?.close();
    signals = net.account ? followSignals(net, ["training"], (signal) => { if (!signal || signal.training === kept?.id) check(); }) : null;
  };
  running.addEventListener("change", load);
  keptChanges.addEventListener("change", load);
  net.addEventListener("account", () => {
    follow();
    load();
  });
  follow();
  setInterval(draw, 1_000);
  loadStyles("/app/training/training.css").then(load);
}
