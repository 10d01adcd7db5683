/// A streaming filter that decides which points of a session count for its distance, and gives a reason for the others.
///
/// Pass every stored point of one session to ``accept(_:)`` in the order of sequence numbers. Each point gets its
/// verdict immediately, and the sum of the counted distances is the session's distance. The value itself is the whole
/// state: small, `Codable`, and persisted with the session, so that filtering continues after a restart. When a late
/// point arrives out of order, run ``recompute(activity:fixes:pauses:)`` over all points.
///
/// The documentation article “GPS filter” explains the rules and the measurements behind every figure.
public struct GPSFilter: Codable, Sendable, Equatable {
    /// The kind of exercise, which determines the sustainable speed.
    public enum Activity: String, Codable, Sendable, CaseIterable {
        /// Walking and running.
        case run
        /// Cycling.
        case cycle

        /// The sustainable speed in m/s: a hop at or below it always counts.
        ///
        /// Run: 7 m/s, the pace of a world-class mile. Cycle: 20 m/s, a fast descent.
        public var sustainableMetresPerSecond: Double {
            switch self {
            case .run: 7
            case .cycle: 20
            }
        }

        /// Metres beyond the sustainable speed that are allowed before points stop counting. They leave room for
        /// sprints and for receivers that deliver late and catch up in one hop.
        public var excessMetresMax: Double {
            switch self {
            case .run: 300
            case .cycle: 600
            }
        }
    }

    /// One position reported by the phone.
    public struct Fix: Codable, Sendable, Equatable {
        /// The client's sequence number within the session.
        public var sequence: Int64
        public var point: GeoPoint
        /// Milliseconds since 1970-01-01T00:00:00Z.
        public var timeMilliseconds: Int64
        /// The reported 68 % accuracy radius in metres; nil if unknown.
        public var accuracyMetres: Double?

        public init(sequence: Int64, point: GeoPoint, timeMilliseconds: Int64, accuracyMetres: Double? = nil) {
            self.sequence = sequence
            self.point = point
            self.timeMilliseconds = timeMilliseconds
            self.accuracyMetres = accuracyMetres
        }
    }

    /// A point's contribution to its session.
    public enum Verdict: Sendable, Equatable {
        /// The point counts and adds these metres and these seconds of moving.
        case counted(distanceMetres: Double, movingSeconds: Double)
        /// The point adds nothing, for this reason.
        case notCounted(Reason)
    }

    /// The reason why a point did not count. The raw values are stored and sent, so their meaning never changes.
    public enum Reason: String, Codable, Sendable, CaseIterable {
        /// The first point of a session, which has no predecessor to measure from.
        case first
        /// The same time as the previous point.
        case duplicateTime
        /// An earlier time than the previous point.
        case backwardTime
        /// The reported accuracy radius is too large.
        case poorAccuracy
        /// Standing still: the point is within the receiver's noise.
        case drift
        /// A hop too fast for the activity, but too short or too isolated to indicate a vehicle or a teleport.
        case tooFast
        /// Moving steadily at the speed of a vehicle.
        case vehicle
        /// A jump over at least ``GPSFilter/teleportMetresMin`` at a speed that no ground vehicle reaches.
        case teleport
        /// One of the first plausible points at a new position after a jump; measuring continues there once confirmed.
        case reanchored
        /// Too much time without points: the straight line across the gap is not the runner's path.
        case gap
        /// The session was paused.
        case paused
        /// The first point after a pause: measuring continues from here.
        case resumed

        /// One sentence for the user.
        public var sentence: String {
            switch self {
            case .first: "The first point: there is nothing to measure from yet."
            case .duplicateTime: "It has the same time as the point before."
            case .backwardTime: "Its time is earlier than that of the point before."
            case .poorAccuracy: "The reported accuracy was worse than 50 metres."
            case .drift: "You were standing still; the position only wandered."
            case .tooFast: "The hop to this point was too fast for the activity."
            case .vehicle: "This was the speed of a vehicle."
            case .teleport: "The position jumped farther than anybody can move in that time."
            case .reanchored: "The position had jumped; measuring continues from the new position."
            case .gap: "There were no points for more than 10 minutes; the straight line across does not count."
            case .paused: "The session was paused."
            case .resumed: "The first point after the pause: measuring continues from here."
            }
        }
    }

