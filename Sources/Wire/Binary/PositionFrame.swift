/// Changes of one area feed as a binary message (B-3): the compact form of ``ZoneUpdate``.
///
/// An area feed covers a cell or a zone for one kind of viewers. Its first frame is a snapshot with all runners and the raster. Each later
/// frame has the next `sequence` and contains the changes since the frame before. A viewer that missed a frame cannot decode the next one
/// and gets a snapshot. All numbers are integers; the PositionFrames article describes the layout.
public struct PositionFrame: Sendable, Equatable {
    /// First byte of each frame of this kind, `P`. The version follows it.
    public static let kind: UInt8 = 0x50
    /// Version of the layout.
    public static let version: UInt8 = 1
    /// Highest number of runners in an area.
    public static let runnersMax = 65_536
    /// Highest number of bytes of a name or title.
    static let textBytesMax = 1_024

    /// Area of a feed.
    public enum Area: Sendable, Hashable {
        /// A cell of the campus in the tile scheme of web maps: zoom level, column from the west, row from the north.
        case cell(zoom: UInt8, x: UInt32, y: UInt32)
        /// A whole zone.
        case zone(Int64)
    }

    /// Complete record of a runner that entered the area.
    public struct Entered: Sendable, Equatable {
        /// Number of the runner in this area until it leaves.
        public var handle: UInt32
        /// Number of the session.
        public var session: Int64
        /// Username of the owner.
        public var name: String
        /// Title of the session.
        public var title: String
        public var activity: Activity
        /// True for a sample runner or a recording.
        public var simulated: Bool
        /// Zone of the runner.
        public var zone: Int64?
        public var motion: Motion
        /// Tenths of a metre.
        public var distance: UInt64
        public var clock: Clock
    }

    /// Changes of a runner in the area.
    public struct Moved: Sendable, Equatable {
        /// Number of the runner in this area.
        public var handle: UInt32
        /// Motion; its point is relative to the previous one.
        public var motion: Motion
        /// Tenths of a metre since the previous record of the runner.
        public var distance: Int64
        /// Clock of the session, if it does not continue as extrapolated.
        public var clock: Clock?
    }

    /// Point, speed and heading of a runner.
    public struct Motion: Sendable, Equatable {
        /// Reason why the dot moves or stands still.
        public var state: RunnerState
        /// Point on the raster.
        public var point: PositionGrid.Point
        /// Tenths of a second from the fix to ``PositionFrame/serverTime``.
        public var age: UInt64
        /// Tenths of a metre per second; 0 unless moving.
        public var speed: UInt32
        /// 256ths of a turn, clockwise from north; nil if unknown.
        public var heading: UInt8?
    }

    /// Elapsed time of a session.
    public struct Clock: Sendable, Equatable {
        /// Tenths of a second without pauses, at the fix.
        public var elapsed: UInt64
        /// Hundredths of a second by which `elapsed` grows per second.
        public var rate: UInt32
    }

    /// A runner that left the area.
    public struct Left: Sendable, Equatable {
        /// Number of the runner in this area. A later frame may assign it to another runner.
        public var handle: UInt32
        public var reason: ZoneUpdate.Left.Reason
        /// Zone to which the runner moved.
        public var to: Int64?
    }

    public var area: Area
    /// Sequence number of the frame in its feed, modulo 2³².
    public var sequence: UInt32
    /// Clock of the server.
    public var serverTime: Timestamp
    /// Raster of a snapshot, after which a viewer forgets all earlier runners; nil for other frames.
    public var grid: PositionGrid?
    /// Runners that left. They come first, because later records may use their handles again.
    public var left: [Left]
    /// Runners that entered, or whose complete record is sent again.
    public var entered: [Entered]
    /// Changed runners, by rising handle.
    public var moved: [Moved]
}

extension PositionFrame {
    /// Time of a fix.
    /// - Parameter age: Tenths of a second.
    static func fixTime(age: UInt64, _ serverTime: Timestamp) -> Timestamp {
        // A fix cannot be older than the epoch of the clock; a larger age in a frame is an error.
        Timestamp(milliseconds: serverTime.milliseconds - Int64(min(age, UInt64(serverTime.milliseconds) / 100) * 100))
    }
}

extension RunnerState {
    /// Code of the state in binary frames.
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
    /// Code of the reason in binary frames.
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
