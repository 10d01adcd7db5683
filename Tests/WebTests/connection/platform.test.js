import assert from "node:assert/strict";
import { test } from "node:test";
import { platformName } from "../../../Sources/WebApp/connection/platform.js";

const like = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const blink = "AppleWebKit/537.36 (KHTML, like Gecko)";

test("a device is named by its browser and system, and not at all if one of them is unknown", () => {
  for (const [userAgent, name] of [
    ["Mozilla/5.0 (Android 14; Mobile; rv:128.0) Gecko/128.0 Firefox/128.0", "Firefox on Android"],
    [`Mozilla/5.0 (X11; Linux x86_64) ${blink} Chrome/131.0.0.0 Safari/537.36`, "Chrome on Linux"],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`, "Edge on Windows"],
    [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${like} Version/18.1 Mobile/15E148 Safari/604.1`, "Safari on iPhone"],
    [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${like} CriOS/131.0 Mobile/15E148 Safari/604.1`, "Chrome on iPhone"],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${like} Version/18.1 Safari/605.1.15`, "Safari on Mac"],
    [`Mozilla/5.0 (Linux; Android 14) ${blink} SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36`, "Samsung Internet on Android"],
    ["curl/8.0", undefined], ["", undefined], ["Chrome/131.0", undefined],
  ]) assert.equal(platformName(userAgent), name, userAgent);
});
