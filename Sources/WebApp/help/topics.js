// The help for each page. Pure.

import { permissions, problems } from "./problems.js";
import { questions } from "./questions.js";
import { adminTopics } from "./admintopics.js";
import { bodyTopics } from "./bodytopics.js";
import { trainingTopics } from "./trainingtopics.js";

/**
 * Each is `{id, pages, title, text, points, links, words}`: `pages` are the names of its pages in pages.js, `links` are `[path, label]`,
 * and `words` are further words by which a search finds it.
 */
export const topics = [
  {
    id: "start", pages: ["home"], title: "Start page", words: "home news overview beginning",
    text: "See your next events, new notices and this month's goal. Below is the way to every part of Campanile.",
    links: [["/map", "Map"], ["/track", "Track"], ["/events", "Events"]],
  },
  {
    id: "map", pages: ["map"], title: "Live map", words: "runner rider follow heatmap crowd zoom legend who",
    text: "The map shows who is running or riding now, and people who share their location with you.",
    points: [
      "Choose a runner on the map or in the list to follow them.",
      "A mark's shape says whether someone is moving, standing still, paused or offline.",
      "The heatmap shows where it is busy, never who is there.",
      "“My location” shows you on the map, to you alone.",
      "Tap a building or a place to see what it is and when it is open.",
    ],
    links: [["/search", "Search"], ["/map/places", "Places"], ["/sharing", "Sharing"]],
  },
  {
    id: "places", pages: ["places"], title: "Places", words: "building room search saved bookmark favourite visited find navigation",
    text: "Your saved places and those you visit most. Find others by name, or choose a point on the map.",
    points: [
      "Save a place to find it again. Only you see saved places.",
      "Places you visit often appear here if you allow that in Privacy.",
    ],
    links: [["/settings/privacy", "Privacy"]],
  },
  {
    id: "search", pages: ["search"], title: "Search",
    words: "find building room code hall cafe place zone destination filter open step-free",
    text: "Find a building, a room, a place or a zone by its name, another name, or its room code.",
    points: [
      "A typing error or a missing accent doesn't matter.",
      "The numbers in the list are those on the map. With a keyboard, use the arrow keys and Enter.",
      "Filters leave what is open now, or reached without a step.",
      "Recent searches are kept only if you allow that in Privacy.",
    ],
    links: [["/search", "Search"], ["/nearby", "Nearby"], ["/settings/privacy", "Privacy"]],
  },
  {
    id: "nearby", pages: ["nearby"], title: "Nearby", words: "cafe library toilets lift close around walking time open here",
    text: "Places around you, the nearest first, with the time to walk there.",
    points: ["Choose a kind, or tap the map to start from another point.", "Your location is used for this list alone."],
    links: [["/nearby", "Nearby"], ["/search", "Search"]],
  },
  {
    id: "placepage", pages: ["place"], title: "The page of a place",
    words: "opening hours menu pictures entrance floor wheelchair phone website busy crowded share save directions manage edit",
    text: "When a place is open, how to get in, what happens there, and how busy it is.",
    points: [
      "Directions leads you there from where you are.",
      "How busy it is comes from the heatmap, which shows nobody alone.",
      "If you manage a place, Edit changes its hours, menu and pictures.",
    ],
    links: [["/search", "Search"], ["/map/places", "Saved places"]],
  },
  {
    id: "route", pages: ["route"], title: "Directions",
    words: "route navigate way find walk wheelchair step-free lift stairs crowd busy level floor",
    text: "Find the way to a building, a room, a place, an event, or a person who shares their exact location with you.",
    points: [
      "Preferences has step-free routes, routes without stairs, and routes around busy paths.",
      "Coloured bands along the line show where it is busy. Dashed parts may not be step-free.",
      "Choose a level to see its floor plan.",
    ],
    links: [["/route", "Directions"], ["/map", "Map"]],
  },
  {
    id: "walk", pages: ["walk"], title: "Your walk", words: "guidance navigation turn next arrival reroute level lift offline",
    text: "Follow the instructions step by step. If you leave the route or something on it closes, you get a new one.",
    points: [
      "Indoors your location is rough: press Next after each step, and choose your level on the map.",
      "Without a network the route and the map stay, but changes on the way aren't known.",
      "Nobody sees your walk. It's deleted when it ends, after three hours at most.",
    ],
    links: [["/route", "Directions"]],
  },
  {
    id: "track", pages: ["track"], title: "Track", words: "record run ride cycle bike gps start stop pause workout session activity",
    text: "Record a run or a ride, and see your time, distance and speed as you go.",
    points: [
      "Choose who can see the session before you press Start. You can change it later.",
      "Pause and Stop are on this page while you record.",
      "Keep Campanile open. Most browsers stop the location when the screen is off.",
      "Without a network your route stays on this device and uploads later.",
    ],
    links: [["/settings/location", "Location and sessions"], ["/history", "History"]],
  },
  {
    id: "history", pages: ["history", "session"], title: "History and goal",
    words: "past sessions route distance goal month kilometres splits pace total",
    text: "All your sessions with route and figures, and your goal for this month.",
    points: [
      "Open a session to change its title or who can see it.",
      "Dotted parts of a route are inside a private zone: only you see them.",
      "The goal counts the kilometres of a month. You can change it at any time.",
    ],
    links: [["/settings/data", "Download your routes"]],
  },
  ...bodyTopics,
  {
    id: "sharing", pages: ["sharing"], title: "Sharing", words: "share location friends where live stop precise ask request watch",
    text: "Show your location to a buddy, a group, the campus, or anyone with a link, for as long as you choose.",
    points: [
      "Choose how precise it is: exact, building, zone, or only whether you're on campus.",
      "Stop a share at any time. It ends at once for everyone.",
      "Past shares show who watched you.",
      "You can ask someone where they are, once. They may decline.",
    ],
    links: [["/settings/privacy", "Privacy"], ["/map", "Map"]],
  },
  {
    id: "links", pages: ["shared", "linkshare"], title: "Shared links", words: "link expired ended live session location url",
    text: "Someone sent you this link to their session or location. You don't need an account.",
    points: ["It works until they stop sharing, or until it expires. Then ask them for a new one.",
      "They see that someone is watching."],
    links: [["/map", "Map"]],
  },
  {
    id: "login", pages: ["login", "providerlogin"], title: "Logging in", words: "sign in log in email password passkey forgot google",
    text: "Log in with your email and password, or with a passkey if you added one.",
    points: ["If you forgot your password, we send you a link to set a new one.", "You can watch the map without an account."],
    links: [["/reset", "Forgot your password?"], ["/register", "Register"]],
  },
  {
    id: "register", pages: ["register", "welcome", "confirm", "confirmlink"], title: "Registering",
    words: "sign up new account create code confirm email invitation",
    text: "You need a username, an email and a password. Only your username is shown to others.",
    points: [
      "We send a code to your email. Enter it, or open the link in the same email.",
      "No email? Look in your spam folder, or send it again from Account.",
    ],
    links: [["/login", "Log in"], ["/settings/account", "Account"]],
  },
  {
    id: "reset", pages: ["reset", "resetlink"], title: "Forgotten password", words: "reset lost new password link email",
    text: "Enter the email of your account. The link that we send works once, for an hour.",
    points: ["With a new password all your devices are logged out."],
    links: [["/login", "Log in"]],
  },
  {
    id: "account", pages: ["account", "accountsettings", "farewell"], title: "Account", words: "username email change log out delete name",
    text: "Change your username or email, and log out.",
    points: ["You can change your username twice in 30 days. Nobody else gets your old one for 90 days.",
      "A new email counts once you enter the code that we send there."],
    links: [["/settings/account", "Account"], ["/settings/data", "Your data"]],
  },
  {
    id: "settings", pages: ["settings"], title: "Settings", words: "options preferences change configure",
    text: "Everything you can change, by topic. Changes are saved at once and apply on all your devices.",
    links: [["/settings/appearance", "Appearance and units"], ["/settings/privacy", "Privacy"],
      ["/settings/notifications", "Notifications"]],
  },
  {
    id: "profile", pages: ["profile"], title: "Profile", words: "picture photo name degree interests home birthday gender avatar",
    text: "Your name, picture, degree and interests. Changes are saved as you make them.",
    points: ["Events that suit your interests are suggested to you.", "Only you see your home location."],
    links: [["/buddies/profile", "Buddy profile"]],
  },
  {
    id: "security", pages: ["security"], title: "Security",
    words: "password passkey two-step factor authenticator recovery codes devices log out hacked stolen",
    text: "Change your password, add a passkey, turn on two-step log-in, and log out devices.",
    points: ["With a passkey you log in by fingerprint, face or screen lock.",
      "Keep your recovery codes somewhere safe, in case you lose your phone."],
    links: [["/reset", "Forgot your password?"]],
  },
  {
    id: "privacy", pages: ["privacysettings"], title: "Privacy",
    words: "private zone hide home visible heatmap visits searches residence who sees",
    text: "Choose what others see of your location, and what Campanile stores. What shares more is off until you turn it on.",
    points: [
      "In a private zone nobody sees you, live or in old routes.",
      "Each zone's true size is secret, so nobody can work out your address.",
    ],
    links: [["/settings/data", "Your data"], ["/sharing", "Sharing"]],
  },
  {
    id: "notifications", pages: ["notificationsettings"], title: "Notifications",
    words: "reminders quiet hours push email text sms alerts mute silence",
    text: "Choose what reaches you while Campanile is closed: by browser, email or text.",
    points: ["Quiet hours hold everything back but emergencies.", "Choose how long before an event you're reminded."],
    links: [["/chats/settings", "Chat settings"]],
  },
  {
    id: "location", pages: ["locationsettings"], title: "Location and sessions",
    words: "gps turn off location default audience tracking switch",
    text: "Turn your location off on all your devices, and choose who can see new sessions.",
    points: ["When location is off, shares end, and sessions pause and are hidden."],
    links: [["/settings/privacy", "Privacy"]],
  },
  {
    id: "appearance", pages: ["appearance"], title: "Appearance and units",
    words: "dark light theme mode night colour pace speed kmh units",
    text: "Choose a light or a dark theme, and pace or speed. The button in the bar switches the theme, too.",
    links: [["/settings", "Settings"]],
  },
  {
    id: "data", pages: ["datasettings"], title: "Your data", words: "download export gpx json delete account erase leave gdpr copy",
    text: "Download everything as files, your routes as GPX, or delete your account.",
    points: ["Deleting an account can't be undone. Download your data first."],
    links: [["/settings/privacy", "Privacy"]],
  },
  {
    id: "buddies", pages: ["buddies", "buddyprofile"], title: "Buddies",
    words: "partner match training gym friends meet suggestion accept pass swipe",
    text: "Find people who train like you, at the times you train.",
    points: [
      "Fill in your buddy profile first. You can change or hide it at any time.",
      "You become buddies when both of you accept. Then you can chat.",
      "Block or report someone from their card or from the chat.",
    ],
    links: [["/buddies/profile", "Buddy profile"], ["/chats", "Chats"]],
  },
  {
    id: "chats", pages: ["chats", "conversation"], title: "Chats", words: "message group picture send unread edit delete mute search reply",
    text: "Write to your buddies, alone or in groups.",
    points: ["Press and hold a message to reply, react, edit or delete it.", "Without a network messages wait here and are sent later.",
      "The menu of a chat has mute, block, and sharing your location."],
    links: [["/chats/settings", "Chat settings"]],
  },
  {
    id: "chatsettings", pages: ["chatsettings"], title: "Chat settings",
    words: "read receipts typing delivered blocked unblock notifications device",
    text: "Choose whether others see that you read or type, and see whom you blocked.",
    links: [["/chats", "Chats"], ["/settings/notifications", "Notifications"]],
  },
  {
    id: "events", pages: ["events", "event"], title: "Events",
    words: "join going maybe waiting list invite calendar run meet-up class answer spot full",
    text: "Runs, workouts and meet-ups on campus. Answer with Going, Maybe or No, or save an event for later.",
    points: [
      "If an event is full, you wait in a list and move up automatically.",
      "The calendar link puts your events into your own calendar.",
    ],
    links: [["/events/new", "New event"]],
  },
  {
    id: "eventform", pages: ["eventform"], title: "Your own events", words: "create edit organise host cancel invite capacity repeat draft",
    text: "Give your event a title, a time and a place, and choose who can see it.",
    points: [
      "You can save a draft, and publish it later.",
      "People who answered get a message when you change the time or place, or cancel.",
    ],
    links: [["/events", "Events"]],
  },
  {
    id: "notices", pages: ["notices"], title: "Notices", words: "news announcement emergency campus unread bell",
    text: "News from the campus, your zones and your events. An emergency is shown on every page until you've seen it.",
    points: ["Choose the zones you follow in Notifications."],
    links: [["/settings/notifications", "Notifications"]],
  },
  {
    id: "about", pages: ["about", "licences"], title: "About Campanile", words: "version server licence software api developer",
    text: "What this server runs, the software it uses, and the way to its API for developers.",
    links: [["/about", "About"], ["/licences", "Licences"]],
  },
  {
    id: "help", pages: ["help"], title: "Using help", words: "question mark tutorial tour support contact search",
    text: "The question mark at the top opens help for the page you're on. Here you search all of it, even offline.",
    points: ["A few letters are enough. Accents and capitals don't matter."],
  },
  {
    id: "missing", pages: ["missing"], title: "Page not found", words: "404 broken link wrong address",
    text: "There is no page at this address. The link may be old or mistyped.",
    links: [["/", "Start page"]],
  },
  ...trainingTopics, ...adminTopics,
];

/** The topic of the page with that name; the one about help itself for a page without. */
export function topicOf(page) {
  return topics.find(({ pages }) => pages.includes(page)) ?? topics.find(({ id }) => id === "help");
}

/** Topics that need the location. */
const located = ["map", "track", "sharing"];

/** The questions and problems about a topic, in a browser of that family (locationhelp.js). */
export function answersOf({ id }, family) {
  const allowing = permissions.filter((one) => located.includes(id) && one.family === family);
  return [...[...questions, ...problems].filter(({ about }) => about.includes(id)), ...allowing];
}
