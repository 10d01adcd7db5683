// A description of this device, in words for the list of devices and for mails.

const browsers = [["Edg", "Edge"], ["OPR", "Opera"], ["SamsungBrowser", "Samsung Internet"], ["FxiOS", "Firefox"], ["Firefox", "Firefox"],
  ["CriOS", "Chrome"], ["Chrome", "Chrome"], ["Safari", "Safari"]];
const systems = [["iPhone", "iPhone"], ["iPad", "iPad"], ["Android", "Android"], ["Windows", "Windows"], ["Macintosh", "Mac"],
  ["CrOS", "ChromeOS"], ["Linux", "Linux"]];

/** `Firefox on Android`, from a browser's `navigator.userAgent`; undefined for one that is unknown. */
export function platformName(userAgent) {
  // In this order: most browsers also claim to be the later ones.
  const browser = browsers.find(([mark]) => userAgent.includes(`${mark}/`))?.[1];
  const system = systems.find(([mark]) => userAgent.includes(mark))?.[1];
  return browser && system ? `${browser} on ${system}` : undefined;
}
