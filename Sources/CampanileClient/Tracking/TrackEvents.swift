import Wire

/// A reply of the server to one request with points.
public struct TrackAcknowledgement: Sendable {
    /// The request's points that are stored durably, in the order of `seq`: all except the refused ones.
    public let points: [TrackPoint]
    /// Points that the server will never store, with the reasons. The uploader does not send them again.
    public let refused: [TrackingPoints.Remark]
    /// Stored points that add no distance, with the reasons.
    public let notCounted: [TrackingPoints.Remark]
    /// Points that the server had already stored, from a request whose reply was lost.
    public let duplicates: Int
    /// The session after the request.
    public let session: Session
    /// Time when the oldest of the points was added, in monotonic nanoseconds.
    public let addedNanoseconds: UInt64
    /// Time when the answered request was sent, in monotonic nanoseconds.
    public let sentNanoseconds: UInt64
    /// Time when the reply arrived, in monotonic nanoseconds.
    public let acknowledgedNanoseconds: UInt64

    /// The sequence numbers of ``points``.
    public var seqs: [Int64] { points.map(\.seq) }
    /// Time from the request to its reply.
    public var latency: Duration { .nanoseconds(acknowledgedNanoseconds &- sentNanoseconds) }
    /// Time from adding the oldest point to the reply. It includes outages and earlier attempts.
    public var delay: Duration { .nanoseconds(acknowledgedNanoseconds &- addedNanoseconds) }
}

/// Callbacks of an uploader. They run on its event loop and must be short and must not block.
public struct TrackEvents: Sendable {
    /// Called when the session exists on the server, with its number and start.
    public var onStarted: (@Sendable (Session) -> Void)?
    /// Called before each attempt to send points, at a time in monotonic nanoseconds.
    public var onSend: (@Sendable (_ session: Int64, _ points: [TrackPoint], _ nanoseconds: UInt64) -> Void)?
    /// Called when the server has answered for points.
    public var onAcknowledged: (@Sendable (TrackAcknowledgement) -> Void)?
    /// Called when a request failed and will be sent again.
    public var onRetry: (@Sendable (any Error) -> Void)?

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

/// A fix from the phone's receiver. The uploader numbers it.
public struct TrackFix: Sendable, Equatable {
    /// Degrees, -90 to 90.
    public var lat: Double
    /// Degrees, -180 to 180.
    public var lon: Double
    /// Time by the session's clock: the server's for a live session (see ``ResilientClient/serverClockOffsetMilliseconds``).
    public var time: Timestamp
    /// Radius in metres that contains the true position with a probability of 68 %, 0-100,000.
    public var accuracy: Double?
    /// Metres above the ellipsoid, -1,000 to 20,000.
    public var altitude: Double?
    /// m/s, 0-1,000.
    public var speed: Double?
    /// Degrees clockwise from north, 0-360.
    public var heading: Double?

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
