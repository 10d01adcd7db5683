// The rules that an account agrees to before it finds buddies.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";

/** Icons of the rules, in their order; more rules have the last one. */
const signs = ["strength", "group", "heart", "block"];

/** The rules of `options` (`buddies.options`), with a button that agrees and then calls `agreed()`. */
export function makeRules({ net, options, agreed }) {
  const problem = h("p", { class: "problem", role: "alert" });
  const agree = h("button", { class: "button primary big wide", type: "button", id: "agree", onclick: async () => {
    agree.disabled = true;
    problem.textContent = "";
    try {
      await net.request("buddies.agree", { version: options.rulesVersion });
      agreed();
    } catch (error) {
      problem.textContent = error.message;
      agree.disabled = false;
    }
  } }, "I agree");
  const rule = ({ title, text }, index) => h("li", { class: "card rule" }, icon(signs[Math.min(index, signs.length - 1)]),
    h("div", {}, h("h2", {}, title), h("p", { class: "muted" }, text)));
  const { title, lead } = headOf(options);
  return h("div", { class: "rules stack" },
    h("h1", { tabindex: "-1" }, title),
    h("p", { class: "lead" }, lead),
    h("ul", { class: "rule-list", id: "rules" }, ...options.rules.map(rule)),
    problem, agree, h("a", { class: "button quiet", href: "/" }, "Not now"));
}

function headOf({ agreed }) {
  if (agreed) return { title: "The rules have changed", lead: "Read them again before you continue." };
  return {
    title: "Find a gym buddy",
    lead: "Meet people on campus who train like you, when you train. You become buddies when you both accept.",
  };
}
