// Generated from Sources/Wire by GeneratedFileTests; do not edit. CONTRIBUTING has the command.

/** Version of the protocol that this client speaks, as `hello` states it. */
export const protocolVersion = 1;

/** Error codes by name. */
export const errorCodes = Object.freeze({
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
});

/** Codes with which the same request may succeed when it is sent again after the wait that the error names. */
export const retryableCodes = Object.freeze([
  errorCodes.internalError,
  errorCodes.rateLimited,
  errorCodes.unavailable,
  errorCodes.storageFull,
]);

/** Close codes by name. `reconnect`: never, optional, immediately, withBackoff, afterDelay (in the reason) or afterSignIn. */
export const closeCodes = Object.freeze({
  normal: Object.freeze({ code: 1000, reconnect: "optional" }),
  goingAway: Object.freeze({ code: 1001, reconnect: "optional" }),
  protocolError: Object.freeze({ code: 1002, reconnect: "never" }),
  unsupportedData: Object.freeze({ code: 1003, reconnect: "never" }),
  invalidPayload: Object.freeze({ code: 1007, reconnect: "never" }),
  policyViolation: Object.freeze({ code: 1008, reconnect: "never" }),
  tooBig: Object.freeze({ code: 1009, reconnect: "never" }),
  internalError: Object.freeze({ code: 1011, reconnect: "withBackoff" }),
  serviceRestart: Object.freeze({ code: 1012, reconnect: "afterDelay" }),
  tryAgainLater: Object.freeze({ code: 1013, reconnect: "withBackoff" }),
  helloTimeout: Object.freeze({ code: 4001, reconnect: "optional" }),
  tokenRevoked: Object.freeze({ code: 4003, reconnect: "afterSignIn" }),
  tooSlow: Object.freeze({ code: 4008, reconnect: "immediately" }),
  tooManyRequests: Object.freeze({ code: 4009, reconnect: "withBackoff" }),
});

/** Reason of a close with `serviceRestart`: the marker before the delay, and the longest delay that a client accepts. */
export const restartNotice = Object.freeze({
  delayKey: "reconnect-after-ms=",
  waitMillisecondsMax: 300000,
});

/** Longest `retryAfter` of an error that a client accepts. */
export const retryAfterSecondsMax = 300;

/** Reasons for which the server ends a subscription, by name: the member `reason` of a `closed` publication. */
export const topicCloseReasons = Object.freeze({
  zoneRemoved: "the zone was removed",
  linkRevoked: "the link was revoked",
  linkExpired: "the link expired",
  notShared: "no longer shared",
});

/** Values of `AccountState`. */
export const accountStates = Object.freeze(["active", "disabled"]);

/** Values of `Activity`. */
export const activities = Object.freeze(["run", "cycle"]);

/** Values of `Audience`. */
export const audiences = Object.freeze(["private", "campus", "public"]);

/** Values of `ChatAsideKind`. */
export const chatAsideKinds = Object.freeze(["typing", "receipt", "closed"]);

/** Values of `ChatEventKind`. */
export const chatEventKinds = Object.freeze([
  "message", "edited", "deleted", "reaction", "joined", "left", "removed", "role", "renamed", "opened",
  "closed", "hidden",
]);

/** Values of `ConversationKind`. */
export const conversationKinds = Object.freeze(["direct", "group"]);

/** Values of `EventAnswer`. */
export const eventAnswers = Object.freeze(["going", "maybe", "no"]);

/** Values of `EventAudience`. */
export const eventAudiences = Object.freeze(["campus", "public", "private"]);

/** Values of `EventNews`. */
export const eventNewses = Object.freeze(["invited", "changed", "cancelled", "movedUp", "answered"]);

/** Values of `EventState`. */
export const eventStates = Object.freeze(["draft", "published", "cancelled"]);

/** Values of `EventsListWhich`. */
export const eventsListWhichs = Object.freeze(["all", "coming", "invited", "saved", "own"]);

/** Values of `EventsSuggestedReason`. */
export const eventsSuggestedReasons = Object.freeze(["buddies", "interest", "place"]);

/** Values of `Gender`. */
export const genders = Object.freeze(["female", "male", "other"]);

