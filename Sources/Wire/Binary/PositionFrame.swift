/// What changed in one picture, as a binary message (B-3): the compact form of ``ZoneUpdate``.
///
/// A picture is a cell or a zone, for one kind of viewers. Its first frame is a snapshot with everyone in it and the raster;
/// each later one has the next `sequence` and tells what is new against the frame before. Who missed one cannot read the next,
/// and gets a snapshot. All numbers are whole; the layout is in the Protocol article.
public struct PositionFrame: Sendable, Equatable {
    /// The first byte of every frame of this kind, `P`, and the version behind it.
    public static let kind: UInt8 = 0x50
    /// Of the layout.
    public static let version: UInt8 = 1
    /// Runners in one picture.
    public static let runnersMax = 65_536
    /// Bytes of a name or title.
    static let textBytesMax = 1_024

    /// Which picture it belongs to.
    public enum Picture: Sendable, Hashable {
        /// A cell of the campus, in the tile scheme of web maps: zoom, column from the west, row from the north.
        case cell(zoom: UInt8, x: UInt32, y: UInt32)
        /// A zone, whole.
        case zone(Int64)
    }

    /// What is known of a runner when it comes into the picture.
    public struct Entered: Sendable, Equatable {
        /// Its number in this picture, until it leaves.
        public var handle: UInt32
        /// The session's number.
        public var session: Int64
        /// The owner's username.
        public var name: String
        /// The session's title.
        public var title: String
        /// Run or cycle.
        public var activity: Activity
        /// A sample or a recording.
        public var simulated: Bool
        /// The zone it is in.
        public var zone: Int64?
        /// How it moves.
        public var motion: Motion
        /// How far it is.
        public var distance: UInt64
        /// Its clock.
        public var clock: Clock
    }

    /// What is new of a runner in the picture.
    public struct Moved: Sendable, Equatable {
        /// Its number in this picture.
        public var handle: UInt32
        /// How it moves; the point counts from the last one.
        public var motion: Motion
        /// Since the last frame that told of it, tenths of a metre.
        public var distance: Int64
        /// When it does not run on as it did.
        public var clock: Clock?
    }

    /// A point and how it is passed.
    public struct Motion: Sendable, Equatable {
        /// Why the dot moves or stands still.
        public var state: RunnerState
        /// On the raster.
        public var point: PositionGrid.Point
        /// Tenths of a second from the fix to ``PositionFrame/serverTime``.
        public var age: UInt64
        /// Tenths of a metre a second; 0 unless moving.
        public var speed: UInt32
        /// 256ths of a turn, clockwise from north; nil when unknown.
        public var heading: UInt8?
    }

    /// A session's time.
    public struct Clock: Sendable, Equatable {
        /// Tenths of a second without pauses, at the fix.
        public var elapsed: UInt64
        /// Hundredths of a second that it grows by in a second.
        public var rate: UInt32
    }

    /// A runner that is not in the picture any more.
    public struct Left: Sendable, Equatable {
        /// Its number in this picture, which may be given to another from the next frame on.
        public var handle: UInt32
        /// Why.
        public var reason: ZoneUpdate.Left.Reason
        /// The zone it went to.
        public var to: Int64?
    }

    /// Which picture.
    public var picture: Picture
    /// Of the frames of this picture, modulo 2³².
    public var sequence: UInt32
    /// The server's clock.
    public var serverTime: Timestamp
    /// The raster; nil unless this is a snapshot, for which everybody else is to be forgotten.
    public var grid: PositionGrid?
    /// Gone. They come first: their numbers may be used again.
    public var left: [Left]
    /// New, or told anew.
    public var entered: [Entered]
    /// Changed, by rising handles.
    public var moved: [Moved]
}

extension PositionFrame {
    /// When a fix was made.
    /// - Parameter age: Tenths of a second.
    static func fixTime(age: UInt64, _ serverTime: Timestamp) -> Timestamp {
        // Nobody's fix is older than the clock: what a frame may say beyond that is its error.
        Timestamp(milliseconds: serverTime.milliseconds - Int64(min(age, UInt64(serverTime.milliseconds) / 100) * 100))
    }
}

extension RunnerState {
    /// Its number in binary frames.
    var code: UInt8 {
        switch self {
        case .moving: 0
        case .stationary: 1
        case .paused: 2
        case .offline: 3
        case .finished: 4
        }
    }

    init(code: UInt8) throws(BinaryFrameError) {
        switch code {
        case 0: self = .moving
        case 1: self = .stationary
        case 2: self = .paused
        case 3: self = .offline
        case 4: self = .finished
        default: throw BinaryFrameError("there is no such state of a runner")
        }
    }
}

extension ZoneUpdate.Left.Reason {
    /// Its number in binary frames.
    var code: UInt8 {
        switch self {
        case .zone: 0
        case .finished: 1
        case .hidden: 2
        }
    }

    init(code: UInt8) throws(BinaryFrameError) {
        switch code {
        case 0: self = .zone
        case 1: self = .finished
        case 2: self = .hidden
        default: throw BinaryFrameError("there is no such reason to leave")
        }
    }
}
