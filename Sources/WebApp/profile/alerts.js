// What a person sees of the profile's edits that wait, on other pages than the profile's own.

import { announce, dropToast, toast } from "../kit/dom.js";
import { sentence } from "../kit/format.js";

const key = "profile-edits";
const labels = {
  picture: "picture", firstName: "first name", lastName: "last name", degree: "degree", interests: "interests", home: "home location",
};

/** Starts to show when edits wait, are saved, or are refused. */
export function startProfileAlerts({ net, profileEdits, router }) {
  const action = { label: "Open", run: () => router.go("/settings/profile") };
  profileEdits.addEventListener("waiting", () => {
    const text = "We'll send your profile changes when you're back online.";
    toast(text, { key, seconds: 10, action });
    announce(text);
  });
  profileEdits.addEventListener("sent", () => {
    toast("Your profile changes are saved.", { key });
    announce("Your profile changes are saved.");
  });
  profileEdits.addEventListener("refused", ({ detail: { field, text } }) => {
    const words = `Your ${labels[field] ?? "profile"} wasn't saved. ${sentence(text)}`;
    toast(words, { key: `${key}-${field}`, seconds: null, action });
    announce(words);
  });
  net.addEventListener("account", () => {
    dropToast(key);
    for (const field of Object.keys(labels)) dropToast(`${key}-${field}`);
  });
}
