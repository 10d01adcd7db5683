// With whom: a person (buddies first, anybody by username), a group, everybody on campus, or a link.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { groupMark, pictureAndName } from "../kit/person.js";

const audiences = [
  { value: "person", name: "A person", iconName: "account" }, { value: "group", name: "A group", iconName: "group" },
  { value: "campus", name: "Everyone", iconName: "map" }, { value: "link", name: "A link", iconName: "link" },
];
const hints = {
  campus: "Everyone logged in sees you on the live map. People who don't know you see your username.",
  link: "Anyone with the link sees your location, no account needed, until you stop sharing.",
};

/** Field for one person, a buddy or a username: `{element, check(), value(), refuse(text)}`; `value()` is `{account}` or `{username}`. */
export function makePersonPicker({ net, scope, person = null, name = "whom" }) {
  const typed = h("input", { class: "input", id: `${name}-username`, autocomplete: "off", autocapitalize: "none", spellcheck: "false",
    maxlength: "60", "aria-describedby": `${name}-problem` });
  const problem = h("p", { class: "problem", id: `${name}-problem`, role: "alert" });
  const label = h("label", { for: typed.id }, "Username");
  const status = h("p", { class: "muted small", role: "status" }, "Loading your buddies…");
  const list = h("ul", { class: "picker", id: `${name}-buddies` });
  const chosen = () => list.querySelector("input:checked");
  const clear = () => {
    problem.textContent = "";
    typed.removeAttribute("aria-invalid");
  };
  const row = (one, isChosen) => h("li", {},
    h("label", { class: "choice" }, ...pictureAndName(scope, one),
    h("input", { type: "radio", name, value: one.account, checked: isChosen, onchange: () => {
      typed.value = "";
      clear();
    } })));
  typed.addEventListener("input", () => {
    clear();
    const box = chosen();
    if (box && typed.value.trim() !== "") box.checked = false;
  });
  const draw = (others) => {
    list.append(...others);
    if (list.children.length > 0) label.textContent = "Or by username";
  };
  if (person) draw([row(person, true)]);
  net.request("buddies.list").then(({ buddies }) => {
    const others = buddies.map(({ person: one }) => one).filter(({ account }) => account !== person?.account);
    draw(others.map((one) => row(one, false)));
    status.textContent = list.children.length > 0 ? "" : "You have no buddies yet. You can share with anyone by username.";
    status.hidden = list.children.length > 0;
  }, () => {
    // Without a buddy profile there is no list of buddies: a username is enough.
    status.textContent = "";
    status.hidden = true;
  });
  const refuse = (text) => {
    problem.textContent = text;
    typed.setAttribute("aria-invalid", "true");
    typed.focus();
  };
  return {
    element: h("div", { class: "stack whom-person" }, status, list, h("div", { class: "field" }, label, typed, problem)),
    check() {
      if (chosen() || typed.value.trim() !== "") return true;
      refuse(list.children.length > 0 ? "Choose a buddy, or enter a username." : "Enter a username.");
      return false;
    },
    value: () => (chosen() ? { account: Number(chosen().value) } : { username: typed.value.trim() }),
    refuse,
  };
}

/** `{element, check(), value(), refuse(text)}`: `value()` is the part of `sharing.start` that says with whom. */
export function makeWhom({ app, scope, person = null, group = null }) {
  const { net, chat } = app;
  const picker = makePersonPicker({ net, scope, person });
  const groups = chat.inbox.ordered.filter(({ kind, state }) => kind === "group" && state !== "invited");
  if (group && !groups.some(({ id }) => id === group.id)) groups.unshift(group);
  const problem = h("p", { class: "problem", role: "alert" });
  const groupList = h("ul", { class: "picker", id: "whom-groups" },
    ...groups.map(({ id, name }) => h("li", {}, h("label", { class: "choice" }, groupMark({ size: 36 }), h("span", { class: "grow" }, name),
    h("input", { type: "radio", name: "whom-group", value: id, checked: id === group?.id,
      onchange: () => { problem.textContent = ""; } })))));
  const groupPart = h("div", { class: "stack" }, groups.length === 0
    ? h("p", { class: "muted" }, "You're not in a group. Create one in Chats.") : groupList,
    groups.length > 0 ? h("p", { class: "hint" }, "All current members of the group can see it.") : null, problem);
  const isProvisional = Boolean(net.account?.confirmBy);
  const parts = { person: picker.element, group: groupPart, campus: h("p", { class: "hint" }, hints.campus),
    link: h("p", { class: "hint" }, hints.link) };
  const first = group ? "group" : "person";
  const audience = () => element.querySelector("input[name=audience]:checked").value;
  const draw = () => { for (const [value, part] of Object.entries(parts)) part.hidden = value !== audience(); };
  const element = h("div", { class: "stack" },
    h("fieldset", { class: "choices audience-choices" }, h("legend", { class: "legend" }, "Share with"),
      ...audiences.map(({ value, name, iconName }) => h("label", { class: "choice" },
        h("input", { type: "radio", name: "audience", value, checked: value === first, onchange: draw,
          disabled: isProvisional && value === "campus" }), icon(iconName),
        h("span", {}, name)))),
    isProvisional ? h("p", { class: "hint", id: "whom-confirm" }, h("a", { class: "link", href: "/confirm" }, "Confirm your email"),
      " to share with everyone.") : null,
    ...Object.values(parts));
  draw();
  return {
    element,
    check() {
      if (audience() === "person") return picker.check();
      if (audience() !== "group" || groupList.querySelector("input:checked")) return true;
      problem.textContent = groups.length === 0 ? "You're not in a group. Choose something else." : "Choose a group.";
      return false;
    },
    value() {
      const value = audience();
      if (value === "person") return { audience: value, ...picker.value() };
      return value === "group" ? { audience: value, group: Number(groupList.querySelector("input:checked").value) } : { audience: value };
    },
    refuse: picker.refuse,
  };
}
