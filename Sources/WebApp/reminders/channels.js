// The ways by which reminders come: browsers, email, text messages.

import { h } from "../kit/dom.js";
import { AddressCard } from "./addresscard.js";
import { PushCard } from "./pushcard.js";

/** `{element, draw(settings), close}`; `taken(settings)` gets the settings after each change, as the server has them. */
export function makeChannelCards({ app, taken }) {
  const { net } = app;
  const addresses = ["email", "text"].map((channel) => new AddressCard({ net, channel, taken }));
  const cards = [new PushCard({ net, taken }), ...addresses];
  const element = h("section", { class: "stack", id: "channels", "aria-labelledby": "channels-title" },
    h("h2", { id: "channels-title" }, "Where to reach you"), ...cards.map((card) => card.element));
  return {
    element,
    draw(settings) {
      for (const one of settings.channels) cards.find(({ channel }) => channel === one.channel)?.draw(one);
    },
    close() {
      for (const card of cards) card.close();
    },
  };
}
