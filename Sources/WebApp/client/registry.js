// Generated from Sources/Wire by GeneratedFileTests; do not edit. CONTRIBUTING has the command.

/** Version of the protocol that this client speaks, as `hello` states it. */
export const protocolVersion = 1;

export * from "./registryvalues.js";

/** Error codes by name. */
export const errorCodes = /* @__PURE__ */ Object.freeze({
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  unauthenticated: 1001,
  forbidden: 1002,
  notFound: 1003,
  conflict: 1004,
  rateLimited: 1005,
  unavailable: 1006,
  invalidCredentials: 1007,
  rejected: 1008,
  storageFull: 1009,
  secondFactorRequired: 1010,
  clientOutdated: 1011,
  noRoute: 1012,
});

/** Codes with which the same request may succeed when it is sent again after the wait that the error names. */
export const retryableCodes = /* @__PURE__ */ Object.freeze([
  errorCodes.internalError,
  errorCodes.rateLimited,
  errorCodes.unavailable,
  errorCodes.storageFull,
]);

/** Close codes by name. `reconnect`: never, optional, immediately, withBackoff, afterDelay (in the reason) or afterSignIn. */
export const closeCodes = /* @__PURE__ */ Object.freeze({
  normal: /* @__PURE__ */ Object.freeze({ code: 1000, reconnect: "optional" }),
  goingAway: /* @__PURE__ */ Object.freeze({ code: 1001, reconnect: "optional" }),
  protocolError: /* @__PURE__ */ Object.freeze({ code: 1002, reconnect: "never" }),
  unsupportedData: /* @__PURE__ */ Object.freeze({ code: 1003, reconnect: "never" }),
  invalidPayload: /* @__PURE__ */ Object.freeze({ code: 1007, reconnect: "never" }),
  policyViolation: /* @__PURE__ */ Object.freeze({ code: 1008, reconnect: "never" }),
  tooBig: /* @__PURE__ */ Object.freeze({ code: 1009, reconnect: "never" }),
  internalError: /* @__PURE__ */ Object.freeze({ code: 1011, reconnect: "withBackoff" }),
  serviceRestart: /* @__PURE__ */ Object.freeze({ code: 1012, reconnect: "afterDelay" }),
  tryAgainLater: /* @__PURE__ */ Object.freeze({ code: 1013, reconnect: "withBackoff" }),
  helloTimeout: /* @__PURE__ */ Object.freeze({ code: 4001, reconnect: "optional" }),
  tokenRevoked: /* @__PURE__ */ Object.freeze({ code: 4003, reconnect: "afterSignIn" }),
  tooSlow: /* @__PURE__ */ Object.freeze({ code: 4008, reconnect: "immediately" }),
  tooManyRequests: /* @__PURE__ */ Object.freeze({ code: 4009, reconnect: "withBackoff" }),
});

/** Reason of a close with `serviceRestart`: the marker before the delay, and the longest delay that a client accepts. */
export const restartNotice = /* @__PURE__ */ Object.freeze({
  delayKey: "reconnect-after-ms=",
  waitMillisecondsMax: 300000,
});

/** Longest `retryAfter` of an error that a client accepts. */
export const retryAfterSecondsMax = 300;

/** Reasons for which the server ends a subscription, by name: the member `reason` of a `closed` publication. */
export const topicCloseReasons = /* @__PURE__ */ Object.freeze({
  zoneRemoved: "the zone was removed",
  linkRevoked: "the link was revoked",
  linkExpired: "the link expired",
  notShared: "no longer shared",
  groupEnded: "the live group has ended",
});

