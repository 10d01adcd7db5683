// Sharing: what I share and with whom, what is shared with me, questions where somebody is, and who looked.

import { h, keepFocus, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { audienceName } from "./words.js";
import { openAsk, openAnswer, openRead } from "./ask.js";
import { PastShares } from "./pastshares.js";
import { invitationRow, mineRow, personMenu, questionRow, setInvitation, setMine, setQuestion, setWithMe, withMeRow } from "./rows.js";
import { openReceipt } from "./receipt.js";
import { ShareList, sharingPart } from "./sharelist.js";
import { makeShareStatus } from "./status.js";
import { openStop, stopAll, stopOne } from "./bar.js";
import { openShareChange, openShareSheet } from "./sharesheet.js";

const redrawMilliseconds = 5_000;

/** Serves `/sharing`. */
export function show(root, { query }, app) {
  if (!app.net.account) {
    app.router.go("/login?next=/sharing", { replace: true });
    return undefined;
  }
  const page = new SharingPage(app);
  root.append(page.element);
  page.start(Number(query?.get("question")));
  return () => page.close();
}

class SharingPage {
  #app;
  #scope;
  #status;
  #problem = h("div", { id: "sharing-problem" });
  #problemDrawn = null;
  /** Whether there is no connection, or none could be made. The first attempt of a page does not count. */
  #isAway = false;
  #stopEach;
  #mine;
  #invitations;
  #withMe;
  #toMe;
  #asked;
  #past;
  /** Ids of the working shares when the page was drawn last; null before they were loaded. */
  #workingBefore = null;
  #ticker = 0;
  #closed = new AbortController();

  constructor(app) {
    const { sharing } = app;
    this.#app = app;
    this.#scope = app.pictures.scope();
    this.#status = makeShareStatus(app);
    this.#stopEach = h("button", { class: "button danger small-button", type: "button", id: "page-stop-all",
      onclick: () => (sharing.working.length > 1 ? openStop(sharing) : stopAll(sharing)) }, "Stop all");
    this.#mine = new ShareList("my-shares", "Sharing with", this.#mineKind());
    this.#invitations = new ShareList("invitations", "Share requests", this.#invitationKind());
    this.#withMe = new ShareList("with-me", "Shared with me", this.#withMeKind());
    this.#toMe = new ShareList("questions-to-me", "Requests for my location", this.#toMeKind());
    this.#asked = new ShareList("my-questions", "My requests", this.#askedKind());
    this.#past = new PastShares(app, { scope: this.#scope, changed: () => this.#draw() });
    this.element = this.#page();
  }

  /** Draws the page and keeps it current. `question` is the number of the question that a message of the app leads to, or NaN. */
  start(question) {
    const { net, sharing, router } = this.#app;
    const { signal } = this.#closed;
    const changed = () => this.#changed();
    sharing.addEventListener("change", changed, { signal });
    net.addEventListener("state", () => {
      changed();
      if (net.state === "live" && this.#past.isMissing) this.#past.load();
    }, { signal });
    net.addEventListener("account", () => { if (!net.account) router.go("/", { replace: true }); }, { signal });
    this.#ticker = setInterval(changed, redrawMilliseconds);
    this.#draw();
    this.#past.load();
    this.#openQuestion(question);
  }

  close() {
    clearInterval(this.#ticker);
    this.#closed.abort();
    this.#status.close();
    this.#scope.close();
  }

  #page() {
    const app = this.#app;
    const ask = h("button", { class: "button small-button", type: "button", id: "ask-open", onclick: () => openAsk(app) },
      icon("question"), "Ask someone");
    return h("div", { class: "page stack sharing-page" },
      h("div", { class: "part-head" }, h("h1", { tabindex: "-1" }, "Sharing"),
        h("button", { class: "button primary", type: "button", id: "new-share", onclick: () => openShareSheet(app) }, icon("share"),
          "Share my location")),
      this.#problem,
      sharingPart("mine-title", "Sharing with", [this.#stopEach], this.#mine.list, this.#mine.empty, this.#status.element),
      sharingPart("with-me-title", "Shared with me", [h("a", { class: "button quiet small-button", href: "/map" }, icon("map"), "Map")],
        this.#invitations.list, this.#withMe.list, this.#withMe.empty),
      sharingPart("ask-title", "Location requests", [ask],
        h("p", { class: "muted small" },
          "Ask for someone's location, once. They choose how precise it is, or decline. You can view the answer once."),
        this.#toMe.list, this.#asked.list, this.#asked.empty),
      this.#past.element);
  }

  #changed() {
    this.#draw();
    this.#status.draw();
  }

  #draw() {
    keepFocus(this.element, () => this.#drawAll());
  }

  #drawAll() {
    const { net, sharing, reporter, tracker } = this.#app;
    const { shares, requests, isLoaded, problem: failed } = sharing;
    // Offline, the line above the lists says so for all of them.
    const waiting = net.state === "offline" ? ""
      : net.state !== "live" ? "Waiting for connection…" : failed ? "Couldn't load this." : "Loading…";
    this.#isAway = net.state !== "live" && (this.#isAway || net.wasLive || net.state === "offline" || net.nextAttemptAt !== null);
    this.#drawProblem(failed);
    tracker.askCurrent();
    // It is not known then what there is to stop.
    const isUnsure = !isLoaded && (failed || this.#isAway) && !sharing.isStopping("all");
    this.#stopEach.hidden = sharing.working.length === 0 && !isUnsure;
    this.#mine.draw(shares, isLoaded ? `You're not sharing.${reporter.isUnseen ? " Nobody sees your location." : ""}` : waiting);
    this.#invitations.draw(sharing.invitations, "");
    this.#withMe.draw(sharing.withMe,
      sharing.invitations.length > 0 ? "" : isLoaded ? "Nobody is sharing with you." : waiting);
    this.#toMe.draw(requests.toMe, "");
    this.#toMe.empty.hidden = true;
    this.#asked.draw(requests.mine.map((request) => this.#withState(request)),
      requests.toMe.length > 0 ? "" : isLoaded ? "No requests." : waiting);
    this.#past.draw(waiting);
    // A share that has ended is a past share now.
    const working = shares.map(({ id }) => id).join();
    if (this.#workingBefore !== null && this.#workingBefore !== working) this.#past.load();
    this.#workingBefore = isLoaded ? working : null;
  }

  #drawProblem(failed) {
    const { net, sharing } = this.#app;
    const isKnown = sharing.isLoaded || sharing.shares.length > 0;
    const lists = isKnown ? "This list may be old." : "Your shares and requests appear when you're back online.";
    const text = this.#isAway ? `You're offline. ${lists} Shares you stop end when you're back online.`
      : failed?.message ?? null;
    if (text === this.#problemDrawn) return;
    this.#problemDrawn = text;
    const isLive = net.state === "live";
    this.#problem.replaceChildren(...(text ? [h("p", { class: "notice warn", role: "status" }, icon(isLive ? "warning" : "offline"),
      h("span", { class: "grow" }, text),
      isLive ? h("button", { class: "button small-button", type: "button", onclick: () => sharing.load() }, "Try again") : null)] : []));
  }

  // MARK: rows

  #mineKind() {
    const { sharing } = this.#app;
    // A button is about the share as it is when it is pressed.
    const shareOf = (id) => sharing.shares.find((share) => share.id === id);
    return {
      make: ({ id }) => mineRow(shareOf(id), { scope: this.#scope, stop: () => stopOne(sharing, shareOf(id)),
        change: () => openShareChange(this.#app, shareOf(id)), who: () => openReceipt(this.#app, shareOf(id)) }),
      sigOf: (share) => [share.audience, audienceName(share), share.person?.gender, share.person?.picture],
      set: (element, share) => setMine(element, share, { now: Date.now(), isStopping: sharing.isStopping(share.id) }),
    };
  }

  #invitationKind() {
    return {
      make: (share) => invitationRow(share, { accept: () => this.#respond(share, true), decline: () => this.#respond(share, false),
        menu: personMenu(this.#app, share.person) }),
      sigOf: ({ person }) => person.name,
      set: (element, share) => setInvitation(element, share, { now: Date.now() }),
    };
  }

  #withMeKind() {
    const { sharing } = this.#app;
    return {
      make: (share) => withMeRow(share, { scope: this.#scope, menu: personMenu(this.#app, share.person),
        hide: () => sharing.setHidden(share.id, !sharing.hidden.has(share.id)) }),
      sigOf: ({ audience, person }) => [audience, person.name, person.gender, person.picture],
      set: (element, share) => setWithMe(element, share, { now: Date.now(), isHidden: sharing.hidden.has(share.id) }),
    };
  }

  #toMeKind() {
    return {
      make: (request) => questionRow(request, { scope: this.#scope, isToMe: true, answer: () => openAnswer(this.#app, request),
        menu: personMenu(this.#app, request.from) }),
      sigOf: (request) => request,
      set: (element, request) => setQuestion(element, request, { now: Date.now(), isToMe: true }),
    };
  }

  #askedKind() {
    return {
      make: (request) => questionRow(request, { scope: this.#scope, read: () => openRead(this.#app, request) }),
      sigOf: (request) => request,
      set: (element, request) => setQuestion(element, request, { now: Date.now() }),
    };
  }

  /** A question whose time is over by this clock has expired, whatever the server said last. */
  #withState(request) {
    const isOver = ["open", "answered"].includes(request.state) && Date.parse(request.expiresAt) <= this.#app.net.clock.now();
    return isOver ? { ...request, state: "expired" } : request;
  }

  // MARK: actions

  async #respond({ id, person: { name } }, accept) {
    const { sharing } = this.#app;
    try {
      await sharing.respond(id, accept);
      toast(accept ? `You can now see ${name}'s location.` : `Declined. ${name} won't be told.`);
    } catch (error) {
      toast(error.message);
      sharing.load();
    }
  }

  /** Opens a question to answer, or an answer to read. */
  #openQuestion(wanted) {
    if (!wanted) return;
    history.replaceState(null, "", "/sharing");
    const { requests } = this.#app.sharing;
    const to = requests.toMe.find(({ id }) => id === wanted);
    const from = requests.mine.find(({ id, state }) => id === wanted && state === "answered");
    if (to) openAnswer(this.#app, to);
    else if (from) openRead(this.#app, from);
  }
}
