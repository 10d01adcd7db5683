// Messages to the runner about the session that is being recorded: the recording device, the position, the network, refused points.

import { confirmDiscard } from "./discard.js";
import { h } from "../kit/dom.js";
import { count, reasonSentence } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { accuracyMetresMax } from "./recording.js";

/** `{element, update(record)}`. */
export function makeTrackWarnings({ tracker, net }) {
  const element = h("div", { class: "stack", id: "track-warnings" });
  let drawn = null;

  async function discard() {
    if (await confirmDiscard()) await tracker.discard();
  }

  /** The message about the position: `[[kind, icon, text, [label, run] or null]]`, one or none. */
  function ofPosition(record) {
    const { fix, trouble } = tracker;
    if (record.isTimeOnly) {
      const action = tracker.isOwner ? ["Add my route", () => tracker.usePosition()] : null;
      return [["", "clock", "Recording time only, without location.", action]];
    }
    if (trouble) return [["bad", "warning", trouble.text, trouble.code === "denied" ? ["Try again", () => tracker.watchAgain()] : null]];
    if (record.state !== "running" || !tracker.isOwner) return [];
    if (!fix) return [["", "target", "Finding your location…", null]];
    if (fix.accuracy <= accuracyMetresMax) return [];
    const text = `Your location isn't accurate enough. Distance only counts within ±${accuracyMetresMax} m. It gets better outside.`;
    return [["warn", "target", text, null]];
  }

  function ofNetwork() {
    if (net.state !== "live") return [["warn", "offline", "You're offline. Your route stays on this device and uploads later.", null]];
    return tracker.sendProblem ? [["warn", "warning", tracker.sendProblem, null]] : [];
  }

  function ofRefused(refused) {
    const reasons = Object.keys(refused);
    if (reasons.length === 0) return [];
    const points = count(Object.values(refused).reduce((sum, number) => sum + number, 0), "point");
    return [["warn", "warning", `The server rejected ${points}. ${reasons.map(reasonSentence).join(" ")}`, null]];
  }

  function update(record) {
    const otherTab = "Another tab is recording this session.";
    const list = [
      ...(tracker.isOwner ? [] : [["warn", "warning", otherTab, ["Record in this tab", () => tracker.takeOver()]]]),
      ...(record.problem ? [["bad", "warning", `Couldn't save this session: ${record.problem}`, ["Discard", discard]]] : []),
      ...ofPosition(record), ...ofNetwork(),
      ...ofRefused(record.refused),
    ];
    const key = JSON.stringify(list.map(([, , text]) => text));
    if (key === drawn) return;
    drawn = key;
    element.replaceChildren(...list.map(([kind, iconName, text, action]) => h("p", { class: `notice ${kind}` },
      icon(iconName), h("span", { class: "grow" }, text),
      action ? h("button", { class: "button", type: "button", onclick: action[1] }, action[0]) : null)));
  }

  return { element, update };
}
