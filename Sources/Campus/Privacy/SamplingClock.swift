import Wire

extension Precision {
    /// Interval between two samples of an owner's position, in seconds; 0 publishes each position immediately.
    public var samplingSeconds: Int64 {
        switch self {
        case .exact: 0
        case .building: 60
        case .zone: 120
        case .campus: 300
        }
    }
}

/// The fixed sampling times of a share's owner. They do not depend on the owner's movement, so no update reveals when the owner went
/// through a door.
public struct SamplingClock: Sendable, Equatable {
    /// Milliseconds between two samples; 0 for immediate publication.
    public let intervalMilliseconds: Int64
    /// Offset of the sample within each interval, in milliseconds.
    public let phaseMilliseconds: Int64

    /// Creates the clock of a share at a precision.
    /// - Parameter secret: At least 8 bytes that are unique to the share and the same on all nodes; they determine the
    ///   phase.
    public init(_ precision: Precision, secret: [UInt8]) {
        intervalMilliseconds = precision.samplingSeconds * 1_000
        let word = secret.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        phaseMilliseconds = intervalMilliseconds > 0 ? Int64(word % UInt64(intervalMilliseconds)) : 0
    }

    /// The latest sampling time at or before a time; the time itself for immediate publication.
    public func samplingTime(at time: Timestamp) -> Timestamp {
        guard intervalMilliseconds > 0 else { return time }
        let into = (time.milliseconds - phaseMilliseconds) % intervalMilliseconds
        return Timestamp(milliseconds: time.milliseconds - (into < 0 ? into + intervalMilliseconds : into))
    }

    /// The first sampling time after a time.
    public func next(after time: Timestamp) -> Timestamp {
        Timestamp(milliseconds: samplingTime(at: time).milliseconds + intervalMilliseconds)
    }
}
