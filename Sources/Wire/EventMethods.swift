// What is done with events.

/// An event, by its number.
public struct EventParams: Codable, Sendable, Equatable {
    /// Its number.
    @ObjectID public var event: Int64
    public init(event: Int64) { self.event = event }
}

/// `events.options`: kinds of workouts, with the colours that they are shown in.
public enum EventsOptions: RPCMethod {
    public static let name = "events.options"
    public static let access = MethodAccess.everybody
    public typealias Params = Empty
    /// A kind of workout.
    public struct Workout: Codable, Sendable, Equatable {
        /// Goes into ``EventDetails/workout``.
        public var id: String
        /// What people read.
        public var label: String
        /// Such as `#c2410c`: 4.5 to 1 against white (WCAG 2.2 §1.4.3).
        public var colour: String
        public init(id: String, label: String, colour: String) {
            self.id = id
            self.label = label
            self.colour = colour
        }
    }
    /// What there is to choose from.
    public struct Result: Codable, Sendable {
        /// In the order to show them.
        public var workouts: [Workout]
        /// Who may announce for the campus; whether the caller may.
        public var mayAnnounce: Bool
        public init(workouts: [Workout], mayAnnounce: Bool) {
            self.workouts = workouts
            self.mayAnnounce = mayAnnounce
        }
    }
}