/** Values of `GenderPreference`. */
export const genderPreferences = Object.freeze(["any", "female", "male", "other"]);

/** Values of `GroupPurpose`. */
export const groupPurposes = Object.freeze(["workout", "event"]);

/** Values of `LocationPlaceKind`. */
export const locationPlaceKinds = Object.freeze(["building", "zone", "place"]);

/** Values of `LocationSource`. */
export const locationSources = Object.freeze(["gps", "wifi", "cell", "manual"]);

/** Values of `MemberRole`. */
export const memberRoles = Object.freeze(["owner", "admin", "member"]);

/** Values of `MemberState`. */
export const memberStates = Object.freeze(["invited", "joined"]);

/** Values of `MyLocationHidden`. */
export const myLocationHiddens = Object.freeze(["zone", "residence"]);

/** Values of `NoticeAudienceKind`. */
export const noticeAudienceKinds = Object.freeze(["campus", "zone", "role", "event", "user"]);

/** Values of `NoticeLevel`. */
export const noticeLevels = Object.freeze(["info", "important", "emergency"]);

/** Values of `NoticeState`. */
export const noticeStates = Object.freeze(["scheduled", "published", "withdrawn", "expired"]);

/** Values of `OpenIDStep`. */
export const openIDSteps = Object.freeze(["register", "connect"]);

/** Values of `PicturePurpose`. */
export const picturePurposes = Object.freeze(["profile", "chat"]);

/** Values of `PositionEncoding`. */
export const positionEncodings = Object.freeze(["json", "binary"]);

/** Values of `Precision`. */
export const precisions = Object.freeze(["exact", "building", "zone", "campus"]);

/** Values of `PrivateZoneSize`. */
export const privateZoneSizes = Object.freeze(["tiny", "small", "medium", "large"]);

/** Values of `Reaction`. */
export const reactions = Object.freeze(["👍", "💪", "🔥", "💯"]);

/** Values of `RecoveryFailure`. */
export const recoveryFailures = Object.freeze(["epochChanged", "tooOld", "tooMany", "future"]);

/** Values of `ReminderChannel`. */
export const reminderChannels = Object.freeze(["push", "email", "text"]);

/** Values of `ReminderChannelState`. */
export const reminderChannelStates = Object.freeze(["unavailable", "off", "unconfirmed", "on", "dead"]);

/** Values of `ReminderKind`. */
export const reminderKinds = Object.freeze(["event", "message", "notice", "goal"]);

/** Values of `ReportReason`. */
export const reportReasons = Object.freeze(["spam", "harassment", "unsafe", "fake", "other"]);

/** Values of `Role`. */
export const roles = Object.freeze(["student", "lecturer", "admin", "rewards"]);

/** Values of `RunnerState`. */
export const runnerStates = Object.freeze(["moving", "stationary", "paused", "offline", "finished"]);

/** Values of `SecondFactor`. */
export const secondFactors = Object.freeze(["totp", "passkey", "recoveryCode"]);

/** Values of `SessionClockKind`. */
export const sessionClockKinds = Object.freeze(["live", "recorded"]);

/** Values of `SessionState`. */
export const sessionStates = Object.freeze(["running", "paused", "finished"]);

/** Values of `SessionUpdateKind`. */
export const sessionUpdateKinds = Object.freeze(["session", "route", "ended", "closed", "presence"]);

/** Values of `ShareAudience`. */
export const shareAudiences = Object.freeze(["person", "group", "campus", "link"]);

/** Values of `ShareEnd`. */
export const shareEnds = Object.freeze(["stopped", "expired", "session", "blocked", "group", "disabled", "buddies"]);

/** Values of `ShareState`. */
export const shareStates = Object.freeze(["live", "old", "none", "hidden"]);

/** Values of `ShareUpdateKind`. */
export const shareUpdateKinds = Object.freeze(["location", "closed", "watching"]);

/** Values of `SignOutCause`. */
export const signOutCauses = Object.freeze(["disabled", "removed", "changed", "devices", "signedOut"]);

/** Values of `SpeedUnit`. */
export const speedUnits = Object.freeze(["auto", "pace", "kmh", "ms"]);

/** Values of `Theme`. */
export const themes = Object.freeze(["system", "light", "dark"]);

