// The card on an event's page with the people who were invited or answered.

import { h } from "../kit/dom.js";
import { count } from "../kit/format.js";
import { pictureAndName } from "../kit/person.js";
import { peopleByAnswer } from "./words.js";

const shownFirst = 12;

/** A card, hidden without people. */
export class PeopleCard {
  element = h("section", { class: "card stack", id: "event-people", hidden: true });

  #scope;
  #account;
  #showsAll = false;

  /** `scope` is that of the page's pictures, `account()` the number of the account that is signed in. */
  constructor(scope, { account }) {
    this.#scope = scope;
    this.#account = account;
  }

  draw(people, { isOwner }) {
    const found = peopleByAnswer(people, this.#showsAll ? Infinity : shownFirst);
    this.element.hidden = found.length === 0;
    this.element.replaceChildren(h("h2", {}, "People"), isOwner ? "" : h("p", { class: "hint" }, "You see yourself and your buddies."),
      ...found.map((group) => (group.people.length === 0 ? "" : this.#group(group))),
      !this.#showsAll && people.length > shownFirst ? this.#allButton(people, isOwner) : "");
  }

  #group({ title, size, people }) {
    return h("section", { class: "people-group", dataset: { people: title } },
      h("h3", {}, title, h("span", { class: "muted number" }, ` ${size}`)),
      h("ul", { class: "people-list" }, ...people.map((one) => this.#item(one))));
  }

  #item({ person, queue }) {
    return h("li", {}, ...pictureAndName(this.#scope, person, { size: 32, me: this.#account() ?? null }),
      queue ? h("span", { class: "muted number" }, `${queue}.`) : null);
  }

  #allButton(people, isOwner) {
    return h("button", { class: "button quiet small-button", type: "button", id: "all-people", onclick: () => {
      this.#showsAll = true;
      this.draw(people, { isOwner });
    } }, `Show all ${count(people.length, "person", "people")}`);
  }
}
