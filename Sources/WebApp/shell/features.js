// What works on every page besides the page itself: chat, events, notices, sharing, recording, and their alerts. See `startFeatures`.

import "./moreicons.js";
import { startSignOut } from "./signout.js";
import { startStorageWatch } from "./storage.js";
import { startServiceWorker } from "./worker.js";
import { finishLogOut } from "../account/forgetting.js";
import { startChatAlerts } from "../chat/alerts.js";
import { Chat } from "../chat/store.js";
import { KeptReplies } from "../connection/keptreplies.js";
import { WriteQueue } from "../connection/writequeue.js";
import { startEventAlerts } from "../events/alerts.js";
import { Events } from "../events/store.js";
import { startHelpButton } from "../help/button.js";
import { announce, dropToast, toast } from "../kit/dom.js";
import { setLocationOff } from "../kit/geolocation.js";
import { Pictures } from "../kit/pictures.js";
import { KeptRunners } from "../map/keptrunners.js";
import { startNoticeAlerts } from "../notices/alerts.js";
import { NoticeFeed } from "../notices/feed.js";
import { startProfileAlerts } from "../profile/alerts.js";
import { KeptProfileEdits } from "../profile/keptedits.js";
import { startPushUpkeep } from "../reminders/push.js";
import { startShareAlerts } from "../sharing/alerts.js";
import { startShareBar } from "../sharing/bar.js";
import { Reporter } from "../sharing/reporter.js";
import { Sharing } from "../sharing/store.js";
import { Tracker } from "../tracking/tracker.js";
import { TutorialStart } from "../tutorial/start.js";

/** Read on another device, notices are read here; on this one nothing changes by it. */
const noticesAfterMilliseconds = 2_000;

/**
 * Starts the features, once. When the browser is signed in, `main.js` calls it before it connects, so that a recording, a share and an
 * emergency notice miss nothing; for a guest it calls it after the first page was shown. Returns `{parts, pageShown}`: the parts that pages
 * may use, and a function to be called after each change of the page.
 */
export function startFeatures({ net, known, roster, router, frame, settings }) {
  // Before any feature reads what the document of a logged out account wrote while it closed.
  const wasLoggedOut = finishLogOut();
  net.keepReplies(new KeptReplies());
  net.writes = new WriteQueue(net);
  new KeptRunners(net, roster);
  const tracker = new Tracker(net);
  const pictures = new Pictures(net);
  const chat = new Chat(net, pictures);
  const events = new Events(net);
  const notices = new NoticeFeed(net);
  const sharing = new Sharing(net, known);
  const reporter = new Reporter(net, sharing, tracker);
  const profileEdits = new KeptProfileEdits(net);
  const tutorial = new TutorialStart({ net, router, frame, settings, tracker });
  const parts = { tracker, pictures, chat, events, notices, sharing, reporter, profileEdits, tutorial };

  startSignOut({ net, tracker, sharing, router, wasLoggedOut });
  followRecording({ tracker, frame });
  followLocation({ settings, tracker, reporter });
  const noticeAlerts = startNoticeAlerts({ notices, tracker, net, router });
  startShareAlerts({ sharing, router });
  startShareBar(document.getElementById("share-bar"), { sharing, reporter, net });
  startChatAlerts({ chat, tracker, net, router });
  startEventAlerts({ events, tracker, net, router });
  startProfileAlerts({ net, profileEdits, router });
  startGroupAlertsLater({ net, known, tracker, router });
  sendKeptTrainings(net);
  startTrainingBarLater(net);
  followCounts({ chat, events, frame });
  followNews({ net, events, notices, router });
  startHelpButton(document.getElementById("help-button"), { net, router, frame, tutorial });
  startPushUpkeep(net);
  startServiceWorker(net);
  startStorageWatch({ net, tracker, chat, router });
  const pageShown = () => {
    noticeAlerts.draw();
    tutorial.pageShown();
  };
  return { parts, pageShown };
}

/** Switches the location off, or on again, and pauses a recording meanwhile: perhaps on another device (C-6). */
function followLocation({ settings, tracker, reporter }) {
  let wasOn = true;
  const follow = () => {
    const isOn = settings.value("location");
    setLocationOff(!isOn);
    // The tab that records pauses; the others show what it does.
    if (!isOn && tracker.isOwner && tracker.record?.state === "running" && !tracker.record.isTimeOnly) {
      tracker.pause();
      toast("Your location is off, so the session is paused.", { key: "location-off", seconds: null });
    }
    if (isOn !== wasOn) reporter.again();
    if (isOn) dropToast("location-off");
    wasOn = isOn;
  };
  setLocationOff(!settings.value("location"));
  settings.addEventListener("change", follow);
  tracker.addEventListener("change", follow);
  tracker.ready.then(follow);
}

