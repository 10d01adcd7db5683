// Generated from Sources/Wire by GeneratedFileTests; do not edit. CONTRIBUTING has the command.

export type Account = {
  id: number;
  username: string;
  role: Role;
  email: string;
  isEmailConfirmed: boolean;
  confirmBy?: Timestamp;
  hasSecondFactor: boolean;
  simulated: boolean;
  picture: string;
};

export type AccountAddPasskeyResult = {
  passkey: Passkey;
  recoveryCodes?: string[];
};

export type AccountBeginPasskeyResult = {
  challenge: string;
  site: string;
  user: string;
  algorithms: number[];
  passkeys: string[];
};

export type AccountBeginTOTPResult = {
  secret: string;
  address: string;
  rows: string[];
};

export type AccountDataResult = {
  kept: KeptData[];
};

export type AccountDeleteResult = {
  message: string;
};

export type AccountDevicesDevice = {
  id: number;
  client: string;
  platform?: string;
  address?: string;
  createdAt: Timestamp;
  lastUsedAt: Timestamp;
  current: boolean;
};

export type AccountDevicesResult = {
  devices: AccountDevicesDevice[];
};

export type AccountFinishOpenIDResult = {
  signedIn?: SignedIn;
  next?: OpenIDStep;
  label: string;
  username?: string;
  email?: string;
  isEmailVerified: boolean;
};

export type AccountParams = {
  account: ObjectID;
};

export type AccountPasskeysResult = {
  passkeys: Passkey[];
  max: number;
  site: string;
};

export type AccountProfile = {
  username: string;
  usernameFrom?: Timestamp;
  firstName?: string;
  lastName?: string;
  displayName: string;
  picture?: string;
  gender?: Gender;
  degree?: string;
  interests: string[];
  home?: HomeLocation;
  createdAt: Timestamp;
};

export type AccountProfileGetResult = {
  profile: AccountProfile;
  interests: BuddyOption[];
};

export type AccountProvidersProvider = {
  name: string;
  label: string;
  connectedAt?: Timestamp;
};

export type AccountProvidersResult = {
  providers: AccountProvidersProvider[];
  hasPassword: boolean;
};

export type AccountRenamePasskeyResult = {
  passkey: Passkey;
};

export type AccountSecondFactorsResult = {
  totpSince?: Timestamp;
  hasPasskey: boolean;
  recoveryCodes: number;
  isOn: boolean;
  isRequired: boolean;
};

export type AccountSettings = {
  theme: Theme;
  units: SpeedUnit;
  audience: Audience;
  location: boolean;
  tutorial?: TutorialState;
  versions: SettingVersions;
};

export type AccountState = "active" | "disabled";

export type Activity = "run" | "cycle";

export type AdminAuditResult = {
  entries: AuditEntry[];
  next?: number;
};

export type AdminClosableResult = {
  objects: ClosableObject[];
};

export type AdminFigures = {
  node: string;
  nodes: string[];
  version: string;
  at: Timestamp;
  uptime: number;
  connections: number;
  accounts: number;
  tracking: number;
  requestsPerSecond: number;
  messagesInPerSecond: number;
  messagesOutPerSecond: number;
  sendQueueBytes: number;
  lag: AdminFiguresLag;
  database: AdminFiguresDatabase;
  memory: number;
};

export type AdminFiguresDatabase = {
  p50: number;
  p99: number;
  connections: number;
  idle: number;
  waiting: number;
};

export type AdminFiguresLag = {
  p50: number;
  p99: number;
};

export type AdminUser = {
  id: number;
  username: string;
  name?: string;
  email: string;
  role: Role;
  state: AccountState;
  invited: boolean;
  simulated: boolean;
  createdAt: Timestamp;
  confirmBy?: Timestamp;
  lastUsedAt?: Timestamp;
};

export type AdminUserGetResult = {
  user: AdminUser;
  devices: number;
  sessions: number;
  tracking: boolean;
  buddies: number;
  events: number;
  reportsAbout: number;
  openReportsAbout: number;
  reportsBy: number;
  disabledAt?: Timestamp;
  disabledReason?: string;
  welcomeExpiresAt?: Timestamp;
};

export type AdminUsersResult = {
  users: AdminUser[];
  next?: number;
};

export type Audience = "private" | "campus" | "public";

export type AuditEntry = {
  id: number;
  at: Timestamp;
  actor?: number;
  actorName: string;
  action: string;
  subject?: AuditEntrySubject;
  details: AuditEntryDetail[];
  address?: string;
};

export type AuditEntryDetail = {
  name: string;
  value: string;
};

export type AuditEntrySubject = {
  kind: string;
  id?: number;
  name: string;
};

export type BodyArea = "neck"
  | "shoulder"
  | "elbow"
  | "wrist"
  | "hand"
  | "chest"
  | "abdomen"
  | "upperBack"
  | "lowerBack"
  | "hip"
  | "thigh"
  | "knee"
  | "calf"
  | "ankle"
  | "foot";

export type BodyData = {
  heightCentimetres?: number;
  weight?: BodyWeight;
  injuries: Injury[];
  conditions: HealthCondition[];
  goals: FitnessGoal[];
  lastPeriod?: LastPeriod;
  asksLastPeriod: boolean;
  restingPulse?: number;
  maximumPulse?: number;
  estimatedMaximumPulse?: number;
  confirmedAt?: Timestamp;
  isStale: boolean;
};

export type BodyField = "heightCentimetres" | "lastPeriod" | "restingPulse" | "maximumPulse";

export type BodyWeight = {
  date: string;
  kilograms: number;
};

export type BodyWeightList = {
  weights: BodyWeight[];
};

export type Bounds = {
  south: number;
  west: number;
  north: number;
  east: number;
};

export type BuddiesAgreeParams = {
  version: Revision;
};

export type BuddiesCardResult = {
  card: BuddyCard;
  conversation?: number;
};

export type BuddiesDecideResult = {
  matched: boolean;
  conversation?: number;
};

export type BuddiesListBuddy = {
  person: Person;
  conversation: number;
  matchedAt: Timestamp;
};

export type BuddiesListResult = {
  buddies: BuddiesListBuddy[];
};

export type BuddiesMeResult = {
  profile?: BuddyProfile;
  preview?: BuddyCard;
};

export type BuddiesOptionsChoice = {
  most: number;
  options: BuddyOption[];
};

export type BuddiesOptionsResult = {
  rulesVersion: number;
  agreed?: number;
  rules: BuddiesOptionsRule[];
  days: BuddyOption[];
  dayParts: BuddyOption[];
  goals: BuddiesOptionsChoice;
  strengths: BuddiesOptionsChoice;
  styles: BuddiesOptionsChoice;
  places: BuddiesOptionsChoice;
  traits: BuddiesOptionsChoice;
};

export type BuddiesOptionsRule = {
  title: string;
  text: string;
};

export type BuddiesSuggestionsResult = {
  cards: BuddyCard[];
};

export type BuddyCard = {
  account: number;
  name: string;
  age?: number;
  ageSpan?: string;
  gender: Gender;
  picture?: string;
  description: string;
  times: string[];
  goals: string[];
  strengths: string[];
  styles: string[];
  places: string[];
  traits: string[];
  shared: string[];
  score?: number;
};

export type BuddyOption = {
  id: string;
  label: string;
};

export type BuddyProfile = {
  active: boolean;
  preferredGender: GenderPreference;
  genderOnly: boolean;
  showsAge: boolean;
  description: string;
  picture?: string;
  times: string[];
  goals: string[];
  strengths: string[];
  styles: string[];
  places: string[];
  traits: string[];
  desiredTraits: string[];
  desiredStyles: string[];
};

export type CalorieMethod = "met" | "correctedMET" | "heartRate";

export type Calories = {
  gross: number;
  net: number;
  method: CalorieMethod;
  kilograms: number;
  errorPercent: number;
};

export type CampusInfo = {
  id: number;
  name: string;
  version: string;
  bounds?: Bounds;
  zones: ZoneInfo[];
};

export type CampusLocateResult = {
  zone?: ZoneInfo;
};

export type ChatAside = {
  type: ChatAsideKind;
  by?: number;
  read?: number;
  delivered?: number;
};

export type ChatAsideKind = "typing" | "receipt" | "closed";

export type ChatConversationResult = {
  conversation: Conversation;
  members: Member[];
};

export type ChatEvent = {
  by: number;
  type: ChatEventKind;
  at?: Timestamp;
  id?: string;
  text?: string;
  picture?: MessagePicture;
  reply?: number;
  editedAt?: Timestamp;
  deletedAt?: Timestamp;
  message?: number;
  emoji?: Reaction;
  on?: boolean;
  account?: number;
  role?: MemberRole;
};

export type ChatEventKind = "message"
  | "edited"
  | "deleted"
  | "reaction"
  | "joined"
  | "left"
  | "removed"
  | "role"
  | "renamed"
  | "opened"
  | "closed"
  | "hidden";

export type ChatHistoryItem = {
  offset: number;
  event: ChatEvent;
  reactions?: MessageReactions[];
};

export type ChatHistoryResult = {
  conversation: number;
  epoch: number;
  head: number;
  items: ChatHistoryItem[];
  next?: number;
};

export type ChatListResult = {
  conversations: Conversation[];
};

export type ChatMuteResult = {
  mutedUntil?: Timestamp;
};

export type ChatPosition = {
  conversation: number;
  epoch: number;
  offset?: number;
  at?: Timestamp;
};

export type ChatSearchFound = {
  conversation: number;
  name: string;
  offset: number;
  by: Person;
  at: Timestamp;
  text: string;
};

export type ChatSearchResult = {
  messages: ChatSearchFound[];
  next?: Timestamp;
};

export type ChatSettings = {
  read: boolean;
  delivered: boolean;
  typing: boolean;
};

export type ClosableKind = "lift" | "door" | "path" | "stairs" | "escalator";

export type ClosableObject = {
  object: string;
  kind: ClosableKind;
  name: string;
  lat: number;
  lon: number;
  level?: string;
};

export type Closure = {
  id: string;
  object: string;
  kind: ClosableKind;
  name: string;
  lat: number;
  lon: number;
  level?: string;
  reason?: string;
  from: Timestamp;
  until?: Timestamp;
  by?: string;
};

export type ClosureList = {
  closures: Closure[];
};

export type Cluster = {
  index: number;
  count: number;
  lat: number;
  lon: number;
};

export type Conversation = {
  id: number;
  kind: ConversationKind;
  name: string;
  purpose?: GroupPurpose;
  buddy?: Person;
  state: MemberState;
  role: MemberRole;
  invitedBy?: Person;
  members: number;
  new: boolean;
  unread: number;
  read: number;
  mutedUntil?: Timestamp;
  epoch: number;
  head: number;
  last?: LastMessage;
  at: Timestamp;
};

export type ConversationKind = "direct" | "group";

export type ConversationParams = {
  conversation: ObjectID;
};

export type Count = number;

export type CountsUpdate = {
  type: string;
  serverTime: Timestamp;
  clusters: Cluster[];
};

export type DayFigure = "steps" | "restingPulse";

export type Destination = {
  id: string;
  kind: DestinationKind;
  name: string;
  code?: string;
  class?: string;
  building?: string;
  level?: string;
  lat: number;
  lon: number;
  zone?: number;
  wheelchair?: WheelchairAccess;
  open?: boolean;
  metres?: number;
  seconds?: number;
  alternative?: string;
};

export type DestinationKind = "building" | "room" | "place" | "zone";

export type DestinationPage = {
  destination: Destination;
  zone?: string;
  details?: string;
  menu?: string;
  pictures: string[];
  openingHours?: string;
  openings?: OpenInterval[];
  timeZone?: string;
  entrances: Entrance[];
  floors: string[];
  website?: string;
  phone?: string;
  people?: number;
  events: EventThere[];
  canEdit: boolean;
  manager?: string;
};

export type Empty = Record<string, never>;

export type Entrance = {
  name?: string;
  lat: number;
  lon: number;
  level?: string;
  wheelchair?: WheelchairAccess;
};

export type Equipment = "barbell"
  | "dumbbell"
  | "kettlebell"
  | "cable"
  | "machine"
  | "bands"
  | "medicineBall"
  | "exerciseBall"
  | "foamRoller"
  | "ezBar"
  | "bench"
  | "pullUpBar"
  | "box"
  | "mat"
  | "rope"
  | "bicycle"
  | "treadmill"
  | "rower"
  | "elliptical"
  | "stairs"
  | "pool"
  | "other";

export type Erased = {
  erased: number;
};

export type Event = {
  id: number;
  audience: EventAudience;
  state: EventState;
  details: EventDetails;
  owner?: Person;
  going: number;
  maybe: number;
  waiting: number;
  revision: number;
  cancelReason?: string;
  mine: EventMine;
};

