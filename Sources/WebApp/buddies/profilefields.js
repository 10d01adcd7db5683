// Parts of the form of a buddy profile: the person, a few words, the training, the wishes.

import { characters } from "../kit/choices.js";
import { h, setText } from "../kit/dom.js";
import { makeChips, makeRadios, makeSwitch, makeWeek } from "../kit/fields.js";
import { makeField } from "../kit/form.js";
import { ageHint, profileProblems } from "./profilecheck.js";

const descriptionCharactersMax = 500;
const genders = [{ id: "female", label: "Female" }, { id: "male", label: "Male" }, { id: "other", label: "Other" }];
const preferences = [
  { id: "any", label: "Anyone" }, { id: "female", label: "Women" }, { id: "male", label: "Men" }, { id: "other", label: "Other" },
];
const preferredWords = { female: "women", male: "men", other: "people of other genders" };

/** Names, birthday and gender, and whether others see the age. */
export class PersonFields {
  element;

  #fields;
  #birthday;
  #gender;
  #showsAge;

  /** `genderChanged(gender)` and `changed()` are called after changes. */
  constructor({ profile, buddy, genderChanged, changed }) {
    const firstName = makeField({
      name: "firstName", label: "First name", autocomplete: "given-name", maxlength: 80, value: profile?.firstName ?? "",
      hint: "Everyone you're suggested to sees it.",
    });
    const lastName = makeField({
      name: "lastName", label: "Last name", autocomplete: "family-name", maxlength: 80, value: profile?.lastName ?? "",
      hint: "Only your buddies see it. Others see its first letter.",
    });
    this.#birthday = makeField({
      name: "birthday", label: "Birthday", type: "date", autocomplete: "bday", min: "1900-01-01",
      max: new Date().toISOString().slice(0, 10), value: profile?.birthday ?? "", hint: "Nobody sees the date.",
    });
    this.#gender = makeRadios({
      name: "gender", label: "Gender", options: genders, value: profile?.gender ?? null, changed: (value) => {
        genderChanged(value);
        changed();
      },
    });
    this.#showsAge = makeSwitch({
      id: "shows-age", label: "Show my age", checked: buddy?.showsAge ?? false, hint: " ", changed: () => {
        this.#drawAge();
        changed();
      },
    });
    this.#fields = [firstName, lastName, this.#birthday, this.#gender];
    this.#birthday.input.addEventListener("input", () => this.#drawAge());
    this.#drawAge();
    this.element = h("section", { class: "card stack" }, h("h2", {}, "About you"),
      h("div", { class: "two-fields" }, firstName.element, lastName.element),
      h("div", { class: "two-fields" }, this.#birthday.element, this.#gender.element),
      this.#showsAge.element);
  }

  /** The parameters of `profile.save`. */
  get values() {
    const texts = this.#fields.filter((field) => field !== this.#gender).map(({ name, input }) => [name, input.value.trim()]);
    return { ...Object.fromEntries(texts), gender: this.#gender.value };
  }

  get showsAge() {
    return this.#showsAge.input.checked;
  }

  /** Shows the problems of the values and focuses the first. Returns whether there are none. */
  check() {
    const problems = profileProblems(this.values);
    for (const field of this.#fields) field.setProblem(problems[field.name] ?? null);
    const first = this.#fields.find(({ name }) => problems[name]);
    first?.input.focus();
    return first === undefined;
  }

  /** Shows a message at the field with that name. Returns whether there is such a field. */
  showProblem(name, message) {
    const field = this.#fields.find((each) => each.name === name);
    field?.setProblem(message);
    field?.input.focus();
    return field !== undefined;
  }

  #drawAge() {
    setText(this.#showsAge.hintElement, ageHint(this.#birthday.input.value, this.#showsAge.input.checked));
  }
}

/** A few words about the person, with the number of characters that are left. */
export class DescriptionField {
  element;

  #area;
  #count = h("p", { class: "hint number", id: "description-count" });

  constructor({ value, changed }) {
    this.#area = h("textarea", {
      class: "input", id: "field-description", rows: "4", "aria-describedby": "description-count", value,
      placeholder: "What should people know before they train with you?",
    });
    this.#area.addEventListener("input", () => {
      this.#drawCount();
      changed();
    });
    this.#drawCount();
    this.element = h("section", { class: "card stack" }, h("h2", {}, "Say hello"), h("div", { class: "field" },
      h("label", { for: "field-description" }, "A few words about you"), this.#area, this.#count));
  }

  get value() {
    return this.#area.value.trim();
  }

  /** Focuses the text when it is too long. Returns whether it is short enough. */
  check() {
    const isShort = this.#charactersLeft >= 0;
    if (!isShort) this.#area.focus();
    return isShort;
  }

  get #charactersLeft() {
    return descriptionCharactersMax - characters(this.#area.value);
  }

  #drawCount() {
    const left = this.#charactersLeft;
    setText(this.#count, left >= 0 ? `${left} characters left` : `${-left} characters too many`);
    this.#count.classList.toggle("over", left < 0);
  }
}

