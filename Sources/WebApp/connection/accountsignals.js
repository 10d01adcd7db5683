// Signals of the account's own topic: something of the account is another, on this device or elsewhere. No DOM.

const collectMilliseconds = 200;

/**
 * Calls `changed(signal)` with the last of the signals of these types, or with null when signals may be lost. Those that come together are
 * one. Returns `{close}`.
 */
export function followSignals(net, types, changed) {
  let timer = 0;
  const soon = (signal) => {
    clearTimeout(timer);
    timer = setTimeout(() => changed(signal), collectMilliseconds);
  };
  let isFirst = true;
  const subscription = net.subscribe(`user/${net.account?.id}`, {
    snapshot: () => {
      if (!isFirst) soon(null);
      isFirst = false;
    },
    push: (signal) => {
      if (signal.type === "resync") soon(null);
      else if (types.includes(signal.type)) soon(signal);
    },
    error: () => {},
  });
  return { close() {
    clearTimeout(timer);
    subscription.close();
  } };
}