export type EventAnswer = "going" | "maybe" | "no";

export type EventAudience = "campus" | "public" | "private";

export type EventCircle = {
  lat: Latitude;
  lon: Longitude;
  metres: Quantity;
};

export type EventCursor = {
  startsAt: Timestamp;
  event: ObjectID;
};

export type EventDetails = {
  title: string;
  description?: string;
  workout?: string;
  startsAt: Timestamp;
  duration: Seconds;
  place: EventPlace;
  capacity?: Count;
};

export type EventMine = {
  answer?: EventAnswer;
  queue?: number;
  saved: boolean;
  invitedBy?: Person;
  owns: boolean;
  workout?: string;
};

export type EventNews = "invited" | "changed" | "cancelled" | "movedUp" | "answered";

export type EventParams = {
  event: ObjectID;
};

export type EventPlace = {
  name: string;
  lat?: Latitude;
  lon?: Longitude;
  zone?: ObjectID;
};

export type EventState = "draft" | "published" | "cancelled";

export type EventThere = {
  id: number;
  title: string;
  starts: Timestamp;
};

export type EventsCalendarOffResult = {
  wasOn: boolean;
};

export type EventsCalendarResult = {
  path?: string;
  since?: Timestamp;
};

export type EventsInviteResult = {
  invited: number;
};

export type EventsListResult = {
  events: Event[];
  next?: EventCursor;
};

export type EventsListWhich = "all" | "coming" | "invited" | "saved" | "own";

export type EventsOptionsResult = {
  workouts: EventsOptionsWorkout[];
  mayAnnounce: boolean;
};

export type EventsOptionsWorkout = {
  id: string;
  label: string;
  colour: string;
};

export type EventsPeopleGuest = {
  person: Person;
  answer?: EventAnswer;
  queue?: number;
};

export type EventsPeopleResult = {
  people: EventsPeopleGuest[];
};

export type EventsSuggestedReason = "buddies" | "interest" | "place";

export type EventsSuggestedResult = {
  suggestions: EventsSuggestedSuggestion[];
};

export type EventsSuggestedSuggestion = {
  event: Event;
  because: EventsSuggestedReason;
};

export type Exercise = {
  id: string;
  source: ExerciseSource;
  name: string;
  type: ExerciseType;
  level: ExerciseLevel;
  primaryMuscles: Muscle[];
  secondaryMuscles: Muscle[];
  equipment: Equipment[];
  measures: SetMeasure[];
  instructions: string[];
  caution?: string;
  met: MetabolicEquivalent;
  isUnilateral: boolean;
  diagram?: string;
  credit?: string;
  exclusion?: ExerciseExclusion;
};

export type ExerciseExclusion = {
  area?: BodyArea;
  condition?: HealthCondition;
  reason: string;
  source: string;
};

export type ExerciseLevel = "beginner" | "intermediate" | "expert";

export type ExercisePage = {
  exercises: ExerciseSummary[];
  total: number;
};

export type ExerciseSource = "campanile" | "freeExerciseDB" | "wger";

export type ExerciseSummary = {
  id: string;
  name: string;
  type: ExerciseType;
  level: ExerciseLevel;
  primaryMuscles: Muscle[];
  equipment: Equipment[];
  measures: SetMeasure[];
  diagram?: string;
  exclusion?: ExerciseExclusion;
};

export type ExerciseType = "strength"
  | "cardio"
  | "swimming"
  | "stretching"
  | "balance"
  | "plyometrics"
  | "powerlifting"
  | "olympicWeightlifting"
  | "strongman";

export type FitnessGoal = "loseWeight" | "buildMuscle" | "gainStrength" | "improveEndurance" | "improveFlexibility" | "improveBalance" | "reduceStress" | "stayHealthy";

export type Floor = {
  level: string;
  rooms: FloorRoom[];
  doors: FloorDoor[];
};

export type FloorDoor = {
  lat: number;
  lon: number;
};

export type FloorRoom = {
  id?: string;
  name?: string;
  code?: string;
  kind: FloorRoomKind;
  lines: LatLon[][];
};

export type FloorRoomKind = "room" | "corridor" | "lift" | "stairs" | "area";

export type Gender = "female" | "male" | "other";

export type GenderPreference = "any" | "female" | "male" | "other";

export type Goal = {
  kilometres: number;
  month: string;
  endsAt: Timestamp;
  distance: number;
  percent: number;
  completedAt?: Timestamp;
  resetAt?: Timestamp;
  totals: GoalTotals;
};

export type GoalTotals = {
  sessions: number;
  distance: number;
  elapsed: number;
};

export type GroupInviteResult = {
  invited: number[];
};

export type GroupPurpose = "workout" | "event";

export type HealthCondition = "asthma"
  | "hypertension"
  | "heartDisease"
  | "diabetes"
  | "pregnancy"
  | "postpartum"
  | "osteoporosis"
  | "arthritis"
  | "epilepsy"
  | "glaucoma"
  | "hernia"
  | "vertigo"
  | "anaemia";

export type HeatCell = number[];

export type HeatmapAlongPart = {
  from: number;
  to: number;
  people: number;
};

export type HeatmapAlongResult = {
  serverTime: Timestamp;
  parts: HeatmapAlongPart[];
};

export type HeatmapUpdate = {
  type: string;
  serverTime: Timestamp;
  zoom: number;
  peopleMin: number;
  cells: HeatCell[];
};

export type HelloParamsClient = {
  name: string;
  version?: string;
  platform?: string;
};

export type HelloResult = {
  account?: Account;
  token?: string;
  serverTime: Timestamp;
  version: string;
  webApp?: string;
  isOutdated?: boolean;
  campus: CampusInfo;
};

export type HomeLocation = {
  lat: Latitude;
  lon: Longitude;
  name: string;
};

export type Injury = {
  id: string;
  type: InjuryType;
  area: BodyArea;
  from: string;
  until?: string;
  note?: string;
};

export type InjuryType = "strain" | "sprain" | "fracture" | "dislocation" | "tendon" | "surgery" | "pain" | "other";

export type InsightDay = {
  date: string;
  trainings: number;
  minutes: number;
  sets: number;
  reps: number;
  gross: number;
  net: number;
  metres: number;
  steps?: number;
  stepsEstimated: boolean;
  kilograms?: number;
  restingPulse?: number;
  averagePulse?: number;
  maximumPulse?: number;
};

export type InsightGoals = {
  daySteps?: Count;
  dayCalories?: Count;
  weekTrainings?: Count;
  weekMinutes?: Count;
};

export type Insights = {
  from: string;
  to: string;
  days: InsightDay[];
  goals: InsightGoals;
  today?: InsightDay;
  weekTrainings: number;
  weekMinutes: number;
  heightCentimetres?: number;
  kilograms?: number;
  upcoming: UpcomingEvent[];
};

export type KeptData = {
  kind: string;
  count: number;
  days?: number;
  erase?: string;
};

export type KnownPerson = {
  account: number;
  username: string;
  name: string;
  gender?: Gender;
  picture?: string;
};

export type LastMessage = {
  offset: number;
  by: number;
  name: string;
  at: Timestamp;
  text?: string;
  picture: boolean;
  deleted: boolean;
};

export type LastPeriod = {
  date?: string;
  skipped?: LastPeriodSkip;
};

export type LastPeriodSkip = "unsure" | "pregnant" | "notApplicable" | "preferNotToSay";

export type LatLon = [Latitude, Longitude];

export type Latitude = number;

export type LeftOutExercise = {
  name: string;
  reason: string;
};

export type LiveGroup = {
  id: string;
  title: string;
  host: string;
  event?: ObjectID;
  conversation?: ObjectID;
  createdAt: Timestamp;
  endedAt?: Timestamp;
  participants: Count;
  members: LiveGroupMember[];
};

export type LiveGroupJoined = {
  group: LiveGroup;
  workout: string;
  plan: WorkoutPlan;
  exercises: Exercise[];
};

export type LiveGroupList = {
  groups: LiveGroup[];
};

export type LiveGroupMember = {
  account: number;
  username: string;
  isHost: boolean;
  state: LiveMemberState;
  sharesZone: boolean;
  isPresent: boolean;
  position?: TrainingPosition;
  updatedAt?: Timestamp;
};

export type LiveGroupSnapshot = {
  serverTime: Timestamp;
  group: LiveGroup;
};

export type LiveGroupUpdate = {
  type: LiveGroupUpdateKind;
  serverTime: Timestamp;
  members?: LiveGroupMember[];
  gone?: string[];
  full?: boolean;
  reason?: string;
};

export type LiveGroupUpdateKind = "members" | "closed";

export type LiveMemberState = "invited" | "joined" | "left" | "finished";

export type LocationPlace = {
  kind: LocationPlaceKind;
  id: number;
  name?: string;
};

export type LocationPlaceKind = "building" | "zone" | "place";

export type LocationRequestReply = {
  request: WhereRequest;
  location?: SharedLocation;
};

export type LocationSource = "gps" | "wifi" | "cell" | "manual";

export type LogEpoch = number;

export type LogOffset = number;

export type Longitude = number;

export type Member = {
  person: Person;
  role: MemberRole;
  state: MemberState;
  read?: number;
  delivered?: number;
};

export type MemberRole = "owner" | "admin" | "member";

export type MemberState = "invited" | "joined";

export type MessagePicture = {
  id: string;
  width: number;
  height: number;
};

export type MessageReactions = {
  emoji: Reaction;
  by: number[];
};

export type MetabolicEquivalent = {
  value: number;
  code: string;
  year: number;
  activity: string;
};

export type Muscle = "abdominals"
  | "abductors"
  | "adductors"
  | "biceps"
  | "calves"
  | "chest"
  | "forearms"
  | "glutes"
  | "hamstrings"
  | "lats"
  | "lowerBack"
  | "middleBack"
  | "neck"
  | "obliques"
  | "quadriceps"
  | "shins"
  | "shoulders"
  | "traps"
  | "triceps";

export type MyLocation = {
  location?: SharedLocation;
  building?: LocationPlace;
  zone?: LocationPlace;
  hidden?: MyLocationHidden;
  shares: number;
};

export type MyLocationHidden = "zone" | "residence";

export type Notice = {
  type: string;
  number: number;
  revision: number;
  id: string;
  at: Timestamp;
  changedAt?: Timestamp;
  title: string;
  body?: string;
  level: NoticeLevel;
  from?: NoticeSender;
  to: NoticeAudience;
  expiresAt?: Timestamp;
  readAt?: Timestamp;
};

export type NoticeAudience = {
  kind: NoticeAudienceKind;
  zone?: ObjectID;
  role?: Role;
  event?: ObjectID;
  account?: ObjectID;
};

export type NoticeAudienceKind = "campus" | "zone" | "role" | "event" | "user";

export type NoticeEvent = ((Notice) & ({
  type?: "notice";
})) | ({
  type: "withdrawn";
  number: number;
  revision: number;
});

export type NoticeLevel = "info" | "important" | "emergency";

export type NoticeSender = {
  username?: string;
  role: Role;
};

export type NoticeSettings = {
  quietHours?: QuietHours;
  zones: ObjectID[];
};

export type NoticeState = "scheduled" | "published" | "withdrawn" | "expired";

export type NoticesListResult = {
  notices: Notice[];
  unread: number;
  next?: number;
};

export type NoticesPreviewResult = {
  people: number;
};

export type NoticesReadResult = {
  unread: number;
};

export type NoticesSentResult = {
  notices: SentNotice[];
  next?: number;
};

export type ObjectID = number;

export type OpenIDStep = "register" | "connect";

export type OpenInterval = {
  from: Timestamp;
  to: Timestamp;
};

export type OwnAccount = {
  account: Account;
  confirming?: string;
};

export type OwnershipProof = {
  password?: string;
  passkey?: PasskeySignature;
};

export type Passkey = {
  id: number;
  name: string;
  createdAt: Timestamp;
  lastUsedAt?: Timestamp;
  isBackedUp: boolean;
  stoppedAt?: Timestamp;
};

export type PasskeyChallenge = {
  challenge: string;
  site: string;
  passkeys: string[];
};

export type PasskeySignature = {
  id: string;
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  userHandle?: string;
};

export type PastSearch = {
  id: number;
  text: string;
  place?: number;
  placeName?: string;
  at: Timestamp;
};

export type PeopleKnownResult = {
  people: KnownPerson[];
};

export type PeopleUpdate = {
  type: string;
  serverTime: Timestamp;
  people: PersonOnMap[];
  left: number[];
  more: number;
  full?: boolean;
};