/** The training: times, and what is chosen of the lists of `options`; and the wishes for a buddy. */
export class TrainingFields {
  /** The section about the account's training. */
  element;
  /** The section about the wished buddy. */
  wishesElement;

  #week;
  #lists;
  #preferred;
  #only;

  constructor({ options, buddy, changed }) {
    this.#week = makeWeek({ days: options.days, dayParts: options.dayParts, value: buddy?.times ?? [], changed });
    const chips = (name, label, list, hint = null) =>
      makeChips({ name, label, hint, most: list.most, options: list.options, value: buddy?.[name] ?? [], changed });
    const lists = {
      goals: chips("goals", "Goals", options.goals),
      strengths: chips("strengths", "Strengths", options.strengths, "What can you help others with?"),
      styles: chips("styles", "Training style", options.styles),
      places: chips("places", "Places", options.places),
      traits: chips("traits", "Traits", options.traits),
      desiredTraits: chips("desiredTraits", "Traits you'd like", options.traits, "Others don't see this."),
      desiredStyles: chips("desiredStyles", "Training style you'd like", options.styles),
    };
    this.#lists = lists;
    this.#preferred = makeRadios({
      name: "preferredGender", label: "Who would you rather train with?", hint: "They appear first in your suggestions.",
      options: preferences, value: buddy?.preferredGender ?? "any", changed: () => {
        this.#drawOnly();
        changed();
      },
    });
    this.#only = makeSwitch({ id: "gender-only", label: "Only suggest them", checked: buddy?.genderOnly ?? false, hint: " ", changed });
    this.#drawOnly();
    this.element = h("section", { class: "card stack" }, h("h2", {}, "Your training"), this.#week.element,
      lists.goals.element, lists.strengths.element, lists.styles.element, lists.places.element, lists.traits.element);
    this.wishesElement = h("section", { class: "card stack" }, h("h2", {}, "Your buddy"),
      this.#preferred.element, this.#only.element, lists.desiredTraits.element, lists.desiredStyles.element);
  }

  /** Parameters of `buddies.save`. */
  get values() {
    const preferredGender = this.#preferred.value;
    return {
      preferredGender, genderOnly: this.#only.input.checked && preferredGender !== "any", times: this.#week.value,
      ...Object.fromEntries(Object.entries(this.#lists).map(([name, list]) => [name, list.value])),
    };
  }

  #drawOnly() {
    const words = preferredWords[this.#preferred.value];
    const { input, element, hintElement } = this.#only;
    input.disabled = this.#preferred.value === "any";
    element.classList.toggle("off", input.disabled);
    setText(hintElement, words
      ? `You only see ${words}, and only they see you.`
      : "Choose a preference above first.");
  }
}
