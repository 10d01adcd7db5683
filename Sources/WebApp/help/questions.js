// Questions that people ask. Pure.

/** Each is `{id, about, title, text, links, words}`: `about` are ids of topics whose panel shows it. */
export const questions = [
  {
    id: "howtrack", about: ["track"], title: "How do I track a run or a ride?", words: "record start cycle bike",
    text: "Open Track, choose the activity and who can see it, and press Start. Pause and stop there, too. "
      + "Without a network your route stays on your phone and uploads later.", links: [["/track", "Track"]],
  },
  {
    id: "whosees", about: ["map", "track", "sharing", "privacy", "start"], title: "Who sees where I am?",
    words: "visible private location stalk",
    text: "Nobody, until you track a session for the campus or share your location. You choose how exactly "
      + "and for how long, and you can stop at any time.", links: [["/sharing", "Sharing"]],
  },
  {
    id: "hidehome", about: ["privacy", "track", "history"], title: "How do I hide my home?", words: "private zone address dormitory",
    text: "Add a private zone around it. Others never see you inside, in live views and in old routes.",
    links: [["/settings/privacy", "Privacy"]],
  },
  {
    id: "locationoff", about: ["location", "sharing"], title: "How do I turn location off?", words: "gps disable stop tracking",
    text: "Turn it off in Settings. On all your devices, shares end, and sessions pause and are hidden.",
    links: [["/settings/location", "Location and sessions"]],
  },
  {
    id: "findpeople", about: ["buddies", "start"], title: "How do I find people to train with?", words: "partner friends match",
    text: "Fill in a buddy profile. You are matched only when both of you accept.", links: [["/buddies", "Buddies"]],
  },
  {
    id: "block", about: ["chats", "buddies", "chatsettings"], title: "How do I block or report someone?",
    words: "harass unwanted stop remove",
    text: "Open their card or your chat, and choose Block or Report in the menu. They no longer see you anywhere, and don't get a "
      + "message about it.",
    links: [["/chats", "Chats"], ["/chats/settings", "Blocked people"]],
  },
  {
    id: "findplace", about: ["map", "places", "search"], title: "How do I find a building or a place?", words: "room search where",
    text: "Search it by name or room code, or tap it on the map. Its page has the way there.", links: [["/search", "Search"]],
  },
  {
    id: "joinevent", about: ["events", "eventform", "start"], title: "How do I join or create an event?", words: "going meet-up organise",
    text: "Open Events, and answer an event, or create your own.", links: [["/events", "Events"]],
  },
  {
    id: "toomany", about: ["notifications", "notices"], title: "Why do I get too many messages?", words: "spam reminders mute quiet",
    text: "Choose what reaches you, by which way, and when you want quiet.", links: [["/settings/notifications", "Notifications"]],
  },
  {
    id: "password", about: ["security", "account", "settings"], title: "How do I change my password, or log out a device?",
    words: "lost stolen phone sign out", text: "Both are in Settings, under Security.", links: [["/settings/security", "Security"]],
  },
  {
    id: "theme", about: ["settings", "appearance"], title: "How do I switch to dark, or to pace?", words: "theme night mode units speed",
    text: "Open Appearance and units. What you choose applies on all your devices.", links: [["/settings/appearance", "Appearance "
      + "and units"]],
  },
  {
    id: "leave", about: ["data", "account"], title: "How do I take my data with me, or leave?",
    words: "export download delete account gdpr",
    text: "Download everything as files, or delete your account and its data.", links: [["/settings/data", "Your data"]],
  },
];
