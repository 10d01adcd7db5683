/// Encodes the frames of one area feed, which all its viewers share (B-2, B-3). It has one owner.
///
/// A viewer gets ``snapshot(serverTime:)`` first, then each frame from ``update(_:left:serverTime:)``.
public struct PositionEncoder: Sendable {
    /// Difference in seconds between a session's clock and the viewers' extrapolation above which a frame contains the clock again.
    static let clockErrorSecondsMax = 0.5

    /// State of a runner that the viewers have.
    private struct Known: Sendable {
        let handle: UInt32
        var runner: Runner
        var point: PositionGrid.Point
        /// Tenths of a metre.
        var distance: UInt64
        var clock: PositionFrame.Clock
        /// Time to which ``clock`` refers.
        var clockAt: Timestamp
    }

    /// The encoded area feed.
    public let area: PositionFrame.Area
    /// Raster of the feed's positions.
    public let grid: PositionGrid
    private var known: [Int64: Known] = [:]
    private var freeHandles: [UInt32] = []
    private var handleCount: UInt32 = 0
    private var sequence: UInt32 = 0

    /// An encoder for an empty area.
    public init(area: PositionFrame.Area, grid: PositionGrid) {
        self.area = area
        self.grid = grid
    }

    /// Number of runners in the area.
    public var count: Int { known.count }

    /// Snapshot of all runners in the area, in agreement with the frames so far. O(runners).
    public func snapshot(serverTime: Timestamp) -> [UInt8] {
        let entered = known.values.sorted { $0.handle < $1.handle }.map { known in
            Self.entered(known, motion: motion(known.runner, at: known.point, serverTime: serverTime))
        }
        return frame(serverTime, grid: grid, entered: entered).encoded
    }

    /// Encodes changes.
    /// - Parameters:
    ///   - runners: Runners that entered or changed, each once. Runners beyond a total of ``PositionFrame/runnersMax`` are left out.
    ///   - left: Runners that left. A runner that left and immediately re-entered is in `runners` too.
    /// - Returns: The frame, or nil if nothing changed for the viewers.
    public mutating func update(
        _ runners: [Runner], left: [ZoneUpdate.Left], serverTime: Timestamp
    ) -> [UInt8]? {
        var result = frame(serverTime, grid: nil, entered: [])
        var freed: [UInt32] = []
        for one in left {
            guard let gone = known.removeValue(forKey: one.session) else { continue }
            result.left.append(.init(handle: gone.handle, reason: one.reason, to: one.to))
            freed.append(gone.handle)
        }
        for runner in runners {
            if let before = known[runner.session], Self.isSame(before.runner, runner) {
                result.moved.append(move(before, to: runner, serverTime))
            } else if let entered = enter(runner, serverTime) {
                result.entered.append(entered)
            }
        }
        // Handles are freed at the end, so that a handle stands for one runner within a frame.
        freeHandles.append(contentsOf: freed)
        guard !(result.left.isEmpty && result.entered.isEmpty && result.moved.isEmpty) else { return nil }
        result.moved.sort { $0.handle < $1.handle }
        sequence &+= 1
        result.sequence = sequence
        return result.encoded
    }

    /// Whether two states of a runner differ only in members that a `moved` record can express.
    private static func isSame(_ a: Runner, _ b: Runner) -> Bool {
        a.name == b.name && a.title == b.title && a.activity == b.activity && a.simulated == b.simulated
            && a.zone == b.zone
    }

    private mutating func enter(_ runner: Runner, _ serverTime: Timestamp) -> PositionFrame.Entered? {
        let handle: UInt32
        if let before = known[runner.session] {
            handle = before.handle
        } else if let free = freeHandles.popLast() {
            handle = free
        } else {
            guard handleCount < PositionFrame.runnersMax else { return nil }
            handle = handleCount
            handleCount += 1
        }
        let new = Known(
            handle: handle, runner: runner, point: grid.point(LatLon(runner.lat, runner.lon)),
            distance: Self.tenths(runner.distance), clock: Self.clock(runner),
            clockAt: PositionFrame.fixTime(age: Self.age(runner, serverTime), serverTime))
        known[runner.session] = new
        return Self.entered(new, motion: motion(runner, at: new.point, serverTime: serverTime))
    }

    private mutating func move(_ before: Known, to runner: Runner, _ serverTime: Timestamp) -> PositionFrame.Moved {
        var new = before
        new.runner = runner
        new.point = grid.point(LatLon(runner.lat, runner.lon))
        new.distance = Self.tenths(runner.distance)
        let clock = Self.clock(runner)
        let at = PositionFrame.fixTime(age: Self.age(runner, serverTime), serverTime)
        let expected = Self.elapsed(before.clock, from: before.clockAt, to: at)
        let isOff = abs(expected - runner.elapsed) > Self.clockErrorSecondsMax || clock.rate != before.clock.rate
        if isOff { (new.clock, new.clockAt) = (clock, at) }
        known[runner.session] = new
        let step = PositionGrid.Point(x: new.point.x &- before.point.x, y: new.point.y &- before.point.y)
        return PositionFrame.Moved(
            handle: before.handle, motion: motion(runner, at: step, serverTime: serverTime),
            distance: Int64(bitPattern: new.distance &- before.distance), clock: isOff ? clock : nil)
    }

    private func frame(
        _ serverTime: Timestamp, grid: PositionGrid?, entered: [PositionFrame.Entered]
    ) -> PositionFrame {
        PositionFrame(
            area: area, sequence: sequence, serverTime: serverTime, grid: grid, left: [], entered: entered,
            moved: [])
    }

    private static func entered(_ known: Known, motion: PositionFrame.Motion) -> PositionFrame.Entered {
        let runner = known.runner
        // The clock is extrapolated to the fix, because a new viewer has no earlier value to extrapolate from.
        let elapsed = elapsed(known.clock, from: known.clockAt, to: runner.at)
        return PositionFrame.Entered(
            handle: known.handle, session: runner.session, name: runner.name, title: runner.title,
            activity: runner.activity, simulated: runner.simulated, zone: runner.zone, motion: motion,
            distance: known.distance,
            clock: .init(elapsed: tenths(elapsed), rate: known.clock.rate))
    }

    private func motion(
        _ runner: Runner, at point: PositionGrid.Point, serverTime: Timestamp
    ) -> PositionFrame.Motion {
        PositionFrame.Motion(
            state: runner.state, point: point, age: Self.age(runner, serverTime),
            speed: runner.state == .moving ? UInt32(clamping: Self.tenths(runner.speed)) : 0,
            heading: runner.heading.map { UInt8(truncatingIfNeeded: Int(($0 * 256 / 360).rounded())) })
    }

    private static func age(_ runner: Runner, _ serverTime: Timestamp) -> UInt64 {
        tenths(serverTime.seconds(since: runner.at))
    }

    private static func clock(_ runner: Runner) -> PositionFrame.Clock {
        PositionFrame.Clock(
            elapsed: tenths(runner.elapsed), rate: UInt32(clamping: Int((max(0, runner.rate) * 100).rounded())))
    }

    static func elapsed(_ clock: PositionFrame.Clock, from: Timestamp, to: Timestamp) -> Double {
        max(0, Double(clock.elapsed) / 10 + to.seconds(since: from) * Double(clock.rate) / 100)
    }

    private static func tenths(_ value: Double) -> UInt64 {
        // The limit keeps differences within the numbers that a frame can represent.
        value.isFinite ? UInt64(max(0, min(value, 1e14)) * 10 + 0.5) : 0
    }
}