/// `events.create`: a draft, or an event that is published at once. Sent again with the same id it is the same event.
public enum EventsCreate: RPCMethod {
    public static let name = "events.create"
    public static let access = MethodAccess.accounts
    /// An event.
    public struct Params: Codable, Sendable {
        /// A UUID, such as one of `crypto.randomUUID()`.
        public var id: String
        /// For whom; it stays so.
        public var audience: EventAudience
        /// What it is.
        public var details: EventDetails
        /// At once; else it is a draft.
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

/// `events.publish`: a draft becomes an event.
public enum EventsPublish: RPCMethod {
    public static let name = "events.publish"
    public static let access = MethodAccess.accounts
    public typealias Params = EventParams
    public typealias Result = Event
}

/// `events.update`: says anew what it is. Everybody who has to do with it is told.
public enum EventsUpdate: RPCMethod {
    public static let name = "events.update"
    public static let access = MethodAccess.accounts
    /// The event as it is to be.
    public struct Params: Codable, Sendable {
        /// Its number.
        @ObjectID public var event: Int64
        /// The revision that is changed: with another one the change is refused, as somebody else's would be lost.
        @Revision public var revision: Int
        /// All of it.
        public var details: EventDetails
        public init(event: Int64, revision: Int, details: EventDetails) {
            self.event = event
            self.revision = revision
            self.details = details
        }
    }
    public typealias Result = Event
}

/// `events.cancel`: it does not happen. It stays listed, and everybody who has to do with it is told.
public enum EventsCancel: RPCMethod {
    public static let name = "events.cancel"
    public static let access = MethodAccess.accounts
    /// Which, and why.
    public struct Params: Codable, Sendable {
        /// Its number.
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

/// `events.delete`: a draft goes.
public enum EventsDelete: RPCMethod {
    public static let name = "events.delete"
    public static let access = MethodAccess.accounts
    public typealias Params = EventParams
    public typealias Result = EventParams
}

/// `events.get`: one event.
public enum EventsGet: RPCMethod {
    public static let name = "events.get"
    public static let access = MethodAccess.everybody
    public typealias Params = EventParams
    public typealias Result = Event
}

/// `events.list`: in the order of time.
public enum EventsList: RPCMethod {
    public static let name = "events.list"
    public static let access = MethodAccess.everybody
    /// Which of those that concern one.
    public enum Which: String, WireChoice {
        /// All that one may see.
        case all
        /// One comes, perhaps, or waits for a place.
        case coming
        /// One is invited and has not answered.
        case invited
        /// One wants to find them again.
        case saved
        /// One's own, drafts too.
        case own
    }
    /// A stretch of time, and what of it.
    public struct Params: Codable, Sendable {
        /// `all` unless given; the others need an account.
        public var which: Which?
        /// Only what has not ended by then: now unless given.
        public var from: Timestamp?
        /// Only what begins before it.
        public var to: Timestamp?
        /// Only in this zone.
        @ObjectID public var zone: Int64?
        /// Only this kind.
        public var workout: String?
        /// Only with this in title, place or description; 1 to 100 characters.
        public var text: String?
        /// Only what is on the map around here.
        public var near: EventCircle?
        /// The last reply's `next`.
        public var after: EventCursor?
        /// 1 to 50; 20 unless given.
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
    /// A page.
    public struct Result: Codable, Sendable {
        /// The next to begin first. A page may have fewer than asked for, or none, and still not be the last: see `next`.
        public var events: [Event]
        /// Give it as `after` for the next page; nil when there is none.
        public var next: EventCursor?
        public init(events: [Event], next: EventCursor?) {
            self.events = events
            self.next = next
        }
    }
}

/// Where a page of events ends.
public struct EventCursor: Codable, Sendable, Equatable {
    /// The last one's beginning.
    public var startsAt: Timestamp
    /// The last one's number.
    @ObjectID public var event: Int64
    public init(startsAt: Timestamp, event: Int64) {
        self.startsAt = startsAt
        self.event = event
    }
}

/// Around a place.
public struct EventCircle: Codable, Sendable, Equatable {
    /// Degrees.
    @Latitude public var lat: Double
    /// Degrees.
    @Longitude public var lon: Double
    /// How far at most: 50 to 5,000.
    @Quantity public var metres: Double
    public init(lat: Double, lon: Double, metres: Double) {
        self.lat = lat
        self.lon = lon
        self.metres = metres
    }
}

/// `events.suggested`: what one may like, and has neither answered nor made.
public enum EventsSuggested: RPCMethod {
    public static let name = "events.suggested"
    public static let access = MethodAccess.accounts
    /// How many.
    public struct Params: Codable, Sendable {
        /// 1 to 20; 10 unless given.
        @Count public var limit: Int?
        public init(limit: Int? = nil) { self.limit = limit }
    }
    /// Why something is suggested.
    public enum Because: String, WireChoice {
        /// A buddy goes, whom `events.people` shows.
        case buddies
        /// It is of a kind that one likes, or does.
        case interest
        /// It is where one often is.
        case place
    }
    /// An event, and why.
    public struct Suggestion: Codable, Sendable, Equatable {
        /// What it is.
        public var event: Event
        /// The best reason.
        public var because: Because
        public init(event: Event, because: Because) {
            self.event = event
            self.because = because
        }
    }
    /// The best first.
    public struct Result: Codable, Sendable {
        /// At most as many as were asked for.
        public var suggestions: [Suggestion]
        public init(suggestions: [Suggestion]) { self.suggestions = suggestions }
    }
}

/// `events.calendar`: makes the address of one's own calendar, or another one: the old one stops at once.
public enum EventsCalendar: RPCMethod {
    public static let name = "events.calendar"
    public static let access = MethodAccess.accounts
    /// What the caller gives.
    public struct Params: Codable, Sendable {
        /// False only asks whether there is one; nil is true.
        public var make: Bool?
        public init(make: Bool? = nil) { self.make = make }
    }
    /// A secret.
    public struct Result: Codable, Sendable {
        /// Behind the server's own address. Whoever has it can read the calendar; it is not told again, so nil when none was made now.
        public var path: String?
        /// When the one that works was made; nil when there is none.
        public var since: Timestamp?
        public init(path: String? = nil, since: Timestamp? = nil) {
            self.path = path
            self.since = since
        }
    }
}

/// `events.calendarOff`: the address of one's calendar stops. Harmless when repeated.
public enum EventsCalendarOff: RPCMethod {
    public static let name = "events.calendarOff"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// What there was.
    public struct Result: Codable, Sendable {
        /// There was one.
        public var wasOn: Bool
        public init(wasOn: Bool) { self.wasOn = wasOn }
    }
}

/// `events.answer`: whether one comes. Who finds no room waits, and moves up by itself.
public enum EventsAnswer: RPCMethod {
    public static let name = "events.answer"
    public static let access = MethodAccess.accounts
    /// An answer.
    public struct Params: Codable, Sendable {
        /// The event's number.
        @ObjectID public var event: Int64
        /// Nil takes an answer back.
        public var answer: EventAnswer?
        public init(event: Int64, answer: EventAnswer?) {
            self.event = event
            self.answer = answer
        }
    }
    public typealias Result = Event
}

/// `events.save`: to find it again, or no more.
public enum EventsSave: RPCMethod {
    public static let name = "events.save"
    public static let access = MethodAccess.accounts
    /// Which.
    public struct Params: Codable, Sendable {
        /// The event's number.
        @ObjectID public var event: Int64
        /// Whether to keep it in view.
        public var saved: Bool
        public init(event: Int64, saved: Bool) {
            self.event = event
            self.saved = saved
        }
    }
    public typealias Result = Event
}

/// `events.invite`: buddies, and who is in one's groups, to one's own event.
public enum EventsInvite: RPCMethod {
    public static let name = "events.invite"
    public static let access = MethodAccess.accounts
    /// Whom.
    public struct Params: Codable, Sendable {
        /// The event's number.
        @ObjectID public var event: Int64
        /// Buddies, at most 100 at once.
        @ObjectID public var accounts: [Int64]?
        /// Groups that one is in, at most 10 at once: everybody who has joined them now.
        @ObjectID public var groups: [Int64]?
        public init(event: Int64, accounts: [Int64]? = nil, groups: [Int64]? = nil) {
            self.event = event
            self.accounts = accounts
            self.groups = groups
        }
    }
    /// How many the invitation names.
    public struct Result: Codable, Sendable {
        /// People, invited before or not: the answer does not tell who blocks the caller.
        public var invited: Int
        public init(invited: Int) { self.invited = invited }
    }
}

/// `events.people`: who comes, for those who may see the event. Its owner sees all; others see their buddies.
public enum EventsPeople: RPCMethod {
    public static let name = "events.people"
    public static let access = MethodAccess.accounts
    public typealias Params = EventParams
    /// Somebody who has to do with it.
    public struct Guest: Codable, Sendable, Equatable {
        /// Who.
        public var person: Person
        /// Nil for who has not answered.
        public var answer: EventAnswer?
        /// Place in the queue, from 1.
        public var queue: Int?
        public init(person: Person, answer: EventAnswer?, queue: Int?) {
            self.person = person
            self.answer = answer
            self.queue = queue
        }
    }
    /// At most 1,000.
    public struct Result: Codable, Sendable {
        /// Going, then waiting in the order of the queue, perhaps, invited, and not coming.
        public var people: [Guest]
        public init(people: [Guest]) { self.people = people }
    }
}
