import Wire

extension Precision {
    /// Seconds between two looks at where somebody is; 0 for at once.
    public var lookSeconds: Int64 {
        switch self {
        case .exact: 0
        case .building: 60
        case .zone: 120
        case .campus: 300
        }
    }
}

/// When a share looks at where its owner is, whatever happens there: no update says when somebody went through a door.
public struct LookClock: Sendable, Equatable {
    /// Milliseconds between two looks; 0 for at once.
    public let intervalMilliseconds: Int64
    /// Of each interval, when the look is.
    public let phaseMilliseconds: Int64

    /// The clock of a share at a precision.
    /// - Parameter secret: At least 8 bytes that only the share has, the same on all nodes; they fix the phase.
    public init(_ precision: Precision, secret: [UInt8]) {
        intervalMilliseconds = precision.lookSeconds * 1_000
        let word = secret.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        phaseMilliseconds = intervalMilliseconds > 0 ? Int64(word % UInt64(intervalMilliseconds)) : 0
    }

    /// The newest look at a time; the time itself when it is looked at once.
    public func look(at time: Timestamp) -> Timestamp {
        guard intervalMilliseconds > 0 else { return time }
        let into = (time.milliseconds - phaseMilliseconds) % intervalMilliseconds
        return Timestamp(milliseconds: time.milliseconds - (into < 0 ? into + intervalMilliseconds : into))
    }

    /// The first look after a time.
    public func next(after time: Timestamp) -> Timestamp {
        Timestamp(milliseconds: look(at: time).milliseconds + intervalMilliseconds)
    }
}
