/// A binary message about a picture, of either kind.
public enum PictureFrame: Sendable, Equatable {
    /// Runners.
    case positions(PositionFrame)
    /// Counts instead of runners.
    case counts(CountsFrame)

    /// Reads a message.
    /// - Throws: ``BinaryFrameError`` when it is neither.
    public init(decoding bytes: [UInt8]) throws(BinaryFrameError) {
        if bytes.first == CountsFrame.kind {
            self = .counts(try CountsFrame(decoding: bytes))
        } else {
            self = .positions(try PositionFrame(decoding: bytes))
        }
    }

    /// Which picture it belongs to.
    public var picture: PositionFrame.Picture {
        switch self {
        case .positions(let frame): frame.picture
        case .counts(let frame): frame.picture
        }
    }
}

/// What is new in a picture, in the forms that JSON has.
public enum PictureUpdate: Sendable {
    /// Runners; a full one ends counts.
    case runners(ZoneUpdate)
    /// Counts, whole: there are no runners from now on.
    case counts(CountsUpdate)
}

/// Follows the messages of one picture, be they runners or counts. Owned by one reader.
public struct PictureDecoder: Sendable {
    private var positions = PositionDecoder()
    /// The squares with anybody in them, while counts are told.
    public private(set) var clusters: [Cluster] = []

    /// Waits for a first snapshot, or for counts.
    public init() {}

    /// Everyone in the picture; nobody while counts are told.
    public var runners: [Runner] { positions.runners }

    /// How many there are, known one by one or counted.
    public var count: Int { positions.runners.count + clusters.reduce(0) { $0 + $1.count } }

    /// Takes the next message.
    /// - Returns: Nil when a message is missing: nothing is known until the next snapshot or counts.
    /// - Throws: ``BinaryFrameError`` when it speaks of somebody who is not there.
    public mutating func apply(_ frame: PictureFrame) throws(BinaryFrameError) -> PictureUpdate? {
        switch frame {
        case .counts(let frame):
            // What follows of runners begins with a snapshot.
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