/** Ranges of numbers. */
export const ranges = /* @__PURE__ */ Object.freeze({
  ObjectID: /* @__PURE__ */ Object.freeze({ min: 1, max: 9007199254740991 }),
  LogOffset: /* @__PURE__ */ Object.freeze({ min: 0, max: 9007199254740991 }),
  LogEpoch: /* @__PURE__ */ Object.freeze({ min: 0, max: 9007199254740991 }),
  Revision: /* @__PURE__ */ Object.freeze({ min: 0, max: 2147483646 }),
  Count: /* @__PURE__ */ Object.freeze({ min: 0, max: 2147483647 }),
  Latitude: /* @__PURE__ */ Object.freeze({ min: -90, max: 90 }),
  Longitude: /* @__PURE__ */ Object.freeze({ min: -180, max: 180 }),
  Seconds: /* @__PURE__ */ Object.freeze({ min: 0, max: 2147483647 }),
  Quantity: /* @__PURE__ */ Object.freeze({ min: -9007199254740991, max: 9007199254740991 }),
});

/** Lengths of texts that people enter, in characters. */
export const textLengths = /* @__PURE__ */ Object.freeze({
  username: /* @__PURE__ */ Object.freeze({ min: 4, max: 20 }),
  password: /* @__PURE__ */ Object.freeze({ min: 8, max: 128 }),
  personName: /* @__PURE__ */ Object.freeze({ min: 1, max: 40 }),
  groupName: /* @__PURE__ */ Object.freeze({ min: 1, max: 60 }),
  placeName: /* @__PURE__ */ Object.freeze({ min: 1, max: 120 }),
  placeDetails: /* @__PURE__ */ Object.freeze({ min: 0, max: 1000 }),
  privateZoneName: /* @__PURE__ */ Object.freeze({ min: 1, max: 60 }),
  sessionTitle: /* @__PURE__ */ Object.freeze({ min: 0, max: 80 }),
  eventTitle: /* @__PURE__ */ Object.freeze({ min: 1, max: 120 }),
  eventDescription: /* @__PURE__ */ Object.freeze({ min: 0, max: 2000 }),
  eventReason: /* @__PURE__ */ Object.freeze({ min: 0, max: 500 }),
  noticeTitle: /* @__PURE__ */ Object.freeze({ min: 1, max: 120 }),
  noticeBody: /* @__PURE__ */ Object.freeze({ min: 0, max: 4000 }),
  message: /* @__PURE__ */ Object.freeze({ min: 0, max: 4000 }),
  messageSearch: /* @__PURE__ */ Object.freeze({ min: 1, max: 100 }),
  buddyDescription: /* @__PURE__ */ Object.freeze({ min: 0, max: 500 }),
  reportNote: /* @__PURE__ */ Object.freeze({ min: 0, max: 1000 }),
  reportResolution: /* @__PURE__ */ Object.freeze({ min: 1, max: 1000 }),
  adminReason: /* @__PURE__ */ Object.freeze({ min: 1, max: 500 }),
  eventSearch: /* @__PURE__ */ Object.freeze({ min: 0, max: 100 }),
  searchText: /* @__PURE__ */ Object.freeze({ min: 1, max: 120 }),
  degree: /* @__PURE__ */ Object.freeze({ min: 0, max: 80 }),
  passkeyName: /* @__PURE__ */ Object.freeze({ min: 1, max: 40 }),
  placeMenu: /* @__PURE__ */ Object.freeze({ min: 0, max: 5000 }),
  openingHours: /* @__PURE__ */ Object.freeze({ min: 0, max: 255 }),
  website: /* @__PURE__ */ Object.freeze({ min: 0, max: 255 }),
  phone: /* @__PURE__ */ Object.freeze({ min: 0, max: 100 }),
  closureReason: /* @__PURE__ */ Object.freeze({ min: 0, max: 120 }),
  workoutTitle: /* @__PURE__ */ Object.freeze({ min: 1, max: 80 }),
  workoutDescription: /* @__PURE__ */ Object.freeze({ min: 0, max: 2000 }),
  workoutTag: /* @__PURE__ */ Object.freeze({ min: 1, max: 30 }),
  entryNote: /* @__PURE__ */ Object.freeze({ min: 0, max: 200 }),
  videoTitle: /* @__PURE__ */ Object.freeze({ min: 1, max: 120 }),
  videoAddress: /* @__PURE__ */ Object.freeze({ min: 9, max: 500 }),
  trainingNote: /* @__PURE__ */ Object.freeze({ min: 0, max: 1000 }),
  injuryNote: /* @__PURE__ */ Object.freeze({ min: 0, max: 200 }),
  exerciseSearch: /* @__PURE__ */ Object.freeze({ min: 0, max: 100 }),
});

