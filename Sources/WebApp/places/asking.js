// A request for places, and the drawing of the campus in the place of a server that does not answer. No DOM.

import { RequestError } from "../client/errors.js";
import { sentence } from "../kit/format.js";
import { drawnDestinations } from "./drawing.js";

/**
 * Resolves with `{reply, drawn, problem}`: the server's reply, or without a connection null, what the drawing has, and the reason in a
 * sentence. Rejects with the request's error when there is no drawing, or when the server refuses.
 */
export async function askOrDrawn({ net, campusMap }, method, params) {
  try {
    if (net.state === "offline") throw new RequestError("offline", "You're offline.");
    return { reply: await net.request(method, params), drawn: null, problem: null };
  } catch (error) {
    if (!error.isTransient) throw error;
    const drawn = await campusMap().then(drawnDestinations, () => { throw error; });
    return { reply: null, drawn, problem: sentence(error.message) };
  }
}
