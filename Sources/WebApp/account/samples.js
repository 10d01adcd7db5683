// Log-ins with one click, which only a demonstration offers (`samples` in /config.json): the accounts are samples, their passwords public.

import { announce, h } from "../kit/dom.js";
import { sentence } from "../kit/format.js";
import { icon } from "../kit/icons.js";

/** A button for each sample account; null where there are none. The account arrives as after any other log-in. */
export function sampleButtons({ net, config }) {
  const samples = config?.samples ?? [];
  if (samples.length === 0) return null;
  const problem = h("p", { class: "problem", role: "alert", id: "sample-problem" });
  const buttons = samples.map(({ label }, index) => h("button", {
    class: "button wide", type: "button", id: `sample-${index + 1}`, onclick: () => enter(index),
  }, icon("account"), label));
  return h("div", { class: "stack tight", id: "sample-buttons" }, ...buttons, problem);

  async function enter(index) {
    problem.textContent = "";
    for (const button of buttons) button.disabled = true;
    try {
      const { email, password } = await current(index);
      await net.signIn("account.login", { email, password });
      announce(`Logged in as ${net.account.username}.`);
    } catch (error) {
      problem.textContent = sentence(error.message);
      for (const button of buttons) button.disabled = false;
    }
  }

  /** The server's present account, since it makes the samples anew at each start; that of the page if the server does not answer. */
  async function current(index) {
    try {
      const reply = await fetch("/config.json", { cache: "no-store" });
      return (await reply.json()).samples[index] ?? samples[index];
    } catch {
      return samples[index];
    }
  }
}
