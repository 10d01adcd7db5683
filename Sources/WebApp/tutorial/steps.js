// The steps of the tutorial (U-9). Pure.

/** An instruction is a title and a text; together they have at most this many words. */
export const stepWordsMax = 20;
export const stepsMax = 8;

/**
 * Each is `{page, path, targets, title, text}`: the page by its name in pages.js, its path, and selectors of the control that the step
 * points at, of which the first that is visible counts. With `until`, the highlight reaches from there to that element. The first step
 * stays on the page where the tutorial begins.
 */
export const steps = [
  {
    page: null, path: null, targets: [],
    title: "Welcome to Campanile", text: "Take a quick look around. It takes about a minute, and you can skip it.",
  },
  {
    page: "map", path: "/map", targets: ["#view .sheet"],
    title: "Live map", text: "See who is running or riding now. Choose someone to follow them.",
  },
  {
    page: "places", path: "/map/places", targets: ["#view .search-box"],
    title: "Places", text: "Find any building or place by name. Save the ones you need often.",
  },
  {
    page: "track", path: "/track", targets: ["#start-form .choices:not(.two)", "#start"], until: "#start",
    title: "Track", text: "Choose who can see your run or ride, then press Start. It works offline.",
  },
  {
    page: "events", path: "/events", targets: ["#new-event"],
    title: "Events", text: "Join runs and meet-ups on campus, or create your own with this button.",
  },
  {
    page: "buddies", path: "/buddies", targets: [".tabs a[data-nav=\"buddies\"]"],
    title: "Buddies", text: "Find people to train with. You can chat once you both accept.",
  },
  {
    page: "privacysettings", path: "/settings/privacy", targets: ["#add-zone", "#zone-list li"],
    title: "Privacy", text: "Add a private zone around your home. Nobody sees you inside it.",
  },
  {
    page: "home", path: "/", targets: ["#help-button"],
    title: "Help", text: "Every page has help behind this button. You can repeat the tutorial there.",
  },
];
