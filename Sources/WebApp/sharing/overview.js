// Sharing: what I share and with whom, what is shared with me, questions where somebody is, and who looked.

import { confirmDialog, h, keepFocus, setText, toast } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { audienceName } from "./words.js";
import { openAsk, openAnswer, openRead } from "./ask.js";
import { KeyedChildren } from "../kit/keyed.js";
import { invitationRow, mineRow, pastRow, personMenu, questionRow, setInvitation, setMine, setQuestion, setWithMe,
  withMeRow } from "./rows.js";
import { openReceipt } from "./receipt.js";
import { makeShareStatus } from "./status.js";
import { openStop, stopAll, stopOne } from "./bar.js";
import { openShareChange, openShareSheet } from "./sharesheet.js";

export function show(root, { query }, app) {
  const { net, sharing, reporter, router } = app;
  if (!net.account) {
    router.go("/login?next=/sharing", { replace: true });
    return undefined;
  }
  const status = makeShareStatus(app);
  const problem = h("div", { id: "sharing-problem" });
  const listed = (id, label) => {
    const list = h("ul", { class: "rows", id, "aria-label": label });
    return { list, rows: new KeyedChildren(list), empty: h("p", { class: "muted", id: `${id}-empty` }) };
  };
  const mine = listed("my-shares", "What I share");
  const invitations = listed("invitations", "Who wants to share with me");
  const withMe = listed("with-me", "What is shared with me");
  const toMe = listed("questions-to-me", "Who asks where I am");
  const asked = listed("my-questions", "Whom I asked");
  const past = listed("past-shares", "Past shares");
  const part = (id, title, head, ...children) => h("section", { class: "card stack", "aria-labelledby": id },
    h("div", { class: "part-head" }, h("h2", { id }, title), ...head), ...children);
  const stopEach = h("button", { class: "button danger small-button", type: "button", id: "page-stop-all",
    onclick: () => (sharing.working.length > 1 ? openStop(sharing) : stopAll(sharing)) }, "Stop all");
  const erase = h("button", { class: "button small-button", type: "button", id: "erase-past", hidden: true, onclick: () => erasePast() },
    icon("bin"), "Erase all of it");
  const more = h("button", { class: "button", type: "button", id: "more-past", hidden: true, onclick: () => loadPast(next) }, "Show more");
  const scope = app.pictures.scope();
  let pastShares = null;
  let next = null;
  let pastProblem = null;
  let workingBefore = null;

  const page = h("div", { class: "page stack sharing-page" },
    h("div", { class: "part-head" }, h("h1", { tabindex: "-1" }, "Sharing"),
      h("button", { class: "button primary", type: "button", id: "new-share", onclick: () => openShareSheet(app) }, icon("share"),
        "Share where I am")),
    problem,
    part("mine-title", "What I share", [stopEach], mine.list, mine.empty, status.element),
    part("with-me-title", "Shared with me", [h("a", { class: "button quiet small-button", href: "/map" }, icon("map"), "Map")],
      invitations.list, withMe.list, withMe.empty),
    part("ask-title", "Where are you now?", [h("button", { class: "button small-button", type: "button", id: "ask-open", onclick: () => openAsk(app) }, icon("question"), "Ask somebody")],
      h("p", { class: "muted small" },
        "A question that is answered once, as exactly as the other one likes, or not at all. The answer can be read once."), toMe.list,
      asked.list, asked.empty),
    part("past-title", "Past shares", [erase],
      h("p", { class: "muted small" },
        "Kept for 30 days, for you alone: with whom, how exactly, and who looked. Where you were is not kept."), past.list, past.empty,
      more));
  root.append(page);

  /** Elements are made by what they are about, `sigOf`, and filled with what changes by `set`. */
  function drawList({ rows, empty }, items, emptyText, { make, sigOf, set = () => {} }) {
    rows.draw(items.map((item) => (
      { key: item.id, sig: JSON.stringify(sigOf(item)), make: () => make(item), set: (element) => set(element, item) })));
    setText(empty, items.length > 0 ? "" : emptyText);
    empty.hidden = items.length > 0;
  }

  const draw = () => keepFocus(page, drawAll);

  function drawAll() {
    const { shares, requests, isLoaded, problem: failed } = sharing;
    const now = Date.now();
    const waiting = net.state !== "live" ? "Waiting for the network…" : failed ? "This could not be loaded." : "Loading…";
    isAway = net.state !== "live" && (isAway || net.wasLive || net.state === "offline" || net.nextAttemptAt !== null);
    drawProblem(failed);
    app.tracker.askCurrent();
    // Nobody knows then what there is to stop.
    const isUnsure = !isLoaded && (failed || isAway) && !sharing.isStopping("all");
    stopEach.hidden = sharing.working.length === 0 && !isUnsure;
    drawList(mine, shares, isLoaded ? `You share with nobody.${reporter.isUnseen ? " Nobody sees where you are." : ""}` : waiting, {
      // Pressed later, a button is about the share as it is then.
      make: ({ id }) => mineRow(mineOf(id),
        { scope, stop: () => stopOne(sharing, mineOf(id)), change: () => openShareChange(app, mineOf(id)),
          who: () => openReceipt(app, mineOf(id)) }),
      sigOf: (share) => [share.audience, audienceName(share), share.person?.gender, share.person?.picture],
      set: (element, share) => setMine(element, share, { now, isStopping: sharing.isStopping(share.id) }),
    });
    drawList(invitations, sharing.invitations, "", {
      make: (share) => invitationRow(share,
        { accept: () => respond(share, true), decline: () => respond(share, false), menu: personMenu(app, share.person) }),
      sigOf: ({ person }) => person.name, set: (element, share) => setInvitation(element, share, { now }),
    });
    drawList(withMe, sharing.withMe, sharing.invitations.length > 0 ? "" : isLoaded ? "Nobody shares with you now." : waiting, {
      make: (share) => withMeRow(share,
        { scope, hide: () => sharing.setHidden(share.id, !sharing.hidden.has(share.id)), menu: personMenu(app, share.person) }),
      sigOf: ({ audience, person }) => [audience, person.name, person.gender, person.picture],
      set: (element, share) => setWithMe(element, share, { now, isHidden: sharing.hidden.has(share.id) }),
    });
    drawList(toMe, requests.toMe, "", {
      make: (request) => questionRow(request,
        { scope, isToMe: true, answer: () => openAnswer(app, request), menu: personMenu(app, request.from) }), sigOf: (request) => request,
      set: (element, request) => setQuestion(element, request, { now, isToMe: true }),
    });
    toMe.empty.hidden = true;
    drawList(asked, requests.mine.map(stateOf), requests.toMe.length > 0 ? "" : isLoaded ? "No questions." : waiting, {
      make: (request) => questionRow(request, { scope, read: () => openRead(app, request) }), sigOf: (request) => request,
      set: (element, request) => setQuestion(element, request, { now }),
    });
    drawList(past, pastShares ?? [], pastProblem ? pastProblem.message : pastShares === null ? waiting : "None.",
      { make: (share) => pastRow(sharing.named(share), { scope, who: () => openReceipt(app, sharing.named(share)) }),
        sigOf: (share) => share });
    erase.hidden = (pastShares ?? []).length === 0;
    more.hidden = next === null;
    // What has ended is a past share now.
    const working = shares.map(({ id }) => id).join();
    if (workingBefore !== null && workingBefore !== working) loadPast();
    workingBefore = isLoaded ? working : null;
  }

  function mineOf(id) {
    return sharing.shares.find((share) => share.id === id);
  }

  /** A question's time is over by this clock, too. */
  function stateOf(request) {
    return ["open", "answered"].includes(request.state) && Date.parse(request.expiresAt) <= net.clock.now()
      ? { ...request, state: "expired" } : request;
  }

  let problemDrawn = null;
  /** Whether there is no connection, or none could be made: the first attempt of a page is no news. */
  let isAway = false;

  function drawProblem(failed) {
    const text = isAway ? `There is no connection. This is what ${net.wasLive ? "was known when it was lost" : "this device knew last"}; `
      + `what you stop ends as soon as it is back.` : failed?.message ?? null;
    if (text === problemDrawn) return;
    problemDrawn = text;
    problem.replaceChildren(...(text ? [h("p", { class: "notice warn", role: "status" }, icon(net.state === "live" ? "warning" : "offline"), h("span", { class: "grow" }, text),
      net.state === "live" ? h("button", { class: "button small-button", type: "button", onclick: () => sharing.load() }, "Try again")
        : null)] : []));
  }

  async function loadPast(before = null) {
    try {
      const page = await net.request("sharing.past", before ? { before } : {});
      pastShares = before ? [...(pastShares ?? []), ...page.shares] : page.shares;
      next = page.next ?? null;
      pastProblem = null;
    } catch (error) {
      pastProblem = error;
    }
    draw();
  }

  async function respond({ id, person: { name } }, accept) {
    try {
      await sharing.respond(id, accept);
      toast(accept ? `You can see where ${name} is.` : `Declined. ${name} is not told.`);
    } catch (error) {
      toast(error.message);
      sharing.load();
    }
  }

  async function erasePast() {
    const sure = await confirmDialog(
      { id: "erase-past-dialog", title: "Erase your past shares?",
        text: "The list goes, and with it who looked. This cannot be undone. What you share now is not touched.", confirm: "Erase",
        danger: true });
    if (!sure) return;
    try {
      const { erased } = await net.request("sharing.erasePast");
      toast(`${count(erased, "past share")} erased.`);
      await loadPast();
    } catch (error) {
      toast(error.message);
    }
  }

  const changed = () => {
    draw();
    status.draw();
  };
  const onState = () => {
    changed();
    if (net.state === "live" && (pastShares === null || pastProblem)) loadPast();
  };
  sharing.addEventListener("change", changed);
  net.addEventListener("state", onState);
  const leaveIfSignedOut = () => { if (!net.account) router.go("/", { replace: true }); };
  net.addEventListener("account", leaveIfSignedOut);
  const ticker = setInterval(changed, 5_000);
  draw();
  loadPast();
  openAsked();

  /** What a message of the app leads to: a question to answer, or an answer to read. */
  function openAsked() {
    const wanted = Number(query?.get("question"));
    if (!wanted) return;
    history.replaceState(null, "", "/sharing");
    const to = sharing.requests.toMe.find(({ id }) => id === wanted);
    const from = sharing.requests.mine.find(({ id, state }) => id === wanted && state === "answered");
    if (to) openAnswer(app, to);
    else if (from) openRead(app, from);
  }

  return () => {
    clearInterval(ticker);
    sharing.removeEventListener("change", changed);
    net.removeEventListener("state", onState);
    net.removeEventListener("account", leaveIfSignedOut);
    status.close();
    scope.close();
  };
}
