// The server's facts on the page About. No DOM.

/** `[[name, value], …]` of the answer to `server.info`. */
export function factsOf({ version, campus, isRegistrationOpen, methods }) {
  return [
    ["Campus", campus],
    ["Version", version],
    ["New accounts", isRegistrationOpen ? "Anyone can register" : "By invitation"],
    ["Methods for apps", String(methods.length)],
  ];
}
