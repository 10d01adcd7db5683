// Methods for events.

/// Number of one event.
public struct EventParams: Codable, Sendable, Equatable {
    @ObjectID public var event: Int64
    public init(event: Int64) { self.event = event }
}

public enum EventsOptions: RPCMethod {
    public static let name = "events.options"
    public static let summary = "Returns the kinds of workouts with their display colours."
    public static let access = MethodAccess.everybody
    public typealias Params = Empty
    public struct Workout: Codable, Sendable, Equatable {
        /// Value of ``EventDetails/workout``.
        public var id: String
        /// Text to display.
        public var label: String
        /// Colour such as `#c2410c`, with a contrast of at least 4.5 to 1 against white (WCAG 2.2 §1.4.3).
        public var colour: String
        public init(id: String, label: String, colour: String) {
            self.id = id
            self.label = label
            self.colour = colour
        }
    }
    public struct Result: Codable, Sendable {
        /// Kinds of workouts in display order.
        public var workouts: [Workout]
        /// Whether the caller may create events for the whole campus.
        public var mayAnnounce: Bool
        public init(workouts: [Workout], mayAnnounce: Bool) {
            self.workouts = workouts
            self.mayAnnounce = mayAnnounce
        }
    }
}

public enum EventsCreate: RPCMethod {
    public static let name = "events.create"
    public static let summary = """
        Creates a draft or a published event. A repeated request with the same `id` has no further effect.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.forbidden, .conflict]
    public struct Params: Codable, Sendable {
        /// UUID chosen by the client, for example with `crypto.randomUUID()`.
        public var id: String
        /// Audience of the event. It cannot be changed later.
        public var audience: EventAudience
        public var details: EventDetails
        /// True publishes the event immediately; false creates a draft.
        public var publish: Bool
        public init(id: String, audience: EventAudience, details: EventDetails, publish: Bool) {
            self.id = id
            self.audience = audience
            self.details = details
            self.publish = publish
        }
    }
    public typealias Result = Event
}

public enum EventsPublish: RPCMethod {
    public static let name = "events.publish"
    public static let summary = "Publishes a draft."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public typealias Params = EventParams
    public typealias Result = Event
}

public enum EventsUpdate: RPCMethod {
    public static let name = "events.update"
    public static let summary = "Replaces the details of an event and notifies everybody concerned."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public struct Params: Codable, Sendable {
        @ObjectID public var event: Int64
        /// Revision that the caller edited. The server refuses the change if the event has another one: a change would be overwritten.
        @Revision public var revision: Int
        /// Complete new details.
        public var details: EventDetails
        public init(event: Int64, revision: Int, details: EventDetails) {
            self.event = event
            self.revision = revision
            self.details = details
        }
    }
    public typealias Result = Event
}

public enum EventsCancel: RPCMethod {
    public static let name = "events.cancel"
    public static let summary = "Cancels an event and notifies everybody concerned. A cancelled event stays in lists."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let texts: [String: TextLimit] = ["reason": .eventReason]
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public struct Params: Codable, Sendable {
        @ObjectID public var event: Int64
        /// At most 500 characters.
        public var reason: String?
        public init(event: Int64, reason: String? = nil) {
            self.event = event
            self.reason = reason
        }
    }
    public typealias Result = Event
}

public enum EventsDelete: RPCMethod {
    public static let name = "events.delete"
    public static let summary = "Deletes a draft."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public typealias Params = EventParams
    public typealias Result = EventParams
}

public enum EventsGet: RPCMethod {
    public static let name = "events.get"
    public static let summary = "Returns one event."
    public static let access = MethodAccess.everybody
    public static let errors: [ErrorCode] = [.notFound]
    public typealias Params = EventParams
    public typealias Result = Event
}

public enum EventsList: RPCMethod {
    public static let name = "events.list"
    public static let summary = "Lists events, ordered by start time."
    public static let access = MethodAccess.everybody
    public static let texts: [String: TextLimit] = ["text": .eventSearch]
    public static let limits: [MethodLimit] = [.each(.list)]
    /// Selection of events by their relation to the caller.
    public enum Which: String, WireChoice {
        /// All events that the caller may see.
        case all
        /// Events to which the caller answered `going` or `maybe`, including those with the caller on the waiting list.
        case coming
        /// Events to which the caller is invited and has not answered.
        case invited
        /// Events that the caller saved.
        case saved
        /// Events that the caller created, drafts included.
        case own
    }
    /// Filters of a list of events.
    public struct Params: Codable, Sendable {
        /// Default `all`. The other selections need an account.
        public var which: Which?
        /// Restricts the list to events that end after this time; default now.
        public var from: Timestamp?
        /// Restricts the list to events that start before this time.
        public var to: Timestamp?
        /// Restricts the list to events in this zone.
        @ObjectID public var zone: Int64?
        /// Restricts the list to this kind of workout.
        public var workout: String?
        /// Restricts the list to events with this text in title, place or description; 1 to 100 characters.
        public var text: String?
        /// Restricts the list to events in this circle.
        public var near: EventCircle?
        /// `next` of the previous reply.
        public var after: EventCursor?
        /// 1 to 50; default 20.
        @Count public var limit: Int?
        public init(
            which: Which? = nil, from: Timestamp? = nil, to: Timestamp? = nil, zone: Int64? = nil,
            workout: String? = nil, text: String? = nil, near: EventCircle? = nil, after: EventCursor? = nil,
            limit: Int? = nil
        ) {
            self.which = which
            self.from = from
            self.to = to
            self.zone = zone
            self.workout = workout
            self.text = text
            self.near = near
            self.after = after
            self.limit = limit
        }
    }
    public struct Result: Codable, Sendable {
        /// Earliest start first. A page before the last one may have fewer events than `limit`, or none.
        public var events: [Event]
        /// Value of `after` for the next page; nil on the last page.
        public var next: EventCursor?
        public init(events: [Event], next: EventCursor?) {
            self.events = events
            self.next = next
        }
    }
}

/// Position after the last event of a page.
public struct EventCursor: Codable, Sendable, Equatable {
    /// Start of that event.
    public var startsAt: Timestamp
    /// Number of that event.
    @ObjectID public var event: Int64
    public init(startsAt: Timestamp, event: Int64) {
        self.startsAt = startsAt
        self.event = event
    }
}

/// Circle on the map.
public struct EventCircle: Codable, Sendable, Equatable {
    /// Degrees.
    @Latitude public var lat: Double
    /// Degrees.
    @Longitude public var lon: Double
    /// Radius in metres, 50 to 5,000.
    @Quantity public var metres: Double
    public init(lat: Double, lon: Double, metres: Double) {
        self.lat = lat
        self.lon = lon
        self.metres = metres
    }
}

public enum EventsSuggested: RPCMethod {
    public static let name = "events.suggested"
    public static let summary = "Suggests events that the caller has neither answered nor created."
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.list)]
    public struct Params: Codable, Sendable {
        /// 1 to 20; default 10.
        @Count public var limit: Int?
        public init(limit: Int? = nil) { self.limit = limit }
    }
    /// Reason for a suggestion.
    public enum Reason: String, WireChoice {
        /// A buddy is going, and `events.people` shows this to the caller.
        case buddies
        /// The caller likes or does this kind of workout.
        case interest
        /// The event takes place where the caller often is.
        case place
    }
    /// A suggested event and the reason.
    public struct Suggestion: Codable, Sendable, Equatable {
        public var event: Event
        /// The strongest reason.
        public var because: Reason
        public init(event: Event, because: Reason) {
            self.event = event
            self.because = because
        }
    }
    public struct Result: Codable, Sendable {
        /// Best first, at most as many as requested.
        public var suggestions: [Suggestion]
        public init(suggestions: [Suggestion]) { self.suggestions = suggestions }
    }
}

public enum EventsCalendar: RPCMethod {
    public static let name = "events.calendar"
    public static let summary = """
        Creates the secret address of the caller's calendar. A previous address stops working immediately.
        """
    public static let access = MethodAccess.accounts
    public struct Params: Codable, Sendable {
        /// False only asks whether there is an address; nil means true.
        public var make: Bool?
        public init(make: Bool? = nil) { self.make = make }
    }
    public struct Result: Codable, Sendable {
        /// Path on this server. Anybody with this path can read the calendar. The server sends it only once; nil if the request did not
        /// create an address.
        public var path: String?
        /// Time at which the present address was created; nil without an address.
        public var since: Timestamp?
        public init(path: String? = nil, since: Timestamp? = nil) {
            self.path = path
            self.since = since
        }
    }
}

public enum EventsCalendarOff: RPCMethod {
    public static let name = "events.calendarOff"
    public static let summary = "Revokes the address of the caller's calendar. Idempotent."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Whether there was an address.
        public var wasOn: Bool
        public init(wasOn: Bool) { self.wasOn = wasOn }
    }
}

public enum EventsAnswer: RPCMethod {
    public static let name = "events.answer"
    public static let summary = """
        Records whether the caller comes. A full event has a waiting list; people move up automatically.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        @ObjectID public var event: Int64
        /// Nil withdraws the answer.
        public var answer: EventAnswer?
        public init(event: Int64, answer: EventAnswer?) {
            self.event = event
            self.answer = answer
        }
    }
    public typealias Result = Event
}

