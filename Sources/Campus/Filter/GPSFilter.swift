/// Decides which points of a session count for its distance, and says why one did not.
///
/// A streaming filter: feed it every stored point of one session in the order of its sequence numbers with
/// ``accept(_:)``; each gets a verdict at once, and the sum of the counted distances is the session's distance. The
/// value itself is the whole state: small, `Codable`, persisted with the session, so that a restart goes on where it
/// stopped. When a late point arrives out of order, run ``recompute(activity:fixes:pauses:)`` over all of them.
///
/// The rules and the measurements behind every figure are in the documentation article “GPS filter”.
public struct GPSFilter: Codable, Sendable, Equatable {
    /// What the runner does; it sets the speed a body can keep up.
    public enum Activity: String, Codable, Sendable, CaseIterable {
        /// Walking and running.
        case run
        /// Cycling.
        case cycle

        /// The speed a body keeps up, in m/s: a hop at or below it always counts.
        ///
        /// Run: 7 m/s, the pace of a world-class mile. Cycle: 20 m/s, a fast descent.
        public var sustainableMetresPerSecond: Double {
            switch self {
            case .run: 7
            case .cycle: 20
            }
        }

        /// The metres beyond the sustainable speed that are allowed before points stop counting: room for sprints and
        /// for receivers that deliver late and catch up in one hop.
        public var excessMetresMax: Double {
            switch self {
            case .run: 300
            case .cycle: 600
            }
        }
    }

    /// One position as the phone reported it.
    public struct Fix: Codable, Sendable, Equatable {
        /// The client's sequence number within the session.
        public var sequence: Int64
        /// Where.
        public var point: GeoPoint
        /// When, in milliseconds since 1970-01-01T00:00:00Z.
        public var timeMilliseconds: Int64
        /// The reported 68 % accuracy radius in metres; nil when unknown.
        public var accuracyMetres: Double?

        /// A fix from its parts.
        public init(sequence: Int64, point: GeoPoint, timeMilliseconds: Int64, accuracyMetres: Double? = nil) {
            self.sequence = sequence
            self.point = point
            self.timeMilliseconds = timeMilliseconds
            self.accuracyMetres = accuracyMetres
        }
    }

    /// What one point adds to its session.
    public enum Verdict: Sendable, Equatable {
        /// The point counts: the metres it adds and the seconds of moving it adds.
        case counted(distanceMetres: Double, movingSeconds: Double)
        /// The point adds nothing, for this reason.
        case notCounted(Reason)
    }

    /// Why a point did not count. The raw values are stored and sent: they never change their meaning.
    public enum Reason: String, Codable, Sendable, CaseIterable {
        /// The first point of a session: there is nothing to measure from.
        case first
        /// The same time as the point before.
        case duplicateTime
        /// Earlier than the point before.
        case backwardTime
        /// The reported accuracy radius is too large.
        case poorAccuracy
        /// Standing still: the point wanders within the receiver's noise.
        case drift
        /// A hop too fast for the activity, too short or too isolated to call it a vehicle or a teleport.
        case tooFast
        /// Moving steadily at the speed of a vehicle.
        case vehicle
        /// A jump over at least ``GPSFilter/teleportMetresMin`` at a speed no vehicle on the ground has.
        case teleport
        /// The first plausible points at a new place after a jump; measuring goes on from there once confirmed.
        case reanchored
        /// Too long without points: the straight line across is not what was run.
        case gap
        /// The session was paused.
        case paused
        /// The first point after a pause: measuring goes on from here.
        case resumed

        /// One sentence for a person.
        public var sentence: String {
            switch self {
            case .first: "The first point: there is nothing to measure from yet."
            case .duplicateTime: "It has the same time as the point before."
            case .backwardTime: "Its time is earlier than that of the point before."
            case .poorAccuracy: "The reported accuracy was worse than 50 metres."
            case .drift: "You were standing still; the position only wandered."
            case .tooFast: "The hop to this point was too fast for the activity."
            case .vehicle: "This was the speed of a vehicle."
            case .teleport: "The position jumped to a place nobody gets to that fast."
            case .reanchored: "The position had jumped; measuring goes on from the new place."
            case .gap: "There were no points for more than 10 minutes; the straight line across does not count."
            case .paused: "The session was paused."
            case .resumed: "The first point after the pause: measuring goes on from here."
            }
        }
    }

