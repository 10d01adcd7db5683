// The question before a workout, when the body data is old: what it was, and whether it still holds.

import { today } from "../charts/days.js";
import { openDialog } from "../kit/dialog.js";
import { h } from "../kit/dom.js";
import { loadStyles } from "../kit/styles.js";
import { entriesOf, hasEntries } from "./words.js";

/**
 * Asks when the data is old. Resolves to whether the workout may begin: false when the person closed the question, or went to the page of
 * body data. Without data to ask about, as without a network, it resolves to true.
 */
export async function askBody({ net, router }) {
  let data;
  try {
    data = await net.read("body.get");
  } catch {
    return true;
  }
  if (!data.isStale) return true;
  await loadStyles("/app/body/body.css");
  return ask({ net, router, data });
}

function ask({ net, router, data }) {
  return new Promise((resolve) => {
    let mayBegin = false;
    const end = (begins) => {
      mayBegin = begins;
      dialog.close();
    };
    const hasAny = hasEntries(data);
    const button = (id, className, label, run) => h("button", { class: `button ${className}`, type: "button", id, onclick: run }, label);
    const update = () => {
      end(false);
      router.go("/body");
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
        button("body-later", "quiet wide", "Not now", () => end(true))));
    const dialog = openDialog({ id: "ask-body", title: hasAny ? "Anything new?" : "Before you start", content });
    dialog.addEventListener("close", () => resolve(mayBegin));
  });
}
