// How a person wants to be told: by which ways, of what, when not, and of which zones. Everything is saved at once.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeChannelCards } from "./channels.js";
import { loading } from "../kit/loading.js";
import { makeQuietSettings } from "./quiet.js";
import { makeReminderChoices } from "./choices.js";

/** Serves `/settings/notifications`. */
export function show(root, _params, app) {
  const { net, router } = app;
  if (!net.account) {
    router.go("/login?next=/settings/notifications", { replace: true });
    return undefined;
  }
  let closed = false;
  const parts = [];

  const status = loading(net);
  const problem = h("div", {});
  const place = h("div", { class: "stack" });
  root.append(h("div", { class: "page stack settings-page" }, h("p", {}, h("a", { href: "/account", class: "back" }, "← Account")), h("h1", { tabindex: "-1" }, "Notifications"),
    h("p", { class: "muted" }, "Notices, messages, events and goals are shown in Campanile as they come. Here you choose what reaches you when it is closed, and when you want quiet."), status, problem, place));

  async function load() {
    status.hidden = false;
    problem.replaceChildren();
    try {
      const [reminders, notices] = await Promise.all([net.request("reminders.settings"), net.request("notices.settings")]);
      if (closed) return;
      status.hidden = true;
      draw(reminders, notices);
    } catch (error) {
      if (closed) return;
      status.hidden = true;
      problem.replaceChildren(h("p", { class: "notice bad", role: "alert" }, icon("warning"), h("span", {}, error.message)), h("p", { class: "event-retry" }, h("button", { class: "button", type: "button", onclick: load }, "Try again")));
    }
  }

  function draw(reminders, notices) {
    let current = reminders;
    const taken = (settings) => {
      current = settings;
      if (closed) return;
      cards.draw(current);
      choices.draw(current);
    };
    const cards = makeChannelCards({ app, taken });
    const choices = makeReminderChoices({ app, taken });
    const quiet = makeQuietSettings({ app, settings: notices });
    parts.push(cards, choices, quiet);
    cards.draw(current);
    choices.draw(current);
    place.replaceChildren(cards.element, choices.element, quiet.element);
  }

  load();
  const leaveIfSignedOut = () => { if (!net.account) router.go("/", { replace: true }); };
  net.addEventListener("account", leaveIfSignedOut);
  return () => {
    closed = true;
    for (const part of parts) part.close?.();
    net.removeEventListener("account", leaveIfSignedOut);
  };
}
