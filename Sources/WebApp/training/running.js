// The training that this tab guides, on whatever page: its cues, and what is said when its own page is not shown.

import { announce, toast } from "../kit/dom.js";
import { alertSettings, dropNotifications, isNotificationAllowed, notify } from "../kit/notifications.js";
import { Cues } from "./cues.js";
import { exerciseName } from "./record.js";
import { TrainingSession } from "./session.js";

const restTag = "training-rest";
const endWords = {
  saved: "Workout saved", waits: "Workout saved on this device. It's sent when you're back online.",
  elsewhere: "This workout was finished on another device.", removed: "Workout discarded.",
};

/** Emits `change` when `session` is another, or its page is shown or left. */
class Running extends EventTarget {
  /** @type {TrainingSession | null} */
  session = null;
  /** Whether the page of the training is shown. */
  isShown = false;
  cues = new Cues();

  #router = null;
  #net = null;

  constructor() {
    super();
    document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") dropNotifications(restTag); });
  }

  /** The session of a training that goes on here, or null. */
  of(id) {
    return this.session?.id === id && !this.session.isClosed ? this.session : null;
  }

  /** Makes the session of a record in place of the one before. */
  begin({ net, router }, record) {
    this.session?.close();
    this.#router = router;
    this.#follow(net);
    const session = new TrainingSession(net, record);
    this.session = session;
    session.guide.addEventListener("cue", (/** @type {any} */ { detail }) => this.#cue(session, detail));
    session.addEventListener("ended", (/** @type {any} */ { detail }) => {
      toast(endWords[detail]);
      this.#drop(session);
    });
    this.#emit();
    return session;
  }

  /** The page of a session is shown. */
  shown() {
    this.isShown = true;
    this.#emit();
  }

  /** The page of a session is left: it goes on if it is guided here, or is about to end. */
  left(session) {
    this.isShown = false;
    if (session.isGuiding || session.guide.state === "finished") this.#emit();
    else this.end(session);
  }

  /** Ends the guidance of a session here. */
  end(session) {
    session.close();
    this.isShown = false;
    this.#drop(session);
    this.#emit();
  }

  /** Another account has nothing to do with the session. */
  #follow(net) {
    if (this.#net === net) return;
    this.#net = net;
    net.addEventListener("account", () => {
      const { session } = this;
      if (!session || net.account?.id === session.guide.record.account) return;
      session.close();
      this.#drop(session);
    });
  }

  #drop(session) {
    if (this.session !== session) return;
    this.session = null;
    this.cues.closeSoon();
    this.#emit();
  }

  #cue({ guide, id }, name) {
    this.cues.play(name);
    if (name === "restOver") announce("Rest is over.");
    if (name === "setOver") announce("Time is up.");
    if (name === "done" || document.visibilityState === "visible" || !isNotificationAllowed()) return;
    const { current, record } = guide;
    const isNamed = current && !alertSettings().hidesText;
    notify({
      title: name === "restOver" ? "Rest is over" : "Time is up", tag: restTag, path: `/training/${id}`,
      body: isNamed ? `Next: ${exerciseName(record, current.entry.exercise)}` : "Your workout continues.",
      open: (path) => this.#router.go(path),
    });
  }

  #emit() {
    this.dispatchEvent(new Event("change"));
  }
}

export const running = new Running();
