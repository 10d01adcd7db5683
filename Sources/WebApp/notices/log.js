// Notices as far as this device knows them: each number once, in its highest revision. Pure: `now` is the server's, in ms.

/** The oldest are forgotten first. */
export const keptMax = 200;

/** Order of notices in the list. */
const newestFirst = (one, other) => Date.parse(other.at) - Date.parse(one.at) || other.number - one.number;

/**
 * The same notice may arrive by the reply to `subscribe`, by pushes and by pages, in any order: the result is the same, and exactly one
 * publication is `new`.
 */
export class NoticeLog {
  /** number → notice; of a withdrawn one only `{number, revision, at, level, withdrawn: true}`. */
  items = new Map();
  /** Position in the topic's log up to which it was taken: `{epoch, offset}`, or null. */
  position = null;
  /** Unread at the server, besides those that are here. */
  others = 0;

  #takes = 0;
  #takenAt = new Map();
  /** Notices whose publication has not arrived, because a page or another tab was faster: number → `new` or `corrected`. */
  #listed = new Map();

  /** The log of a value of `kept`; of anything else an empty one. */
  static from(kept) {
    const log = new NoticeLog();
    if (!Array.isArray(kept?.items)) return log;
    const isNotice = (item) => Number.isSafeInteger(item?.number) && Number.isFinite(Date.parse(item.at));
    for (const item of kept.items.filter(isNotice)) log.items.set(item.number, item);
    if (Number.isSafeInteger(kept.position?.offset)) log.position = kept.position;
    log.others = Number(kept.others) || 0;
    for (const [number, outcome] of Array.isArray(kept.listed) ? kept.listed : []) {
      if (log.items.has(number)) log.#listed.set(number, outcome === "corrected" ? "corrected" : "new");
    }
    return log;
  }

  /** The members to store. */
  get kept() {
    const items = [...this.items.values()].sort(newestFirst).slice(0, keptMax);
    return { items, position: this.position, others: this.others, listed: [...this.#listed] };
  }

  /** A mark of now, for `page`. */
  get mark() {
    return this.#takes;
  }

  /** Takes a publication. Gives `new` or `corrected`, also if a page had it before; `withdrawn`; `old` for one that is taken again. */
  take(data) {
    const { number, revision } = data;
    const outcome = this.#put(data);
    const item = this.items.get(number);
    if (outcome === "old" && item?.revision !== revision) return outcome;
    const listed = this.#listed.get(number);
    this.#listed.delete(number);
    return outcome === "old" && listed && !item.withdrawn ? listed : outcome;
  }

  /** Takes a notice of a page. */
  #list(data) {
    const outcome = this.#put(data);
    if (outcome !== "old") this.#await(data.number, outcome);
  }

  /** Notes that the publication of a notice is still to come. */
  #await(number, outcome) {
    if (!this.#listed.has(number)) this.#listed.set(number, outcome);
  }

  #put(data) {
    const known = this.items.get(data.number);
    if (known && (known.withdrawn || known.revision >= data.revision)) {
      if (data.readAt && !known.readAt && !known.withdrawn) this.items.set(data.number, { ...known, readAt: data.readAt });
      return "old";
    }
    this.#takenAt.set(data.number, ++this.#takes);
    if (data.type === "withdrawn") {
      // A notice that was never here leaves no trace.
      if (!known) return "old";
      this.items.set(data.number, { number: data.number, revision: data.revision, at: known.at, level: known.level, withdrawn: true });
      return "withdrawn";
    }
    this.items.set(data.number, { ...data, ...(known?.readAt && { readAt: known.readAt }) });
    this.#prune();
    return known ? "corrected" : "new";
  }

  /** Takes a position up to which the topic's log was read; an earlier one of the same epoch is ignored. */
  moveTo(position) {
    const isSame = this.position?.epoch === position.epoch;
    if (!isSame || position.offset > this.position.offset) this.position = { epoch: position.epoch, offset: position.offset };
  }

  /** Forgets all notices: too much was missed. */
  clear() {
    this.items.clear();
    this.#listed.clear();
    this.position = null;
    this.others = 0;
  }

  /**
   * Takes a page of `notices.list`. A notice that is here, in its range of time, and not on the page has expired, or is not for this
   * account any more: it goes. Notices that arrived since `mark`, which is from before the request, stay. `isFirst` is the newest page.
   */
  page({ notices, unread, next }, { isFirst, mark }) {
    const oldest = next === undefined || next === null ? -Infinity : Date.parse(notices.at(-1)?.at);
    const newest = isFirst ? Infinity : Date.parse(notices[0]?.at);
    const listed = new Set(notices.map(({ number }) => number));
    for (const [number, item] of this.items) {
      const at = Date.parse(item.at);
      const isCovered = at > oldest && at < newest && (this.#takenAt.get(number) ?? 0) <= mark;
      if (isCovered && !listed.has(number) && !item.withdrawn) this.#delete(number);
    }
    for (const notice of notices) this.#list(notice);
    const here = [...this.items.values()].filter(isUnread).length;
    this.others = Math.max(0, unread - here);
  }

  /** Marks notices as read; gives the numbers of those that were unread. */
  read(numbers, at) {
    const changed = numbers.filter((number) => this.items.has(number) && isUnread(this.items.get(number)));
    for (const number of changed) this.items.set(number, { ...this.items.get(number), readAt: at });
    return changed;
  }

  /** Takes the notices of another tab. Gives whether anything changed. */
  merge(other) {
    let isChanged = false;
    for (const item of other.items.values()) {
      const known = this.items.get(item.number);
      const isNewer = !known || item.revision > known.revision;
      if (!isNewer && !(item.readAt && !known.readAt && !known.withdrawn)) continue;
      this.items.set(item.number, isNewer ? item : { ...known, readAt: item.readAt });
      // Each tab gets the publications itself.
      if (isNewer && !item.withdrawn) this.#await(item.number, known ? "corrected" : "new");
      isChanged = true;
    }
    return isChanged;
  }

  /** Notices that have not expired, and withdrawn ones, newest first. */
  shown(now) {
    return [...this.items.values()].filter((item) => !isOver(item, now)).sort(newestFirst);
  }

  /** Unread notices that have not expired, newest first. */
  unread(now) {
    return this.shown(now).filter(isUnread);
  }

  /** How many are not read, here and at the server. */
  unreadCount(now) {
    return this.unread(now).length + this.others;
  }

  #prune() {
    if (this.items.size <= keptMax) return;
    for (const { number } of [...this.items.values()].sort(newestFirst).slice(keptMax)) {
      this.#delete(number);
      this.#takenAt.delete(number);
    }
  }

  #delete(number) {
    this.items.delete(number);
    this.#listed.delete(number);
  }
}

/** Whether somebody still has to read it. */
export function isUnread(item) {
  return !item.readAt && !item.withdrawn;
}

/** Whether it is not to be shown any more. */
export function isOver(item, now) {
  return Boolean(item.expiresAt) && Date.parse(item.expiresAt) <= now;
}
