// What the page About says of the server. No DOM.

/** `[[name, value], …]` of the answer to `server.info`. */
export function factsOf({ version, campus, isRegistrationOpen, methods }) {
  return [
    ["Campus", campus],
    ["Version", version],
    ["New accounts", isRegistrationOpen ? "Anyone can register" : "By invitation"],
    ["Methods for apps", String(methods.length)],
  ];
}
