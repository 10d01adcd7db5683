// Storage of the browser: it is asked not to remove what waits to be sent, and a removal is reported. Changes that wait are announced.

import { waitingInDatabases } from "../account/waiting.js";
import { StorageMark } from "../connection/storagemark.js";
import { announce, dropToast, toast } from "../kit/dom.js";
import { lostText, refusedText } from "./refusedwords.js";

const askedPrefix = "campanile.persistAsked.";

/** Starts to watch the browser's storage. */
export function startStorageWatch(app) {
  const { net, tracker, chat, router } = app;
  const mark = new StorageMark();
  const report = ({ store, waited }) => {
    const text = `The browser removed data that Campanile stored here. ${lossText(store, waited)}`;
    toast(text, { key: "storage-lost", seconds: null });
    announce(text);
  };
  const check = () => mark.check(net.account?.id ?? null);
  const note = () => {
    const account = net.account?.id;
    if (!account) return;
    const waited = waitingInDatabases({ tracker, chat });
    mark.note(account, waited);
    if (tracker.record || waited !== "") askToKeep(account);
  };
  // Only the start of a page tells a loss from a log-out, which removes the marks one after the other.
  net.addEventListener("account", () => check().then(note, () => {}));
  const begin = () => {
    for (const part of [tracker, chat]) part.addEventListener("change", note);
  };
  // What waits is read from the databases: before that it would be noted as nothing.
  const checked = check().then((lost) => {
    if (lost) report(lost);
    note();
  });
  Promise.all([checked, tracker.ready]).then(begin, begin);

  net.writes.addEventListener("waits", () => toast(
    net.state === "live" ? "We'll send this as soon as we can." : "We'll send this when you're back online.",
    { key: "writes", action: { label: "See all", run: () => router.go("/settings/data#device-data") } }));
  net.writes.addEventListener("change", () => { if (net.writes.waiting.length === 0) dropToast("writes"); });
  reportRefusals(net);
}

/** Shows the changes that were refused in one message, which stays until the person has closed it. */
function reportRefusals(net) {
  let refused = [];
  let account = net.account?.id;
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      toast("Copied.");
    } catch {
      toast(`Couldn't copy. You wrote:\n${text}`, { seconds: null });
    }
  };
  net.writes.addEventListener("refused", ({ detail }) => {
    refused = [...refused, detail];
    const text = lostText(refused);
    announce(refusedText([detail]));
    toast(refusedText(refused), {
      key: "writes-refused", seconds: null, closed: () => { refused = []; },
      action: text === "" ? null : { label: "Copy what you wrote", run: () => copy(text) },
    });
  });
  // The next person at this device does not read what the one before wrote.
  net.addEventListener("account", () => {
    if (net.account?.id === account) return;
    account = net.account?.id;
    refused = [];
    dropToast("writes-refused");
  });
}

function lossText(store, waited) {
  if (store === "local") return "You were logged out. Log in again to continue.";
  return waited === "" ? "Nothing unsent was lost, but pages you saw before may be missing offline." : `Not sent, and lost: ${waited}.`;
}

/** Once for each account, when there is something to lose. */
async function askToKeep(account) {
  if (!navigator.storage?.persist || localStorage.getItem(askedPrefix + account)) return;
  localStorage.setItem(askedPrefix + account, "yes");
  await navigator.storage.persist().catch(() => false);
}
