// Alerts for invitations to train together, on every page of the app.

import { announce, dropToast, toast } from "../kit/dom.js";
import { alertKind, alertSettings, dropNotifications, isNotificationAllowed, notify } from "../kit/notifications.js";
import { followGroups } from "./signals.js";

const toastSeconds = 30;

/** Starts to show invitations, for each account that signs in. */
export function startGroupAlerts({ net, known, tracker, router }) {
  let account = null;
  let signals = null;
  /** UUIDs of invitations that were shown, or were there before. */
  let seen = new Set();
  const load = async (isFirst) => {
    const mine = account;
    let groups;
    try {
      ({ groups } = await net.request("together.list"));
    } catch {
      // The next signal brings them.
      return;
    }
    if (mine !== account) return;
    const isOpen = ({ members }) => members.some(({ username, state }) => username === net.account?.username && state === "invited");
    const invited = groups.filter(isOpen);
    for (const id of seen) if (!invited.some((group) => group.id === id)) drop(id);
    for (const group of invited) if (!seen.has(group.id) && !isFirst) show(group);
    seen = new Set(invited.map(({ id }) => id));
  };
  const drop = (id) => {
    dropToast(`group-${id}`);
    dropNotifications(`group-${id}`);
  };
  const show = ({ id, title, host }) => {
    const path = `/together/${id}`;
    const isPageVisible = document.visibilityState === "visible";
    const kind = alertKind({ isInView: ["/together", path].includes(location.pathname), isPageVisible,
      isRecording: tracker.record?.state === "running", isAllowed: isNotificationAllowed() });
    if (kind === null) return;
    const text = `${known.nameOf(host)} invites you to train together: ${title}`;
    if (kind === "notification") {
      const body = alertSettings().hidesText ? "You're invited to train together." : text;
      notify({ title: "Train together", body, tag: `group-${id}`, path, open: (to) => router.go(to) });
      if (isPageVisible) announce(text);
    } else {
      announce(text);
      toast(text, { key: `group-${id}`, seconds: toastSeconds, action: { label: "View", run: () => router.go(path) } });
    }
  };
  const use = () => {
    const now = net.account?.id ?? null;
    if (now === account) return;
    account = now;
    signals?.close();
    signals = null;
    for (const id of seen) drop(id);
    seen = new Set();
    if (account === null) return;
    signals = followGroups(net, () => load(false));
    load(true);
  };
  net.addEventListener("account", use);
  use();
}