    /// Maximum reported accuracy radius of a counted point, in metres.
    public static let accuracyMetresMax = 50.0
    /// Maximum time between two points, in milliseconds; more is a gap.
    public static let gapMillisecondsMax: Int64 = 600_000
    /// Maximum speed of a ground vehicle, in m/s.
    public static let vehicleMetresPerSecondMax = 70.0
    /// Minimum length of a teleport, in metres: two receivers may disagree by less than this.
    public static let teleportMetresMin = 200.0
    /// The noise radius of a phone at rest, in metres, if the reported accuracy is no larger.
    public static let standingRadiusMetresMin = 15.0
    /// The largest noise radius that a reported accuracy can cause, in metres.
    public static let standingRadiusMetresMax = 25.0
    /// Excess budget that a plausible point restores, in metres per second.
    static let excessRefillMetresPerSecond = 1.0
    /// Length of the blocks over which positions are averaged to distinguish standing from moving, in milliseconds.
    static let blockMilliseconds: Int64 = 10_000
    /// Duration of plausible hops that ends a vehicle ride, in milliseconds.
    static let vehicleEndMilliseconds: Int64 = 20_000
    /// Number of consistent points that confirm a jump to a new position, and of slow points that end a ride.
    static let confirmingPointsMin = 3
    /// A start after a shorter rest than this is measured from the rest's origin, in milliseconds. At 1 m/s the mean
    /// position is dragged along for that long before the runner leaves the circle.
    static let shortRestMilliseconds: Int64 = 30_000
    /// Minimum time between two points outside the circle of noise that make a start, in milliseconds.
    static let startMillisecondsMin: Int64 = 3_000
    /// Maximum weight of the earlier points in the mean position of a phone at rest: each new point moves it by at
    /// least one part in this number.
    static let standingMeanPointsMax = 60

    public let activity: Activity
    /// The sum of all counted distances so far, in metres.
    public internal(set) var distanceMetres = 0.0
    /// The sum of all counted moving times so far, in seconds.
    public internal(set) var movingSeconds = 0.0
    /// True between ``pause()`` and ``resume()``.
    public internal(set) var isPaused = false
    /// Whether the last points indicate a phone at rest; true until the runner has left the starting position.
    public var isStanding: Bool { if case .standing = motion { true } else { false } }

    var resumePending = false
    var lastTimeMilliseconds: Int64?
    var anchor: Anchor?
    var excessMetresLeft: Double
    var trust = Trust.trusted
    var motion = Motion.moving(block: nil, before: nil)

    public init(activity: Activity) {
        self.activity = activity
        excessMetresLeft = activity.excessMetresMax
    }

    /// Marks the start of a pause: points until ``resume()`` are ``Reason/paused``.
    public mutating func pause() {
        isPaused = true
    }

    /// Marks the end of a pause: the next point is ``Reason/resumed`` and only becomes the new position to measure
    /// from.
    public mutating func resume() {
        guard isPaused else { return }
        isPaused = false
        resumePending = true
    }

    /// A position and its time.
    struct Anchor: Codable, Sendable, Equatable {
        var point: GeoPoint
        var timeMilliseconds: Int64
    }

    /// The degree of trust in the newest points.
    enum Trust: Codable, Sendable, Equatable {
        /// Points follow the anchor plausibly.
        case trusted
        /// A hop was implausible. `candidate` is the newest doubted point; `consistent` is the number of doubted points
        /// that agree.
        case doubted(candidate: Anchor, consistent: Int)
        /// A vehicle ride; `slow…` measure the plausible hops since the last fast one.
        case riding(slowMilliseconds: Int64, slowPoints: Int)
    }

    /// Whether the phone is at rest.
    enum Motion: Codable, Sendable, Equatable {
        /// At rest.
        case standing(Rest)
        /// On the move: the block being averaged, and the previous one.
        case moving(block: Block?, before: Block?)
    }

    /// A phone at rest.
    struct Rest: Codable, Sendable, Equatable {
        /// Start of the rest.
        var origin: Anchor
        /// The mean of the points so far, which is more accurate than any single point.
        var centre: GeoPoint
        /// Number of points in the mean, at most ``GPSFilter/standingMeanPointsMax``.
        var points: Int
        /// Number of the newest points outside the circle of noise.
        var outside = 0
        /// The time of the last point inside the circle, while `outside` is not 0.
        var outsideSince: Int64 = 0
    }

    /// A running mean of positions.
    struct Block: Codable, Sendable, Equatable {
        var startMilliseconds: Int64
        var mean: GeoPoint
        var points: Int
    }
}