export type Person = {
  account: number;
  name: string;
  gender?: Gender;
  picture?: string;
};

export type PersonOnMap = {
  share: number;
  person: SharingPerson;
  precision: Precision;
  state: ShareState;
  location: SharedLocation;
};

export type PicturePurpose = "profile" | "chat" | "place";

export type PingResult = {
  serverTime: Timestamp;
};

export type Place = {
  id: number;
  name: string;
  class: string;
  lat: number;
  lon: number;
  details?: string;
  zone?: number;
  edited: boolean;
};

export type PlaceParams = {
  place: ObjectID;
};

export type PlacesFloorsResult = {
  floors: Floor[];
};

export type PlacesListResult = {
  places: Place[];
  more: boolean;
};

export type PlacesNearbyResult = {
  places: Destination[];
  isEstimate?: boolean;
};

export type PlannedSet = {
  reps?: Count;
  kilograms?: Quantity;
  seconds?: Quantity;
  metres?: Quantity;
};

export type PositionEncoding = "json" | "binary";

export type PositionsViewResult = {
  topics: string[];
};

export type Precision = "exact" | "building" | "zone" | "campus";

export type Presence = {
  count: number;
  names?: string[];
  more?: number;
};

export type PrivacySettings = {
  heatmap: boolean;
  visits: boolean;
  searches: boolean;
  residences: boolean;
};

export type PrivacyZonesResult = {
  zones: PrivateZone[];
};

export type PrivateZone = {
  id: number;
  name: string;
  lat: number;
  lon: number;
  size: PrivateZoneSize;
};

export type PrivateZoneSize = "tiny" | "small" | "medium" | "large";

export type Profile = {
  firstName: string;
  lastName: string;
  birthday: string;
  gender: Gender;
};

export type ProfileGetResult = {
  profile?: Profile;
};

export type PublicationChatEvent = {
  offset: number;
  data: ChatEvent;
};

export type PublicationNoticeEvent = {
  offset: number;
  data: NoticeEvent;
};

export type PublicationTestPublication = {
  offset: number;
  data: TestPublication;
};

export type Published = {
  topic: string;
  epoch: number;
  offset: number;
};

export type PulseSample = {
  at: Timestamp;
  bpm: Count;
};

export type PulseSummary = {
  average: number;
  minimum: number;
  maximum: number;
  zones: number[];
};

export type Quantity = number;

export type QuietHours = {
  from: string;
  to: string;
  timeZone: string;
};

export type RPCError = {
  code: number;
  message: string;
  data?: RPCErrorDetails;
};

export type RPCErrorDetails = {
  name: string;
  field?: string;
  retryAfter?: number;
  reference?: string;
  ticket?: string;
  factors?: SecondFactor[];
};

export type Reaction = "👍" | "💪" | "🔥" | "💯";

export type ReceiptParams = {
  conversation: ObjectID;
  offset: LogOffset;
};

export type Recommendation = {
  plan: WorkoutPlan;
  reason: string;
  isPersonal: boolean;
  exercises: Exercise[];
};

export type Recommendations = {
  recommended?: Recommendation;
  others: Recommendation[];
  hasMore: boolean;
  leftOut: LeftOutExercise[];
  guidelines: string[];
  place?: SuitablePlace;
};

export type RecoveryCodes = {
  recoveryCodes: string[];
};

export type RecoveryFailure = "epochChanged" | "tooOld" | "tooMany" | "future";

export type ReminderChannel = "push" | "email" | "text";

export type ReminderChannelState = "unavailable" | "off" | "unconfirmed" | "on" | "dead";

export type ReminderKind = "event" | "message" | "notice" | "goal" | "workout";

export type ReminderSettings = {
  channels: ReminderSettingsChannel[];
  kinds: ReminderSettingsChoice[];
  leads: number[];
  unreadMinutes: number;
  hidesText: boolean;
};

export type ReminderSettingsBrowser = {
  endpoint: string;
  client?: string;
  since: Timestamp;
  state: ReminderChannelState;
};

export type ReminderSettingsChannel = {
  channel: ReminderChannel;
  state: ReminderChannelState;
  address?: string;
  reason?: string;
  browsers?: ReminderSettingsBrowser[];
};

export type ReminderSettingsChoice = {
  kind: ReminderKind;
  channels: ReminderChannel[];
};

export type RemindersPushKeyResult = {
  key: string;
};

export type RemindersSubscribePushParamsKeys = {
  p256dh: string;
  auth: string;
};

export type RemindersTestResult = {
  sending: number;
};

export type Report = {
  id: number;
  at: Timestamp;
  reporter?: Person;
  reported?: Person;
  reportsOfAccount: number;
  reason: ReportReason;
  note?: string;
  conversation?: number;
  evidence: ReportEvidence[];
  event?: ReportReportedEvent;
  closedAt?: Timestamp;
  resolution?: string;
};

export type ReportEvidence = {
  offset: number;
  by: number;
  at: Timestamp;
  text?: string;
  picture?: string;
  deleted: boolean;
  before: string[];
  cut?: boolean;
};

export type ReportReason = "spam" | "harassment" | "unsafe" | "fake" | "other";

export type ReportReportedEvent = {
  event: number;
  audience: EventAudience;
  title: string;
  description?: string;
  place: string;
  startsAt: Timestamp;
};

export type ReportsCloseResult = {
  report: number;
};

export type ReportsListResult = {
  reports: Report[];
  next?: number;
  open: number;
};

export type ResumedChatEvent = {
  topic: string;
  epoch: number;
  offset: number;
  recovered: boolean;
  reason?: RecoveryFailure;
  more?: boolean;
  publications: PublicationChatEvent[];
};

export type ResumedNoticeEvent = {
  topic: string;
  epoch: number;
  offset: number;
  recovered: boolean;
  reason?: RecoveryFailure;
  more?: boolean;
  publications: PublicationNoticeEvent[];
};

export type ResumedTestPublication = {
  topic: string;
  epoch: number;
  offset: number;
  recovered: boolean;
  reason?: RecoveryFailure;
  more?: boolean;
  publications: PublicationTestPublication[];
};

export type Revision = number;

export type Revoked = {
  revoked: number;
};

export type Role = "student" | "lecturer" | "admin" | "rewards";

export type RouteChange = {
  kind: RouteChangeKind;
  object?: string;
  until?: Timestamp;
  note?: string;
};

export type RouteChangeKind = "closed" | "opened" | "crowd" | "end";

export type RouteCrowdPart = {
  first: number;
  last: number;
  people: number;
};

export type RouteEndParams = {
  destination?: string;
  lat?: Latitude;
  lon?: Longitude;
  level?: string;
  event?: ObjectID;
  person?: ObjectID;
};

export type RouteEntry = "door" | "entrance" | "edge" | "point";

export type RouteInfo = {
  seconds: number;
  metres: number;
  arrival: Timestamp;
  reasons: RouteReason[];
  crowdSeconds?: number;
  entry: RouteEntry;
  points: RoutePoint[];
  uncertain: number[][];
  legs: RouteLegInfo[];
  crowd: RouteCrowdPart[];
};

export type RouteLegInfo = {
  kind: RouteLegInfoKind;
  turn: RouteLegInfoTurn;
  name?: string;
  past?: string;
  building?: string;
  entrance?: string;
  indoors: boolean;
  fromLevel?: string;
  toLevel?: string;
  metres: number;
  seconds: number;
  first: number;
  last: number;
  text: string;
};

export type RouteLegInfoKind = "path" | "steps" | "lift" | "escalator";

export type RouteLegInfoTurn = "start"
  | "straight"
  | "slightLeft"
  | "left"
  | "sharpLeft"
  | "slightRight"
  | "right"
  | "sharpRight"
  | "enter"
  | "leave";

export type RoutePoint = {
  lat: number;
  lon: number;
  level?: string;
};

export type RoutePreferences = {
  stepFree?: boolean;
  noStairs?: boolean;
  avoidCrowds?: boolean;
  speed?: Quantity;
};

export type RouteReason = "fastest" | "stepFree" | "noStairs" | "lessCrowded" | "shorter" | "otherEntrance";

export type RouteUpdate = {
  type: string;
  version: number;
  reason: RouteChange;
  route?: RouteInfo;
  message?: string;
};

export type RoutesFindResult = {
  routes: RouteInfo[];
};

export type Runner = {
  session: number;
  name: string;
  activity: Activity;
  title: string;
  state: RunnerState;
  lat: number;
  lon: number;
  heading?: number;
  speed: number;
  at: Timestamp;
  distance: number;
  elapsed: number;
  averageSpeed: number;
  zone?: number;
  simulated: boolean;
  rate: number;
};

export type RunnerState = "moving" | "stationary" | "paused" | "offline" | "finished";

export type SafetyBlockedBlocked = {
  person: Person;
  at: Timestamp;
};

export type SafetyBlockedResult = {
  blocked: SafetyBlockedBlocked[];
};

export type SafetyReportResult = {
  report: number;
};

export type SavedListResult = {
  places: SavedPlace[];
};

export type SavedPlace = {
  id: number;
  name: string;
  lat: number;
  lon: number;
  place?: number;
  savedAt: Timestamp;
};

export type SearchFindResult = {
  results: Destination[];
  suggestion?: string;
};

export type SearchesListResult = {
  searches: PastSearch[];
};

export type SearchesNoteResult = {
  kept: boolean;
};

export type SecondFactor = "totp" | "passkey" | "recoveryCode";

export type Seconds = number;

export type SectionKind = "warmUp" | "main" | "coolDown";

export type SentNotice = {
  notice: Notice;
  audience: NoticeAudience;
  state: NoticeState;
  publishAt: Timestamp;
  recipients: number;
  received?: number;
  read?: number;
};

export type ServerInfoResult = {
  version: string;
  campus: string;
  isRegistrationOpen: boolean;
  methods: string[];
};

export type Session = {
  id: number;
  clientId: string;
  owner: SessionOwner;
  activity: Activity;
  title: string;
  state: SessionState;
  audience: Audience;
  simulated: boolean;
  startedAt: Timestamp;
  endedAt?: Timestamp;
  distance: number;
  elapsed: number;
  moving: number;
  averageSpeed: number;
  points: number;
  lastFixAt?: Timestamp;
  lastSeq?: number;
};

export type SessionClock = {
  kind: SessionClockKind;
  speed: Quantity;
};

export type SessionClockKind = "live" | "recorded";

export type SessionOwner = {
  id: number;
  username: string;
};

export type SessionReply = {
  session: Session;
  message?: string;
};

export type SessionSnapshot = {
  serverTime: Timestamp;
  session: Session;
  runner?: Runner;
  route: LatLon[][];
  presence?: Presence;
  hidden?: boolean;
};

export type SessionState = "running" | "paused" | "finished";

export type SessionUpdate = {
  type: SessionUpdateKind;
  serverTime: Timestamp;
  session?: Session;
  runner?: Runner;
  append?: LatLon[];
  startsPiece?: boolean;
  route?: LatLon[][];
  reason?: string;
  presence?: Presence;
  hidden?: boolean;
};

export type SessionUpdateKind = "session" | "route" | "ended" | "closed" | "presence";

export type SetMeasure = "reps" | "weight" | "time" | "distance";

export type SetState = "planned" | "done" | "skipped" | "removed";

export type SettingVersions = {
  theme: Revision;
  units: Revision;
  audience: Revision;
  location: Revision;
  tutorial?: Revision;
};

export type Share = {
  id: number;
  audience: ShareAudience;
  person?: SharingPerson;
  invited?: boolean;
  group?: number;
  groupName?: string;
  precision: Precision;
  session?: number;
  startedAt: Timestamp;
  expiresAt: Timestamp;
  endedAt?: Timestamp;
  end?: ShareEnd;
  watching: number;
};

export type ShareAudience = "person" | "group" | "campus" | "link";

export type ShareEnd = "stopped" | "expired" | "session" | "blocked" | "group" | "disabled" | "buddies";

export type ShareSnapshot = {
  serverTime: Timestamp;
  share: SharedWithMe;
  state: ShareState;
  location?: SharedLocation;
};

export type ShareState = "live" | "old" | "none" | "hidden";

export type ShareUpdate = {
  type: ShareUpdateKind;
  serverTime: Timestamp;
  state?: ShareState;
  location?: SharedLocation;
  precision?: Precision;
  expiresAt?: Timestamp;
  reason?: string;
  watching?: number;
};

export type ShareUpdateKind = "location" | "closed" | "watching";

export type ShareWatch = {
  person?: SharingPerson;
  from: Timestamp;
  last: Timestamp;
  to?: Timestamp;
  atLatest: boolean;
  precision: Precision;
  times: number;
};

