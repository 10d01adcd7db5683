/// Binary message of an area feed, of either kind.
public enum AreaFrame: Sendable, Equatable {
    /// Runners.
    case positions(PositionFrame)
    /// Counts instead of runners.
    case counts(CountsFrame)

    /// Decodes a message.
    /// - Throws: ``BinaryFrameError`` for bytes of neither kind.
    public init(decoding bytes: [UInt8]) throws(BinaryFrameError) {
        if bytes.first == CountsFrame.kind {
            self = .counts(try CountsFrame(decoding: bytes))
        } else {
            self = .positions(try PositionFrame(decoding: bytes))
        }
    }

    /// Area feed of the frame.
    public var area: PositionFrame.Area {
        switch self {
        case .positions(let frame): frame.area
        case .counts(let frame): frame.area
        }
    }
}

/// Changes of an area feed in their JSON forms.
public enum AreaUpdate: Sendable {
    /// Changed runners. A full update ends counts.
    case runners(ZoneUpdate)
    /// Complete counts. They replace all runners.
    case counts(CountsUpdate)
}

/// Decodes the messages of one area feed, runners or counts. It has one owner.
public struct AreaDecoder: Sendable {
    private var positions = PositionDecoder()
    /// Squares with at least one runner while the feed sends counts; otherwise empty.
    public private(set) var clusters: [Cluster] = []

    /// A decoder that waits for a snapshot or counts.
    public init() {}

    /// All runners in the area; empty while the feed sends counts.
    public var runners: [Runner] { positions.runners }

    /// Number of people in the area, from runners or counts.
    public var count: Int { positions.runners.count + clusters.reduce(0) { $0 + $1.count } }

    /// Applies the next message.
    /// - Returns: The changes. Nil after a missed message: the state is then unknown until the next snapshot or counts.
    /// - Throws: ``BinaryFrameError`` for a runner that is not in the area.
    public mutating func apply(_ frame: AreaFrame) throws(BinaryFrameError) -> AreaUpdate? {
        switch frame {
        case .counts(let frame):
            // Runners that follow counts begin with a snapshot.
            positions = PositionDecoder()
            let update = frame.update
            clusters = update.clusters
            return .counts(update)
        case .positions(let frame):
            clusters = []
            guard let update = try positions.apply(frame) else { return nil }
            return .runners(update)
        }
    }
}