    /// A reported accuracy radius above this makes a point not count, in metres.
    public static let accuracyMetresMax = 50.0
    /// More time than this between two points is a gap, in milliseconds.
    public static let gapMillisecondsMax: Int64 = 600_000
    /// Faster than this no vehicle moves on the ground, in m/s.
    public static let vehicleMetresPerSecondMax = 70.0
    /// A jump shorter than this is never called a teleport, in metres: two receivers may disagree that much.
    public static let teleportMetresMin = 200.0
    /// The radius of noise of a phone at rest, in metres, when the reported accuracy is no larger.
    public static let standingRadiusMetresMin = 15.0
    /// The largest radius of noise that a reported accuracy can ask for, in metres.
    public static let standingRadiusMetresMax = 25.0
    /// The excess that a plausible point gives back, in metres per second.
    static let excessRefillMetresPerSecond = 1.0
    /// Positions are averaged over blocks of this length to tell standing from moving, in milliseconds.
    static let blockMilliseconds: Int64 = 10_000
    /// Plausible hops for this long end a vehicle ride, in milliseconds.
    static let vehicleEndMilliseconds: Int64 = 20_000
    /// Consistent points at a new place that confirm a jump, and slow points that end a ride.
    static let confirmingPointsMin = 3
    /// Leaving a rest shorter than this is measured from where it began, in milliseconds: at 1 m/s the mean position is
    /// dragged along for that long before the runner is out of the circle.
    static let shortRestMilliseconds: Int64 = 30_000
    /// Two points outside the circle of noise this far apart in time are a start, in milliseconds.
    static let startMillisecondsMin: Int64 = 3_000
    /// The mean position of a phone at rest follows at least this fast: one part in so many per point.
    static let standingMeanPointsMax = 60

    /// What the runner does.
    public let activity: Activity
    /// The sum of all counted distances so far, in metres.
    public internal(set) var distanceMetres = 0.0
    /// The sum of all counted moving times so far, in seconds.
    public internal(set) var movingSeconds = 0.0
    /// Whether ``pause()`` was called and ``resume()`` not yet.
    public internal(set) var isPaused = false
    /// Whether the last points say that the phone is at rest; true until the runner has left the starting place.
    public var isStanding: Bool { if case .standing = motion { true } else { false } }

    var resumePending = false
    var lastTimeMilliseconds: Int64?
    var anchor: Anchor?
    var excessMetresLeft: Double
    var trust = Trust.trusted
    var motion = Motion.moving(block: nil, before: nil)

    /// A filter at the start of a session.
    public init(activity: Activity) {
        self.activity = activity
        excessMetresLeft = activity.excessMetresMax
    }

    /// Marks the start of a pause: points until ``resume()`` are ``Reason/paused``.
    public mutating func pause() {
        isPaused = true
    }

    /// Marks the end of a pause: the next point is ``Reason/resumed`` and only sets the place to measure from.
    public mutating func resume() {
        guard isPaused else { return }
        isPaused = false
        resumePending = true
    }

    /// A place and the time it was held.
    struct Anchor: Codable, Sendable, Equatable {
        var point: GeoPoint
        var timeMilliseconds: Int64
    }

    /// How far the newest points are believed.
    enum Trust: Codable, Sendable, Equatable {
        /// Points follow plausibly on the anchor.
        case trusted
        /// A hop was implausible: `candidate` is where the doubted points lead, `consistent` how many agree.
        case doubted(candidate: Anchor, consistent: Int)
        /// A vehicle ride; `slow…` measure the plausible hops since the last fast one.
        case riding(slowMilliseconds: Int64, slowPoints: Int)
    }

    /// Whether the phone rests.
    enum Motion: Codable, Sendable, Equatable {
        /// At rest.
        case standing(Rest)
        /// On the move: the block being averaged, and the one before it.
        case moving(block: Block?, before: Block?)
    }

    /// A phone at rest.
    struct Rest: Codable, Sendable, Equatable {
        /// Where and when the rest began.
        var origin: Anchor
        /// The mean of the points so far, which is nearer the truth than any one of them.
        var centre: GeoPoint
        /// How many points made the mean, at most ``GPSFilter/standingMeanPointsMax``.
        var points: Int
        /// How many of the newest points lie beyond the circle of noise.
        var outside = 0
        /// The time of the last point within the circle, while `outside` is not 0.
        var outsideSince: Int64 = 0
    }

    /// A running mean of positions.
    struct Block: Codable, Sendable, Equatable {
        var startMilliseconds: Int64
        var mean: GeoPoint
        var points: Int
    }
}