/** Invitations to train together: an account needs their module, a guest does not. */
function startGroupAlertsLater({ net, known, tracker, router }) {
  let isStarted = false;
  const start = async () => {
    if (isStarted || !net.account) return;
    isStarted = true;
    try {
      const { startGroupAlerts } = await import("../together/alerts.js");
      startGroupAlerts({ net, known, tracker, router });
    } catch {
      // The page of groups and the start page have the invitations.
    }
  };
  net.addEventListener("account", start);
  start();
}

const loadKeptTrainings = () => Promise.all([import("../training/kept.js"), import("../connection/trainingrecords.js")]);

/** Sends what a killed browser kept of trainings, for each account, until a connection has lasted for all of it. */
function sendKeptTrainings(net) {
  let account = null;
  let isSending = false;
  const forget = async ({ detail }) => {
    const id = net.account?.id;
    if (!id || !["training.start", "training.finish"].includes(detail.method)) return;
    try {
      const [{ forgetSettled }, { TrainingRecords }] = await loadKeptTrainings();
      await forgetSettled({ account: id, records: new TrainingRecords() }, detail);
    } catch {
      // The next start of the app sends it once more, and forgets it then.
    }
  };
  const send = async () => {
    if (isSending || net.state !== "live" || !net.account || net.account.id === account) return;
    isSending = true;
    const { id } = net.account;
    try {
      const [{ sendKept }, { TrainingRecords }] = await loadKeptTrainings();
      const { isDone } = await sendKept({ net, records: new TrainingRecords() });
      if (isDone) account = id;
    } catch {
      // The next connection sends it, or the page of the training.
    }
    isSending = false;
    // Another account has logged in meanwhile.
    if (net.account && net.account.id !== id) send();
  };
  net.writes.addEventListener("done", forget);
  net.writes.addEventListener("refused", forget);
  net.addEventListener("account", send);
  net.addEventListener("state", send);
  send();
}

/** The way back to a workout that a killed browser left open: only then the bar is needed before a workout is opened. */
function startTrainingBarLater(net) {
  const start = async () => {
    const { account } = net;
    if (!account) return;
    try {
      const { TrainingRecords } = await import("../connection/trainingrecords.js");
      const isOpen = (await new TrainingRecords().all(account.id)).some(({ state }) => !["finished", "elsewhere"].includes(state));
      if (isOpen) (await import("../training/bar.js")).startTrainingBar({ net });
    } catch {
      // The page of workouts lists it too.
    }
  };
  net.addEventListener("account", start);
  start();
}

function followRecording({ tracker, frame }) {
  tracker.addEventListener("change", () => frame.setRecording(tracker.record?.state === "running"));
  tracker.addEventListener("saved", () => {
    // The track page says so itself, and a toast would cover its Start button.
    if (frame.page?.name !== "track") toast("Session successfully saved");
    announce("Session successfully saved");
  });
}

/** Keeps the counts of the tabs. */
function followCounts({ chat, events, frame }) {
  const count = () => {
    frame.setCount("chats", chat.unread);
    frame.drawTitle();
  };
  chat.addEventListener("change", count);
  events.addEventListener("invitations", () => frame.setCount("events", events.invitations.length));
  count();
}

function followNews({ net, events, notices, router }) {
  let timer = 0;
  events.addEventListener("notices", () => {
    clearTimeout(timer);
    timer = setTimeout(() => notices.load(), noticesAfterMilliseconds);
  });
  events.addEventListener("account", async () => {
    try {
      net.accountChanged((await net.request("account.me")).account);
    } catch {
      // The next reply to hello has it.
    }
  });
  events.addEventListener("goal", async () => {
    try {
      const goal = await net.request("goals.get", { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone });
      if (goal.completedAt) toast(`You reached your goal of ${goal.kilometres} km`,
        { key: "goal", seconds: 10, action: { label: "View", run: () => router.go("/history") } });
    } catch {
      // The goal's card says it when it is looked at.
    }
  });
}
