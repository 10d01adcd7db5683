// The account: name and role, the pages that belong to it, the goal, units, email and password, and the devices that are logged in.

import { partsOf, roleNames } from "../admin/parts.js";
import { announce, h, keepFocus } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { avatar } from "../kit/person.js";
import { chooseUnit, unitChoice, unitChoices } from "../kit/units.js";
import { makeGoalCard } from "../history/goalcard.js";
import { makeEmailCard } from "./email.js";
import { makeDevicesCard } from "./devices.js";
import { makePasswordCard } from "./password.js";

/** Serves `/account`. */
export function show(root, _params, app) {
  const { net, events, known, pictures, router } = app;
  if (!net.account) {
    router.go("/login?next=/account", { replace: true });
    return undefined;
  }
  const scope = pictures.scope();
  const identity = makeIdentity(scope);
  const goal = makeGoalCard({ net, events }, { withTotals: true });
  const devices = makeDevicesCard(app);
  const email = makeEmailCard(app);
  const password = makePasswordCard(app, { changed: () => devices.load() });
  identity.draw(net.account, known.own);
  root.append(h("div", { class: "page stack" },
    h("h1", { tabindex: "-1" }, "Account"), ...identity.elements, goal.element, unitsCard(),
    email.element, password.element, devices.element, aboutLink()));
  devices.load();
  email.load();
  const ended = new AbortController();
  // The stored account may be older than the one that the reply to hello brings, and an admin may change it.
  net.addEventListener("account", () => {
    if (net.account) identity.draw(net.account, known.own);
    else router.go("/", { replace: true });
  }, { signal: ended.signal });
  known.addEventListener("change", () => { if (net.account) identity.draw(net.account, known.own); }, { signal: ended.signal });
  return () => {
    goal.close();
    email.close();
    password.close();
    scope.close();
    ended.abort();
  };
}

/** The card with picture, name and role, and the links to the pages that the role has: `{elements, draw(account, person)}`. */
function makeIdentity(scope) {
  const card = h("section", { class: "card account-card" });
  const links = h("nav", { class: "row", "aria-label": "More pages" });
  let drawnRole = null;
  return {
    elements: [card, links],
    draw(account, person) {
      card.replaceChildren(...identityOf(account, person, scope));
      if (account.role === drawnRole) return;
      drawnRole = account.role;
      keepFocus(links, () => links.replaceChildren(...linksOf(account.role)));
    },
  };
}

function identityOf({ username, email, role }, person, scope) {
  const picture = avatar(scope, person, { size: 60 });
  Object.assign(picture, { id: "account-picture", alt: "Your profile picture" });
  const { name } = person;
  return [
    picture,
    h("div", {}, h("h2", { id: "account-name" }, name),
      name === username ? null : h("p", { class: "muted", id: "account-username" }, `Username: ${username}`),
      h("p", { class: "muted" }, email ?? ""), h("p", { class: "muted small" }, roleNames[role] ?? role)),
  ];
}

function linksOf(role) {
  const link = (href, id, iconName, label) => h("a", { class: "button", href, id }, icon(iconName), label);
  return [
    link("/history", null, "history", "History"),
    link("/sharing", "to-sharing", "share", "Sharing"),
    link("/settings/notifications", "to-notifications", "bell", "Notifications"),
    link("/settings/privacy", "to-privacy", "lock", "Privacy"),
    link("/map/places", "to-saved-places", "bookmark", "Places"),
    ...(partsOf(role).length > 0 ? [link("/admin", "to-admin", "admin", "Campus admin")] : []),
    ...(role === "admin" ? [link("/reports", null, "flag", "Reports")] : []),
  ];
}

function aboutLink() {
  return h("p", { class: "center" }, h("a", { class: "link", href: "/about" }, "About Campanile"));
}

function unitsCard() {
  const choice = h("select", { id: "speed-unit", onchange: () => {
    chooseUnit(choice.value);
    announce("Saved.");
  } }, ...unitChoices.map(({ value, name }) => h("option", { value, selected: value === unitChoice() }, name)));
  return h("section", { class: "card stack" }, h("h2", {}, "Units"),
    h("div", { class: "field" }, h("label", { for: "speed-unit" }, "Pace and speed"), choice,
      h("p", { class: "hint" }, "Applies on this device.")));
}