/** Kinds of topics. */
export const topics = /* @__PURE__ */ Object.freeze({
  zonePositions: /* @__PURE__ */ Object.freeze({ pattern: "zone/<id>/positions", delivery: "latest" }),
  cellPositions: /* @__PURE__ */ Object.freeze({ pattern: "cell/<zoom>/<x>/<y>", delivery: "latest" }),
  session: /* @__PURE__ */ Object.freeze({ pattern: "session/<id>", delivery: "latest" }),
  notices: /* @__PURE__ */ Object.freeze({ pattern: "notices", delivery: "reliable" }),
  campusNotices: /* @__PURE__ */ Object.freeze({ pattern: "campus/notices", delivery: "reliable" }),
  zoneNotices: /* @__PURE__ */ Object.freeze({ pattern: "zone/<id>/notices", delivery: "reliable" }),
  chat: /* @__PURE__ */ Object.freeze({ pattern: "chat/<id>", delivery: "reliable" }),
  user: /* @__PURE__ */ Object.freeze({ pattern: "user/<id>", delivery: "latest" }),
  heatmap: /* @__PURE__ */ Object.freeze({ pattern: "heatmap", delivery: "latest" }),
  share: /* @__PURE__ */ Object.freeze({ pattern: "share/<id>", delivery: "latest" }),
  people: /* @__PURE__ */ Object.freeze({ pattern: "people/<x>/<y>", delivery: "latest" }),
  route: /* @__PURE__ */ Object.freeze({ pattern: "route/<id>", delivery: "latest" }),
  workout: /* @__PURE__ */ Object.freeze({ pattern: "workout/<id>", delivery: "latest" }),
  test: /* @__PURE__ */ Object.freeze({ pattern: "test/<n>", delivery: "reliable" }),
});

