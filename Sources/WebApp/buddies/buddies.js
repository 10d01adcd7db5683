// Buddies: the rules at first, then one's profile, then people to train with (W-3, W-4).

import { emptyState, h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeBuddyCard } from "./card.js";
import { makeBuddyForm } from "./profileform.js";
import { makeDeck } from "./deck.js";
import { loading } from "../kit/loading.js";

/** From this width on the preview stands beside the form (buddies.css); below, it is closed until it is wanted. */
const previewBesidePixels = 1_060;

export function show(root, { query }, app) {
  return showBuddies(root, app, { isProfile: false, query });
}

/** The page as `/buddies` and `/buddies/profile` show it; gives back how to take it down. */
export function showBuddies(root, app, { isProfile }) {
  const { net, router, pictures } = app;
  if (!net.account) {
    router.go(`/login?next=${isProfile ? "/buddies/profile" : "/buddies"}`, { replace: true });
    return undefined;
  }
  const scope = pictures.scope();
  const page = h("div", { class: "page buddies-page" });
  let part = null;
  let closed = false;
  let isLoading = false;
  root.append(page);

  function put(...children) {
    part?.close?.();
    part = null;
    page.replaceChildren(...children);
  }

  function fail(error) {
    put(h("h1", { tabindex: "-1" }, "Buddies"), emptyState({
      id: "buddies-problem", iconElement: icon("offline"), title: "This could not be loaded", text: error.message,
      action: h("button", { class: "button", type: "button", onclick: () => load() }, "Try again"),
    }));
  }

  async function load() {
    if (isLoading) return;
    isLoading = true;
    put(h("h1", { tabindex: "-1" }, isProfile ? "My buddy profile" : "Buddies"), loading(net));
    try {
      const [options, { profile }, me] = await Promise.all([net.request("buddies.options"), net.request("profile.get"), net.request("buddies.me")]);
      if (!closed) draw(options, profile ?? null, me);
    } catch (error) {
      if (!closed) fail(error);
    } finally {
      isLoading = false;
    }
  }

  function draw(options, profile, { profile: buddy = null, preview = null }) {
    if (options.agreed !== options.rulesVersion) return drawRules(options);
    if (isProfile || !profile || !buddy) return drawForm(options, profile, buddy, preview);
    return drawDeck(options, buddy);
  }

  function drawRules(options) {
    const signs = ["strength", "group", "heart", "block"];
    const problem = h("p", { class: "problem", role: "alert" });
    const agree = h("button", { class: "button primary big wide", type: "button", id: "agree", onclick: async () => {
      agree.disabled = true;
      problem.textContent = "";
      try {
        await net.request("buddies.agree", { version: options.rulesVersion });
        if (!closed) load();
      } catch (error) {
        problem.textContent = error.message;
        agree.disabled = false;
      }
    } }, "I agree");
    put(h("div", { class: "rules stack" },
      h("h1", { tabindex: "-1" }, options.agreed ? "The rules have changed" : "Find a gym buddy"),
      h("p", { class: "lead" }, options.agreed ? "Please read them again before you go on." : "Meet people on campus who train like you, at your hours. You are buddies only when both of you say yes."),
      h("ul", { class: "rule-list", id: "rules" }, ...options.rules.map(({ title, text }, index) => h("li", { class: "card rule" }, icon(signs[Math.min(index, signs.length - 1)]), h("div", {}, h("h2", {}, title), h("p", { class: "muted" }, text))))),
      problem, agree, h("a", { class: "button quiet", href: "/" }, "Not now")));
    page.querySelector("h1").focus({ preventScroll: true });
  }

  function drawForm(options, profile, buddy, preview) {
    const isFirst = !profile || !buddy;
    const form = makeBuddyForm({ net, scope, options, profile, buddy, isFirst, saved: () => {
      app.known.load();
      if (closed) return;
      if (isProfile && !isFirst) load();
      else router.go("/buddies");
    } });
    const shown = preview ? h("aside", { class: "preview" }, h("details", { open: innerWidth >= previewBesidePixels }, h("summary", {}, "How others see you"), makeBuddyCard(preview, options, scope, { isOwn: true }))) : null;
    put(isFirst ? "" : h("a", { href: "/buddies", class: "back" }, "← Buddies"),
      h("h1", { tabindex: "-1" }, isFirst ? "Tell us how you train" : "My buddy profile"),
      isFirst ? h("p", { class: "lead" }, "The more you say, the better the suggestions. You can change all of it at any time.") : "",
      h("div", { class: shown ? "with-preview" : "" }, form.element, shown));
    part = form;
    if (isFirst) page.querySelector("h1").focus({ preventScroll: true });
    root.scrollTop = 0;
  }

  function drawDeck(options, buddy) {
    const deck = makeDeck({ app, options, scope });
    put(h("div", { class: "buddies-head" }, h("h1", { tabindex: "-1" }, "Buddies"),
      h("div", { class: "row" }, h("a", { class: "button quiet", href: "/chats" }, icon("chats"), "My buddies"), h("a", { class: "button quiet", href: "/buddies/profile", id: "edit-profile" }, icon("edit"), "My profile"))),
    buddy.active ? "" : h("p", { class: "notice warn" }, icon("eye"), h("span", {}, "You are not suggested to others now. ", h("a", { href: "/buddies/profile" }, "Change that"))), deck.element);
    part = deck;
    deck.load();
  }

  const reload = () => { if (net.state === "live" && page.querySelector("#buddies-problem")) load(); };
  const leaveIfSignedOut = () => { if (!net.account) router.go("/", { replace: true }); };
  net.addEventListener("state", reload);
  net.addEventListener("account", leaveIfSignedOut);
  load();
  return () => {
    closed = true;
    part?.close?.();
    scope.close();
    net.removeEventListener("state", reload);
    net.removeEventListener("account", leaveIfSignedOut);
  };
}
