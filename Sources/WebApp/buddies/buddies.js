// The pages of buddies: the rules at first, then the own profile, then people to train with (W-3, W-4).

import { keptAt } from "../connection/keptage.js";
import { h, keepFocus } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { isOnlyOffline, loadProblem, whenLive } from "../kit/loadable.js";
import { Loader } from "../kit/loader.js";
import { loading, makeKeptNote } from "../kit/loading.js";
import { confirmFirst, leaveWhenSignedOut, requireSignIn } from "../kit/signedin.js";
import { makeBuddyCard } from "./card.js";
import { makeDeck } from "./deck.js";
import { makeBuddyForm } from "./profileform.js";
import { makeRules } from "./rules.js";

/** From this width on the preview stands beside the form (buddies.css); below, it is closed at first. */
const previewBesidePixels = 1_060;

/** Serves `/buddies`. */
export function show(root, _params, app) {
  return showBuddies(root, app, { isProfile: false });
}

/** Shows the page of `/buddies` or `/buddies/profile`; returns a function that ends it. */
export function showBuddies(root, app, { isProfile }) {
  if (!requireSignIn(app, isProfile ? "/buddies/profile" : "/buddies")) return undefined;
  if (app.net.account.confirmBy) {
    root.append(confirmFirst("Buddies", "to meet people on campus"));
    return undefined;
  }
  const page = new BuddiesPage(root, app, isProfile);
  page.load();
  return () => page.close();
}

class BuddiesPage {
  #root;
  #app;
  #isProfile;
  #scope;
  #page = h("div", { class: "page buddies-page" });
  /** The component on the page, which is closed before the next one: the form or the deck. */
  #part = null;
  /** Time of what this device kept and the page shows; null for what the server sent. */
  #keptAt = null;
  /** Ends with the page. */
  #life = new AbortController();
  #loader = new Loader({
    fetch: () => this.#fetch(),
    loading: () => this.#put(this.#heading(this.#isProfile ? "My buddy profile" : "Buddies"), loading(this.#app.net)),
    loaded: (result) => this.#draw(result),
    failed: (error) => this.#drawProblem(error),
  });

  constructor(root, app, isProfile) {
    this.#root = root;
    this.#app = app;
    this.#isProfile = isProfile;
    this.#scope = app.pictures.scope();
    root.append(this.#page);
    const { signal } = this.#life;
    const isWanting = () => this.#keptAt !== null || !this.#loader.hasLoaded;
    signal.addEventListener("abort", whenLive(app.net, () => { if (isWanting()) this.load(); }));
    leaveWhenSignedOut(app, signal);
  }

  load() {
    if (!this.#loader.isLoading && !this.#isClosed) this.#loader.load();
  }

  close() {
    this.#life.abort();
    this.#loader.close();
    this.#part?.close();
    this.#scope.close();
  }

  get #isClosed() {
    return this.#life.signal.aborted;
  }

  async #fetch() {
    const { net } = this.#app;
    const replies = await Promise.all([net.read("buddies.options"), net.read("profile.get"), net.read("buddies.me")]);
    const [options, { profile }, { profile: buddy = null, preview = null }] = replies;
    this.#keptAt = keptAt(replies);
    // The names and the picture of the account are those of the buddy profile.
    const account = profile && buddy ? null : (await net.read("account.profile")).profile;
    return { options, profile: profile ?? null, buddy, preview, account };
  }

  #put(...children) {
    this.#part?.close();
    this.#part = null;
    keepFocus(this.#page, () => this.#page.replaceChildren(...children));
  }

  #heading(text) {
    return h("h1", { tabindex: "-1" }, text);
  }

  #focusHeading() {
    this.#page.querySelector("h1").focus({ preventScroll: true });
  }

  #draw({ options, profile, buddy, preview, account }) {
    if (options.agreed !== options.rulesVersion) this.#drawRules(options);
    else if (this.#isProfile || !profile || !buddy) this.#drawForm({ options, profile, buddy, preview, account });
    else this.#drawDeck(options, buddy);
  }

  #drawProblem(error) {
    if (isOnlyOffline(error, this.#app.net)) return;
    this.#put(this.#heading("Buddies"),
      loadProblem({ id: "buddies-problem", title: "Couldn't load this page", text: error.message, again: () => this.load() }));
  }

  #drawRules(options) {
    this.#put(makeRules({ net: this.#app.net, options, agreed: () => this.load() }));
    this.#focusHeading();
  }

  #drawForm({ options, profile, buddy, preview, account }) {
    const isFirst = !profile || !buddy;
    const form = makeBuddyForm({
      net: this.#app.net, scope: this.#scope, options, profile: profile ?? account, buddy, isFirst,
      picture: buddy ? buddy.picture : account?.picture, saved: () => this.#saved(isFirst),
    });
    const shown = preview ? this.#preview(preview, options) : null;
    const back = h("a", { href: "/buddies", class: "back" }, "← Buddies");
    const lead = h("p", { class: "lead" }, "The more you add, the better your suggestions. You can change it any time.");
    const note = makeKeptNote("buddies-kept");
    note.draw(this.#keptAt);
    this.#put(isFirst ? "" : back, this.#heading(isFirst ? "Tell us how you train" : "My buddy profile"), note.element, isFirst ? lead : "",
      h("div", { class: shown ? "with-preview" : "" }, form.element, shown));
    this.#part = form;
    if (isFirst) this.#focusHeading();
    this.#root.scrollTop = 0;
  }

  #preview(card, options) {
    return h("aside", { class: "preview" }, h("details", { open: innerWidth >= previewBesidePixels },
      h("summary", {}, "How others see you"), makeBuddyCard(card, options, this.#scope, { isOwn: true })));
  }

  #saved(isFirst) {
    const { known, router } = this.#app;
    known.load();
    if (this.#isClosed) return;
    if (this.#isProfile && !isFirst) this.load();
    else router.go("/buddies");
  }

  #drawDeck(options, buddy) {
    const deck = makeDeck({ app: this.#app, options, scope: this.#scope });
    this.#put(h("div", { class: "buddies-head" }, this.#heading("Buddies"),
      h("div", { class: "row" },
        h("a", { class: "button quiet", href: "/chats" }, icon("chats"), "My buddies"),
        h("a", { class: "button quiet", href: "/buddies/profile", id: "edit-profile" }, icon("edit"), "My profile"))),
    buddy.active ? "" : notSuggested(), deck.element);
    this.#part = deck;
    deck.load();
  }
}

function notSuggested() {
  return h("p", { class: "notice warn" }, icon("eye"),
    h("span", {}, "You're not being suggested to others. ", h("a", { href: "/buddies/profile" }, "Change that")));
}