/** Names of all methods. */
export const methodNames = /* @__PURE__ */ Object.freeze([
  "hello", "ping", "server.info", "account.register", "account.login",
  "account.me", "account.devices", "account.logout", "account.logoutEverywhere",
  "account.changePassword", "account.requestReset", "account.reset",
  "account.sendConfirmation", "account.confirmEmail", "account.changeEmail",
  "account.finishOpenID", "account.registerOpenID", "account.providers",
  "account.connectOpenID", "account.disconnectOpenID", "account.passkeys",
  "account.beginPasskey", "account.addPasskey", "account.renamePasskey",
  "account.removePasskey", "account.beginPasskeyProof",
  "account.beginPasskeyLogin", "account.passkeyLogin", "account.secondFactors",
  "account.beginTOTP", "account.confirmTOTP", "account.removeTOTP",
  "account.makeRecoveryCodes", "account.secondFactor", "account.profile",
  "account.updateProfile", "account.settings", "account.saveSettings",
  "campus.info", "campus.locate", "tracking.start", "tracking.points",
  "tracking.pause", "tracking.resume", "tracking.stop", "tracking.current",
  "tracking.history", "tracking.session", "tracking.rename", "tracking.delete",
  "tracking.audience", "tracking.link", "tracking.links", "tracking.unlink",
  "subscribe", "unsubscribe", "positions.view", "topic.history", "test.publish",
  "heatmap.along", "chat.list", "chat.conversation", "chat.history",
  "chat.search", "chat.send", "chat.edit", "chat.delete", "chat.react",
  "chat.read", "chat.delivered", "chat.typing", "chat.mute", "chat.settings",
  "chat.saveSettings", "group.create", "group.rename", "group.invite",
  "group.answer", "group.leave", "group.remove", "group.role", "profile.get",
  "profile.save", "buddies.options", "buddies.agree", "buddies.me",
  "buddies.save", "buddies.deck", "buddies.decide", "buddies.card",
  "buddies.list", "buddies.remove", "people.known", "safety.block",
  "safety.unblock", "safety.blocked", "safety.report", "reports.list",
  "reports.close", "events.options", "events.create", "events.publish",
  "events.update", "events.cancel", "events.delete", "events.get",
  "events.list", "events.suggested", "events.calendar", "events.calendarOff",
  "events.answer", "events.save", "events.invite", "events.people", "goals.get",
  "goals.save", "goals.reset", "notices.publish", "notices.preview",
  "notices.correct", "notices.withdraw", "notices.status", "notices.sent",
  "notices.list", "notices.received", "notices.read", "notices.settings",
  "notices.saveSettings", "admin.users", "admin.user", "admin.addUser",
  "admin.welcomeUser", "account.accept", "admin.editUser", "admin.disableUser",
  "admin.enableUser", "admin.signOutUser", "admin.sendReset",
  "admin.resetSecondFactor", "admin.deleteUser", "admin.figures", "admin.audit",
  "places.list", "admin.savePlace", "admin.deletePlace", "admin.saveZone",
  "admin.deleteZone", "search.find", "places.page", "places.nearby",
  "places.edit", "admin.delegatePlace", "reminders.settings",
  "reminders.saveSettings", "reminders.setAddress", "reminders.confirm",
  "reminders.removeAddress", "reminders.pushKey", "reminders.subscribePush",
  "reminders.unsubscribePush", "reminders.test", "privacy.settings",
  "privacy.saveSettings", "privacy.zones", "privacy.saveZone",
  "privacy.deleteZone", "account.data", "account.delete", "saved.list",
  "saved.save", "saved.remove", "searches.note", "searches.list",
  "searches.erase", "visits.most", "visits.erase", "location.report",
  "location.mine", "location.clear", "sharing.start", "sharing.change",
  "sharing.stop", "sharing.stopAll", "sharing.mine", "sharing.receipt",
  "sharing.past", "sharing.erasePast", "sharing.withMe", "sharing.respond",
  "sharing.ask", "sharing.requests", "sharing.answer", "sharing.answered",
  "routes.find", "routes.walk", "routes.move", "routes.resume", "routes.end",
  "routes.closures", "places.floors", "admin.closures", "admin.closable",
  "admin.saveClosure", "admin.endClosure", "body.get", "body.save",
  "body.confirm", "body.saveInjury", "body.removeInjury", "body.weights",
  "body.saveWeight", "body.removeWeight", "exercises.search", "exercises.get",
  "workouts.list", "workouts.get", "workouts.save", "workouts.remove",
  "workouts.copy", "workouts.schedule", "workouts.share", "workouts.recommend",
  "training.start", "training.record", "training.takeOver", "training.finish",
  "training.current", "training.list", "training.get", "training.edit",
  "training.recalculate", "training.remove", "together.create",
  "together.invite", "together.join", "together.leave", "together.remove",
  "together.update", "together.end", "together.list", "insights.get",
  "insights.saveGoals", "insights.saveDay",
]);

/** What the names of methods begin with, before the dot. */
export const methodAreas = /* @__PURE__ */ Object.freeze([
  "account", "admin", "body", "buddies", "campus", "chat", "events",
  "exercises", "goals", "group", "heatmap", "hello", "insights", "location",
  "notices", "people", "ping", "places", "positions", "privacy", "profile",
  "reminders", "reports", "routes", "safety", "saved", "search", "searches",
  "server", "sharing", "subscribe", "test", "together", "topic", "tracking",
  "training", "unsubscribe", "visits", "workouts",
]);

/** @typedef {import("./registrytypes.js").Methods} Methods Parameters and results by the method's name. */
/** @typedef {import("./registrytypes.js").Pushes} Pushes Publications by the kind of their topic. */
/** @typedef {import("./registrytypes.js").Replies} Replies Replies to `subscribe` by the kind of the topic. */
