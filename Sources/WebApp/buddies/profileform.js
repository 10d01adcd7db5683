// The profile that buddies need: who one is, and what one looks for. For the first time, and to change it later.

import { announce, h, setText, toast } from "../kit/dom.js";
import { ageOn, characters } from "../kit/choices.js";
import { icon } from "../kit/icons.js";
import { makeField } from "../kit/form.js";
import { makeChips, makeRadios, makeSwitch, makeWeek } from "../kit/fields.js";
import { makePictureField } from "../kit/picturefield.js";

const nameCharactersMax = 40;
const descriptionCharactersMax = 500;
const genders = [{ id: "female", label: "Female" }, { id: "male", label: "Male" }, { id: "other", label: "Other" }];
const preferences = [{ id: "any", label: "Anybody" }, { id: "female", label: "Women" }, { id: "male", label: "Men" }, { id: "other", label: "Other" }];

/** What is wrong with the personal part, as `{field: message}`. Pure; the server checks the same again. */
export function profileProblems({ firstName, lastName, birthday, gender }, now = new Date()) {
  const problems = {};
  for (const [field, value] of Object.entries({ firstName, lastName })) {
    if (value === "") problems[field] = "Please fill this in.";
    else if (characters(value) > nameCharactersMax) problems[field] = `At most ${nameCharactersMax} characters.`;
  }
  const age = ageOn(birthday, now);
  if (age === null) problems.birthday = "Please choose the day you were born.";
  else if (age < 0 || age > 120) problems.birthday = "This day cannot be right.";
  if (!gender) problems.gender = "Please choose one.";
  return problems;
}

