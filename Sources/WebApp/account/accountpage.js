// Username and email of the account.

import { h } from "../kit/dom.js";
import { leaveWhenSignedOut } from "../kit/signedin.js";
import { settingsFrame } from "../settings/frame.js";
import { makeEmailCard } from "./email.js";
import { makeUsernameCard } from "./username.js";

/** Serves `/settings/account`. */
export function show(root, _params, app) {
  if (!app.net.account) {
    app.router.go("/login?next=/settings/account", { replace: true });
    return undefined;
  }
  const username = makeUsernameCard(app);
  const email = makeEmailCard(app);
  root.append(settingsFrame(app, "account", [h("h1", { tabindex: "-1" }, "Account"), username.element, email.element]));
  email.load();
  const end = new AbortController();
  leaveWhenSignedOut(app, end.signal);
  return () => {
    end.abort();
    username.close();
    email.close();
  };
}
