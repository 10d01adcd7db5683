// Stopped sessions that the server does not have yet, or refuses. No DOM.

import { count, reasonSentence } from "../kit/format.js";
import { summary } from "./recording.js";

/** The account's stopped sessions of this device, by client id. */
export class StoppedSessions {
  #outbox; #changed;
  #records = new Map();

  /** `changed()` is called when a session is forgotten or gets a problem. */
  constructor(outbox, changed) {
    this.#outbox = outbox;
    this.#changed = changed;
  }

  /** The records, the oldest first. */
  get records() {
    return [...this.#records.values()];
  }

  /** Sessions that the server refuses for good, or some points of them (`endedElsewhere`). */
  get refused() {
    return this.records.filter((record) => record.problem);
  }

  /** Sessions that wait for the server, newest first, as far as this device knows them. */
  get waiting() {
    return this.records.filter((record) => !record.problem && !record.endedElsewhere).reverse().map(summary);
  }

  /** What the account's outbox still has, `{entries, points}`. */
  async countEntries(account) {
    const entries = await this.#outbox.entriesBy(account);
    return { entries: entries.length, points: entries.filter(({ kind }) => kind === "point").length };
  }

  replace(records) {
    this.#records = new Map(records.map((record) => [record.clientId, record]));
  }

  add(record) {
    this.#records.set(record.clientId, record);
  }

  get(clientId) {
    return this.#records.get(clientId);
  }

  has(clientId) {
    return this.#records.has(clientId);
  }

  delete(clientId) {
    this.#records.delete(clientId);
  }

  /** Forgets sessions that were ended elsewhere once nothing of them waits; points that were refused are kept until they were seen. */
  async forgetDrained() {
    for (const record of this.records) {
      if (!record.endedElsewhere || record.problem || (await this.#outbox.entriesOf(record.clientId)).length > 0) continue;
      const problem = refusedText(record.refused);
      if (problem) {
        record.problem = problem;
        await this.#outbox.save(structuredClone(record));
      } else {
        this.delete(record.clientId);
        await this.#outbox.forget(record.clientId);
      }
      this.#changed();
    }
  }
}

/** Why sending waits although the connection is live; null without an error. */
export function sendProblemText(error) {
  return error?.isUnauthenticated ? "Log in again to upload your session." : error?.message ?? null;
}

/** Why points of a session were not added, or null; `refused` has their number by reason. */
function refusedText(refused) {
  const reasons = Object.keys(refused);
  if (reasons.length === 0) return null;
  const points = Object.values(refused).reduce((sum, number) => sum + number, 0);
  return `Couldn't add ${count(points, "point")} from this device. ${reasons.map(reasonSentence).join(" ")}`;
}