/** Values of `TutorialState`. */
export const tutorialStates = Object.freeze(["new", "seen"]);

/** Values of `UserSignalKind`. */
export const userSignalKinds = Object.freeze([
  "message", "conversation", "gone", "read", "report", "event", "goal", "notices", "share", "where",
  "privacy", "account", "settings", "resync",
]);

/** Values of `WhereRequestState`. */
export const whereRequestStates = Object.freeze(["open", "answered", "read", "declined", "expired"]);

/** Values of `ZoneUpdateLeftReason`. */
export const zoneUpdateLeftReasons = Object.freeze(["zone", "finished", "hidden"]);

/** Ranges of numbers. */
export const ranges = Object.freeze({
  ObjectID: Object.freeze({ min: 1, max: 9007199254740991 }),
  LogOffset: Object.freeze({ min: 0, max: 9007199254740991 }),
  LogEpoch: Object.freeze({ min: 0, max: 9007199254740991 }),
  Revision: Object.freeze({ min: 0, max: 2147483646 }),
  Count: Object.freeze({ min: 0, max: 2147483647 }),
  Latitude: Object.freeze({ min: -90, max: 90 }),
  Longitude: Object.freeze({ min: -180, max: 180 }),
  Seconds: Object.freeze({ min: 0, max: 2147483647 }),
  Quantity: Object.freeze({ min: -9007199254740991, max: 9007199254740991 }),
});

/** Lengths of texts that people enter, in characters. */
export const textLengths = Object.freeze({
  username: Object.freeze({ min: 4, max: 20 }),
  password: Object.freeze({ min: 8, max: 128 }),
  personName: Object.freeze({ min: 1, max: 40 }),
  groupName: Object.freeze({ min: 1, max: 60 }),
  placeName: Object.freeze({ min: 1, max: 120 }),
  placeDetails: Object.freeze({ min: 0, max: 1000 }),
  privateZoneName: Object.freeze({ min: 1, max: 60 }),
  sessionTitle: Object.freeze({ min: 0, max: 80 }),
  eventTitle: Object.freeze({ min: 1, max: 120 }),
  eventDescription: Object.freeze({ min: 0, max: 2000 }),
  eventReason: Object.freeze({ min: 0, max: 500 }),
  noticeTitle: Object.freeze({ min: 1, max: 120 }),
  noticeBody: Object.freeze({ min: 0, max: 4000 }),
  message: Object.freeze({ min: 0, max: 4000 }),
  messageSearch: Object.freeze({ min: 1, max: 100 }),
  buddyDescription: Object.freeze({ min: 0, max: 500 }),
  reportNote: Object.freeze({ min: 0, max: 1000 }),
  reportResolution: Object.freeze({ min: 1, max: 1000 }),
  adminReason: Object.freeze({ min: 1, max: 500 }),
  eventSearch: Object.freeze({ min: 0, max: 100 }),
  searchText: Object.freeze({ min: 1, max: 120 }),
  degree: Object.freeze({ min: 0, max: 80 }),
  passkeyName: Object.freeze({ min: 1, max: 40 }),
});

/** Kinds of topics. */
export const topics = Object.freeze({
  zonePositions: Object.freeze({ pattern: "zone/<id>/positions", delivery: "latest" }),
  cellPositions: Object.freeze({ pattern: "cell/<zoom>/<x>/<y>", delivery: "latest" }),
  session: Object.freeze({ pattern: "session/<id>", delivery: "latest" }),
  notices: Object.freeze({ pattern: "notices", delivery: "reliable" }),
  campusNotices: Object.freeze({ pattern: "campus/notices", delivery: "reliable" }),
  zoneNotices: Object.freeze({ pattern: "zone/<id>/notices", delivery: "reliable" }),
  chat: Object.freeze({ pattern: "chat/<id>", delivery: "reliable" }),
  user: Object.freeze({ pattern: "user/<id>", delivery: "latest" }),
  heatmap: Object.freeze({ pattern: "heatmap", delivery: "latest" }),
  share: Object.freeze({ pattern: "share/<id>", delivery: "latest" }),
  people: Object.freeze({ pattern: "people/<x>/<y>", delivery: "latest" }),
  test: Object.freeze({ pattern: "test/<n>", delivery: "reliable" }),
});

