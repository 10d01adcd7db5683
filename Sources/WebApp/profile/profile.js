// The profile of the account: picture, name, degree, interests, home location. It is saved while it is edited.

import { makeGoalCard } from "../history/goalcard.js";
import { announce, h, setText } from "../kit/dom.js";
import { makeChips } from "../kit/fields.js";
import { makeField } from "../kit/form.js";
import { dayText, sentence } from "../kit/format.js";
import { icon } from "../kit/icons.js";
import { loadProblem } from "../kit/loadable.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { makePictureField } from "../kit/picturefield.js";
import { makeSaved } from "../kit/saved.js";
import { leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { textLengths } from "../client/registry.js";
import { settingsFrame } from "../settings/frame.js";
import { makeHomeField } from "./homefield.js";
import { waitingText } from "./profileedits.js";

/** Serves `/settings/profile`. */
export function show(root, _params, app) {
  if (!requireSignIn(app, "/settings/profile")) return undefined;
  const page = new ProfilePage(root, app);
  return () => page.close();
}

class ProfilePage {
  #app;
  #edits;
  #scope;
  #end = new AbortController();
  #status;
  #kept = makeKeptNote("profile-kept");
  #place = h("div", { class: "stack", id: "profile" });
  /** `{draw(), close?()}` of each part; null before the profile is there. */
  #parts = null;

  constructor(root, app) {
    this.#app = app;
    this.#edits = app.profileEdits.open();
    this.#scope = app.pictures.scope();
    this.#status = loading(app.net);
    root.append(settingsFrame(app, "profile", [
      h("h1", { tabindex: "-1" }, "Profile"),
      h("p", { class: "muted" }, "Your changes are saved as you make them, on all your devices."),
      this.#kept.element, this.#status, this.#place,
    ]));
    this.#edits.addEventListener("change", () => this.#draw(), { signal: this.#end.signal });
    app.net.addEventListener("state", () => this.#draw(), { signal: this.#end.signal });
    leaveWhenSignedOut(app, this.#end.signal);
    if (this.#edits.profile) this.#draw();
    this.#edits.load();
  }

  close() {
    this.#end.abort();
    this.#app.profileEdits.leave();
    for (const part of this.#parts ?? []) part.close?.();
    this.#scope.close();
  }

  #draw() {
    const { profile, failure } = this.#edits;
    if (!profile) {
      const isFailed = failure !== null && !failure.isTransient;
      this.#status.hidden = isFailed;
      if (isFailed) {
        this.#place.replaceChildren(loadProblem({ id: "profile-problem", title: "Couldn't load your profile",
          text: sentence(failure.message), again: () => this.#edits.load() }));
      }
      return;
    }
    this.#kept.draw(this.#edits.keptAt);
    if (!this.#parts) {
      this.#status.hidden = true;
      this.#parts = this.#makeParts();
      this.#place.replaceChildren(...this.#parts.map(({ element }) => element));
      if (location.hash === "#home") document.getElementById("home-card")?.scrollIntoView({ block: "start" });
    }
    for (const part of this.#parts) part.draw();
  }

  #makeParts() {
    const { net, events } = this.#app;
    const edits = this.#edits;
    const shown = h("p", { class: "hint", id: "shown-names" });
    const names = [
      textField(edits, { name: "firstName", label: "First name", autocomplete: "given-name", maxlength: textLengths.personName.max }),
      textField(edits, { name: "lastName", label: "Last name", autocomplete: "family-name", maxlength: textLengths.personName.max }),
    ];
    const degree = textField(edits, { name: "degree", label: "Degree or field", autocomplete: "off", maxlength: textLengths.degree.max,
      hint: "For example Computer Science, 3rd year. Only you see it." });
    const interests = interestsField(edits);
    const home = makeHomeField({ app: this.#app, edits });
    const goal = makeGoalCard({ net, events }, { withTotals: true });
    const draws = (parts) => () => { for (const part of parts) part.draw(); };
    return [
      this.#pictureCard(),
      { element: card("name-card", "Your name", ...names.map(({ element }) => element), shown), draw: () => {
        draws(names)();
        setText(shown, namesText(edits));
      } },
      { element: card("study-card", "Studies and interests", degree.element, interests.element), draw: draws([degree, interests]) },
      { element: home.element, draw: () => home.draw(), close: () => home.close() },
      { element: goal.element, draw: () => {}, close: () => goal.close() },
      factsCard(edits, net),
    ];
  }

  #pictureCard() {
    const edits = this.#edits;
    let shown = edits.value("picture");
    const make = () => makePictureField({
      net: this.#app.net, scope: this.#scope, value: edits.value("picture"), gender: edits.profile.gender ?? null, isSavedAtOnce: true,
      changed: () => send(),
    });
    let field = make();
    const place = h("div", {}, field.element);
    const note = noteOf(edits, "picture", { saysProblem: true });
    const send = async () => {
      note.say("Saving…", "saving");
      try {
        shown = await field.send();
        await edits.edit("picture", shown);
      } catch (error) {
        note.say(`Not saved. ${error.message}`, "bad");
      }
    };
    return {
      element: card("picture-card", "Picture", place, note.element),
      draw: () => {
        note.draw();
        // Another device has chosen another picture.
        if (edits.isEdited("picture") || shown === (edits.profile.picture ?? null) || note.element.dataset.state === "saving") return;
        shown = edits.profile.picture ?? null;
        field.close();
        field = make();
        place.replaceChildren(field.element);
      },
      close: () => field.close(),
    };
  }
}

function card(id, title, ...content) {
  return h("section", { class: "card stack", id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), ...content);
}

/** The note of a field: it is being saved, it is saved, it waits. Without `saysProblem` its error stands beside it. */
function noteOf(edits, name, { saysProblem = false } = {}) {
  const note = makeSaved();
  let state = null;
  return {
    ...note,
    draw() {
      const now = edits.state(name);
      if (now === state) return;
      if (now === "saved" && state !== null) announce("Saved.");
      state = now;
      if (now === "saving") note.say("Saving…", "saving");
      else if (now === "waiting") note.say(waitingText, "saving");
      else if (now === "saved") note.say("Saved", "saved");
      else if (now === "bad" && saysProblem) note.say(`Not saved. ${sentence(edits.problem(name))}`, "bad");
      else note.say("", "");
    },
  };
}

function textField(edits, options) {
  const { name } = options;
  const field = makeField({ ...options, id: `profile-${name}`, value: edits.value(name) ?? "" });
  const note = noteOf(edits, name);
  const undo = h("button", { class: "button quiet small-button", type: "button", hidden: true, "aria-label": `Undo ${options.label}`,
    onclick: () => {
      edits.undo(name);
      field.input.focus();
    } }, icon("undo"), "Undo");
  field.element.append(h("div", { class: "row" }, note.element, undo));
  let problem = null;
  field.input.addEventListener("input", () => edits.edit(name, field.input.value.trim(), { isTyped: true }));
  field.input.addEventListener("change", () => edits.finish(name));
  return {
    element: field.element,
    draw() {
      note.draw();
      undo.hidden = !edits.canUndo(name);
      const now = edits.problem(name);
      field.setProblem(now === null ? null : sentence(now));
      if (now !== null && now !== problem) announce(`${options.label}: ${sentence(now)}`);
      problem = now;
      const value = edits.value(name) ?? "";
      // The person's own typing stays, and so does what was refused.
      const isTyped = edits.isEdited(name) && document.activeElement === field.input;
      if (!isTyped && !edits.problem(name) && field.input.value.trim() !== value) field.input.value = value;
    },
  };
}

function interestsField(edits) {
  const note = noteOf(edits, "interests");
  const place = h("div", {});
  let drawn = null;
  return {
    element: h("div", { class: "stack tight" }, place, note.element),
    draw() {
      note.draw();
      const value = edits.value("interests") ?? [];
      const key = [...value].sort().join();
      if (key === drawn) return;
      drawn = key;
      const chips = makeChips({ name: "interests", label: "Interests", hint: "We suggest events of these kinds. Only you see them.",
        most: edits.interests.length, options: edits.interests, value, changed: () => {
          drawn = [...chips.value].sort().join();
          edits.edit("interests", chips.value);
        } });
      place.replaceChildren(chips.element);
    },
  };
}

/** Who sees which name. */
function namesText(edits) {
  const first = edits.value("firstName");
  const last = edits.value("lastName");
  const { username } = edits.profile;
  if (!first) return `Others see your username, ${username}. Add your first name to be shown by name to your buddies and in chats.`;
  const short = last ? `${first} ${[...last][0]}.` : first;
  const full = [first, last].filter(Boolean).join(" ");
  return `Buddies see “${full}”, people in your chats “${short}”, and everybody else your username, ${username}.`;
}

function factsCard(edits, net) {
  const list = h("dl", { class: "facts about-facts profile-facts" });
  const fact = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
  return {
    element: h("section", { class: "card stack", id: "facts-card", "aria-labelledby": "facts-card-title" },
      h("h2", { id: "facts-card-title" }, "Account"), list,
      h("p", {}, h("a", { class: "link", href: "/settings/account" }, icon("edit"), "Change username or email"))),
    draw: () => list.replaceChildren(fact("Username", edits.profile.username), fact("Email", net.account?.email ?? ""),
      fact("Member since", dayText(edits.profile.createdAt))),
  };
}
