// Help for problems. Pure.

import { locationHelps } from "../tracking/locationhelp.js";

/** As in questions.js, with `steps` in order. */
export const problems = [
  {
    id: "noposition", about: ["map", "track", "sharing"], title: "Campanile can't find my location",
    words: "gps position missing inaccurate wrong jump",
    text: "Your device finds its location by satellites, Wi-Fi and mobile networks. Try these in order:",
    steps: [
      "Check that location is on in your device's settings, and in Campanile under Location and sessions.",
      "Allow location for this site in your browser.",
      "Turn on Wi-Fi, even without a network, and step outside or to a window.",
      "Wait up to a minute for a precise location.",
    ],
    links: [["/settings/location", "Location and sessions"]],
  },
  {
    id: "gaps", about: ["track", "history"], title: "My route has gaps, or stopped by itself",
    words: "background screen off lock missing distance short",
    text: "Most browsers stop the location when the screen is off or another app is in front. Campanile keeps the screen on while "
      + "it records.",
    steps: ["Leave Campanile open while you record.", "Turn off the phone's power saver.",
      "Start outside, once the accuracy is within 50 m."],
    links: [["/track", "Track"]],
  },
  {
    id: "battery", about: ["track"], title: "Recording uses a lot of battery", words: "power drain energy phone saver",
    text: "The screen and the satellite receiver use the most. To make the battery last longer:",
    steps: ["Lower the brightness, and choose the dark theme.", "Close the live map in other tabs.",
      "Stop the session when you've arrived."],
    links: [["/settings/appearance", "Appearance and units"]],
  },
  {
    id: "offline", about: ["map", "chats", "track"], title: "It says that I'm offline",
    words: "network connection reconnecting wifi internet loading",
    text: "Campanile connects again by itself. Until then you see what was loaded last, and what you write or record waits on this device.",
    steps: ["Open another website to check the network.", "Turn flight mode on and off.", "On campus Wi-Fi, log in to the network first."],
    links: [],
  },
  {
    id: "nopush", about: ["notifications", "chatsettings"], title: "I get no notifications", words: "push alerts sound blocked silent",
    text: "Reminders reach this browser only if it may show notifications.",
    steps: [
      "Turn them on under Notifications, and allow them when the browser asks.",
      "If they are blocked: open the site settings by the icon beside the address, and allow Notifications.",
      "On an iPhone or iPad, add Campanile to the home screen first, and open it from there.",
      "Check your quiet hours, and the device's do-not-disturb mode.",
    ],
    links: [["/settings/notifications", "Notifications"]],
  },
  {
    id: "nomail", about: ["register", "reset", "account", "login"], title: "The email doesn't arrive",
    words: "code confirm link spam missing mail",
    text: "It takes a minute at most.",
    steps: ["Look in your spam folder.", "Check the address for typing errors.", "Send it again. Only the link in our latest email works."],
    links: [["/settings/account", "Account"]],
  },
  {
    id: "lostfactor", about: ["login", "security"], title: "I lost the phone I log in with",
    words: "two-step authenticator passkey recovery code second factor stolen",
    text: "Log in with one of your recovery codes instead of the code from the app. Without a code, ask a campus admin.",
    steps: ["Log out the lost phone under Security.", "Set up an authenticator app or a passkey on the new one."],
    links: [["/settings/security", "Security"]],
  },
];

/** How to allow the location in each family of browsers, by its name in locationhelp.js. */
export const permissions = locationHelps.map(({ family, browser, steps }) => ({
  id: `allow${family.toLowerCase()}`, family, title: `Allow location in ${browser.replace("this browser", "other browsers")}`,
  words: "permission blocked denied browser settings gps position",
  text: "If the browser doesn't ask, location is blocked for this site. To allow it:", steps,
}));
