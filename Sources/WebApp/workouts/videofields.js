// The fields for the videos of a workout.

import { sectionKinds } from "../client/registry.js";
import { h, keepFocus } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeField } from "../kit/form.js";
import { makeSelect } from "./fields.js";
import { planLimits } from "./plan.js";
import { optionsOf, sectionName } from "./words.js";

/** `{element, get value, setProblems(problems), focus(index)}`. */
export function makeVideoFields({ value, changed }) {
  let rows = [];
  const list = h("ul", { class: "video-fields" });
  const add = h("button", { class: "button", type: "button", id: "add-video", onclick: () => {
    rows.push(makeRow({ title: "", url: "" }));
    draw();
    rows.at(-1).title.input.focus();
  } }, icon("plus"), "Add a video");
  let made = 0;
  function makeRow(video) {
    made += 1;
    const oninput = changed;
    const title = makeField({ name: "videotitle", label: "Title", value: video.title, maxlength: planLimits.videoTitle,
      autocomplete: "off", id: `video-title-${made}`, oninput });
    const url = makeField({ name: "videourl", label: "Address", type: "url", value: video.url, maxlength: planLimits.url,
      autocomplete: "off", placeholder: "https://", id: `video-url-${made}`, oninput });
    const section = makeSelect({ id: `video-section-${made}`, label: "For", value: video.section ?? "",
      options: [{ id: "", label: "The whole workout" }, ...optionsOf(sectionKinds, sectionName)], changed });
    const row = { title, url, section, element: h("li", { class: "video-row" }, title.element, url.element, section.element) };
    row.element.append(h("button", { class: "button quiet", type: "button", onclick: () => {
      rows = rows.filter((one) => one !== row);
      keepFocus(list, draw, () => add);
      changed();
    } }, icon("bin"), "Remove video"));
    return row;
  }
  function draw() {
    list.replaceChildren(...rows.map(({ element }) => element));
    add.hidden = rows.length >= planLimits.videos;
  }
  rows = value.map(makeRow);
  draw();
  return {
    element: h("div", { class: "stack" }, h("p", { class: "hint" },
      "For example of a warm-up. Videos of YouTube and Vimeo play in the workout, others open in a new tab."), list,
      h("div", {}, add)),
    get value() {
      return rows.map(({ title, url, section }) => ({ title: title.input.value.trim(), url: url.input.value.trim(),
        ...(section.value && { section: section.value }) }));
    },
    setProblems: (problems) => rows.forEach(({ url }, index) => url.setProblem(problems[`video-${index}`] ?? null)),
    focus: (index) => rows[index]?.url.input.focus(),
  };
}
