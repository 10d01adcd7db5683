/// Decodes the frames of one area feed into runners, as the inverse of ``PositionEncoder``. It has one owner.
public struct PositionDecoder: Sendable {
    private struct Known: Sendable {
        var runner: Runner
        var point: PositionGrid.Point
        /// Tenths of a metre.
        var distance: Int64
        var clock: PositionFrame.Clock
        var clockAt: Timestamp
    }

    private var grid: PositionGrid?
    private var sequence: UInt32 = 0
    private var known: [UInt32: Known] = [:]

    /// A decoder that waits for a snapshot.
    public init() {}

    /// All runners in the area.
    public var runners: [Runner] { known.values.map(\.runner) }

    /// Applies the next frame of the feed.
    /// - Returns: The changes in their JSON form. Nil after a missed frame: the state is then unknown until the next snapshot.
    /// - Throws: ``BinaryFrameError`` for a runner that is not in the area.
    public mutating func apply(_ frame: PositionFrame) throws(BinaryFrameError) -> ZoneUpdate? {
        if let grid = frame.grid {
            self.grid = grid
            known = [:]
        } else {
            guard grid != nil, frame.sequence == sequence &+ 1 else {
                grid = nil
                known = [:]
                return nil
            }
        }
        sequence = frame.sequence
        guard let grid else { return nil }
        var update = ZoneUpdate(serverTime: frame.serverTime, runners: [], left: [])
        update.full = frame.grid == nil ? nil : true
        for one in frame.left {
            guard let gone = known.removeValue(forKey: one.handle) else { throw Self.stranger }
            update.left.append(.init(session: gone.runner.session, reason: one.reason, to: one.to))
        }
        for one in frame.entered { update.runners.append(enter(one, frame.serverTime, grid)) }
        for one in frame.moved { update.runners.append(try move(one, frame.serverTime, grid)) }
        return update
    }

    private static let stranger = BinaryFrameError("the frame names a runner that is not in the area")

    private mutating func enter(
        _ one: PositionFrame.Entered, _ serverTime: Timestamp, _ grid: PositionGrid
    ) -> Runner {
        let position = grid.position(one.motion.point)
        let runner = Runner(
            session: one.session, name: one.name, activity: one.activity, title: one.title, state: one.motion.state,
            lat: position.latitude, lon: position.longitude, heading: nil, speed: 0, at: serverTime, distance: 0,
            elapsed: 0, averageSpeed: 0, zone: one.zone, simulated: one.simulated, rate: 0)
        var new = Known(
            runner: runner, point: one.motion.point, distance: Int64(clamping: one.distance), clock: one.clock,
            clockAt: PositionFrame.fixTime(age: one.motion.age, serverTime))
        new.runner = Self.runner(new, one.motion, serverTime, grid)
        known[one.handle] = new
        return new.runner
    }

    private mutating func move(
        _ one: PositionFrame.Moved, _ serverTime: Timestamp, _ grid: PositionGrid
    ) throws(BinaryFrameError) -> Runner {
        guard var new = known[one.handle] else { throw Self.stranger }
        new.point.x &+= one.motion.point.x
        new.point.y &+= one.motion.point.y
        new.distance &+= one.distance
        if let clock = one.clock {
            (new.clock, new.clockAt) = (clock, PositionFrame.fixTime(age: one.motion.age, serverTime))
        }
        new.runner = Self.runner(new, one.motion, serverTime, grid)
        known[one.handle] = new
        return new.runner
    }

    private static func runner(
        _ known: Known, _ motion: PositionFrame.Motion, _ serverTime: Timestamp, _ grid: PositionGrid
    ) -> Runner {
        var runner = known.runner
        let position = grid.position(known.point)
        (runner.lat, runner.lon) = (position.latitude, position.longitude)
        runner.state = motion.state
        runner.heading = motion.heading.map { Double($0) * 360 / 256 }
        runner.speed = Double(motion.speed) / 10
        runner.at = PositionFrame.fixTime(age: motion.age, serverTime)
        runner.distance = Double(known.distance) / 10
        runner.elapsed = PositionEncoder.elapsed(known.clock, from: known.clockAt, to: runner.at)
        runner.averageSpeed = runner.elapsed > 0 ? runner.distance / runner.elapsed : 0
        runner.rate = Double(known.clock.rate) / 100
        return runner
    }
}
