// Events (N-5, N-7, C-4): what happens, where and when, and who comes.

/// For whom an event is.
public enum EventAudience: String, WireChoice {
    /// Everybody, guests too; made by admins and lecturers.
    case campus
    /// Everybody who is signed in.
    case `public`
    /// Those who are invited.
    case `private`
}

/// What became of an event.
public enum EventState: String, WireChoice {
    /// Its owner's alone.
    case draft
    /// Open to answers until it ends.
    case published
    /// It does not happen; it stays listed.
    case cancelled
}

/// Whether one comes.
public enum EventAnswer: String, WireChoice {
    case going, maybe, no
}

/// What is new about an event, to who has to do with it.
public enum EventNews: String, WireChoice {
    /// One is invited.
    case invited
    /// It is published, or is not what it was.
    case changed
    /// It does not happen.
    case cancelled
    /// One waited, and has a place now.
    case movedUp
    /// Somebody answered, or took an answer back: its owner is told, and one's own other devices.
    case answered
}

/// Where an event is.
public struct EventPlace: Codable, Sendable, Equatable {
    /// In words, 1 to 120 characters.
    public var name: String
    /// On the map, degrees; both or none.
    @Latitude public var lat: Double?
    /// Degrees.
    @Longitude public var lon: Double?
    /// The zone it is in; the server finds it.
    @ObjectID public var zone: Int64?
    public init(name: String, lat: Double? = nil, lon: Double? = nil, zone: Int64? = nil) {
        self.name = name
        self.lat = lat
        self.lon = lon
        self.zone = zone
    }
}

/// What an event's owner says of it.
public struct EventDetails: Codable, Sendable, Equatable {
    /// 1 to 120 characters.
    public var title: String
    /// At most 2,000 characters.
    public var description: String?
    /// An id of `events.options`.
    public var workout: String?
    /// When it begins.
    public var startsAt: Timestamp
    /// Seconds, from 5 minutes to 14 days.
    @Seconds public var duration: Double
    /// Where.
    public var place: EventPlace
    /// How many can come; nil for all who want to.
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

/// An event as one sees it.
public struct Event: Codable, Sendable, Equatable {
    /// Its number.
    public var id: Int64
    /// For whom.
    public var audience: EventAudience
    /// What became of it.
    public var state: EventState
    /// What its owner says of it.
    public var details: EventDetails
    /// Who made it; nil when the account is gone, and for guests.
    public var owner: Person?
    /// How many have a place.
    public var going: Int
    /// How many are not sure.
    public var maybe: Int
    /// How many wait for a place.
    public var waiting: Int
    /// Grows with each change.
    public var revision: Int
    /// Why it was cancelled, if its owner said so.
    public var cancelReason: String?
    /// What it is to the caller.
    public var mine: Mine

    /// What an event is to one.
    public struct Mine: Codable, Sendable, Equatable {
        /// One's answer.
        public var answer: EventAnswer?
        /// One's place in the queue, from 1; nil with a place at the event, or without the wish for one.
        public var queue: Int?
        /// One wants to find it again.
        public var saved: Bool
        /// Who invited one.
        public var invitedBy: Person?
        /// One may change it.
        public var owns: Bool
        public init(answer: EventAnswer?, queue: Int?, saved: Bool, invitedBy: Person?, owns: Bool) {
            self.answer = answer
            self.queue = queue
            self.saved = saved
            self.invitedBy = invitedBy
            self.owns = owns
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
