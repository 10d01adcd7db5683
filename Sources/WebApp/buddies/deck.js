// The deck: one suggestion at a time, passed or accepted by a swipe, a button or a key.

import { announce, emptyState, h, toast } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { Swipe } from "../kit/swipe.js";
import { makeBuddyCard } from "./card.js";
import { avatar } from "../kit/person.js";

const cardsPerRequest = 20;
const refillBelow = 3;
/** Behind the top one, drawn already. */
const cardsDrawn = 2;
const flyMilliseconds = 220;
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** `{element, load, close}`. */
export function makeDeck({ app, options, scope }) {
  const { net, router } = app;
  let cards = [];
  /** Decided here; a refill that was under way may still hold them. */
  const decided = new Set();
  let isLoading = false;
  let mayBeMore = true;
  let closed = false;
  let deciding = Promise.resolve();

  const pile = h("div", { class: "pile", id: "deck" });
  const status = h("div", { class: "deck-status" });
  const pass = h("button", { class: "button big decide pass", type: "button", id: "pass", onclick: () => decide(false) }, icon("close"), "Pass");
  const accept = h("button", { class: "button big decide accept", type: "button", id: "accept", onclick: () => decide(true) }, icon("tick"), "Accept");
  const actions = h("div", { class: "deck-actions", hidden: true }, pass, accept);
  const hint = h("p", { class: "hint deck-hint", hidden: true }, "Swipe or use the buttons. With a keyboard: ← passes, → accepts.");
  const element = h("section", { class: "deck", "aria-label": "Suggestions" }, pile, status, actions, hint);

  async function load() {
    if (isLoading || closed) return;
    isLoading = true;
    if (cards.length === 0) status.replaceChildren(h("p", { class: "muted center" }, "Looking for people who train like you…"));
    try {
      const reply = await net.request("buddies.deck", { limit: cardsPerRequest });
      if (closed) return;
      const known = new Set(cards.map(({ account }) => account));
      const fresh = reply.cards.filter(({ account }) => !known.has(account) && !decided.has(account));
      cards.push(...fresh);
      mayBeMore = fresh.length > 0 && reply.cards.length === cardsPerRequest;
      status.replaceChildren();
      isLoading = false;
      draw();
    } catch (error) {
      if (closed || cards.length > 0) return;
      actions.hidden = hint.hidden = true;
      status.replaceChildren(emptyState({
        id: "deck-problem", iconElement: icon("offline"), title: net.state === "live" ? "No suggestions now" : "You are offline", text: error.message,
        action: h("button", { class: "button", type: "button", onclick: load }, "Try again"),
      }));
    } finally {
      isLoading = false;
    }
  }

  function draw() {
    const wanted = cards.slice(0, cardsDrawn);
    for (const child of [...pile.children]) {
      if (!child.classList.contains("leaving") && !wanted.some(({ account }) => String(account) === child.dataset.account)) child.remove();
    }
    for (const [index, card] of wanted.entries()) {
      let holder = [...pile.children].find((child) => child.dataset.account === String(card.account) && !child.classList.contains("leaving"));
      if (!holder) {
        holder = h("div", { class: "pile-card", dataset: { account: card.account } }, makeBuddyCard(card, options, scope),
          h("span", { class: "stamp accept", "aria-hidden": "true" }, "Accept"), h("span", { class: "stamp pass", "aria-hidden": "true" }, "Pass"));
        followPointer(holder);
        pile.prepend(holder);
      }
      holder.classList.toggle("top", index === 0);
      // What lies below is a picture of what comes, not yet something to read.
      holder.inert = index > 0;
      holder.setAttribute("aria-hidden", String(index > 0));
    }
    const isEmpty = cards.length === 0;
    actions.hidden = hint.hidden = isEmpty;
    if (isEmpty && !isLoading) {
      status.replaceChildren(emptyState({
        id: "deck-empty", iconElement: icon("buddies"), title: "Nobody new right now", text: "You have seen everybody who fits. Say more in your profile, or look again later.",
        action: h("div", { class: "row" }, h("button", { class: "button", type: "button", onclick: load }, "Look again"), h("a", { class: "button", href: "/buddies/profile" }, "Change my profile")),
      }));
    }
  }

  function followPointer(holder) {
    let swipe = null;
    const lean = (state) => {
      holder.style.transform = state ? `translateX(${state.dx}px) rotate(${Math.max(-8, Math.min(8, state.dx / 25))}deg)` : "";
      holder.style.setProperty("--progress", state?.progress ?? 0);
      if (state?.side) holder.dataset.side = state.side;
      else delete holder.dataset.side;
      holder.classList.toggle("decides", state?.decides ?? false);
    };
    holder.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !holder.classList.contains("top") || event.target.closest("a, button")) return;
      swipe = new Swipe(holder.clientWidth);
      swipe.begin(event.clientX, event.clientY);
    });
    holder.addEventListener("pointermove", (event) => {
      const state = swipe?.move(event.clientX, event.clientY);
      if (!state) return;
      if (!holder.hasPointerCapture(event.pointerId)) holder.setPointerCapture(event.pointerId);
      holder.classList.add("held");
      lean(state);
    });
    holder.addEventListener("pointerup", () => {
      const side = swipe?.end() ?? null;
      swipe = null;
      holder.classList.remove("held");
      if (side === null || !decide(side === "accept")) lean(null);
    });
    holder.addEventListener("pointercancel", () => {
      swipe = null;
      holder.classList.remove("held");
      lean(null);
    });
  }

  /** False when it was refused: the card stays. */
  function decide(isAccepted) {
    const [card] = cards;
    if (!card) return false;
    if (net.state !== "live") {
      toast("You are offline. Decide again when the network is back.", { key: "deck-offline" });
      return false;
    }
    cards.shift();
    decided.add(card.account);
    fly(card, isAccepted);
    draw();
    announce(cards.length > 0 ? `${isAccepted ? "Accepted" : "Passed"}. Next: ${cards[0].name}.` : isAccepted ? "Accepted." : "Passed.");
    deciding = deciding.then(() => send(card, isAccepted));
    return true;
  }

  async function send(card, isAccepted) {
    try {
      const { matched, conversation } = await net.request("buddies.decide", { account: card.account, accept: isAccepted });
      if (matched && conversation && !closed) celebrate(card, conversation);
      else if (matched && conversation) toast(`You and ${card.name} are buddies.`, { key: `chat-${conversation}`, action: { label: "Say hello", run: () => router.go(`/chats/${conversation}`) } });
    } catch (error) {
      if (closed) return;
      // One who is not suggested any more: gone, or decided on another device.
      if ([1003, 1004].includes(error.code)) return;
      decided.delete(card.account);
      cards.unshift(card);
      draw();
      toast(error.isTransient ? `${error.message} ${card.name} is here again: decide when the network is back.` : error.message, { key: "deck-problem" });
    }
    if (cards.length < refillBelow && mayBeMore && !closed) await load();
  }

  function fly(card, isAccepted) {
    const holder = [...pile.children].find((child) => child.dataset.account === String(card.account) && !child.classList.contains("leaving"));
    if (!holder) return;
    if (reducedMotion.matches) return holder.remove();
    holder.classList.add("leaving");
    holder.classList.remove("top");
    holder.inert = true;
    holder.dataset.side = isAccepted ? "accept" : "pass";
    holder.style.setProperty("--progress", 1);
    holder.style.transform = `translateX(${isAccepted ? 120 : -120}%) rotate(${isAccepted ? 14 : -14}deg)`;
    setTimeout(() => holder.remove(), flyMilliseconds);
    return undefined;
  }

  function celebrate(card, conversation) {
    const dialog = h("dialog", { id: "match", class: "match", dataset: { conversation }, "aria-labelledby": "match-title" },
      h("form", { method: "dialog", class: "stack center" },
        h("div", { class: "match-faces" }, avatar(scope, card, { size: 112 }), h("span", { class: "match-heart", "aria-hidden": "true" }, icon("heart", { filled: true }))),
        h("h2", { id: "match-title" }, `You and ${card.name} are buddies`), h("p", { class: "muted" }, "Both of you said yes. From now on you see each other's full names and can write to each other."),
        h("button", { class: "button primary big wide", value: "hello", id: "say-hello" }, icon("chats"), "Say hello"), h("button", { class: "button quiet wide", value: "", id: "keep-looking" }, "Keep looking")));
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (dialog.returnValue === "hello") router.go(`/chats/${conversation}`);
    });
    document.body.append(dialog);
    dialog.showModal();
  }

  const onKey = (event) => {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (document.activeElement?.closest("input, textarea, select, dialog, [contenteditable]") || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    decide(event.key === "ArrowRight");
  };
  const onState = () => { if (net.state === "live" && cards.length === 0) load(); };
  document.addEventListener("keydown", onKey);
  net.addEventListener("state", onState);

  return {
    element, load,
    close() {
      closed = true;
      document.removeEventListener("keydown", onKey);
      net.removeEventListener("state", onState);
      document.getElementById("match")?.remove();
    },
  };
}
