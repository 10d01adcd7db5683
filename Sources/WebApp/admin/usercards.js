// Cards on one account for admins: notes on its state, and figures.

import { h } from "../kit/dom.js";
import { ago, count, dayText, momentText, timeText } from "../kit/format.js";
import { icon } from "../kit/icons.js";

function disabledNote({ user, disabledAt, disabledReason }) {
  const since = disabledAt ? ` on ${dayText(disabledAt)} at ${timeText(disabledAt)}` : "";
  return h("div", { class: "notice bad", id: "disabled-note" }, icon("block"),
    h("div", { class: "grow" }, h("strong", {}, `Disabled${since}. `), disabledReason ?? "",
      h("p", { class: "small" }, `${user.username} can't log in and isn't suggested to anyone.`)));
}

function invitedNote({ welcomeExpiresAt }, now) {
  const works = welcomeExpiresAt && Date.parse(welcomeExpiresAt) > now;
  return h("div", { class: "notice warn", id: "invited-user-note" }, icon("mail"),
    h("span", {}, "Has not set a password yet. ",
      works ? `The welcome link works until ${momentText(welcomeExpiresAt)}.` : "The welcome link has expired. Create a new one."));
}

function provisionalNote({ confirmBy }) {
  return h("div", { class: "notice warn", id: "provisional-user-note" }, icon("mail"),
    h("span", {}, `Has not confirmed their email yet. Without it, the account is removed on ${momentText(confirmBy)}.`));
}

/** Notes on the state of an account: disabled, invited, not confirmed, a sample. `now` is the server's time in ms. */
export function notesOf(detail, now) {
  const { user } = detail;
  return [
    ...(user.state === "disabled" ? [disabledNote(detail)] : []),
    ...(user.invited ? [invitedNote(detail, now)] : []),
    ...(user.confirmBy ? [provisionalNote(user)] : []),
    ...(user.simulated ? [h("p", { class: "notice" }, icon("run"), "A sample runner or a replayed recording, not a person.")] : []),
  ];
}

/** The figures of an account, as children of a card. */
export function factsOf({ user, devices, sessions, tracking, buddies, events, reportsAbout, openReportsAbout, reportsBy }, now) {
  const fact = (name, value, path = null) => h("div", {}, h("dt", {}, name),
    h("dd", { class: "number" }, path ? h("a", { href: path }, value) : value));
  const reports = `${count(reportsAbout, "time")}${openReportsAbout > 0 ? `, ${openReportsAbout} open` : ""}`;
  return [h("h2", { id: "user-facts-title" }, "At a glance"),
    h("dl", { class: "facts" },
      fact("Email", user.email),
      fact("Joined", dayText(user.createdAt)),
      fact("Last seen", user.lastUsedAt ? ago((now - Date.parse(user.lastUsedAt)) / 1000) : "Never"),
      fact("Logged in on", devices === 0 ? "no device" : count(devices, "device")),
      fact("Sessions until yesterday", `${sessions.toLocaleString("en")}${tracking ? ", one on the map now" : ""}`),
      fact("Buddies", buddies.toLocaleString("en")),
      fact("Events created", events.toLocaleString("en")),
      fact("Reported by others", reportsAbout === 0 ? "never" : reports, openReportsAbout > 0 ? "/reports" : null),
      fact("Reports sent", reportsBy.toLocaleString("en"))),
    h("p", { class: "hint" }, "Email addresses are shortened. Messages and locations aren't shown here.")];
}
