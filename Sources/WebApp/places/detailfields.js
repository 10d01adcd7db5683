// The fields of what a place's page shows: for those who manage a place, and for the console.

import { h } from "../kit/dom.js";
import { makeField } from "../kit/form.js";
import { webAddress } from "./words.js";

const detailsCharactersMax = 1_000;
const menuCharactersMax = 5_000;
const hoursCharactersMax = 255;
const websiteCharactersMax = 255;
const phoneCharactersMax = 40;
const wheelchairOptions = [["", "Not known"], ["yes", "Yes"], ["limited", "Partly"], ["no", "No"]];

/** The fields, `{details, menu, openingHours, website, phone, wheelchair}`, with the values of a reply to `places.page`. */
export function makeDetailFields(page) {
  const value = (name) => page?.[name] ?? "";
  return {
    details: makeField({ name: "details", label: "About", rows: 3, maxlength: detailsCharactersMax, value: value("details") }),
    openingHours: makeField({ name: "openingHours", label: "Opening hours", autocomplete: "off", maxlength: hoursCharactersMax,
      value: value("openingHours"), spellcheck: "false",
      hint: "Such as Mo-Fr 08:00-18:00; Sa 10:00-14:00; Su off. Other words are shown as you write them." }),
    menu: makeField({ name: "menu", label: "Menu", rows: 5, maxlength: menuCharactersMax, value: value("menu") }),
    website: makeField({ name: "website", label: "Website", type: "url", autocomplete: "off", maxlength: websiteCharactersMax,
      value: value("website") }),
    phone: makeField({ name: "phone", label: "Phone", type: "tel", autocomplete: "off", maxlength: phoneCharactersMax,
      value: value("phone") }),
    wheelchair: makeSelect({ name: "wheelchair", label: "Wheelchair access", options: wheelchairOptions,
      value: page?.destination.wheelchair ?? "" }),
  };
}

/** What is wrong with values of the fields, as `makeForm` takes it. */
export function detailProblems({ website }) {
  return website !== "" && !webAddress(website) ? { website: "Enter an address such as https://example.org." } : {};
}

/** The parameters of `places.edit` for values of the fields. Of `wheelchair` nothing is sent while nothing is known. */
export function detailParams({ details, menu, openingHours, website, phone, wheelchair }) {
  return {
    details, menu, openingHours, website: website && webAddress(website).href, phone, ...(wheelchair && { wheelchair }),
  };
}

/** A field as of `makeField` with a choice. */
export function makeSelect({ name, label, options, value }) {
  const id = `field-${name}`;
  const problem = h("p", { class: "problem", id: `${id}-problem`, dataset: { problem: name } });
  const input = h("select", { id, name, "aria-describedby": problem.id },
    ...options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)));
  return {
    name, input, problemId: problem.id, element: h("div", { class: "field" }, h("label", { for: id }, label), input, problem),
    setProblem: (message, saidBy = null) => { problem.textContent = saidBy ? "" : message ?? ""; },
  };
}
