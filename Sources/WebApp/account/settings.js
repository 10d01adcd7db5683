// The settings area: who is logged in, its sections, and the way out.

import { roleNames } from "../admin/parts.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { avatar } from "../kit/person.js";
import { settingsFrame } from "../settings/frame.js";
import { logOut } from "./logout.js";

/** Serves `/settings`. A guest gets the sections of this browser. */
export function show(root, _params, app) {
  const { net, known, pictures, router } = app;
  const scope = pictures.scope();
  const identity = h("div", {});
  const drawIdentity = () => {
    if (net.account) identity.replaceChildren(identityCard(net.account, known.own, scope));
  };
  drawIdentity();
  const edit = h("p", {}, h("a", { class: "link", href: "/settings/profile", id: "edit-profile" }, "Edit profile"));
  root.append(settingsFrame(app, null,
    [h("h1", { tabindex: "-1" }, "Settings"), ...(net.account ? [identity, edit] : [guestCard(app.config)])],
    { below: net.account ? logOutPart(app) : null }));
  const end = new AbortController();
  let wasMember = net.account !== null;
  net.addEventListener("account", () => {
    if ((net.account !== null) !== wasMember) router.go("/settings", { replace: true });
    else drawIdentity();
    wasMember = net.account !== null;
  }, { signal: end.signal });
  known.addEventListener("change", drawIdentity, { signal: end.signal });
  return () => {
    end.abort();
    scope.close();
  };
}

/** The card with picture, name and role of the account. */
export function identityCard({ username, email, role }, person, scope) {
  const picture = avatar(scope, person, { size: 60 });
  Object.assign(picture, { id: "account-picture", alt: "Your profile picture" });
  const { name } = person;
  return h("section", { class: "card account-card" }, picture,
    h("div", {}, h("h2", { id: "account-name" }, name),
      name === username ? null : h("p", { class: "muted", id: "account-username" }, `Username: ${username}`),
      h("p", { class: "muted" }, email ?? ""), h("p", { class: "muted small" }, roleNames[role] ?? role)));
}

/** The button that logs out here, with the place for what goes wrong. */
export function logOutPart(app) {
  const problem = h("p", { class: "problem", role: "alert" });
  const leave = () => logOut(app, { isEverywhere: false, problem: (text) => { problem.textContent = text; } });
  return h("div", { class: "stack tight" },
    h("p", {}, h("button", { class: "button", type: "button", id: "logout", onclick: leave }, icon("leave"), "Log out")), problem);
}

function guestCard(config) {
  return h("section", { class: "card stack" }, h("p", {}, "Log in to change your profile, privacy and notifications."),
    h("div", { class: "row" }, h("a", { class: "button primary", href: "/login?next=/settings" }, "Log in"),
      config?.registration === "closed" ? null : h("a", { class: "button", href: "/register?next=/settings" }, "Register")));
}
