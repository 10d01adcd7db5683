// All pages of the app. The router, the tabs, the title, the service worker and the server's paths follow from this list: see deploy/web.
// No DOM.

import { pages as account } from "../account/pages.js";
import { pages as admin } from "../admin/pages.js";
import { pages as body } from "../body/pages.js";
import { pages as buddies } from "../buddies/pages.js";
import { pages as chat } from "../chat/pages.js";
import { pages as closures } from "../closures/pages.js";
import { pages as events } from "../events/pages.js";
import { pages as help } from "../help/pages.js";
import { pages as history } from "../history/pages.js";
import { pages as home } from "../home/pages.js";
import { pages as insights } from "../insights/pages.js";
import { pages as livemap } from "../livemap/pages.js";
import { pages as notices } from "../notices/pages.js";
import { pages as places } from "../places/pages.js";
import { pages as privacy } from "../privacy/pages.js";
import { pages as profile } from "../profile/pages.js";
import { pages as reminders } from "../reminders/pages.js";
import { pages as routes } from "../routes/pages.js";
import { pages as settings } from "../settings/pages.js";
import { pages as sharing } from "../sharing/pages.js";
import { pages as together } from "../together/pages.js";
import { pages as tracking } from "../tracking/pages.js";
import { pages as training } from "../training/pages.js";
import { pages as workouts } from "../workouts/pages.js";

/**
 * Each page is `{name, path, title, label, tab, isFirst, load}`. `:id` in a path is a parameter. `title` is the page's title until the
 * page has a heading; null is the name of the app alone. `tab` is the current tab while the page is shown, if any. A page that has a tab
 * of its own gives it its `label`, or else its title. A page with `isFirst` is shown before the features (features.js) have started, and
 * waits for `app.features()` where it uses them: deploy/web keeps small what such a page loads. `load` imports the module with `show`.
 * Two entries may have one name. The first entry whose path fits is shown.
 *
 * `name` consists of small letters. A segment of `path` is small letters or `:` with small letters (pages.test.js). `load` is
 * `() => import("./module.js")` with the path of a module of the same folder written out: deploy/web-routes.mjs reads it there.
 */
export const pages = [
  ...home, ...livemap, ...places, ...routes, ...tracking, ...history, ...sharing, ...account, ...buddies, ...chat, ...events, ...notices,
  ...reminders, ...help, ...privacy, ...profile, ...settings, ...admin, ...closures, ...body, ...insights, ...together, ...workouts,
  ...training,
];

/** The page for all other paths that the router is led to: see missing.js. */
export const missingPage = { name: "missing", title: "Page not found", load: () => import("./missing.js") };
