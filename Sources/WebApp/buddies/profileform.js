// The form of a buddy profile: about the person, and about the buddy they look for. For the first time, and to change it later.

import { announce, h, setText, toast } from "../kit/dom.js";
import { makeSwitch } from "../kit/fields.js";
import { icon } from "../kit/icons.js";
import { makePictureField } from "../kit/picturefield.js";
import { DescriptionField, PersonFields, TrainingFields } from "./profilefields.js";

/**
 * `{element, close}`. `options` is `buddies.options`; `profile` and `buddy` are null before they are saved for the first time;
 * `profile` may then have the names of the account. `picture` is the id of the account's picture. `saved()` is
 * called when the server has both.
 */
export function makeBuddyForm(options) {
  return new BuddyForm(options);
}

class BuddyForm {
  element;

  #net;
  #isFirst;
  #saved;

  #person;
  #picture;
  #description;
  #training;
  #active;
  #problem = h("p", { class: "problem", role: "alert", id: "buddy-form-problem" });
  #save;

  constructor({ net, scope, options, profile, buddy, picture = null, isFirst, saved }) {
    this.#net = net;
    this.#isFirst = isFirst;
    this.#saved = saved;
    const changed = () => { this.#problem.textContent = ""; };
    this.#picture = makePictureField({ net, scope, value: picture ?? null, gender: profile?.gender ?? null, changed });
    this.#person = new PersonFields({ profile, buddy, changed, genderChanged: (gender) => this.#picture.setGender(gender) });
    this.#description = new DescriptionField({ value: buddy?.description ?? "", changed });
    this.#training = new TrainingFields({ options, buddy, changed });
    this.#active = makeSwitch({
      id: "active", label: "Suggest me to others", checked: buddy?.active ?? true, changed,
      hint: "When this is off, new people can't find you. You keep your buddies and chats.",
    });
    this.#save = h("button", { class: "button primary big", type: "submit", id: "save-profile" },
      isFirst ? "Save and find buddies" : "Save");
    this.element = this.#makeForm();
  }

  close() {
    this.#picture.close();
  }

  #makeForm() {
    const card = (title, element) => h("section", { class: "card stack" }, h("h2", {}, title), element);
    const leave = () => h("a", { class: "button quiet", href: "/buddies" }, icon("close"), "Leave without saving");
    return h("form", { id: "buddy-form", class: "stack buddy-form", novalidate: true, onsubmit: (event) => {
      event.preventDefault();
      this.#send();
    } },
    this.#person.element,
    card("Your picture", this.#picture.element),
    this.#description.element,
    this.#training.element,
    this.#training.wishesElement,
    card("Visibility", this.#active.element),
    h("div", { class: "save-bar" }, this.#problem, h("div", { class: "row" }, this.#save, this.#isFirst ? null : leave())));
  }

  async #send() {
    if (!this.#person.check() || !this.#description.check()) return;
    if (this.#net.state !== "live") {
      setText(this.#problem, "You're offline. Your changes stay here. Save again when you're back online.");
      return;
    }
    this.#save.disabled = true;
    try {
      await this.#request();
      if (this.#isFirst) announce("Profile saved.");
      else toast("Profile saved.");
      this.#saved();
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#save.disabled = false;
    }
  }

  async #request() {
    await this.#net.request("profile.save", this.#person.values);
    const picture = await this.#picture.send();
    await this.#net.request("buddies.save", {
      active: this.#active.input.checked, showsAge: this.#person.showsAge, description: this.#description.value,
      ...(picture && { picture }), ...this.#training.values,
    });
  }

  #failed(error) {
    if (this.#person.showProblem(error.data?.field, error.message)) return;
    setText(this.#problem, error.isAborted ? "Not saved: the picture wasn't uploaded." : error.message);
    this.#problem.scrollIntoView({ block: "nearest" });
  }
}