export type SharedLocation = {
  lat?: number;
  lon?: number;
  accuracy?: number;
  heading?: number;
  speed?: number;
  source?: LocationSource;
  place?: LocationPlace;
  onCampus: boolean;
  at: Timestamp;
};

export type SharedWithMe = {
  id: number;
  person: SharingPerson;
  audience: ShareAudience;
  group?: number;
  precision: Precision;
  startedAt: Timestamp;
  expiresAt: Timestamp;
};

export type SharingMineResult = {
  shares: Share[];
};

export type SharingPastResult = {
  shares: Share[];
  next?: number;
};

export type SharingPerson = {
  account: number;
  name: string;
  username: string;
};

export type SharingReceipt = {
  share: Share;
  watches: ShareWatch[];
  watchers: number;
};

export type SharingReply = {
  share: Share;
};

export type SharingRequestsResult = {
  toMe: WhereRequest[];
  mine: WhereRequest[];
};

export type SharingRespondResult = {
  share?: SharedWithMe;
};

export type SharingStartResult = {
  share: Share;
  path?: string;
  token?: string;
};

export type SharingStopAllResult = {
  stopped: number[];
};

export type SharingWithMeResult = {
  shares: SharedWithMe[];
  more: boolean;
  invitations?: SharedWithMe[];
};

export type SignOutCause = "disabled" | "removed" | "changed" | "devices" | "signedOut";

export type SignedIn = {
  account: Account;
  token: string;
  message?: string;
  device?: string;
};

export type SpeedUnit = "auto" | "pace" | "kmh" | "ms";

export type Split = {
  distance: number;
  elapsed: number;
};

export type SubscribedHeatmapUpdate = {
  topic: string;
  snapshot: HeatmapUpdate;
};

export type SubscribedLiveGroupSnapshot = {
  topic: string;
  snapshot: LiveGroupSnapshot;
};

export type SubscribedPeopleUpdate = {
  topic: string;
  snapshot: PeopleUpdate;
};

export type SubscribedSessionSnapshot = {
  topic: string;
  snapshot: SessionSnapshot;
};

export type SubscribedShareSnapshot = {
  topic: string;
  snapshot: ShareSnapshot;
};

export type SubscribedTopic = {
  topic: string;
};

export type SubscribedZoneSnapshot = {
  topic: string;
  snapshot: ZoneSnapshot;
};

export type SuitablePlace = {
  destination: string;
  name: string;
  metres: number;
  open?: boolean;
};

export type TestPublication = {
  type: string;
  id: string;
  data: string;
};

export type Theme = "system" | "light" | "dark";

export type Timestamp = string;

export type TopicClosed = {
  type: string;
  reason: string;
};

export type TopicHistoryNoticeEventResult = {
  topic: string;
  epoch: number;
  publications: PublicationNoticeEvent[];
  next?: number;
};

export type TopicPosition = {
  epoch: LogEpoch;
  offset: LogOffset;
};

export type TrackPoint = {
  seq: number;
  lat: number;
  lon: number;
  time: Timestamp;
  accuracy?: number;
  altitude?: number;
  speed?: number;
  heading?: number;
};

export type TrackingCurrentResult = {
  sessions: Session[];
};

export type TrackingDeleteResult = {
  deleted: number;
};

export type TrackingHistoryResult = {
  sessions: Session[];
  next?: string;
};

export type TrackingLinkLink = {
  id: number;
  token: string;
  path: string;
  expiresAt: Timestamp;
};

export type TrackingLinkResult = {
  link: TrackingLinkLink;
};

export type TrackingLinksLink = {
  id: number;
  createdAt: Timestamp;
  expiresAt: Timestamp;
};

export type TrackingLinksResult = {
  links: TrackingLinksLink[];
};

export type TrackingPointsRemark = {
  seq: number;
  reason: string;
};

export type TrackingPointsResult = {
  stored: number;
  duplicates: number;
  refused: TrackingPointsRemark[];
  notCounted: TrackingPointsRemark[];
  session: Session;
};

export type TrackingSessionResult = {
  session: Session;
  route: LatLon[][];
  notCounted: Record<string, number>;
  hidden?: LatLon[][];
  splits?: Split[];
};

export type Training = {
  id: string;
  workout?: string;
  together?: string;
  plan: WorkoutPlan;
  state: TrainingState;
  startedAt: Timestamp;
  endedAt?: Timestamp;
  pauses: TrainingPause[];
  activeSeconds: number;
  sets: TrainingSet[];
  note?: string;
  pulse?: PulseSummary;
  calories?: Calories;
  device: string;
  generation: Revision;
  exercises: Exercise[];
};

export type TrainingPage = {
  trainings: TrainingSummary[];
  hasMore: boolean;
};

export type TrainingPause = {
  from: Timestamp;
  until?: Timestamp;
};

export type TrainingPhase = "warmUp" | "exercise" | "rest" | "paused" | "coolDown" | "finished";

export type TrainingPosition = {
  phase: TrainingPhase;
  exercise?: string;
  set?: Count;
  sets?: Count;
  setsDone: Count;
  setsTotal: Count;
  restEndsAt?: Timestamp;
  zone?: Count;
};

export type TrainingProgress = {
  state: TrainingState;
  generation: Revision;
  sets: TrainingSet[];
};

export type TrainingSet = {
  id: string;
  entry: string;
  position: Count;
  state: SetState;
  values: PlannedSet;
  at: Timestamp;
};

export type TrainingState = "active" | "paused" | "finished";

export type TrainingSummary = {
  id: string;
  workout?: string;
  title: string;
  type: ExerciseType;
  state: TrainingState;
  startedAt: Timestamp;
  endedAt?: Timestamp;
  activeSeconds: number;
  setsDone: number;
  reps: number;
  gross?: number;
  net?: number;
  note?: string;
};

export type TrainingsOpen = {
  trainings: Training[];
};

export type TutorialState = "new" | "seen";

export type UpcomingEvent = {
  title: string;
  startsAt: Timestamp;
  event?: number;
  workout?: string;
};

export type UserSignal = {
  type: UserSignalKind;
  conversation?: number;
  offset?: number;
  message?: LastMessage;
  event?: number;
  news?: EventNews;
  share?: number;
  request?: number;
  training?: string;
  group?: string;
  workout?: string;
};

export type UserSignalKind = "message"
  | "conversation"
  | "gone"
  | "read"
  | "report"
  | "event"
  | "goal"
  | "notices"
  | "share"
  | "where"
  | "privacy"
  | "account"
  | "settings"
  | "training"
  | "workout"
  | "group"
  | "resync";

export type VideoLink = {
  title: string;
  url: string;
  section?: SectionKind;
};

export type VisitedPlace = {
  place: LocationPlace;
  lat: number;
  lon: number;
  visits: number;
  lastDay: string;
};

export type VisitsMostResult = {
  places: VisitedPlace[];
};

export type Walk = {
  walk: string;
  topic: string;
  route?: RouteInfo;
  message?: string;
  version: number;
};

export type Welcome = {
  user: AdminUser;
  path: string;
  expiresAt: Timestamp;
};

export type WheelchairAccess = "yes" | "limited" | "no";

export type WhereRequest = {
  id: number;
  from: SharingPerson;
  to: SharingPerson;
  state: WhereRequestState;
  at: Timestamp;
  expiresAt: Timestamp;
};

export type WhereRequestState = "open" | "answered" | "read" | "declined" | "expired";

export type Workout = {
  id: string;
  revision: Revision;
  plan: WorkoutPlan;
  status: WorkoutStatus;
  training?: string;
  from?: string;
  scheduledAt?: Timestamp;
  event?: number;
  createdAt: Timestamp;
  changedAt: Timestamp;
  lastTrainedAt?: Timestamp;
  exercises: Exercise[];
};

export type WorkoutEntry = {
  id: string;
  exercise: string;
  sets: PlannedSet[];
  restSeconds: Count;
  note?: string;
};

export type WorkoutFilter = "all" | "notStarted" | "inProgress" | "completed" | "buddies";

export type WorkoutGroup = {
  entries: WorkoutEntry[];
};

export type WorkoutIntensity = "light" | "moderate" | "vigorous";

export type WorkoutPage = {
  workouts: WorkoutSummary[];
  next?: Timestamp;
};

export type WorkoutPlace = "anywhere" | "home" | "gym" | "outdoors" | "pool" | "track";

export type WorkoutPlan = {
  title: string;
  description?: string;
  type: ExerciseType;
  intensity: WorkoutIntensity;
  minutes: Count;
  place: WorkoutPlace;
  destination?: string;
  destinationName?: string;
  equipment: Equipment[];
  tags: string[];
  sections: WorkoutSection[];
  videos: VideoLink[];
};

export type WorkoutSection = {
  kind: SectionKind;
  groups: WorkoutGroup[];
};

export type WorkoutStatus = "notStarted" | "inProgress" | "completed";

export type WorkoutSummary = {
  id: string;
  title: string;
  type: ExerciseType;
  intensity: WorkoutIntensity;
  minutes: number;
  place: WorkoutPlace;
  equipment: Equipment[];
  tags: string[];
  exercises: number;
  sets: number;
  status: WorkoutStatus;
  training?: string;
  from?: string;
  scheduledAt?: Timestamp;
  lastTrainedAt?: Timestamp;
};

export type WorkoutsShared = {
  isNew: boolean;
};

export type ZoneInfo = {
  id: number;
  ref: string;
  name: string;
  residence?: boolean;
};

export type ZoneParams = {
  zone: ObjectID;
};

export type ZoneShape = {
  type: string;
  coordinates: Quantity[][][];
};

export type ZoneSnapshot = {
  serverTime: Timestamp;
  runners: Runner[];
  trails: Record<string, LatLon[]>;
};

export type ZoneUpdate = {
  type: string;
  serverTime: Timestamp;
  runners: Runner[];
  left: ZoneUpdateLeft[];
  full?: boolean;
};

export type ZoneUpdateLeft = {
  session: number;
  reason: ZoneUpdateLeftReason;
  to?: number;
};

export type ZoneUpdateLeftReason = "zone" | "finished" | "hidden";

