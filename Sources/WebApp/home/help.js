// Help: short answers, each with the way to what it is about.

import { h } from "../kit/dom.js";
import { settingsFrame } from "../settings/frame.js";

/** Each is `{question, answer, link, label}`. */
const answers = [
  { question: "How do I track a run or a ride?",
    answer: "Open Track, choose the activity and who can see it, and press Start. Pause and stop there, too. "
    + " Without a network your route stays on your phone and uploads later.", link: "/track", label: "Track" },
  { question: "Who sees where I am?",
    answer: "Nobody, until you track a session for the campus or share your location. You choose how exactly "
    + "and for how long, and you can stop at any time.", link: "/sharing", label: "Sharing" },
  { question: "How do I hide my home?",
    answer: "Add a private zone around it. Others never see you inside, in live views and in old routes.",
    link: "/settings/privacy", label: "Privacy" },
  { question: "How do I turn location off?",
    answer: "Turn it off in Settings. On all your devices, shares end, and sessions pause and are hidden.",
    link: "/settings/location", label: "Location and sessions" },
  { question: "How do I find people to train with?", answer: "Fill in a buddy profile. You are matched only when both of you accept.",
    link: "/buddies", label: "Buddies" },
  { question: "How do I find a building or a place?", answer: "Search it by name, save it, and open it on the map.",
    link: "/map/places", label: "Places" },
  { question: "How do I join or create an event?",
    answer: "Open Events, and answer an event, or create your own.", link: "/events", label: "Events" },
  { question: "Why do I get too many messages?", answer: "Choose what reaches you, by which way, and when you want quiet.",
    link: "/settings/notifications", label: "Notifications" },
  { question: "How do I change my password, or log out a device?", answer: "Both are in Settings, under Security.",
    link: "/settings/security", label: "Security" },
  { question: "How do I take my data with me, or leave?", answer: "Download everything as files, or delete your account and its data.",
    link: "/settings/data", label: "Your data" },
];

/** Serves `/help`. */
export function show(root, _params, app) {
  root.append(settingsFrame(app, "help", [
    h("h1", { tabindex: "-1" }, "Help"),
    h("section", { class: "card help-list" }, ...answers.map(({ question, answer, link, label }) =>
      h("details", {}, h("summary", {}, question), h("p", {}, answer, " ", h("a", { class: "link", href: link }, label))))),
    h("p", { class: "muted" }, "Something else? Ask a campus admin."),
  ]));
}
