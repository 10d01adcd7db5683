// How the account is protected: a card for each way to log in, and the devices.

import { h } from "../kit/dom.js";
import { whenLive } from "../kit/loadable.js";
import { leaveWhenSignedOut } from "../kit/signedin.js";
import { makePasskeysCard } from "../factors/passkeys.js";
import { makeSecondFactorCard } from "../factors/secondfactor.js";
import { settingsFrame } from "../settings/frame.js";
import { makeDevicesCard } from "./devices.js";
import { makePasswordCard } from "./password.js";
import { makeProvidersCard } from "./providers.js";

/**
 * The cards in order. Each function gets the app and `{changed()}`, to be called when the devices may be others, and returns
 * `{element, load?(), close?()}`.
 */
const cards = [
  makePasswordCard,
  makePasskeysCard,
  makeSecondFactorCard,
  makeProvidersCard,
  makeDevicesCard,
];

/** Serves `/settings/security`. */
export function show(root, _params, app) {
  if (!app.net.account) {
    app.router.go("/login?next=/settings/security", { replace: true });
    return undefined;
  }
  const load = () => { for (const card of shown) card.load?.(); };
  const shown = cards.map((make) => make(app, { changed: load }));
  root.append(settingsFrame(app, "security", [h("h1", { tabindex: "-1" }, "Security"), ...shown.map(({ element }) => element)]));
  load();
  const end = new AbortController();
  leaveWhenSignedOut(app, end.signal);
  end.signal.addEventListener("abort", whenLive(app.net, load));
  return () => {
    end.abort();
    for (const card of shown) card.close?.();
  };
}