/** `{element, close}`: the form. `saved()` is called when both parts are with the server. */
export function makeBuddyForm({ net, scope, options, profile, buddy, isFirst, saved }) {
  const personal = [
    makeField({ name: "firstName", label: "First name", autocomplete: "given-name", maxlength: 80, value: profile?.firstName ?? "", hint: "People you may train with see your first name." }),
    makeField({ name: "lastName", label: "Last name", autocomplete: "family-name", maxlength: 80, value: profile?.lastName ?? "", hint: "Your buddies see it; in groups only its first letter is shown." }),
    makeField({ name: "birthday", label: "Birthday", type: "date", autocomplete: "bday", min: "1900-01-01", max: new Date().toISOString().slice(0, 10), value: profile?.birthday ?? "", hint: "Nobody ever sees the day." }),
  ];
  const gender = makeRadios({ name: "gender", label: "Gender", options: genders, value: profile?.gender ?? null, changed: (value) => {
    picture.setGender(value);
    touched();
  } });
  const picture = makePictureField({ net, scope, value: buddy?.picture ?? null, gender: profile?.gender ?? null, changed: touched });
  const preferred = makeRadios({ name: "preferredGender", label: "Who would you rather train with?", hint: "They come first in your suggestions.", options: preferences, value: buddy?.preferredGender ?? "any", changed: () => {
    drawOnly();
    touched();
  } });
  const only = makeSwitch({ id: "gender-only", label: "Only them", checked: buddy?.genderOnly ?? false, hint: " ", changed: touched });
  const showsAge = makeSwitch({ id: "shows-age", label: "Show my age", checked: buddy?.showsAge ?? false, hint: " ", changed: () => {
    drawAge();
    touched();
  } });
  const active = makeSwitch({ id: "active", label: "Suggest me to others", checked: buddy?.active ?? true, hint: "When this is off, nobody new finds you. Your buddies and chats stay.", changed: touched });
  const description = h("textarea", { class: "input", id: "field-description", rows: "4", "aria-describedby": "description-count", value: buddy?.description ?? "", placeholder: "What should somebody know who trains with you?" });
  const descriptionCount = h("p", { class: "hint number", id: "description-count" });
  const week = makeWeek({ days: options.days, dayParts: options.dayParts, value: buddy?.times ?? [], changed: touched });
  const chips = (name, label, list, hint = null) => makeChips({ name, label, hint, most: list.most, options: list.options, value: buddy?.[name] ?? [], changed: touched });
  const lists = {
    goals: chips("goals", "Your goals", options.goals),
    strengths: chips("strengths", "Your strengths", options.strengths, "What you can help others with."),
    styles: chips("styles", "How you train", options.styles),
    places: chips("places", "Where you train", options.places),
    traits: chips("traits", "How you are", options.traits),
    desiredTraits: chips("desiredTraits", "How they should be", options.traits, "Others do not see what you wish for."),
    desiredStyles: chips("desiredStyles", "How they should train", options.styles),
  };
  const problem = h("p", { class: "problem", role: "alert", id: "buddy-form-problem" });
  const save = h("button", { class: "button primary big", type: "submit", id: "save-profile" }, isFirst ? "Save and find buddies" : "Save");

  function touched() {
    problem.textContent = "";
  }

  function drawOnly() {
    const who = { female: "women", male: "men", other: "people of other genders" }[preferred.value];
    only.input.disabled = preferred.value === "any";
    only.element.classList.toggle("off", only.input.disabled);
    setText(only.hintElement, who ? `Only ${who} are suggested to you, and you are suggested only to them.` : "Choose whom you prefer first; now everybody is suggested.");
  }

  function drawAge() {
    const age = ageOn(personal[2].input.value);
    const plausible = age !== null && age > 0 && age < 121;
    setText(showsAge.hintElement, showsAge.input.checked
      ? `Others see your age in years${plausible ? `: ${age}` : ""}.`
      : "Others see only a span of a few years, such as 22–25.");
  }

  function drawCount() {
    const left = descriptionCharactersMax - characters(description.value);
    setText(descriptionCount, left >= 0 ? `${left} characters left` : `${-left} characters too many`);
    descriptionCount.classList.toggle("over", left < 0);
  }

  async function send() {
    const given = { ...Object.fromEntries(personal.map(({ name, input }) => [name, input.value.trim()])), gender: gender.value };
    const problems = profileProblems(given);
    for (const field of [...personal, gender]) field.setProblem(problems[field.name] ?? null);
    const firstProblem = [...personal, gender].find(({ name }) => problems[name]);
    if (firstProblem) return firstProblem.input.focus();
    if (characters(description.value) > descriptionCharactersMax) return description.focus();
    if (net.state !== "live") return setText(problem, "There is no connection. Everything stays here; save again when the network is back.");
    save.disabled = true;
    try {
      await net.request("profile.save", given);
      const pictureId = await picture.send();
      await net.request("buddies.save", {
        active: active.input.checked, preferredGender: preferred.value, genderOnly: only.input.checked && preferred.value !== "any", showsAge: showsAge.input.checked,
        description: description.value.trim(), ...(pictureId && { picture: pictureId }), times: week.value,
        ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.value])),
      });
      if (isFirst) announce("Your profile is saved.");
      else toast("Profile saved");
      saved();
    } catch (error) {
      const field = [...personal, gender].find(({ name }) => name === error.data?.field);
      if (field) {
        field.setProblem(error.message);
        field.input.focus();
      } else {
        setText(problem, error.code === "aborted" ? "Not saved: the picture was not sent." : error.message);
        problem.scrollIntoView({ block: "nearest" });
      }
    } finally {
      save.disabled = false;
    }
    return undefined;
  }

  personal[2].input.addEventListener("input", drawAge);
  description.addEventListener("input", () => {
    drawCount();
    touched();
  });
  drawOnly();
  drawAge();
  drawCount();

  const element = h("form", { id: "buddy-form", class: "stack buddy-form", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    send();
  } },
  h("section", { class: "card stack" }, h("h2", {}, "About you"), h("div", { class: "two-fields" }, personal[0].element, personal[1].element), h("div", { class: "two-fields" }, personal[2].element, gender.element), showsAge.element),
  h("section", { class: "card stack" }, h("h2", {}, "Your picture"), picture.element),
  h("section", { class: "card stack" }, h("h2", {}, "Say hello"), h("div", { class: "field" }, h("label", { for: "field-description" }, "A few words about you"), description, descriptionCount)),
  h("section", { class: "card stack" }, h("h2", {}, "Your training"), week.element, lists.goals.element, lists.strengths.element, lists.styles.element, lists.places.element, lists.traits.element),
  h("section", { class: "card stack" }, h("h2", {}, "Your buddy"), preferred.element, only.element, lists.desiredTraits.element, lists.desiredStyles.element),
  h("section", { class: "card stack" }, h("h2", {}, "Being found"), active.element),
  h("div", { class: "save-bar" }, problem, h("div", { class: "row" }, save, isFirst ? null : h("a", { class: "button quiet", href: "/buddies" }, icon("close"), "Leave without saving"))));
  return { element, close: () => picture.close() };
}
