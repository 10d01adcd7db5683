// Types for events (N-5, N-7, C-4).

/// Accounts that can see an event.
public enum EventAudience: String, WireChoice {
    /// Everybody including guests. Only admins and lecturers create such events.
    case campus
    /// Everybody who is signed in.
    case `public`
    /// People who are invited.
    case `private`
}

public enum EventState: String, WireChoice {
    /// Visible to its owner only.
    case draft
    /// Open to answers until the event ends.
    case published
    /// Cancelled; the event stays in lists.
    case cancelled
}

/// Whether a person comes.
public enum EventAnswer: String, WireChoice {
    case going, maybe, no
}

/// Reason for a notification about an event.
public enum EventNews: String, WireChoice {
    /// The account was invited.
    case invited
    /// The event was published or changed.
    case changed
    /// The event was cancelled.
    case cancelled
    /// The account moved from the waiting list to the participants.
    case movedUp
    /// A person answered or withdrew an answer. The owner of the event and the person's other devices are notified.
    case answered
}

/// Location of an event.
public struct EventPlace: Codable, Sendable, Equatable {
    /// Description, 1 to 120 characters.
    public var name: String
    /// Latitude in degrees. Latitude and longitude are both present or both nil.
    @Latitude public var lat: Double?
    /// Degrees.
    @Longitude public var lon: Double?
    /// Zone that contains the position. The server sets it.
    @ObjectID public var zone: Int64?
    public init(name: String, lat: Double? = nil, lon: Double? = nil, zone: Int64? = nil) {
        self.name = name
        self.lat = lat
        self.lon = lon
        self.zone = zone
    }
}

/// Members of an event that its owner sets.
public struct EventDetails: Codable, Sendable, Equatable {
    /// 1 to 120 characters.
    public var title: String
    /// At most 2,000 characters.
    public var description: String?
    /// Id from `events.options`.
    public var workout: String?
    public var startsAt: Timestamp
    /// Seconds, from 5 minutes to 14 days.
    @Seconds public var duration: Double
    public var place: EventPlace
    /// Highest number of participants; nil without a limit.
    @Count public var capacity: Int?
    public init(
        title: String, description: String? = nil, workout: String? = nil, startsAt: Timestamp, duration: Double,
        place: EventPlace, capacity: Int? = nil
    ) {
        self.title = title
        self.description = description
        self.workout = workout
        self.startsAt = startsAt
        self.duration = duration
        self.place = place
        self.capacity = capacity
    }
}

/// An event as the caller sees it.
public struct Event: Codable, Sendable, Equatable {
    public var id: Int64
    public var audience: EventAudience
    public var state: EventState
    public var details: EventDetails
    /// Person who created the event; nil for guests and after the account was deleted.
    public var owner: Person?
    /// Number of participants.
    public var going: Int
    /// Number of people who answered `maybe`.
    public var maybe: Int
    /// Number of people on the waiting list.
    public var waiting: Int
    /// Increases with each change.
    public var revision: Int
    /// Reason for the cancellation, if its owner gave one.
    public var cancelReason: String?
    /// The caller's relation to the event.
    public var mine: Mine

    /// The caller's relation to an event.
    public struct Mine: Codable, Sendable, Equatable {
        public var answer: EventAnswer?
        /// The caller's position on the waiting list, from 1; nil if the caller does not wait.
        public var queue: Int?
        /// Whether the caller saved the event.
        public var saved: Bool
        /// Person who invited the caller.
        public var invitedBy: Person?
        /// Whether the caller may change the event.
        public var owns: Bool
        /// UUID of the caller's workout that is planned at the event; the earliest if there are several.
        public var workout: String?
        public init(
            answer: EventAnswer?, queue: Int?, saved: Bool, invitedBy: Person?, owns: Bool, workout: String? = nil
        ) {
            self.answer = answer
            self.queue = queue
            self.saved = saved
            self.invitedBy = invitedBy
            self.owns = owns
            self.workout = workout
        }
    }

    public init(
        id: Int64, audience: EventAudience, state: EventState, details: EventDetails, owner: Person?, going: Int,
        maybe: Int, waiting: Int, revision: Int, cancelReason: String?, mine: Mine
    ) {
        self.id = id
        self.audience = audience
        self.state = state
        self.details = details
        self.owner = owner
        self.going = going
        self.maybe = maybe
        self.waiting = waiting
        self.revision = revision
        self.cancelReason = cancelReason
        self.mine = mine
    }
}