public enum EventsSave: RPCMethod {
    public static let name = "events.save"
    public static let summary = "Adds an event to the caller's saved events or removes it."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        @ObjectID public var event: Int64
        /// True adds the event, false removes it.
        public var saved: Bool
        public init(event: Int64, saved: Bool) {
            self.event = event
            self.saved = saved
        }
    }
    public typealias Result = Event
}

public enum EventsInvite: RPCMethod {
    public static let name = "events.invite"
    public static let summary = "Invites buddies and members of the caller's groups to an event of the caller."
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.counted(.invite, "1 for each person, and 10 for each group")]
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public struct Params: Codable, Sendable {
        @ObjectID public var event: Int64
        /// Buddies, at most 100 in a request.
        @ObjectID public var accounts: [Int64]?
        /// Groups of the caller, at most 10 in a request. The server invites everybody who has joined them at this time.
        @ObjectID public var groups: [Int64]?
        public init(event: Int64, accounts: [Int64]? = nil, groups: [Int64]? = nil) {
            self.event = event
            self.accounts = accounts
            self.groups = groups
        }
    }
    public struct Result: Codable, Sendable {
        /// Number of people that the request names, including people invited before. It includes people who block the caller, so that the
        /// number does not reveal a block.
        public var invited: Int
        public init(invited: Int) { self.invited = invited }
    }
}

