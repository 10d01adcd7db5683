// How to allow the location, in the words of each family of browsers. Pure.

const help = {
  iosSafari: {
    browser: "Safari on iPhone and iPad",
    steps: [
      "Tap the page menu (AA) at the left of the address, then Website Settings.",
      "Set Location to Ask or Allow.",
      "If it is missing: Settings › Privacy & Security › Location Services › Safari Websites › While Using.",
    ],
  },
  iosOther: {
    browser: "this browser on iPhone and iPad",
    steps: [
      "Open the Settings app and choose this browser.",
      "Set Location to While Using the App, and switch on Precise Location.",
      "Come back and try again.",
    ],
  },
  android: {
    browser: "Chrome on Android",
    steps: [
      "Tap the icon at the left of the address, then Permissions.",
      "Set Location to Allow.",
      "Check that Location is on in the phone's quick settings.",
    ],
  },
  samsung: {
    browser: "Samsung Internet",
    steps: [
      "Tap the lock at the left of the address, then Permissions.",
      "Allow Location.",
      "Check that Location is on in the phone's quick settings.",
    ],
  },
  firefoxAndroid: {
    browser: "Firefox on Android",
    steps: [
      "Tap the lock at the left of the address.",
      "Tap Location and choose Allowed.",
      "Check that Location is on in the phone's quick settings.",
    ],
  },
  firefox: {
    browser: "Firefox",
    steps: [
      "Click the icons at the left of the address.",
      "Remove “Blocked” beside Access Your Location.",
      "Try again, and choose Allow when Firefox asks.",
    ],
  },
  safari: {
    browser: "Safari on a Mac",
    steps: [
      "Choose Safari › Settings › Websites › Location.",
      "Set this site to Ask or Allow.",
      "Check System Settings › Privacy & Security › Location Services › Safari.",
    ],
  },
  chromium: {
    browser: "Chrome, Edge and others",
    steps: [
      "Click the icon at the left of the address, then Site settings.",
      "Set Location to Allow.",
      "Check that the computer's own location service is on.",
    ],
  },
};

/** The family of a user agent. `touchPoints` distinguishes an iPad, which calls itself a Mac. */
export function browserFamily(userAgent, touchPoints = 0) {
  const isIOS = /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && touchPoints > 1);
  if (isIOS) return /CriOS|FxiOS|EdgiOS/.test(userAgent) ? "iosOther" : "iosSafari";
  if (/Android/.test(userAgent)) {
    if (/Firefox/.test(userAgent)) return "firefoxAndroid";
    return /SamsungBrowser/.test(userAgent) ? "samsung" : "android";
  }
  if (/Firefox/.test(userAgent)) return "firefox";
  return /Safari/.test(userAgent) && !/Chrom(e|ium)|Edg/.test(userAgent) ? "safari" : "chromium";
}

/** `{browser, steps}` for a browser. */
export function locationHelp(userAgent, touchPoints = 0) {
  return help[browserFamily(userAgent, touchPoints)];
}

/** `{family, browser, steps}` of all families of browsers. */
export const locationHelps = Object.entries(help).map(([family, one]) => ({ family, ...one }));
