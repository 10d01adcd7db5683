// Signals of the account's own topic that its live groups have changed. No DOM.

const collectMilliseconds = 200;

/** Calls `changed(group)` with the UUID of a group that changed for the account, or null when signals may be lost. Returns `{close}`. */
export function followGroups(net, changed) {
  let timer = 0;
  const soon = (group) => {
    clearTimeout(timer);
    timer = setTimeout(() => changed(group), collectMilliseconds);
  };
  let isFirst = true;
  const subscription = net.subscribe(`user/${net.account?.id}`, {
    snapshot: () => {
      if (!isFirst) soon(null);
      isFirst = false;
    },
    push: ({ type, group = null }) => {
      if (type === "group" || type === "resync") soon(group);
    },
    error: () => {},
  });
  return { close() {
    clearTimeout(timer);
    subscription.close();
  } };
}
