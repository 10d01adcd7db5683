// Generated from Sources/Wire by GeneratedFileTests; do not edit. CONTRIBUTING has the command.

/** Values of `AccountState`. */
export const accountStates = /* @__PURE__ */ Object.freeze(["active", "disabled"]);

/** Values of `Activity`. */
export const activities = /* @__PURE__ */ Object.freeze(["run", "cycle"]);

/** Values of `Audience`. */
export const audiences = /* @__PURE__ */ Object.freeze(["private", "campus", "public"]);

/** Values of `BodyArea`. */
export const bodyAreas = /* @__PURE__ */ Object.freeze([
  "neck", "shoulder", "elbow", "wrist", "hand", "chest", "abdomen", "upperBack",
  "lowerBack", "hip", "thigh", "knee", "calf", "ankle", "foot",
]);

/** Values of `BodyField`. */
export const bodyFields = /* @__PURE__ */ Object.freeze(["heightCentimetres", "lastPeriod", "restingPulse", "maximumPulse"]);

/** Values of `CalorieMethod`. */
export const calorieMethods = /* @__PURE__ */ Object.freeze(["met", "correctedMET", "heartRate"]);

/** Values of `ChatAsideKind`. */
export const chatAsideKinds = /* @__PURE__ */ Object.freeze(["typing", "receipt", "closed"]);

/** Values of `ChatEventKind`. */
export const chatEventKinds = /* @__PURE__ */ Object.freeze([
  "message", "edited", "deleted", "reaction", "joined", "left", "removed",
  "role", "renamed", "opened", "closed", "hidden",
]);

/** Values of `ClosableKind`. */
export const closableKinds = /* @__PURE__ */ Object.freeze(["lift", "door", "path", "stairs", "escalator"]);

/** Values of `ConversationKind`. */
export const conversationKinds = /* @__PURE__ */ Object.freeze(["direct", "group"]);

/** Values of `DayFigure`. */
export const dayFigures = /* @__PURE__ */ Object.freeze(["steps", "restingPulse"]);

/** Values of `DestinationKind`. */
export const destinationKinds = /* @__PURE__ */ Object.freeze(["building", "room", "place", "zone"]);

/** Values of `Equipment`. */
export const equipments = /* @__PURE__ */ Object.freeze([
  "barbell", "dumbbell", "kettlebell", "cable", "machine", "bands",
  "medicineBall", "exerciseBall", "foamRoller", "ezBar", "bench", "pullUpBar",
  "box", "mat", "rope", "bicycle", "treadmill", "rower", "elliptical", "stairs",
  "pool", "other",
]);

/** Values of `EventAnswer`. */
export const eventAnswers = /* @__PURE__ */ Object.freeze(["going", "maybe", "no"]);

/** Values of `EventAudience`. */
export const eventAudiences = /* @__PURE__ */ Object.freeze(["campus", "public", "private"]);

/** Values of `EventNews`. */
export const eventNewses = /* @__PURE__ */ Object.freeze(["invited", "changed", "cancelled", "movedUp", "answered"]);

/** Values of `EventState`. */
export const eventStates = /* @__PURE__ */ Object.freeze(["draft", "published", "cancelled"]);

/** Values of `EventsListWhich`. */
export const eventsListWhichs = /* @__PURE__ */ Object.freeze(["all", "coming", "invited", "saved", "own"]);

/** Values of `EventsSuggestedReason`. */
export const eventsSuggestedReasons = /* @__PURE__ */ Object.freeze(["buddies", "interest", "place"]);

/** Values of `ExerciseLevel`. */
export const exerciseLevels = /* @__PURE__ */ Object.freeze(["beginner", "intermediate", "expert"]);

/** Values of `ExerciseSource`. */
export const exerciseSources = /* @__PURE__ */ Object.freeze(["campanile", "freeExerciseDB", "wger"]);

/** Values of `ExerciseType`. */
export const exerciseTypes = /* @__PURE__ */ Object.freeze([
  "strength", "cardio", "swimming", "stretching", "balance", "plyometrics",
  "powerlifting", "olympicWeightlifting", "strongman",
]);

/** Values of `FitnessGoal`. */
export const fitnessGoals = /* @__PURE__ */ Object.freeze([
  "loseWeight", "buildMuscle", "gainStrength", "improveEndurance",
  "improveFlexibility", "improveBalance", "reduceStress", "stayHealthy",
]);

/** Values of `FloorRoomKind`. */
export const floorRoomKinds = /* @__PURE__ */ Object.freeze(["room", "corridor", "lift", "stairs", "area"]);

/** Values of `Gender`. */
export const genders = /* @__PURE__ */ Object.freeze(["female", "male", "other"]);

/** Values of `GenderPreference`. */
export const genderPreferences = /* @__PURE__ */ Object.freeze(["any", "female", "male", "other"]);

