import Wire

/// What the server acknowledged with one reply.
public struct TrackAcknowledgement: Sendable {
    /// The points that are stored for good, in the order of `seq`: those of the request but for the refused.
    public let points: [TrackPoint]
    /// The points that will never be stored, and why. They are not sent again.
    public let refused: [TrackingPoints.Remark]
    /// Stored points that add no distance, and why.
    public let notCounted: [TrackingPoints.Remark]
    /// How many of the points the server had already, from a request whose reply was lost.
    public let duplicates: Int
    /// The session as it then stood.
    public let session: Session
    /// When the oldest of the points was added, in nanoseconds of the monotonic clock: an outage shows here.
    public let addedNanoseconds: UInt64
    /// When the request that was answered left, in nanoseconds of the monotonic clock.
    public let sentNanoseconds: UInt64
    /// When the reply came, on the same clock.
    public let acknowledgedNanoseconds: UInt64

    /// The numbers of ``points``.
    public var seqs: [Int64] { points.map(\.seq) }
    /// From request to reply.
    public var latency: Duration { .nanoseconds(acknowledgedNanoseconds &- sentNanoseconds) }
    /// From recording to reply, of the oldest point: waits for a connection and earlier attempts are in it.
    public var delay: Duration { .nanoseconds(acknowledgedNanoseconds &- addedNanoseconds) }
}

/// What an uploader tells while it works. The bodies run on its event loop: they must be short and must not block.
public struct TrackEvents: Sendable {
    /// The session exists; its number and start are known.
    public var onStarted: (@Sendable (Session) -> Void)?
    /// A request with these points leaves now (nanoseconds of the monotonic clock), perhaps not for the first time.
    public var onSend: (@Sendable (_ session: Int64, _ points: [TrackPoint], _ nanoseconds: UInt64) -> Void)?
    /// The server answered for these points.
    public var onAcknowledged: (@Sendable (TrackAcknowledgement) -> Void)?
    /// A request failed and is sent again.
    public var onRetry: (@Sendable (any Error) -> Void)?

    /// All of them nil, or those given.
    public init(
        onStarted: (@Sendable (Session) -> Void)? = nil,
        onSend: (@Sendable (_ session: Int64, _ points: [TrackPoint], _ nanoseconds: UInt64) -> Void)? = nil,
        onAcknowledged: (@Sendable (TrackAcknowledgement) -> Void)? = nil,
        onRetry: (@Sendable (any Error) -> Void)? = nil
    ) {
        self.onStarted = onStarted
        self.onSend = onSend
        self.onAcknowledged = onAcknowledged
        self.onRetry = onRetry
    }
}

/// A fix as the phone's receiver gives it; the uploader numbers it.
public struct TrackFix: Sendable, Equatable {
    /// Degrees, -90 to 90.
    public var lat: Double
    /// Degrees, -180 to 180.
    public var lon: Double
    /// On the session's clock: the server's for a live one (see ``ResilientClient/serverClockOffsetMilliseconds``).
    public var time: Timestamp
    /// Radius in metres that holds the true position with 68 %, 0-100,000.
    public var accuracy: Double?
    /// Metres above the ellipsoid, -1,000 to 20,000.
    public var altitude: Double?
    /// m/s, 0-1,000.
    public var speed: Double?
    /// Degrees clockwise from north, 0-360.
    public var heading: Double?

    /// Memberwise.
    public init(
        lat: Double, lon: Double, time: Timestamp, accuracy: Double? = nil, altitude: Double? = nil,
        speed: Double? = nil, heading: Double? = nil
    ) {
        self.lat = lat
        self.lon = lon
        self.time = time
        self.accuracy = accuracy
        self.altitude = altitude
        self.speed = speed
        self.heading = heading
    }
}
