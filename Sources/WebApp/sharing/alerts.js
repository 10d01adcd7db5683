// Alerts about sharing by others, on every page of the app.

import { announce, dropToast, toast } from "../kit/dom.js";

const questionSeconds = 30;

/** Says who shares with the reader, who asks, and who answered. */
export function startShareAlerts({ sharing, router }) {
  const say = (text, options) => {
    announce(text);
    // The page itself shows what it is about, and does so soon while it is being loaded.
    if (location.pathname !== "/sharing") toast(text, options);
  };
  /** Accounts with an open request; a second request of the same account is not announced. */
  const asked = new Set();
  sharing.addEventListener("shared", ({ detail: { id, person } }) => {
    say(`${person.name} is sharing their location with you.`,
      { key: `share-${id}`, action: { label: "View", run: () => router.go(`/map?share=${id}`) } });
  });
  const invited = new Set();
  sharing.addEventListener("invited", ({ detail: { id, person } }) => {
    invited.add(id);
    say(`${person.name} wants to share their location with you.`,
      { key: `share-${id}`, seconds: questionSeconds, action: { label: "Answer", run: () => router.go("/sharing") } });
  });
  sharing.addEventListener("asked", ({ detail: { id, from } }) => {
    asked.add(from.account);
    say(`${from.name} asked for your location.`,
      { key: `asked-${from.account}`, seconds: questionSeconds,
        action: { label: "Answer", run: () => router.go(`/sharing?question=${id}`) } });
  });
  // Answered on another device or on the page, or its time is over.
  sharing.addEventListener("change", () => {
    for (const id of invited) {
      if (sharing.invitations.some((one) => one.id === id)) continue;
      invited.delete(id);
      dropToast(`share-${id}`);
    }
    for (const account of asked) {
      if (sharing.requests.toMe.some(({ from }) => from.account === account)) continue;
      asked.delete(account);
      dropToast(`asked-${account}`);
    }
  });
  sharing.addEventListener("answered", ({ detail: { id, to, state } }) => {
    if (state === "declined") say(`${to.name} declined to share their location.`, { key: `where-${id}` });
    else say(`${to.name} sent their location. You can view it once.`,
      { key: `where-${id}`, seconds: questionSeconds, action: { label: "View", run: () => router.go(`/sharing?question=${id}`) } });
  });
}
