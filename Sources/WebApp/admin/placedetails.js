// The details of a place's page, and its manager: a part of the console's form of a place.

import { h, setText } from "../kit/dom.js";
import { makeField } from "../kit/form.js";
import { RequestError } from "../client/errors.js";
import { errorCodes } from "../client/registry.js";
import { detailParams, detailProblems, makeDetailFields } from "../places/detailfields.js";
import { makePlacePictures } from "../places/placepictures.js";

const usernameCharactersMax = 60;
const foundMax = 20;

/** The part of the form; `place` is the place to change, or null for a new one. */
export class PlaceDetails {
  /** As of `makeDetailFields`, and `manager`. */
  fields;
  element;

  #net; #place; #scope; #pictures;
  /** The parameters as the server has them; null while they are not known: then nothing is sent. */
  #before = null;
  #picturesBefore = [];
  /** The username of the account that manages it, or an empty text. */
  #managerBefore = "";
  #content = h("div", { class: "stack" });
  #status = h("p", { class: "hint", role: "status" });

  constructor({ net, pictures }, place) {
    this.#net = net;
    this.#place = place;
    this.#scope = pictures.scope();
    this.fields = {
      ...makeDetailFields(null),
      manager: makeField({ name: "manager", label: "Managed by", autocomplete: "off", autocapitalize: "none", spellcheck: "false",
        maxlength: usernameCharactersMax,
        hint: "A username, such as that of a café's owner, who then can edit the page of this place. Empty: admins alone." }),
    };
    this.element = h("details", { class: "place-more", id: "place-more" }, h("summary", {}, "Hours, menu, pictures and manager"),
      this.#content);
    this.#showPictures([]);
    if (place) this.#load();
    else this.#before = this.#given;
  }

  /** Takes the fields, which the form had. The description stays beside the name. */
  arrange() {
    const { openingHours, menu, website, phone, wheelchair, manager } = this.fields;
    this.#content.prepend(this.#status, ...[openingHours, menu, website, phone, wheelchair].map(({ element }) => element));
    this.#content.append(manager.element);
  }

  close() {
    this.#pictures.close();
    this.#scope.close();
  }

  /** What is wrong with the values, as `makeForm` takes it. A field with a problem is shown. */
  problems(values) {
    const found = detailProblems(values);
    if (Object.keys(found).length > 0) this.open();
    return found;
  }

  open() {
    this.element.open = true;
  }

  /** Saves what was changed, of the place with that number. */
  async save(place) {
    if (this.#pictures.isBusy) throw new RequestError("busy", "A picture is still being uploaded. Wait a moment.");
    if (this.#before === null) return;
    const given = this.#given;
    const pictures = this.#pictures.value;
    const hasPictures = pictures.join() !== this.#picturesBefore.join();
    if (hasPictures || JSON.stringify(given) !== JSON.stringify(this.#before)) {
      await this.#net.request("places.edit", { place, ...given, ...(hasPictures && { pictures }) });
    }
    await this.#saveManager(place);
  }

  async #saveManager(place) {
    const username = this.fields.manager.input.value.trim();
    if (username === this.#managerBefore) return;
    const account = username === "" ? null : await this.#accountOf(username);
    await this.#net.request("admin.delegatePlace", { place, ...(account && { account }) });
  }

  async #accountOf(username) {
    const { users } = await this.#net.request("admin.users", { text: username, limit: foundMax });
    const found = users.find((user) => user.username.toLowerCase() === username.toLowerCase());
    if (found) return found.id;
    throw new RequestError(errorCodes.notFound, "Nobody has this username.", { field: "manager" });
  }

  get #given() {
    const values = Object.fromEntries(Object.entries(this.fields).map(([name, { input }]) => [name, input.value.trim()]));
    return detailParams(/** @type {any} */ (values));
  }

  async #load() {
    setText(this.#status, "Loading…");
    for (const { input } of Object.values(this.fields)) input.disabled = true;
    try {
      const page = await this.#net.request("places.page", { destination: `place/${this.#place.id}` });
      this.#fill(page);
      setText(this.#status, "");
    } catch (error) {
      setText(this.#status, `${error.message} You can change the fields above.`);
    }
  }

  #fill(page) {
    for (const [name, { input }] of Object.entries(this.fields)) {
      input.disabled = false;
      if (name !== "details" && name !== "manager" && name !== "wheelchair") input.value = page[name] ?? "";
    }
    this.fields.details.input.value = page.details ?? "";
    this.fields.wheelchair.input.value = page.destination.wheelchair ?? "";
    this.#picturesBefore = page.pictures ?? [];
    this.#showPictures(this.#picturesBefore);
    this.#before = this.#given;
    this.#managerBefore = this.fields.manager.input.value = page.manager ?? "";
  }

  #showPictures(value) {
    const before = this.#pictures?.element;
    this.#pictures = makePlacePictures({ net: this.#net, scope: this.#scope, value });
    if (before) before.replaceWith(this.#pictures.element);
    else this.#content.append(this.#pictures.element);
  }
}
