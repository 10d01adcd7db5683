// Confirms the account's email: by the code from the mail, or by its link.

import { announce, h, toast } from "../kit/dom.js";
import { nextPath } from "../kit/form.js";
import { leaveWhenSignedOut } from "../kit/signedin.js";
import { makeEmailCard } from "./email.js";
import { mustConfirm } from "./emailwords.js";

/** Serves `/confirm` and `/confirm/:token`. */
export function show(root, { token = null, query }, app) {
  const { net, router } = app;
  if (!net.account) {
    const path = token ? `/confirm/${encodeURIComponent(token)}` : "/confirm";
    router.go(`/login?next=${encodeURIComponent(path)}`, { replace: true });
    return undefined;
  }
  const end = new AbortController();
  const place = h("div", { class: "page narrow stack" });
  root.append(place);
  let card = null;
  const goOn = () => router.go(nextPath(query), { replace: true });

  function drawCode() {
    card = makeEmailCard(app, { title: "Your email", onConfirmed: goOn });
    place.replaceChildren(h("h1", { tabindex: "-1" }, "Confirm your email"), card.element,
      mustConfirm(app.config, net.account) ? ""
        : h("p", { class: "center" }, h("a", { class: "link", id: "confirm-later", href: nextPath(query) }, "Do this later")));
    card.load();
  }

  async function useLink() {
    place.replaceChildren(h("h1", { tabindex: "-1" }, "Confirm your email"),
      h("p", { class: "muted", role: "status" }, "One moment…"));
    try {
      const { account } = await net.request("account.confirmEmail", { token });
      if (end.signal.aborted) return;
      net.accountChanged(account);
      toast("Email confirmed.");
      announce("Email confirmed.");
      // The link has done its work; it stays out of the history.
      router.go("/settings/account", { replace: true });
    } catch (error) {
      if (!end.signal.aborted) drawProblem(error);
    }
  }

  function drawProblem(error) {
    const title = error.isNotFound ? "This link no longer works" : "Your email isn't confirmed yet";
    const heading = h("h1", { tabindex: "-1" }, title);
    place.replaceChildren(h("div", { class: "card form-card stack" }, heading,
      h("p", { class: "muted", role: "alert", id: "confirm-invalid" }, error.isNotFound
        ? "Only the link in our latest email works, once, within 24 hours. "
          + `You're logged in as ${net.account?.username}: a link for another account doesn't work here.`
        : error.message),
      h("p", {}, h("a", { class: "button primary", href: "/settings/account" }, "Go to your account")),
      error.isTransient
        ? h("p", {}, h("button", { class: "button", type: "button", id: "confirm-again", onclick: useLink }, "Try again")) : null));
    heading.focus({ preventScroll: true });
  }

  leaveWhenSignedOut(app, end.signal);
  if (token) useLink();
  else drawCode();
  return () => {
    end.abort();
    card?.close();
  };
}
