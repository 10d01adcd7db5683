// The live page of a group that trains together: its members, and how to join, leave, come back and end it.

import { uuid } from "../client/uuid.js";
import { followWaiting } from "../connection/waitingmethods.js";
import { attempt, confirmThen, openDialog } from "../kit/dialog.js";
import { announce, emptyState, h, setText, toast } from "../kit/dom.js";
import { sentence } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { makeKeyedContents } from "../kit/keyed.js";
import { loadProblem } from "../kit/loadable.js";
import { loading } from "../kit/loading.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { loadStyles } from "../kit/styles.js";
import { makeBuddyPicker } from "./choose.js";
import { ExerciseNames, LiveGroup } from "./livegroup.js";
import { makeMemberList } from "./members.js";
import { followGroups } from "./signals.js";
import { ageOf, changesText, closedText, connectionText, groupText } from "./words.js";
import { makeZoneSwitch } from "./zoneswitch.js";

await loadStyles("/app/together/together.css");

/** Serves `/together/:id`. */
export function show(root, { id }, app) {
  if (!requireSignIn(app, `/together/${id}`)) return undefined;
  const page = new GroupPage(root, id, app);
  return () => page.close();
}

class GroupPage {
  #app;
  #id;
  #group;
  #names;
  #scope;
  #members;
  #end = new AbortController();
  #ticker;
  #signals;
  #isBusy = false;
  #dialog = null;
  /** One for the page: a choice before joining stays. */
  #zone = null;
  #heading = h("h1", { tabindex: "-1" }, "Live group");
  #line = h("p", { class: "muted", id: "group-line" });
  // Only the state is read out, not the age, which is another each second.
  #connection = h("strong", { role: "status" });
  #age = h("span", {});
  #offline = h("p", { class: "notice warn", id: "group-offline", hidden: true }, icon("offline"),
    h("span", {}, this.#connection, " ", this.#age));
  #status;
  #actions = h("div", { class: "stack", id: "group-actions" });
  #drawActions = makeKeyedContents(this.#actions);
  #card = h("section", { class: "card stack", id: "group-card", "aria-label": "Members", hidden: true });
  #problem = h("div", {});

  constructor(root, id, app) {
    const { net, pictures } = app;
    this.#app = app;
    this.#id = id;
    this.#group = new LiveGroup(net, id);
    this.#names = new ExerciseNames(net);
    this.#scope = pictures.scope();
    this.#status = loading(net);
    this.#members = makeMemberList({ app, group: this.#group, names: this.#names, scope: this.#scope,
      remove: (username, name) => this.#remove(username, name) });
    this.#card.append(this.#members.element);
    root.append(h("div", { class: "page stack group-page" }, h("a", { class: "back", href: "/together" }, "← Train together"),
      this.#heading, this.#line, this.#offline, this.#status, this.#problem, this.#actions, this.#card));
    const { signal } = this.#end;
    leaveWhenSignedOut(app, signal);
    this.#group.addEventListener("change", () => this.#draw(), { signal });
    this.#group.addEventListener("members", (/** @type {any} */ { detail }) => this.#say(detail.before), { signal });
    net.addEventListener("state", () => this.#draw(), { signal });
    app.known.addEventListener("change", () => this.#draw(), { signal });
    followWaiting(net.writes, ({ method }) => method.startsWith("together."), () => this.#draw(), signal);
    this.#signals = followGroups(net, (group) => { if (group === null || group === id) this.#group.changed(); });
    this.#ticker = setInterval(() => this.#drawAge(), 1_000);
    this.#draw();
  }

  close() {
    this.#end.abort();
    clearInterval(this.#ticker);
    this.#signals.close();
    this.#members.close();
    this.#group.close();
    this.#scope.close();
    if (this.#dialog?.open) this.#dialog.close();
  }

  // MARK: Drawing

  #draw() {
    const { state, info, problem, reason, members, own, isHost } = this.#group;
    this.#status.hidden = state !== "loading";
    this.#drawAge();
    if (state === "failed") {
      this.#problem.replaceChildren(problem?.isTransient
        ? loadProblem({ id: "group-problem", title: "Couldn't open this group", text: sentence(problem.message),
          again: () => location.reload() })
        : emptyState({ id: "group-problem", iconElement: icon("buddies"), title: "This group isn't here",
          text: "It has ended, or you're not invited.", action: h("a", { class: "button", href: "/together" }, "See your groups") }));
      return;
    }
    if (!info) return;
    setText(this.#heading, info.title);
    const title = this.#app.titled(info.title);
    if (document.title !== title) document.title = title;
    setText(this.#line, state === "closed" ? closedText(reason) : groupText({ members: [...members.values()],
      participants: ["joined", "finished"].includes(own?.state) ? 0 : info.participants }));
    this.#card.hidden = members.size === 0;
    this.#members.draw();
    const waits = this.#app.net.writes.waiting.some(({ method, params }) => method.startsWith("together.") && params.group === this.#id);
    this.#zone?.draw();
    const key = JSON.stringify([state, own?.state, isHost, this.#isBusy, waits, this.#hostName]);
    this.#drawActions(key, () => (state === "closed" ? this.#closedActions() : this.#liveActions(own, isHost, waits)));
  }

  get #hostName() {
    return this.#app.known.nameOf(this.#group.info.host);
  }

  #drawAge() {
    const { net } = this.#app;
    const { receivedAt, state } = this.#group;
    this.#offline.hidden = net.state === "live" || receivedAt === null || state === "closed";
    setText(this.#connection, this.#offline.hidden ? "" : connectionText(net));
    setText(this.#age, this.#offline.hidden ? "" : ageOf(net, receivedAt));
  }

  #say(before) {
    const { known, net } = this.#app;
    const text = changesText(before, this.#group.members, { own: net.account?.username, nameOf: (username) => known.nameOf(username) });
    if (text) announce(text);
  }

  // MARK: Actions

  #button(id, className, label, iconName, run) {
    return h("button", { class: `button ${className}`, type: "button", id, disabled: this.#isBusy, onclick: run },
      iconName ? icon(iconName) : null, label);
  }

  #closedActions() {
    return [h("p", {}, h("a", { class: "button", href: "/workouts" }, "My workouts"))];
  }

  #liveActions(own, isHost, waits) {
    const state = own?.state ?? "invited";
    const zone = this.#zone ??= makeZoneSwitch({ group: this.#group, changed: ({ exercises }) => this.#names.know(exercises) });
    const join = (label, iconName) => this.#button("group-join", "primary big", label, iconName,
      () => this.#join(zone.input.checked));
    const main = {
      invited: [join("Join and start", "play"), this.#button("group-decline", "", "Decline", null, () => this.#leave({ isDecline: true }))],
      joined: [join("Open my workout", "play"), this.#button("group-leave", "", "Leave", "leave", () => this.#leave({}))],
      left: [join("Come back", "play")],
      finished: [h("p", { class: "notice good", id: "group-finished" }, icon("tick"), h("span", {}, "You've finished. Well done!"))],
    }[state];
    const host = h("div", { class: "row" }, this.#button("group-invite", "", "Invite more", "plus", () => this.#invite()),
      this.#button("group-end", "danger", "End for everyone", null, () => this.#endForAll()));
    const invitation = state === "invited" ? h("p", {}, `${this.#hostName} invites you to train together.`) : null;
    return [
      h("div", { class: "card stack" }, invitation, h("div", { class: "row" }, ...main), state === "finished" ? null : zone.element,
        waits ? h("p", { class: "muted small waiting-words" }, icon("waiting"), "Waiting to be sent") : null),
      isHost ? host : null,
    ];
  }

  async #while(work) {
    this.#isBusy = true;
    this.#draw();
    try {
      return await attempt(work);
    } finally {
      this.#isBusy = false;
      if (!this.#end.signal.aborted) this.#draw();
    }
  }

  /** Joins or comes back, and goes on to the guided session. */
  #join(sharesZone) {
    const { net, router } = this.#app;
    return this.#while(async () => {
      const { group, workout, exercises } = await net.request("together.join", { group: this.#id, sharesZone });
      if (this.#end.signal.aborted) return;
      this.#names.know(exercises);
      this.#group.taken(group);
      this.#group.again();
      router.go(await this.#trainingPath(workout));
    });
  }

  /** The training of this group that goes on, or a new one. */
  async #trainingPath(workout) {
    const query = `?workout=${workout}&together=${this.#id}`;
    try {
      const { trainings } = await this.#app.net.request("training.current");
      const open = trainings.find(({ together }) => together === this.#id);
      if (open) return `/training/${open.id}${query}`;
    } catch {
      // The guided session finds it by itself.
    }
    return `/training/${uuid()}${query}`;
  }

  #leave({ isDecline = false }) {
    const { net, router } = this.#app;
    return this.#while(async () => {
      const left = await net.writes.write("together.leave", { group: this.#id });
      if (isDecline) return router.go("/together");
      if (left) announce("You left the group.");
      return this.#group.changed();
    });
  }

  #remove(username, name) {
    return confirmThen({ id: "remove-member", title: `Remove ${name}?`, confirm: "Remove", danger: true,
      text: `${name} can't come back to this group. Their own workout goes on.` },
    () => this.#app.net.writes.write("together.remove", { group: this.#id, username }), `${name} removed.`);
  }

  #endForAll() {
    return confirmThen({ id: "end-group", title: "End for everyone?", confirm: "End for everyone", danger: true,
      text: "You no longer see each other. Everyone's own workout goes on." },
    () => this.#app.net.writes.write("together.end", { group: this.#id }), "The group has ended.");
  }

  #invite() {
    const end = new AbortController();
    const picker = makeBuddyPicker({ app: this.#app, scope: this.#scope, signal: end.signal, without: [...this.#group.members.keys()] });
    const problem = h("p", { class: "problem", role: "alert" });
    const form = h("form", { class: "stack", novalidate: true, onsubmit: async (event) => {
      event.preventDefault();
      problem.textContent = picker.value.length === 0 ? "Choose a buddy." : "";
      if (picker.value.length === 0) return;
      try {
        this.#group.taken(await this.#app.net.request("together.invite", { group: this.#id, invite: picker.value }));
        this.#dialog.close();
        toast("Invited.");
      } catch (error) {
        problem.textContent = error.message;
      }
    } }, picker.element, problem, h("button", { class: "button primary", type: "submit", id: "invite-more" }, "Invite"));
    this.#dialog = openDialog({ id: "invite-buddies", title: "Invite buddies", content: form });
    this.#dialog.addEventListener("close", () => end.abort());
    form.addEventListener("click", ({ target }) => { if (target instanceof Element && target.closest("a")) this.#dialog.close(); });
  }
}
