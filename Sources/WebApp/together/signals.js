// Signals of the account's own topic that its live groups have changed. No DOM.

import { followSignals } from "../connection/accountsignals.js";

/** Calls `changed(group)` with the UUID of a group that changed for the account, or null when signals may be lost. Returns `{close}`. */
export const followGroups = (net, changed) => followSignals(net, ["group"], (signal) => changed(signal?.group ?? null));