/** Values of `GroupPurpose`. */
export const groupPurposes = /* @__PURE__ */ Object.freeze(["workout", "event"]);

/** Values of `HealthCondition`. */
export const healthConditions = /* @__PURE__ */ Object.freeze([
  "asthma", "hypertension", "heartDisease", "diabetes", "pregnancy",
  "postpartum", "osteoporosis", "arthritis", "epilepsy", "glaucoma", "hernia",
  "vertigo", "anaemia",
]);

/** Values of `InjuryType`. */
export const injuryTypes = /* @__PURE__ */ Object.freeze([
  "strain", "sprain", "fracture", "dislocation", "tendon", "surgery", "pain",
  "other",
]);

/** Values of `LastPeriodSkip`. */
export const lastPeriodSkips = /* @__PURE__ */ Object.freeze(["unsure", "pregnant", "notApplicable", "preferNotToSay"]);

/** Values of `LiveGroupUpdateKind`. */
export const liveGroupUpdateKinds = /* @__PURE__ */ Object.freeze(["members", "closed"]);

/** Values of `LiveMemberState`. */
export const liveMemberStates = /* @__PURE__ */ Object.freeze(["invited", "joined", "left", "finished"]);

/** Values of `LocationPlaceKind`. */
export const locationPlaceKinds = /* @__PURE__ */ Object.freeze(["building", "zone", "place"]);

/** Values of `LocationSource`. */
export const locationSources = /* @__PURE__ */ Object.freeze(["gps", "wifi", "cell", "manual"]);

/** Values of `MemberRole`. */
export const memberRoles = /* @__PURE__ */ Object.freeze(["owner", "admin", "member"]);

/** Values of `MemberState`. */
export const memberStates = /* @__PURE__ */ Object.freeze(["invited", "joined"]);

/** Values of `Muscle`. */
export const muscles = /* @__PURE__ */ Object.freeze([
  "abdominals", "abductors", "adductors", "biceps", "calves", "chest",
  "forearms", "glutes", "hamstrings", "lats", "lowerBack", "middleBack", "neck",
  "obliques", "quadriceps", "shins", "shoulders", "traps", "triceps",
]);

/** Values of `MyLocationHidden`. */
export const myLocationHiddens = /* @__PURE__ */ Object.freeze(["zone", "residence"]);

/** Values of `NoticeAudienceKind`. */
export const noticeAudienceKinds = /* @__PURE__ */ Object.freeze(["campus", "zone", "role", "event", "user"]);

/** Values of `NoticeLevel`. */
export const noticeLevels = /* @__PURE__ */ Object.freeze(["info", "important", "emergency"]);

/** Values of `NoticeState`. */
export const noticeStates = /* @__PURE__ */ Object.freeze(["scheduled", "published", "withdrawn", "expired"]);

/** Values of `OpenIDStep`. */
export const openIDSteps = /* @__PURE__ */ Object.freeze(["register", "connect"]);

/** Values of `PicturePurpose`. */
export const picturePurposes = /* @__PURE__ */ Object.freeze(["profile", "chat", "place"]);

/** Values of `PositionEncoding`. */
export const positionEncodings = /* @__PURE__ */ Object.freeze(["json", "binary"]);

/** Values of `Precision`. */
export const precisions = /* @__PURE__ */ Object.freeze(["exact", "building", "zone", "campus"]);

/** Values of `PrivateZoneSize`. */
export const privateZoneSizes = /* @__PURE__ */ Object.freeze(["tiny", "small", "medium", "large"]);

/** Values of `Reaction`. */
export const reactions = /* @__PURE__ */ Object.freeze(["👍", "💪", "🔥", "💯"]);

/** Values of `RecoveryFailure`. */
export const recoveryFailures = /* @__PURE__ */ Object.freeze(["epochChanged", "tooOld", "tooMany", "future"]);

/** Values of `ReminderChannel`. */
export const reminderChannels = /* @__PURE__ */ Object.freeze(["push", "email", "text"]);

/** Values of `ReminderChannelState`. */
export const reminderChannelStates = /* @__PURE__ */ Object.freeze(["unavailable", "off", "unconfirmed", "on", "dead"]);

/** Values of `ReminderKind`. */
export const reminderKinds = /* @__PURE__ */ Object.freeze(["event", "message", "notice", "goal", "workout"]);

/** Values of `ReportReason`. */
export const reportReasons = /* @__PURE__ */ Object.freeze(["spam", "harassment", "unsafe", "fake", "other"]);

/** Values of `Role`. */
export const roles = /* @__PURE__ */ Object.freeze(["student", "lecturer", "admin", "rewards"]);

/** Values of `RouteChangeKind`. */
export const routeChangeKinds = /* @__PURE__ */ Object.freeze(["closed", "opened", "crowd", "end"]);

/** Values of `RouteEntry`. */
export const routeEntries = /* @__PURE__ */ Object.freeze(["door", "entrance", "edge", "point"]);