/** Names of all methods. */
export const methodNames = Object.freeze([
  "hello", "ping", "server.info", "account.register", "account.login", "account.me", "account.devices",
  "account.logout", "account.logoutEverywhere", "account.changePassword", "account.requestReset",
  "account.reset", "account.sendConfirmation", "account.confirmEmail", "account.changeEmail",
  "account.finishOpenID", "account.registerOpenID", "account.providers", "account.connectOpenID",
  "account.disconnectOpenID", "account.passkeys", "account.beginPasskey", "account.addPasskey",
  "account.renamePasskey", "account.removePasskey", "account.beginPasskeyProof",
  "account.beginPasskeyLogin", "account.passkeyLogin", "account.secondFactors", "account.beginTOTP",
  "account.confirmTOTP", "account.removeTOTP", "account.makeRecoveryCodes", "account.secondFactor",
  "account.profile", "account.updateProfile", "account.settings", "account.saveSettings", "campus.info",
  "campus.locate", "tracking.start", "tracking.points", "tracking.pause", "tracking.resume",
  "tracking.stop", "tracking.current", "tracking.history", "tracking.session", "tracking.rename",
  "tracking.delete", "tracking.audience", "tracking.link", "tracking.links", "tracking.unlink",
  "subscribe", "unsubscribe", "positions.view", "topic.history", "test.publish", "heatmap.along",
  "chat.list", "chat.conversation", "chat.history", "chat.search", "chat.send", "chat.edit",
  "chat.delete", "chat.react", "chat.read", "chat.delivered", "chat.typing", "chat.mute",
  "chat.settings", "chat.saveSettings", "group.create", "group.rename", "group.invite", "group.answer",
  "group.leave", "group.remove", "group.role", "profile.get", "profile.save", "buddies.options",
  "buddies.agree", "buddies.me", "buddies.save", "buddies.deck", "buddies.decide", "buddies.card",
  "buddies.list", "buddies.remove", "people.known", "safety.block", "safety.unblock", "safety.blocked",
  "safety.report", "reports.list", "reports.close", "events.options", "events.create", "events.publish",
  "events.update", "events.cancel", "events.delete", "events.get", "events.list", "events.suggested",
  "events.calendar", "events.calendarOff", "events.answer", "events.save", "events.invite",
  "events.people", "goals.get", "goals.save", "goals.reset", "notices.publish", "notices.preview",
  "notices.correct", "notices.withdraw", "notices.status", "notices.sent", "notices.list",
  "notices.received", "notices.read", "notices.settings", "notices.saveSettings", "admin.users",
  "admin.user", "admin.addUser", "admin.welcomeUser", "account.accept", "admin.editUser",
  "admin.disableUser", "admin.enableUser", "admin.signOutUser", "admin.sendReset",
  "admin.resetSecondFactor", "admin.deleteUser", "admin.figures", "admin.audit", "places.list",
  "admin.savePlace", "admin.deletePlace", "admin.saveZone", "admin.deleteZone", "reminders.settings",
  "reminders.saveSettings", "reminders.setAddress", "reminders.confirm", "reminders.removeAddress",
  "reminders.pushKey", "reminders.subscribePush", "reminders.unsubscribePush", "reminders.test",
  "privacy.settings", "privacy.saveSettings", "privacy.zones", "privacy.saveZone", "privacy.deleteZone",
  "account.data", "account.delete", "saved.list", "saved.save", "saved.remove", "searches.note",
  "searches.list", "searches.erase", "visits.most", "visits.erase", "location.report", "location.mine",
  "location.clear", "sharing.start", "sharing.change", "sharing.stop", "sharing.stopAll",
  "sharing.mine", "sharing.receipt", "sharing.past", "sharing.erasePast", "sharing.withMe",
  "sharing.respond", "sharing.ask", "sharing.requests", "sharing.answer", "sharing.answered",
]);

/** @typedef {import("./registrytypes.js").Methods} Methods Parameters and results by the method's name. */
/** @typedef {import("./registrytypes.js").Pushes} Pushes Publications by the kind of their topic. */
/** @typedef {import("./registrytypes.js").Replies} Replies Replies to `subscribe` by the kind of the topic. */
