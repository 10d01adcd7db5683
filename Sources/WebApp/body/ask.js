// The question before a workout, when the body data is old: what it was, and whether it still holds.

import { today } from "../charts/days.js";
import { openDialog } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { loadStyles } from "../kit/styles.js";
import { groupPath, isQuiet, keepQuiet } from "./notnow.js";
import { entriesOf, hasEntries } from "./words.js";

/**
 * Asks when the data is old. Resolves to whether the workout may begin: false when the person closed the question, or went to the page of
 * body data. Without data to ask about, as without a network, it resolves to true. In the session of a live group, closing the question
 * goes back to the page of the group: the workout may be another person's.
 */
export async function askBody({ net, router }) {
  let data;
  try {
    data = await net.read("body.get");
  } catch {
    return true;
  }
  if (!data.isStale || (!hasEntries(data) && isQuiet(localStorage, net.account.id, net.clock.now()))) return true;
  await loadStyles("/app/body/body.css");
  return ask({ net, router, data });
}

function ask({ net, router, data }) {
  return new Promise((resolve) => {
    let mayBegin = false;
    let isAnswered = false;
    const path = location.pathname;
    const group = groupPath(new URLSearchParams(location.search));
    const end = (begins) => {
      mayBegin = begins;
      isAnswered = true;
      dialog.close();
    };
    const hasAny = hasEntries(data);
    const button = (id, className, label, run) => h("button", { class: `button ${className}`, type: "button", id, onclick: run }, label);
    const update = () => {
      end(false);
      router.go("/body");
    };
    const later = () => {
      if (!hasAny) keepQuiet(localStorage, net.account.id, net.clock.now());
      end(true);
    };
    const confirm = () => {
      net.writes.write("body.confirm", {}).catch(() => {
        // The next workout asks again.
      });
      end(true);
    };
    const content = h("div", { class: "stack" },
      h("p", { class: "muted" }, hasAny
        ? "It's been a while. Is this still right? Your workout and its calories depend on it."
        : "Tell us about injuries and your weight, so that workouts are safe for you and calories are right. Only you see it."),
      hasAny ? h("dl", { class: "body-entries" }, ...entriesOf(data, today()).map(({ name, value }) => (
        h("div", {}, h("dt", {}, name), h("dd", {}, value))))) : null,
      h("div", { class: "stack tight" },
        ...(hasAny ? [button("body-same", "primary wide", "Nothing changed", confirm), button("body-update", "wide", "Update", update)]
          : [button("body-update", "primary wide", "Add body data", update)]),
        button("body-later", "quiet wide", "Not now", later)));
    const dialog = openDialog({ id: "ask-body", title: hasAny ? "Anything new?" : "Before you start", content });
    dialog.addEventListener("close", () => {
      if (!isAnswered && group && location.pathname === path) router.go(group, { replace: true });
      resolve(mayBegin);
    });
  });
}