public enum EventsPeople: RPCMethod {
    public static let name = "events.people"
    public static let summary = """
        Lists the people of an event, for callers who may see the event. The owner of the event sees everybody; others \
        see their buddies.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound]
    public typealias Params = EventParams
    /// A person who answered or is invited.
    public struct Guest: Codable, Sendable, Equatable {
        public var person: Person
        /// Nil if the person has not answered.
        public var answer: EventAnswer?
        /// Position on the waiting list, from 1.
        public var queue: Int?
        public init(person: Person, answer: EventAnswer?, queue: Int?) {
            self.person = person
            self.answer = answer
            self.queue = queue
        }
    }
    /// At most 1,000 people.
    public struct Result: Codable, Sendable {
        /// Sorted: going, waiting in the order of the waiting list, maybe, invited, not coming.
        public var people: [Guest]
        public init(people: [Guest]) { self.people = people }
    }
}

extension APIRegistry {
    static let events: [any RPCMethod.Type] = [
        EventsOptions.self, EventsCreate.self, EventsPublish.self, EventsUpdate.self, EventsCancel.self,
        EventsDelete.self, EventsGet.self, EventsList.self, EventsSuggested.self, EventsCalendar.self,
        EventsCalendarOff.self, EventsAnswer.self, EventsSave.self, EventsInvite.self, EventsPeople.self,
    ]
}
