// The switch that shows the caller's heart-rate zone to a live group, or hides it.

import { toast } from "../kit/dom.js";
import { makeSwitch } from "../kit/fields.js";
import { waitingText } from "../kit/saved.js";
import { zoneHint } from "./words.js";

/**
 * `{element, input, draw()}` for a `LiveGroup`. `draw` takes over what the group has. For a caller who has not joined, the switch is only
 * a choice, for the request that joins.
 */
export function makeZoneSwitch({ group, id = "shares-zone", hint = zoneHint, changed = (_reply) => {} }) {
  let isBusy = false;
  const shown = makeSwitch({ id, label: "Share my heart-rate zone", hint, checked: group.own?.sharesZone ?? false,
    changed: (isOn) => { if (group.own?.state === "joined") send(isOn); } });
  const draw = () => {
    if (!isBusy && group.own?.state === "joined") shown.input.checked = group.own.sharesZone;
  };
  async function send(isOn) {
    isBusy = true;
    try {
      const reply = await group.shareZone(isOn);
      if (reply) changed(reply);
      toast(isOn ? "The others see your zone now." : reply ? "The others no longer see your zone."
        : `Your zone is no longer shared from this device. ${waitingText}.`);
    } catch (error) {
      toast(error.message);
    } finally {
      isBusy = false;
      draw();
    }
  }
  return { ...shown, draw };
}