export type Methods = {
  /**
   * Identifies the client. It must be the first request of a connection.
   */
  "hello": {
    params: {
      token?: string;
      client?: HelloParamsClient;
      rotates?: boolean;
      protocolVersion?: Count;
    };
    result: HelloResult;
  };
  /**
   * Returns the server's clock, so that a client can check a silent connection.
   */
  "ping": {
    params: {};
    result: PingResult;
  };
  /**
   * Returns what the server is, for programs and for the page About.
   */
  "server.info": {
    params: {};
    result: ServerInfoResult;
  };
  /**
   * Creates an account and signs in.
   */
  "account.register": {
    params: {
      username?: string;
      email?: string;
      password?: string;
      simulationKey?: string;
      device?: string;
    };
    result: SignedIn;
  };
  /**
   * Signs in.
   */
  "account.login": {
    params: {
      email?: string;
      password?: string;
      device?: string;
    };
    result: SignedIn;
  };
  /**
   * Returns the caller's account.
   */
  "account.me": {
    params: {};
    result: OwnAccount;
  };
  /**
   * Lists the devices on which the caller is signed in.
   */
  "account.devices": {
    params: {};
    result: AccountDevicesResult;
  };
  /**
   * Signs out this device or another device of the caller.
   */
  "account.logout": {
    params: {
      device?: ObjectID;
    };
    result: Revoked;
  };
  /**
   * Signs out all devices and erases the account's last known location.
   */
  "account.logoutEverywhere": {
    params: {};
    result: Revoked;
  };
  /**
   * Replaces the caller's password. Signs out all other devices and revokes grants.
   */
  "account.changePassword": {
    params: {
      password: string;
      newPassword: string;
    };
    result: Revoked;
  };
  /**
   * Mails a link to reset the password, if the address has an account. The answer is the same for every address.
   */
  "account.requestReset": {
    params: {
      email?: string;
    };
    result: Empty;
  };
  /**
   * Sets a new password by a link that was mailed. Signs out all devices, revokes grants, and does not sign in.
   */
  "account.reset": {
    params: {
      token: string;
      password?: string;
    };
    result: Revoked;
  };
  /**
   * Mails another code and link to confirm the address that waits for it, or that of the account.
   */
  "account.sendConfirmation": {
    params: {};
    result: OwnAccount;
  };
  /**
   * Confirms an address by the code or the link of the latest mail to it.
   */
  "account.confirmEmail": {
    params: {
      code?: string;
      token?: string;
    };
    result: OwnAccount;
  };
  /**
   * Mails a code and a link to another address. It replaces the caller's when it is confirmed; one that is not
   * confirmed yet, at once.
   */
  "account.changeEmail": {
    params: {
      email: string;
      password: string;
    };
    result: OwnAccount;
  };
  /**
   * Signs in by a provider of OpenID Connect, or says what the person has to do first; then the ticket stays valid
   * for it.
   */
  "account.finishOpenID": {
    params: {
      ticket: string;
      secret: string;
      device?: string;
    };
    result: AccountFinishOpenIDResult;
  };
  /**
   * Creates an account without a password for an identity at a provider, and signs in.
   */
  "account.registerOpenID": {
    params: {
      ticket: string;
      secret: string;
      username?: string;
      email?: string;
      device?: string;
    };
    result: SignedIn;
  };
  /**
   * Lists the server's providers of OpenID Connect, and which of them sign in to the caller's account.
   */
  "account.providers": {
    params: {};
    result: AccountProvidersResult;
  };
  /**
   * Connects an identity at a provider with the caller's account, to which it then signs in.
   */
  "account.connectOpenID": {
    params: {
      ticket: string;
      secret: string;
      password?: string;
    };
    result: AccountProvidersResult;
  };
  /**
   * Disconnects the identity at a provider from the caller's account, and logs out the account's other devices.
   */
  "account.disconnectOpenID": {
    params: {
      provider: string;
      password?: string;
    };
    result: AccountProvidersResult;
  };
  /**
   * Lists the caller's passkeys.
   */
  "account.passkeys": {
    params: {};
    result: AccountPasskeysResult;
  };
  /**
   * Returns what a browser needs to make a passkey for the caller.
   */
  "account.beginPasskey": {
    params: {
      proof: OwnershipProof;
    };
    result: AccountBeginPasskeyResult;
  };
  /**
   * Adds a passkey that a browser has made, and mails the owner. An admin without recovery codes gets some.
   */
  "account.addPasskey": {
    params: {
      name: string;
      clientDataJSON: string;
      authenticatorData: string;
    };
    result: AccountAddPasskeyResult;
  };
  /**
   * Names a passkey of the caller.
   */
  "account.renamePasskey": {
    params: {
      passkey: ObjectID;
      name: string;
    };
    result: AccountRenamePasskeyResult;
  };
  /**
   * Removes a passkey of the caller, and mails the owner.
   */
  "account.removePasskey": {
    params: {
      passkey: ObjectID;
      proof: OwnershipProof;
    };
    result: Empty;
  };
  /**
   * Returns a challenge, by whose answer the caller proves to own the account.
   */
  "account.beginPasskeyProof": {
    params: {};
    result: PasskeyChallenge;
  };
  /**
   * Returns a challenge to sign in with a passkey.
   */
  "account.beginPasskeyLogin": {
    params: {};
    result: PasskeyChallenge;
  };
  /**
   * Signs in with a passkey. It needs no second factor.
   */
  "account.passkeyLogin": {
    params: {
      passkey: PasskeySignature;
      device?: string;
    };
    result: SignedIn;
  };
  /**
   * Returns which second factors the caller has. Their passkeys have a method of their own.
   */
  "account.secondFactors": {
    params: {};
    result: AccountSecondFactorsResult;
  };
  /**
   * Makes a secret for the caller's authenticator app. It is a second factor once a code of it is entered.
   */
  "account.beginTOTP": {
    params: {
      proof: OwnershipProof;
    };
    result: AccountBeginTOTPResult;
  };
  /**
   * Turns the caller's authenticator app on by a code of it, makes recovery codes, and mails the owner.
   */
  "account.confirmTOTP": {
    params: {
      code: string;
    };
    result: RecoveryCodes;
  };
  /**
   * Turns the caller's authenticator app off, and mails the owner.
   */
  "account.removeTOTP": {
    params: {
      proof: OwnershipProof;
    };
    result: Empty;
  };
  /**
   * Replaces the caller's recovery codes, and mails the owner.
   */
  "account.makeRecoveryCodes": {
    params: {
      proof: OwnershipProof;
    };
    result: RecoveryCodes;
  };
  /**
   * Completes a sign-in that answered `secondFactorRequired`, by one of the account's second factors.
   */
  "account.secondFactor": {
    params: {
      ticket: string;
      code?: string;
      recoveryCode?: string;
      passkey?: PasskeySignature;
      device?: string;
    };
    result: SignedIn;
  };
  /**
   * Returns the caller's profile, and the interests to choose from.
   */
  "account.profile": {
    params: {};
    result: AccountProfileGetResult;
  };
  /**
   * Changes the given parts of the caller's profile. The last change of each part holds.
   */
  "account.updateProfile": {
    params: {
      username?: string;
      firstName?: string;
      lastName?: string;
      picture?: string;
      removePicture?: boolean;
      degree?: string;
      interests?: string[];
      home?: HomeLocation;
      removeHome?: boolean;
    };
    result: AccountProfile;
  };
  /**
   * Returns the caller's settings, which apply on all devices.
   */
  "account.settings": {
    params: {};
    result: AccountSettings;
  };
  /**
   * Changes the given settings on all devices. Switching the location off ends all shares, pauses running sessions
   * and forgets the reported location.
   */
  "account.saveSettings": {
    params: {
      theme?: Theme;
      units?: SpeedUnit;
      audience?: Audience;
      location?: boolean;
      tutorial?: TutorialState;
      base?: SettingVersions;
    };
    result: AccountSettings;
  };
  /**
   * Returns the description of the campus.
   */
  "campus.info": {
    params: {};
    result: CampusInfo;
  };
  /**
   * Returns the zone that contains a position.
   */
  "campus.locate": {
    params: {
      lat: Latitude;
      lon: Longitude;
    };
    result: CampusLocateResult;
  };
  /**
   * Starts a session.
   */
  "tracking.start": {
    params: {
      activity: Activity;
      clientId: string;
      title?: string;
      audience?: Audience;
      startedAt?: Timestamp;
      clock?: SessionClock;
    };
    result: SessionReply;
  };
  /**
   * Stores points of a session.
   */
  "tracking.points": {
    params: {
      session: ObjectID;
      points: TrackPoint[];
    };
    result: TrackingPointsResult;
  };
  /**
   * Pauses a session.
   */
  "tracking.pause": {
    params: {
      session: ObjectID;
      at?: Timestamp;
    };
    result: SessionReply;
  };
  /**
   * Resumes a session.
   */
  "tracking.resume": {
    params: {
      session: ObjectID;
      at?: Timestamp;
    };
    result: SessionReply;
  };
  /**
   * Finishes a session.
   */
  "tracking.stop": {
    params: {
      session: ObjectID;
      at?: Timestamp;
    };
    result: SessionReply;
  };
  /**
   * Lists the caller's sessions that are not finished.
   */
  "tracking.current": {
    params: {};
    result: TrackingCurrentResult;
  };
  /**
   * Lists the caller's finished sessions.
   */
  "tracking.history": {
    params: {
      limit?: Count;
      before?: string;
    };
    result: TrackingHistoryResult;
  };
  /**
   * Returns a session with its route.
   */
  "tracking.session": {
    params: {
      session: ObjectID;
      share?: string;
    };
    result: TrackingSessionResult;
  };
  /**
   * Changes the title of a running or finished session.
   */
  "tracking.rename": {
    params: {
      session: ObjectID;
      title: string;
    };
    result: SessionReply;
  };
  /**
   * Deletes a session with its points, pauses and links permanently.
   */
  "tracking.delete": {
    params: {
      session: ObjectID;
    };
    result: TrackingDeleteResult;
  };
  /**
   * Changes the audience of a session.
   */
  "tracking.audience": {
    params: {
      session: ObjectID;
      audience: Audience;
    };
    result: SessionReply;
  };
  /**
   * Creates a link that opens a session without an account.
   */
  "tracking.link": {
    params: {
      session: ObjectID;
      expiresIn?: Seconds;
    };
    result: TrackingLinkResult;
  };
  /**
   * Lists the valid links of a session.
   */
  "tracking.links": {
    params: {
      session: ObjectID;
    };
    result: TrackingLinksResult;
  };
  /**
   * Revokes a link and closes the subscriptions that use it.
   */
  "tracking.unlink": {
    params: {
      session: ObjectID;
      link: ObjectID;
    };
    result: Revoked;
  };
  /**
   * Subscribes to a topic. The topic determines the type of the reply.
   */
  "subscribe": {
    params: {
      topic: string;
      share?: string;
      since?: TopicPosition;
    };
    result: Replies[keyof Replies];
  };
  /**
   * Ends a subscription.
   */
  "unsubscribe": {
    params: {
      topic: string;
    };
    result: SubscribedTopic;
  };
  /**
   * Sets the viewport of the connection. The runners of its cells follow as pushes. After moving the map, a client
   * sends the request again and gets only the cells that entered the viewport. Each connection has one viewport.
   */
  "positions.view": {
    params: {
      box?: Quantity[];
      zoom?: Quantity;
      encoding?: PositionEncoding;
    };
    result: PositionsViewResult;
  };
  /**
   * Returns the stored publications of a reliable topic, newest first.
   */
  "topic.history": {
    params: {
      topic: string;
      before?: LogOffset;
      limit?: Count;
    };
    result: TopicHistoryNoticeEventResult;
  };
  /**
   * Publishes a message for measurements, on servers with test endpoints. Guests may call it.
   */
  "test.publish": {
    params: {
      topic: string;
      id: string;
      data: string;
    };
    result: Published;
  };
  /**
   * Returns the approximate number of people along a route.
   */
  "heatmap.along": {
    params: {
      route: LatLon[];
    };
    result: HeatmapAlongResult;
  };
  /**
   * Lists the caller's conversations, newest first; at most 500.
   */
  "chat.list": {
    params: {};
    result: ChatListResult;
  };
  /**
   * Returns one conversation with its members. Opening it clears its `new` mark.
   */
  "chat.conversation": {
    params: {
      conversation: ObjectID;
      opens?: boolean;
    };
    result: ChatConversationResult;
  };
  /**
   * Returns messages and group events in their present state, newest first.
   */
  "chat.history": {
    params: {
      conversation: ObjectID;
      before?: LogOffset;
      limit?: Count;
    };
    result: ChatHistoryResult;
  };
  /**
   * Returns messages that contain all given words, in the caller's conversations, newest first.
   */
  "chat.search": {
    params: {
      text: string;
      conversation?: ObjectID;
      before?: Timestamp;
      limit?: Count;
    };
    result: ChatSearchResult;
  };
  /**
   * Sends a message. The server replies after it has committed the message. A repeated request with the same `id`
   * has no further effect.
   */
  "chat.send": {
    params: {
      conversation: ObjectID;
      id: string;
      text?: string;
      picture?: string;
      reply?: LogOffset;
    };
    result: ChatPosition;
  };
  /**
   * Changes the text of a message of the caller. Allowed for 24 hours after the message was sent.
   */
  "chat.edit": {
    params: {
      conversation: ObjectID;
      message: LogOffset;
      text: string;
    };
    result: ChatPosition;
  };
  /**
   * Deletes a message for all members. The caller is its author, or an admin or the owner of the group.
   */
  "chat.delete": {
    params: {
      conversation: ObjectID;
      message: LogOffset;
    };
    result: ChatPosition;
  };
  /**
   * Adds or withdraws a reaction to a message.
   */
  "chat.react": {
    params: {
      conversation: ObjectID;
      message: LogOffset;
      emoji: Reaction;
      on: boolean;
    };
    result: ChatPosition;
  };
  /**
   * Records that the person has read the conversation up to an offset.
   */
  "chat.read": {
    params: {
      conversation: ObjectID;
      offset: LogOffset;
    };
    result: ReceiptParams;
  };
  /**
   * Records that the device has received the conversation up to an offset.
   */
  "chat.delivered": {
    params: {
      conversation: ObjectID;
      offset: LogOffset;
    };
    result: ReceiptParams;
  };
  /**
   * Notifies the members who have the conversation open that the caller is writing. The server publishes at most
   * one such notification every 2 s.
   */
  "chat.typing": {
    params: {
      conversation: ObjectID;
    };
    result: Empty;
  };
  /**
   * Mutes a conversation for the caller. Other members are not notified.
   */
  "chat.mute": {
    params: {
      conversation: ObjectID;
      seconds?: Seconds;
    };
    result: ChatMuteResult;
  };
  /**
   * Returns the caller's settings.
   */
  "chat.settings": {
    params: {};
    result: ChatSettings;
  };
  /**
   * Saves the caller's settings.
   */
  "chat.saveSettings": {
    params: {
      read: boolean;
      delivered: boolean;
      typing: boolean;
    };
    result: ChatSettings;
  };
  /**
   * Creates a group that the caller owns. A repeated request with the same `id` has no further effect.
   */
  "group.create": {
    params: {
      id: string;
      name: string;
      purpose?: GroupPurpose;
      invite?: ObjectID[];
    };
    result: ConversationParams;
  };
  /**
   * Renames the group. The caller is its owner or an admin.
   */
  "group.rename": {
    params: {
      conversation: ObjectID;
      name: string;
    };
    result: ChatPosition;
  };
  /**
   * Invites buddies of the caller. The caller is the owner or an admin of the group.
   */
  "group.invite": {
    params: {
      conversation: ObjectID;
      accounts: ObjectID[];
    };
    result: GroupInviteResult;
  };
  /**
   * Accepts or declines an invitation. A member does not see messages from before joining.
   */
  "group.answer": {
    params: {
      conversation: ObjectID;
      accept: boolean;
    };
    result: ConversationParams;
  };
  /**
   * Leaves the group. If the owner leaves, the admin of longest standing becomes the owner, or without an admin
   * the member of longest standing.
   */
  "group.leave": {
    params: {
      conversation: ObjectID;
    };
    result: ConversationParams;
  };
  /**
   * Removes a member or withdraws an invitation. The caller is the owner or an admin; only the owner can remove an
   * admin.
   */
  "group.remove": {
    params: {
      conversation: ObjectID;
      account: ObjectID;
    };
    result: ChatPosition;
  };
  /**
   * Changes the role of a member. The caller is the owner. Transferring ownership makes the caller an admin.
   */
  "group.role": {
    params: {
      conversation: ObjectID;
      account: ObjectID;
      role: MemberRole;
    };
    result: ChatPosition;
  };
  /**
   * Returns the caller's profile.
   */
  "profile.get": {
    params: {};
    result: ProfileGetResult;
  };
  /**
   * Saves the caller's profile.
   */
  "profile.save": {
    params: {
      firstName: string;
      lastName: string;
      birthday: string;
      gender: Gender;
    };
    result: ProfileGetResult;
  };
  /**
   * Returns the rules and the lists to choose from.
   */
  "buddies.options": {
    params: {};
    result: BuddiesOptionsResult;
  };
  /**
   * Records the caller's agreement to the rules.
   */
  "buddies.agree": {
    params: {
      version: Revision;
    };
    result: BuddiesAgreeParams;
  };
  /**
   * Returns the caller's buddy profile.
   */
  "buddies.me": {
    params: {};
    result: BuddiesMeResult;
  };
  /**
   * Saves the caller's buddy profile. Requires `profile.save` and `buddies.agree` first.
   */
  "buddies.save": {
    params: {
      active: boolean;
      preferredGender: GenderPreference;
      genderOnly: boolean;
      showsAge: boolean;
      description: string;
      picture?: string;
      times: string[];
      goals: string[];
      strengths: string[];
      styles: string[];
      places: string[];
      traits: string[];
      desiredTraits: string[];
      desiredStyles: string[];
    };
    result: BuddiesMeResult;
  };
  /**
   * Returns suggestions, best first.
   */
  "buddies.deck": {
    params: {
      limit?: Count;
    };
    result: BuddiesSuggestionsResult;
  };
  /**
   * Accepts or passes a suggested person. Idempotent.
   */
  "buddies.decide": {
    params: {
      account: ObjectID;
      accept: boolean;
    };
    result: BuddiesDecideResult;
  };
  /**
   * Returns the card of a buddy or of a person suggested to the caller.
   */
  "buddies.card": {
    params: {
      account: ObjectID;
    };
    result: BuddiesCardResult;
  };
  /**
   * Lists the caller's buddies. Their conversations are in `chat.list`.
   */
  "buddies.list": {
    params: {};
    result: BuddiesListResult;
  };
  /**
   * Ends the match for both people and closes their conversation.
   */
  "buddies.remove": {
    params: {
      account: ObjectID;
    };
    result: AccountParams;
  };
  /**
   * Returns names and pictures of the caller, buddies and members of shared conversations, so that a client can
   * show the same name of a person everywhere.
   */
  "people.known": {
    params: {};
    result: PeopleKnownResult;
  };
  /**
   * Blocks an account in both directions, on all streams, from the time of the reply. It ends the match and the
   * conversation of the two people. The caller can block only accounts that it can know.
   */
  "safety.block": {
    params: {
      account: ObjectID;
    };
    result: AccountParams;
  };
  /**
   * Removes a block. The match is not restored.
   */
  "safety.unblock": {
    params: {
      account: ObjectID;
    };
    result: AccountParams;
  };
  /**
   * Lists the accounts that the caller blocked. Accounts that block the caller are not disclosed.
   */
  "safety.blocked": {
    params: {};
    result: SafetyBlockedResult;
  };
  /**
   * Reports an account to the admins. The reported person is not notified, and nothing else changes.
   */
  "safety.report": {
    params: {
      id: string;
      account: ObjectID;
      reason: ReportReason;
      note?: string;
      conversation?: ObjectID;
      messages?: LogOffset[];
      event?: ObjectID;
    };
    result: SafetyReportResult;
  };
  /**
   * Lists reports, for admins.
   */
  "reports.list": {
    params: {
      closed?: boolean;
      before?: ObjectID;
      limit?: Count;
    };
    result: ReportsListResult;
  };
  /**
   * Closes a report, for admins.
   */
  "reports.close": {
    params: {
      report: ObjectID;
      resolution: string;
    };
    result: ReportsCloseResult;
  };
  /**
   * Returns the kinds of workouts with their display colours.
   */
  "events.options": {
    params: {};
    result: EventsOptionsResult;
  };
  /**
   * Creates a draft or a published event. A repeated request with the same `id` has no further effect.
   */
  "events.create": {
    params: {
      id: string;
      audience: EventAudience;
      details: EventDetails;
      publish: boolean;
    };
    result: Event;
  };
  /**
   * Publishes a draft.
   */
  "events.publish": {
    params: {
      event: ObjectID;
    };
    result: Event;
  };
  /**
   * Replaces the details of an event and notifies everybody concerned.
   */
  "events.update": {
    params: {
      event: ObjectID;
      revision: Revision;
      details: EventDetails;
    };
    result: Event;
  };
  /**
   * Cancels an event and notifies everybody concerned. A cancelled event stays in lists.
   */
  "events.cancel": {
    params: {
      event: ObjectID;
      reason?: string;
    };
    result: Event;
  };
  /**
   * Deletes a draft.
   */
  "events.delete": {
    params: {
      event: ObjectID;
    };
    result: EventParams;
  };
  /**
   * Returns one event.
   */
  "events.get": {
    params: {
      event: ObjectID;
    };
    result: Event;
  };
  /**
   * Lists events, ordered by start time.
   */
  "events.list": {
    params: {
      which?: EventsListWhich;
      from?: Timestamp;
      to?: Timestamp;
      zone?: ObjectID;
      workout?: string;
      text?: string;
      near?: EventCircle;
      after?: EventCursor;
      limit?: Count;
    };
    result: EventsListResult;
  };
  /**
   * Suggests events that the caller has neither answered nor created.
   */
  "events.suggested": {
    params: {
      limit?: Count;
    };
    result: EventsSuggestedResult;
  };
  /**
   * Creates the secret address of the caller's calendar. A previous address stops working immediately.
   */
  "events.calendar": {
    params: {
      make?: boolean;
    };
    result: EventsCalendarResult;
  };
  /**
   * Revokes the address of the caller's calendar. Idempotent.
   */
  "events.calendarOff": {
    params: {};
    result: EventsCalendarOffResult;
  };
  /**
   * Records whether the caller comes. A full event has a waiting list; people move up automatically.
   */
  "events.answer": {
    params: {
      event: ObjectID;
      answer?: EventAnswer;
    };
    result: Event;
  };
  /**
   * Adds an event to the caller's saved events or removes it.
   */
  "events.save": {
    params: {
      event: ObjectID;
      saved: boolean;
    };
    result: Event;
  };
  /**
   * Invites buddies and members of the caller's groups to an event of the caller.
   */
  "events.invite": {
    params: {
      event: ObjectID;
      accounts?: ObjectID[];
      groups?: ObjectID[];
    };
    result: EventsInviteResult;
  };
  /**
   * Lists the people of an event, for callers who may see the event. The owner of the event sees everybody; others
   * see their buddies.
   */
  "events.people": {
    params: {
      event: ObjectID;
    };
    result: EventsPeopleResult;
  };
  /**
   * Returns this month's goal and progress.
   */
  "goals.get": {
    params: {
      timeZone?: string;
    };
    result: Goal;
  };
  /**
   * Sets the goal of this and later months.
   */
  "goals.save": {
    params: {
      kilometres: Quantity;
      timeZone?: string;
    };
    result: Goal;
  };
  /**
   * Resets this month's progress to 0. Sessions stay in the history.
   */
  "goals.reset": {
    params: {
      timeZone?: string;
      at?: Timestamp;
    };
    result: Goal;
  };
  /**
   * Publishes a notice to the campus, a zone, a role, the people of an event or one account, immediately or at a
   * later time. A repeated request with the same `id` has no further effect.
   */
  "notices.publish": {
    params: {
      id: string;
      audience: NoticeAudience;
      title: string;
      body?: string;
      level?: NoticeLevel;
      publishAt?: Timestamp;
      expiresAt?: Timestamp;
    };
    result: SentNotice;
  };
  /**
   * Returns the approximate number of accounts in an audience.
   */
  "notices.preview": {
    params: {
      audience: NoticeAudience;
    };
    result: NoticesPreviewResult;
  };
  /**
   * Replaces the text of a notice for all recipients.
   */
  "notices.correct": {
    params: {
      notice: ObjectID;
      revision: Revision;
      title: string;
      body?: string;
      level?: NoticeLevel;
      expiresAt?: Timestamp;
    };
    result: SentNotice;
  };
  /**
   * Withdraws a notice from all recipients. Idempotent.
   */
  "notices.withdraw": {
    params: {
      notice: ObjectID;
    };
    result: SentNotice;
  };
  /**
   * Returns a notice with the numbers of its recipients.
   */
  "notices.status": {
    params: {
      notice: ObjectID;
    };
    result: SentNotice;
  };
  /**
   * Lists the notices that the caller sent, or for an admin all notices, newest first.
   */
  "notices.sent": {
    params: {
      before?: ObjectID;
      limit?: Count;
    };
    result: NoticesSentResult;
  };
  /**
   * Lists the caller's notices in force, newest first. It omits notices that the server withholds while the caller
   * is not to be disturbed.
   */
  "notices.list": {
    params: {
      before?: ObjectID;
      limit?: Count;
      unread?: boolean;
    };
    result: NoticesListResult;
  };
  /**
   * Records that a device of the caller has received notices. Idempotent; ignores notices for other accounts.
   */
  "notices.received": {
    params: {
      notices: ObjectID[];
    };
    result: Empty;
  };
  /**
   * Records that the caller has read notices. Idempotent; ignores notices for other accounts.
   */
  "notices.read": {
    params: {
      notices: ObjectID[];
    };
    result: NoticesReadResult;
  };
  /**
   * Returns the caller's quiet hours and followed zones.
   */
  "notices.settings": {
    params: {};
    result: NoticeSettings;
  };
  /**
   * Replaces the caller's settings.
   */
  "notices.saveSettings": {
    params: {
      quietHours?: QuietHours;
      zones: ObjectID[];
    };
    result: NoticeSettings;
  };
  /**
   * Lists accounts, newest first.
   */
  "admin.users": {
    params: {
      text?: string;
      role?: Role;
      state?: AccountState;
      before?: ObjectID;
      limit?: Count;
    };
    result: AdminUsersResult;
  };
  /**
   * Returns counts about one account. It returns no content or location of the person.
   */
  "admin.user": {
    params: {
      account: ObjectID;
    };
    result: AdminUserGetResult;
  };
  /**
   * Creates an account without a password. The person gets a mail with the link for setting one.
   */
  "admin.addUser": {
    params: {
      username: string;
      email: string;
      role: Role;
      password?: string;
    };
    result: Welcome;
  };
  /**
   * Issues another link for an account whose first password is not set. The previous link stops working.
   */
  "admin.welcomeUser": {
    params: {
      account: ObjectID;
      password?: string;
    };
    result: Welcome;
  };
  /**
   * Sets the first password of an account that an admin created, and signs in.
   */
  "account.accept": {
    params: {
      token: string;
      password?: string;
      device?: string;
    };
    result: SignedIn;
  };
  /**
   * Changes the given members. The account is signed out everywhere, so that the change takes effect immediately.
   */
  "admin.editUser": {
    params: {
      account: ObjectID;
      username?: string;
      email?: string;
      role?: Role;
      password?: string;
    };
    result: AdminUser;
  };
  /**
   * Signs the account out everywhere and prevents it from signing in. Idempotent.
   */
  "admin.disableUser": {
    params: {
      account: ObjectID;
      reason: string;
      password?: string;
    };
    result: AdminUser;
  };
  /**
   * Permits a disabled account to sign in again. Idempotent.
   */
  "admin.enableUser": {
    params: {
      account: ObjectID;
    };
    result: AdminUser;
  };
  /**
   * Revokes the tokens of all devices of the account.
   */
  "admin.signOutUser": {
    params: {
      account: ObjectID;
    };
    result: Revoked;
  };
  /**
   * Mails the owner of the account a link to set a new password. Until it is used, nothing changes.
   */
  "admin.sendReset": {
    params: {
      account: ObjectID;
    };
    result: AccountParams;
  };
  /**
   * Removes the passkeys, the authenticator app and the recovery codes of an account, signs it out, and mails its
   * owner.
   */
  "admin.resetSecondFactor": {
    params: {
      account: ObjectID;
      password: string;
    };
    result: AdminUser;
  };
  /**
   * Deletes the account and its data permanently.
   */
  "admin.deleteUser": {
    params: {
      account: ObjectID;
      username: string;
      password: string;
    };
    result: AccountParams;
  };
  /**
   * Returns measurements of the node that answers. The node computes them at most once a second.
   */
  "admin.figures": {
    params: {};
    result: AdminFigures;
  };
  /**
   * Lists the audit log, newest first.
   */
  "admin.audit": {
    params: {
      account?: ObjectID;
      action?: string;
      before?: ObjectID;
      limit?: Count;
    };
    result: AdminAuditResult;
  };
  /**
   * Lists named places, ordered by name.
   */
  "places.list": {
    params: {
      text?: string;
      zone?: ObjectID;
      limit?: Count;
    };
    result: PlacesListResult;
  };
  /**
   * Creates or changes a place. Later imports do not modify it.
   */
  "admin.savePlace": {
    params: {
      place?: ObjectID;
      id?: string;
      name: string;
      class: string;
      lat: Latitude;
      lon: Longitude;
      details?: string;
    };
    result: Place;
  };
  /**
   * Removes a place from the map. Later imports do not restore it.
   */
  "admin.deletePlace": {
    params: {
      place: ObjectID;
    };
    result: PlaceParams;
  };
  /**
   * Creates or changes a zone. Later imports do not modify it.
   */
  "admin.saveZone": {
    params: {
      zone?: ObjectID;
      ref?: string;
      name: string;
      polygon?: ZoneShape;
      residence?: boolean;
    };
    result: ZoneInfo;
  };
  /**
   * Removes a zone. Later imports do not restore it.
   */
  "admin.deleteZone": {
    params: {
      zone: ObjectID;
    };
    result: ZoneParams;
  };
  /**
   * Finds buildings, rooms, places and zones while somebody types.
   */
  "search.find": {
    params: {
      text: string;
      kinds?: DestinationKind[];
      class?: string;
      openNow?: boolean;
      stepFree?: boolean;
      zone?: ObjectID;
      lat?: Latitude;
      lon?: Longitude;
      limit?: Count;
    };
    result: SearchFindResult;
  };
  /**
   * Returns everything that is known of a destination.
   */
  "places.page": {
    params: {
      destination: string;
    };
    result: DestinationPage;
  };
  /**
   * Lists places by their walking time from a position.
   */
  "places.nearby": {
    params: {
      lat: Latitude;
      lon: Longitude;
      level?: string;
      class?: string;
      openNow?: boolean;
      stepFree?: boolean;
      limit?: Count;
    };
    result: PlacesNearbyResult;
  };
  /**
   * Changes the page of a place that the caller manages. Admins change all. Later imports do not modify it.
   */
  "places.edit": {
    params: {
      place: ObjectID;
      details?: string;
      menu?: string;
      openingHours?: string;
      website?: string;
      phone?: string;
      wheelchair?: WheelchairAccess;
      pictures?: string[];
    };
    result: DestinationPage;
  };
  /**
   * Lets an account edit the page of a place.
   */
  "admin.delegatePlace": {
    params: {
      place: ObjectID;
      account?: ObjectID;
    };
    result: PlaceParams;
  };
  /**
   * Returns the caller's reminder settings and addresses.
   */
  "reminders.settings": {
    params: {};
    result: ReminderSettings;
  };
  /**
   * Changes the given settings; omitted ones keep their value.
   */
  "reminders.saveSettings": {
    params: {
      kinds?: ReminderSettingsChoice[];
      leads?: Count[];
      unreadMinutes?: Count;
      hidesText?: boolean;
    };
    result: ReminderSettings;
  };
  /**
   * Sets an address and sends a code to it, which the caller returns in `reminders.confirm`.
   */
  "reminders.setAddress": {
    params: {
      channel: ReminderChannel;
      address?: string;
    };
    result: ReminderSettings;
  };
  /**
   * Confirms an address with the code sent to it.
   */
  "reminders.confirm": {
    params: {
      channel: ReminderChannel;
      code: string;
    };
    result: ReminderSettings;
  };
  /**
   * Removes the address of a channel. Idempotent.
   */
  "reminders.removeAddress": {
    params: {
      channel: ReminderChannel;
    };
    result: ReminderSettings;
  };
  /**
   * Returns the key with which browsers subscribe to Web Push (RFC 8292).
   */
  "reminders.pushKey": {
    params: {};
    result: RemindersPushKeyResult;
  };
  /**
   * Subscribes a browser to reminders. Idempotent. A browser gets the reminders of one account.
   */
  "reminders.subscribePush": {
    params: {
      endpoint: string;
      keys: RemindersSubscribePushParamsKeys;
      client?: string;
    };
    result: ReminderSettings;
  };
  /**
   * Ends the subscription of a browser. Idempotent.
   */
  "reminders.unsubscribePush": {
    params: {
      endpoint: string;
    };
    result: ReminderSettings;
  };
  /**
   * Sends a test message through a channel.
   */
  "reminders.test": {
    params: {
      channel: ReminderChannel;
    };
    result: RemindersTestResult;
  };
  /**
   * Returns the caller's settings.
   */
  "privacy.settings": {
    params: {};
    result: PrivacySettings;
  };
  /**
   * Changes the given settings. Data under a setting that is switched off is erased.
   */
  "privacy.saveSettings": {
    params: {
      heatmap?: boolean;
      visits?: boolean;
      searches?: boolean;
      residences?: boolean;
    };
    result: PrivacySettings;
  };
  /**
   * Lists the caller's private zones.
   */
  "privacy.zones": {
    params: {};
    result: PrivacyZonesResult;
  };
  /**
   * Creates or changes a private zone. The zone applies to earlier recordings too.
   */
  "privacy.saveZone": {
    params: {
      zone?: ObjectID;
      clientId?: string;
      name: string;
      lat: Latitude;
      lon: Longitude;
      size: PrivateZoneSize;
    };
    result: PrivateZone;
  };
  /**
   * Deletes a private zone. The caller becomes visible there, in earlier recordings too.
   */
  "privacy.deleteZone": {
    params: {
      zone: ObjectID;
    };
    result: Erased;
  };
  /**
   * Lists the retained data of the caller. `GET /account/data.json` and `GET /account/tracks.gpx` export it.
   */
  "account.data": {
    params: {};
    result: AccountDataResult;
  };
  /**
   * Deletes the caller's account and its data permanently.
   */
  "account.delete": {
    params: {
      password: string;
      username: string;
    };
    result: AccountDeleteResult;
  };
  /**
   * Lists the caller's saved places, latest first.
   */
  "saved.list": {
    params: {};
    result: SavedListResult;
  };
  /**
   * Saves a place or renames a saved place.
   */
  "saved.save": {
    params: {
      id?: ObjectID;
      clientId?: string;
      name: string;
      lat?: Latitude;
      lon?: Longitude;
      place?: ObjectID;
    };
    result: SavedPlace;
  };
  /**
   * Removes a saved place, or all.
   */
  "saved.remove": {
    params: {
      id?: ObjectID;
    };
    result: Erased;
  };
  /**
   * Records a search of the caller, if the caller consents (`privacy.settings`).
   */
  "searches.note": {
    params: {
      text: string;
      place?: ObjectID;
    };
    result: SearchesNoteResult;
  };
  /**
   * Lists the caller's searches, latest first.
   */
  "searches.list": {
    params: {};
    result: SearchesListResult;
  };
  /**
   * Erases one search, or all.
   */
  "searches.erase": {
    params: {
      id?: ObjectID;
      at?: Timestamp;
    };
    result: Erased;
  };
  /**
   * Returns the caller's most visited places of the last 90 days, if the caller consents (`privacy.settings`).
   */
  "visits.most": {
    params: {};
    result: VisitsMostResult;
  };
  /**
   * Erases the caller's visits.
   */
  "visits.erase": {
    params: {
      at?: Timestamp;
    };
    result: Erased;
  };
  /**
   * Reports the caller's position. The server sends it to the caller's shares and, with the caller's consent,
   * counts it in the heatmap. It does not store the position.
   */
  "location.report": {
    params: {
      lat: Latitude;
      lon: Longitude;
      accuracy: Quantity;
      source: LocationSource;
      at?: Timestamp;
      heading?: Quantity;
      speed?: Quantity;
    };
    result: MyLocation;
  };
  /**
   * Returns the caller's location as the server knows it.
   */
  "location.mine": {
    params: {};
    result: MyLocation;
  };
  /**
   * Erases the caller's location. The caller's shares show nothing until the next report.
   */
  "location.clear": {
    params: {};
    result: MyLocation;
  };
  /**
   * Shares the caller's location.
   */
  "sharing.start": {
    params: {
      clientId: string;
      audience: ShareAudience;
      username?: string;
      account?: ObjectID;
      group?: ObjectID;
      precision: Precision;
      expiresIn: Seconds;
      session?: ObjectID;
    };
    result: SharingStartResult;
  };
  /**
   * Changes the precision or the expiry of a share.
   */
  "sharing.change": {
    params: {
      share: ObjectID;
      precision?: Precision;
      expiresIn?: Seconds;
    };
    result: SharingReply;
  };
  /**
   * Ends a share. After the reply, this node and all other reachable nodes send nothing more of it.
   */
  "sharing.stop": {
    params: {
      share: ObjectID;
    };
    result: SharingReceipt;
  };
  /**
   * Ends all shares of the caller and erases the caller's location, except for a pin.
   */
  "sharing.stopAll": {
    params: {};
    result: SharingStopAllResult;
  };
  /**
   * Lists the caller's active shares, latest first.
   */
  "sharing.mine": {
    params: {};
    result: SharingMineResult;
  };
  /**
   * Returns the access log of an active or past share.
   */
  "sharing.receipt": {
    params: {
      share: ObjectID;
    };
    result: SharingReceipt;
  };
  /**
   * Lists the caller's past shares, latest first. They are kept for 30 days.
   */
  "sharing.past": {
    params: {
      before?: ObjectID;
    };
    result: SharingPastResult;
  };
  /**
   * Erases the caller's past shares with their access logs.
   */
  "sharing.erasePast": {
    params: {};
    result: Erased;
  };
  /**
   * Lists the shares of other people with the caller.
   */
  "sharing.withMe": {
    params: {
      campus?: boolean;
    };
    result: SharingWithMeResult;
  };
  /**
   * Accepts or declines a stranger's share. The owner learns neither the answer nor whether the caller saw the
   * invitation.
   */
  "sharing.respond": {
    params: {
      share: ObjectID;
      accept: boolean;
    };
    result: SharingRespondResult;
  };
  /**
   * Asks a person for the current location. The person can answer once within 10 minutes.
   */
  "sharing.ask": {
    params: {
      clientId: string;
      username?: string;
      account?: ObjectID;
    };
    result: LocationRequestReply;
  };
  /**
   * Lists open requests to the caller, and the caller's own requests of the last day.
   */
  "sharing.requests": {
    params: {};
    result: SharingRequestsResult;
  };
  /**
   * Answers a request once with the caller's location, or declines.
   */
  "sharing.answer": {
    params: {
      request: ObjectID;
      precision?: Precision;
    };
    result: LocationRequestReply;
  };
  /**
   * Returns the answer to one of the caller's requests. It can be read once.
   */
  "sharing.answered": {
    params: {
      request: ObjectID;
    };
    result: LocationRequestReply;
  };
  /**
   * Finds routes on foot between two places. Writes nothing down.
   */
  "routes.find": {
    params: {
      from: RouteEndParams;
      to: RouteEndParams;
      preferences?: RoutePreferences;
      alternatives?: boolean;
    };
    result: RoutesFindResult;
  };
  /**
   * Starts a walk: the route now, and a new one on the topic `route/<walk>` whenever a closure, an opening or the
   * crowd changes it. A connection has one walk; a new one ends the one before.
   */
  "routes.walk": {
    params: {
      from: RouteEndParams;
      to: RouteEndParams;
      preferences?: RoutePreferences;
    };
    result: Walk;
  };
  /**
   * Finds the route of a walk anew from the present position. Its owner calls this off the route.
   */
  "routes.move": {
    params: {
      walk: string;
      lat: Latitude;
      lon: Longitude;
      level?: string;
      accuracy?: Quantity;
    };
    result: Walk;
  };
  /**
   * Continues a walk on another connection of its owner, after the first was lost. The result has the present
   * route.
   */
  "routes.resume": {
    params: {
      walk: string;
    };
    result: Walk;
  };
  /**
   * Ends a walk and forgets it. Succeeds if it has ended already.
   */
  "routes.end": {
    params: {
      walk: string;
    };
    result: Empty;
  };
  /**
   * Lists what is closed at the moment.
   */
  "routes.closures": {
    params: {};
    result: ClosureList;
  };
  /**
   * Returns the floor plans of a building.
   */
  "places.floors": {
    params: {
      building: ObjectID;
    };
    result: PlacesFloorsResult;
  };
  /**
   * Lists the closures that have not ended, with planned ones, and the last 20 that have. Their `until` is when
   * they ended.
   */
  "admin.closures": {
    params: {};
    result: ClosureList;
  };
  /**
   * Lists lifts, doors, paths, stairs and escalators that can be closed.
   */
  "admin.closable": {
    params: {
      text?: string;
      lat?: Latitude;
      lon?: Longitude;
    };
    result: AdminClosableResult;
  };
  /**
   * Closes an object, or changes a closure. Walks whose route is affected get a new one at once.
   */
  "admin.saveClosure": {
    params: {
      id: string;
      object: string;
      reason?: string;
      from?: Timestamp;
      until?: Timestamp;
    };
    result: Closure;
  };
  /**
   * Ends a closure. Walks for which that makes a better route get it at once.
   */
  "admin.endClosure": {
    params: {
      closure: string;
    };
    result: Empty;
  };
  /**
   * Returns the caller's body data.
   */
  "body.get": {
    params: {};
    result: BodyData;
  };
  /**
   * Changes the given members and confirms the data. Omitted members keep their value.
   */
  "body.save": {
    params: {
      heightCentimetres?: Quantity;
      conditions?: HealthCondition[];
      goals?: FitnessGoal[];
      lastPeriod?: LastPeriod;
      restingPulse?: Count;
      maximumPulse?: Count;
      clear?: BodyField[];
    };
    result: BodyData;
  };
  /**
   * Confirms that the body data is up to date. Idempotent.
   */
  "body.confirm": {
    params: {};
    result: BodyData;
  };
  /**
   * Adds an injury, or changes the one with the same id.
   */
  "body.saveInjury": {
    params: {
      id: string;
      type: InjuryType;
      area: BodyArea;
      from: string;
      until?: string;
      note?: string;
    };
    result: BodyData;
  };
  /**
   * Removes an injury. Idempotent.
   */
  "body.removeInjury": {
    params: {
      id: string;
    };
    result: BodyData;
  };
  /**
   * Returns the weights of a span of days, oldest first.
   */
  "body.weights": {
    params: {
      from?: string;
      to?: string;
    };
    result: BodyWeightList;
  };
  /**
   * Sets the weight of a day. Past trainings keep their calories.
   */
  "body.saveWeight": {
    params: {
      date: string;
      kilograms: Quantity;
    };
    result: BodyData;
  };
  /**
   * Removes the weight of a day. Idempotent.
   */
  "body.removeWeight": {
    params: {
      date: string;
    };
    result: BodyData;
  };
  /**
   * Searches the catalogue by name, muscle, equipment, type and level. Names that begin with the text come first.
   */
  "exercises.search": {
    params: {
      text?: string;
      muscle?: Muscle;
      equipment?: Equipment[];
      type?: ExerciseType;
      level?: ExerciseLevel;
      area?: BodyArea;
      offset?: Count;
      limit?: Count;
    };
    result: ExercisePage;
  };
  /**
   * Returns one exercise.
   */
  "exercises.get": {
    params: {
      exercise: string;
    };
    result: Exercise;
  };
  /**
   * Lists the caller's workouts, the latest changed, scheduled or trained first.
   */
  "workouts.list": {
    params: {
      filter?: WorkoutFilter;
      before?: Timestamp;
      limit?: Count;
    };
    result: WorkoutPage;
  };
  /**
   * Returns a workout of the caller.
   */
  "workouts.get": {
    params: {
      workout: string;
    };
    result: Workout;
  };
  /**
   * Adds a workout, or changes the one with the same id. The same request again is harmless.
   */
  "workouts.save": {
    params: {
      id: string;
      revision?: Revision;
      plan: WorkoutPlan;
    };
    result: Workout;
  };
  /**
   * Removes a workout. Its trainings stay. Idempotent.
   */
  "workouts.remove": {
    params: {
      workout: string;
    };
    result: Empty;
  };
  /**
   * Copies a workout of the caller. Idempotent by `id`.
   */
  "workouts.copy": {
    params: {
      workout: string;
      id: string;
    };
    result: Workout;
  };
  /**
   * Plans the start of a workout; the server reminds of it. Without a time it removes the plan.
   */
  "workouts.schedule": {
    params: {
      workout: string;
      at?: Timestamp;
      event?: ObjectID;
    };
    result: Workout;
  };
  /**
   * Gives a buddy a copy of a workout. A buddy who already has a copy of this revision gets no second one.
   */
  "workouts.share": {
    params: {
      workout: string;
      buddy: string;
    };
    result: WorkoutsShared;
  };
  /**
   * Composes workouts: the recommended one first, generic ones below. Leaves out what the caller's injuries and
   * conditions exclude.
   */
  "workouts.recommend": {
    params: {
      type?: ExerciseType;
      goal?: FitnessGoal;
      equipment?: Equipment[];
      place?: WorkoutPlace;
      minutes?: Count;
      level?: ExerciseLevel;
      lat?: Latitude;
      lon?: Longitude;
      offset?: Count;
    };
    result: Recommendations;
  };
  /**
   * Starts a training. The same request again is harmless, so that a client can start without a network and send
   * it later.
   */
  "training.start": {
    params: {
      id: string;
      workout: string;
      together?: string;
      startedAt: Timestamp;
      device: string;
      plan?: WorkoutPlan;
    };
    result: Training;
  };
  /**
   * Records changes of sets, pauses and heart rates. Repeating a request is harmless. Sets of all devices are
   * merged: the latest change of each set wins.
   */
  "training.record": {
    params: {
      training: string;
      generation: Revision;
      sets?: TrainingSet[];
      pauses?: TrainingPause[];
      pulse?: PulseSample[];
    };
    result: TrainingProgress;
  };
  /**
   * Makes a device control the training. The other device gets a signal.
   */
  "training.takeOver": {
    params: {
      training: string;
      device: string;
    };
    result: Training;
  };
  /**
   * Ends a training and computes its calories. The same request again is harmless. `state` of the result shows
   * whether it has ended. The first request replaces the end that the server gave a forgotten training. Heart
   * rates after the end are removed.
   */
  "training.finish": {
    params: {
      training: string;
      endedAt: Timestamp;
      pauses?: TrainingPause[];
      sets?: TrainingSet[];
      note?: string;
      generation?: Revision;
    };
    result: Training;
  };
  /**
   * Returns the caller's trainings that have not ended, the latest first; at most 5.
   */
  "training.current": {
    params: {};
    result: TrainingsOpen;
  };
  /**
   * Lists the caller's trainings, the latest first.
   */
  "training.list": {
    params: {
      workout?: string;
      before?: Timestamp;
      beforeTraining?: string;
      limit?: Count;
    };
    result: TrainingPage;
  };
  /**
   * Returns a training of the caller.
   */
  "training.get": {
    params: {
      training: string;
    };
    result: Training;
  };
  /**
   * Changes a training that has ended: its sets, times, note and heart rates. Calories are computed again with the
   * weight of then. Heart rates outside the times are removed.
   */
  "training.edit": {
    params: {
      training: string;
      sets?: TrainingSet[];
      startedAt?: Timestamp;
      endedAt?: Timestamp;
      note?: string;
      pulse?: PulseSample[];
    };
    result: Training;
  };
  /**
   * Computes the calories again with the body data of now: the weight that is nearest to the day.
   */
  "training.recalculate": {
    params: {
      training: string;
    };
    result: Training;
  };
  /**
   * Removes a training. Idempotent.
   */
  "training.remove": {
    params: {
      training: string;
    };
    result: Empty;
  };
  /**
   * Creates a live group for a workout and invites buddies, the members of a group conversation, or the people who
   * take part in an event. Idempotent by `id`: a repeated request notifies people who have not answered.
   */
  "together.create": {
    params: {
      id: string;
      workout: string;
      invite?: string[];
      conversation?: ObjectID;
      event?: ObjectID;
      sharesZone: boolean;
    };
    result: LiveGroup;
  };
  /**
   * Invites more buddies. Only the host may.
   */
  "together.invite": {
    params: {
      group: string;
      invite: string[];
    };
    result: LiveGroup;
  };
  /**
   * Takes part, or comes back after leaving. Returns the plan.
   */
  "together.join": {
    params: {
      group: string;
      sharesZone: boolean;
    };
    result: LiveGroupJoined;
  };
  /**
   * Leaves the live group, or declines the invitation. The others go on. Idempotent.
   */
  "together.leave": {
    params: {
      group: string;
    };
    result: Empty;
  };
  /**
   * Removes a member for good. Only the host may. Idempotent.
   */
  "together.remove": {
    params: {
      group: string;
      username: string;
    };
    result: LiveGroup;
  };
  /**
   * Shows the caller's progress to the other members. At most one per second counts. `finished` is ignored while
   * the caller has an open training of the group; after it others are ignored until the caller begins another
   * training of the group.
   */
  "together.update": {
    params: {
      group: string;
      position: TrainingPosition;
      sharesZone?: boolean;
    };
    result: Empty;
  };
  /**
   * Ends the live group for all. Only the host may. Trainings go on. Idempotent.
   */
  "together.end": {
    params: {
      group: string;
    };
    result: Empty;
  };
  /**
   * Lists live groups that have not ended and in which the caller is invited or a member, at most 20. Groups in
   * which the caller takes part come first, then the others; each the latest first.
   */
  "together.list": {
    params: {};
    result: LiveGroupList;
  };
  /**
   * Returns personal analytics of a span of days.
   */
  "insights.get": {
    params: {
      from: string;
      to: string;
      timeZone?: string;
    };
    result: Insights;
  };
  /**
   * Sets the daily and weekly goals. Omitted goals are removed.
   */
  "insights.saveGoals": {
    params: {
      daySteps?: Count;
      dayCalories?: Count;
      weekTrainings?: Count;
      weekMinutes?: Count;
    };
    result: InsightGoals;
  };
  /**
   * Sets or clears steps or the resting heart rate of a day, entered by hand or from a file. Omitted members keep
   * their value.
   */
  "insights.saveDay": {
    params: {
      date: string;
      steps?: Count;
      restingPulse?: Count;
      clear?: DayFigure[];
    };
    result: Empty;
  };
};

