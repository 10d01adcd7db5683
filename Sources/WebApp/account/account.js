// The home of the account: who it is, this month's goal, and the way to everything that is the person's own.

import { partsOf } from "../admin/parts.js";
import { h, keepFocus } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { makeGoalCard } from "../history/goalcard.js";
import { identityCard, logOutPart } from "./settings.js";

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
  identity.draw(net.account, known.own);
  root.append(h("div", { class: "page stack" },
    h("h1", { tabindex: "-1" }, "Account"), ...identity.elements, goal.element, logOutPart(app)));
  const ended = new AbortController();
  // The stored account may be older than the one that the reply to hello brings, and an admin may change it.
  net.addEventListener("account", () => {
    if (net.account) identity.draw(net.account, known.own);
    else router.go("/", { replace: true });
  }, { signal: ended.signal });
  known.addEventListener("change", () => { if (net.account) identity.draw(net.account, known.own); }, { signal: ended.signal });
  return () => {
    goal.close();
    scope.close();
    ended.abort();
  };
}

/** The card with picture, name and role, and the links to the pages that the role has: `{elements, draw(account, person)}`. */
function makeIdentity(scope) {
  const place = h("div", {});
  const links = h("nav", { class: "row", "aria-label": "More pages" });
  let drawnRole = null;
  return {
    elements: [place, links],
    draw(account, person) {
      place.replaceChildren(identityCard(account, person, scope));
      if (account.role === drawnRole) return;
      drawnRole = account.role;
      keepFocus(links, () => links.replaceChildren(...linksOf(account.role)));
    },
  };
}

function linksOf(role) {
  const link = (href, id, iconName, label) => h("a", { class: "button", href, id }, icon(iconName), label);
  return [
    link("/settings/profile", "to-profile", "edit", "Edit profile"),
    link("/settings", "to-settings", "settings", "Settings"),
    link("/workouts", "to-workouts", "strength", "Workouts"),
    link("/history", null, "history", "History"),
    link("/insights", "to-insights", "chart", "Progress"),
    link("/body", "to-body", "heart", "Body data"),
    link("/sharing", "to-sharing", "share", "Sharing"),
    link("/settings/notifications", "to-notifications", "bell", "Notifications"),
    link("/settings/privacy", "to-privacy", "lock", "Privacy"),
    link("/map/places", "to-saved-places", "bookmark", "Places"),
    ...(partsOf(role).length > 0 ? [link("/admin", "to-admin", "admin", "Campus admin")] : []),
    ...(role === "admin" ? [link("/reports", null, "flag", "Reports")] : []),
  ];
}
