// The directory on the start page: the way to each part of the app. From here every function is at most two taps away.

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";

/** Each is `[path, icon, label, hint]`. */
const entries = [
  ["/map", "map", "Live map", "Who is out now"],
  ["/track", "track", "Track", "Record a run or a ride"],
  ["/workouts", "run", "Workouts", "Plans, exercises, guidance"],
  ["/history", "history", "History and goal", "Your sessions and this month"],
  ["/insights", "chart", "Progress", "Workouts, steps, goals"],
  ["/body", "heart", "Body data", "Weight, injuries, goals"],
  ["/together", "buddies", "Train together", "Live with your buddies"],
  ["/search", "search", "Search", "Buildings, rooms, places"],
  ["/nearby", "track", "Nearby", "What is open around you"],
  ["/map/places", "bookmark", "Places", "Saved and most visited"],
  ["/events", "events", "Events", "Join, save or create"],
  ["/buddies", "buddies", "Buddies", "Find people to train with"],
  ["/chats", "chats", "Chats", "Messages and groups"],
  ["/sharing", "share", "Sharing", "Who sees where you are"],
  ["/notices", "bell", "Notices", "News from the campus"],
  ["/account", "account", "Account", "You and your goal"],
  ["/settings", "settings", "Settings", "Profile, privacy, security"],
  ["/help", "question", "Help", "How things work"],
];

/** Roles with a console, as in admin/parts.js: the start page loads none of it. */
const hasConsole = ["admin", "lecturer", "rewards"];

/** The directory for an account. */
export function makeDirectory({ role }) {
  const all = [...entries, ...(hasConsole.includes(role) ? [["/admin", "admin", "Campus admin", "People, places, notices"]] : [])];
  return h("nav", { class: "directory", "aria-labelledby": "directory-title" }, h("h2", { id: "directory-title" }, "Everything"),
    h("ul", {}, ...all.map(([path, iconName, label, hint]) => h("li", {},
      h("a", { class: "directory-link", href: path, dataset: { to: path } }, icon(iconName),
        h("span", {}, h("strong", {}, label), h("span", { class: "hint" }, hint)))))));
}
