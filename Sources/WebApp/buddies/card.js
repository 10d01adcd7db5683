// The card of a person: in the deck, of a buddy, and of the account itself as others see it.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { labelled, timesByPart } from "../kit/choices.js";
import { defaultPicture } from "../kit/pictures.js";

/** The card of a person; `options` is `buddies.options`, `scope` shows pictures. */
export function makeBuddyCard(card, options, scope, { isOwn = false, headingTag = "h2" } = {}) {
  const age = card.age ?? card.ageSpan;
  const img = h("img", { class: "buddy-picture", alt: card.picture ? `Picture of ${card.name}` : "", draggable: "false" });
  scope.show(img, card.picture, { thumb: false, otherwise: defaultPicture(card.gender) });
  const shared = new Set(isOwn ? [] : card.shared);
  const chips = (items) => h("ul", { class: "chips" }, ...items.map(({ id, label }) =>
    h("li", { class: shared.has(id) ? "chip shared" : "chip" }, shared.has(id) ? icon("tick") : null, label,
      shared.has(id) ? h("span", { class: "visually-hidden" }, ", in common with you") : null)));
  const section = (title, iconName, ids, { options: list }) => {
    const items = labelled(ids ?? [], list);
    return items.length === 0 ? null : h("section", {}, h("h3", {}, icon(iconName), title), chips(items));
  };
  const times = timesByPart(card.times ?? [], options.days, options.dayParts);

  return h("article", { class: card.picture ? "buddy-card" : "buddy-card drawn", dataset: { account: card.account, gender: card.gender } },
    h("div", { class: "buddy-top" }, img,
      h("div", { class: "buddy-name" }, h(headingTag, {}, card.name),
        age === undefined || age === null ? null : h("p", { class: "buddy-age number" }, `${age} years`))),
    // This part scrolls: a keyboard must reach it.
    h("div", { class: "buddy-about", tabindex: "0", role: "group", "aria-label": `About ${card.name}` },
      shared.size > 0 ? h("p", { class: "in-common" }, icon("tick"), `${shared.size} in common with you`) : null,
      card.description ? h("p", { class: "buddy-intro" }, card.description) : null,
      section("Goals", "goal", card.goals, options.goals),
      section("Strengths", "strength", card.strengths, options.strengths),
      section("Training style", "run", card.styles, options.styles),
      times.length === 0 ? null : h("section", {}, h("h3", {}, icon("clock"), "Training times"),
        h("dl", { class: "hours" }, ...times.map(({ part, days }) => h("div", {}, h("dt", {}, part), h("dd", {}, chips(days)))))),
      section("Places", "track", card.places, options.places),
      section("Traits", "account", card.traits, options.traits)));
}
