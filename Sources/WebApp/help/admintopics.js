// The help for the pages of admins and lecturers. Pure.

/** As in topics.js. */
export const adminTopics = [
  {
    id: "admin", pages: ["admin", "adminaudit"], title: "Campus admin", words: "console role lecturer overview log audit figures",
    text: "What happens on the campus now, and the way to people, places, notices and reports.",
    points: ["Your role decides which parts you see.", "Everything that admins do is in the log for two years."],
    links: [["/admin", "Campus admin"]],
  },
  {
    id: "adminpeople", pages: ["adminusers", "adminuser", "adminnewuser"], title: "People",
    words: "add user role disable ban reset password lecturer admin welcome link",
    text: "Add people, give them a role, or disable an account.",
    points: ["A new person gets a link to set a password. It works once, within a week.",
      "A disabled account is logged out everywhere."],
    links: [["/admin/users", "People"]],
  },
  {
    id: "adminplaces", pages: ["adminplaces"], title: "Places and zones",
    words: "map edit building zone outline name opening hours menu picture manager delegate owner",
    text: "Name places and draw the zones of the campus. Everyone sees a change at once.",
    points: ["An account that manages a place edits its hours, menu and pictures on the page of the place."],
    links: [["/admin/places", "Places and zones"]],
  },
  {
    id: "closures", pages: ["adminclosures"], title: "Closures",
    words: "lift elevator broken out of order door locked path closed repair reopen",
    text: "Mark a lift out of order, a door locked or a path closed, now or for a period.",
    points: ["Routes avoid it at once. People on the way get a new route with the reason.",
      "Reopen it here when it works again. Both are in the log."],
    links: [["/admin/closures", "Closures"]],
  },
  {
    id: "reports", pages: ["reports"], title: "Reports", words: "moderation harassment block evidence message decide",
    text: "What people reported, with the messages or the event they reported.",
    points: ["Read the report, decide, and note why. The decision is in the log."],
    links: [["/admin", "Campus admin"]],
  },
  {
    id: "sendnotices", pages: ["noticeform", "noticessent", "noticesent"], title: "Sending notices",
    words: "announce publish schedule correct withdraw emergency recipients read",
    text: "Admins and lecturers send news to the campus, to zones, or to the people of an event.",
    points: ["Schedule a notice, correct it, or withdraw it for everyone.", "Send an emergency only when someone is in danger.",
      "A sent notice shows how many people have it and have read it."],
    links: [["/notices/sent", "Sent notices"]],
  },
];