export type Replies = {
  zonePositions: SubscribedZoneSnapshot;
  session: SubscribedSessionSnapshot;
  notices: ResumedNoticeEvent;
  campusNotices: ResumedNoticeEvent;
  zoneNotices: ResumedNoticeEvent;
  chat: ResumedChatEvent;
  user: SubscribedTopic;
  heatmap: SubscribedHeatmapUpdate;
  share: SubscribedShareSnapshot;
  people: SubscribedPeopleUpdate;
  workout: SubscribedLiveGroupSnapshot;
  test: ResumedTestPublication;
};

export type Pushes = {
  zonePositions: ZoneUpdate & { type: "positions" } | TopicClosed & { type: "closed" };
  cellPositions: ZoneUpdate & { type: "positions" } | CountsUpdate & { type: "counts" };
  session: SessionUpdate;
  notices: NoticeEvent;
  campusNotices: NoticeEvent;
  zoneNotices: NoticeEvent | TopicClosed & { type: "closed" };
  chat: ChatEvent | ChatAside;
  user: UserSignal;
  heatmap: HeatmapUpdate & { type: "heatmap" };
  share: ShareUpdate;
  people: PeopleUpdate & { type: "people" };
  route: RouteUpdate & { type: "route" };
  workout: LiveGroupUpdate;
  test: TestPublication & { type: "test" };
};