/** Values of `RouteLegInfoKind`. */
export const routeLegInfoKinds = /* @__PURE__ */ Object.freeze(["path", "steps", "lift", "escalator"]);

/** Values of `RouteLegInfoTurn`. */
export const routeLegInfoTurns = /* @__PURE__ */ Object.freeze([
  "start", "straight", "slightLeft", "left", "sharpLeft", "slightRight",
  "right", "sharpRight", "enter", "leave",
]);

/** Values of `RouteReason`. */
export const routeReasons = /* @__PURE__ */ Object.freeze(["fastest", "stepFree", "noStairs", "lessCrowded", "shorter", "otherEntrance"]);

/** Values of `RunnerState`. */
export const runnerStates = /* @__PURE__ */ Object.freeze(["moving", "stationary", "paused", "offline", "finished"]);

/** Values of `SecondFactor`. */
export const secondFactors = /* @__PURE__ */ Object.freeze(["totp", "passkey", "recoveryCode"]);

/** Values of `SectionKind`. */
export const sectionKinds = /* @__PURE__ */ Object.freeze(["warmUp", "main", "coolDown"]);

/** Values of `SessionClockKind`. */
export const sessionClockKinds = /* @__PURE__ */ Object.freeze(["live", "recorded"]);

/** Values of `SessionState`. */
export const sessionStates = /* @__PURE__ */ Object.freeze(["running", "paused", "finished"]);

/** Values of `SessionUpdateKind`. */
export const sessionUpdateKinds = /* @__PURE__ */ Object.freeze(["session", "route", "ended", "closed", "presence"]);

/** Values of `SetMeasure`. */
export const setMeasures = /* @__PURE__ */ Object.freeze(["reps", "weight", "time", "distance"]);

/** Values of `SetState`. */
export const setStates = /* @__PURE__ */ Object.freeze(["planned", "done", "skipped", "removed"]);

/** Values of `ShareAudience`. */
export const shareAudiences = /* @__PURE__ */ Object.freeze(["person", "group", "campus", "link"]);

/** Values of `ShareEnd`. */
export const shareEnds = /* @__PURE__ */ Object.freeze(["stopped", "expired", "session", "blocked", "group", "disabled", "buddies"]);

/** Values of `ShareState`. */
export const shareStates = /* @__PURE__ */ Object.freeze(["live", "old", "none", "hidden"]);

/** Values of `ShareUpdateKind`. */
export const shareUpdateKinds = /* @__PURE__ */ Object.freeze(["location", "closed", "watching"]);

/** Values of `SignOutCause`. */
export const signOutCauses = /* @__PURE__ */ Object.freeze(["disabled", "removed", "changed", "devices", "signedOut"]);

/** Values of `SpeedUnit`. */
export const speedUnits = /* @__PURE__ */ Object.freeze(["auto", "pace", "kmh", "ms"]);

/** Values of `Theme`. */
export const themes = /* @__PURE__ */ Object.freeze(["system", "light", "dark"]);

/** Values of `TrainingPhase`. */
export const trainingPhases = /* @__PURE__ */ Object.freeze(["warmUp", "exercise", "rest", "paused", "coolDown", "finished"]);

/** Values of `TrainingState`. */
export const trainingStates = /* @__PURE__ */ Object.freeze(["active", "paused", "finished"]);

/** Values of `TutorialState`. */
export const tutorialStates = /* @__PURE__ */ Object.freeze(["new", "seen"]);

/** Values of `UserSignalKind`. */
export const userSignalKinds = /* @__PURE__ */ Object.freeze([
  "message", "conversation", "gone", "read", "report", "event", "goal",
  "notices", "share", "where", "privacy", "account", "settings", "training",
  "workout", "group", "resync",
]);

/** Values of `WheelchairAccess`. */
export const wheelchairAccesses = /* @__PURE__ */ Object.freeze(["yes", "limited", "no"]);

/** Values of `WhereRequestState`. */
export const whereRequestStates = /* @__PURE__ */ Object.freeze(["open", "answered", "read", "declined", "expired"]);

/** Values of `WorkoutFilter`. */
export const workoutFilters = /* @__PURE__ */ Object.freeze(["all", "notStarted", "inProgress", "completed", "buddies"]);

/** Values of `WorkoutIntensity`. */
export const workoutIntensities = /* @__PURE__ */ Object.freeze(["light", "moderate", "vigorous"]);

/** Values of `WorkoutPlace`. */
export const workoutPlaces = /* @__PURE__ */ Object.freeze(["anywhere", "home", "gym", "outdoors", "pool", "track"]);

/** Values of `WorkoutStatus`. */
export const workoutStatuses = /* @__PURE__ */ Object.freeze(["notStarted", "inProgress", "completed"]);

/** Values of `ZoneUpdateLeftReason`. */
export const zoneUpdateLeftReasons = /* @__PURE__ */ Object.freeze(["zone", "finished", "hidden"]);
