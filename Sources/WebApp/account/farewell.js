// After an account was deleted: that it is so, and that nothing of it is left here.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { finishForgetting } from "./forgetting.js";

/** Serves `/account/deleted`. */
export function show(root, _params, { net, router, config }) {
  // By hand, or by the way back: nothing was deleted here.
  if (net.account) {
    router.go("/account", { replace: true });
    return undefined;
  }
  const text = h("p", { class: "muted", id: "farewell-text", role: "status" }, "One moment…");
  const heading = h("h1", { tabindex: "-1" }, "Goodbye");
  root.append(h("div", { class: "page narrow" }, h("div", { class: "empty", id: "farewell" }, icon("tick"), heading, text,
    h("div", { class: "row center" }, h("a", { class: "button", href: "/map" }, "Watch the map"),
      config?.registration === "closed" ? null : h("a", { class: "button quiet", href: "/register" }, "Create an account")))));
  finishForgetting().then((isDone) => {
    text.textContent = isDone ? "Your account is deleted, and its data is gone from this browser."
      : "You are logged out.";
    heading.focus({ preventScroll: true });
  });
  return undefined;
}
