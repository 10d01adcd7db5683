/// Member of a ``TimerWheel``: an object to visit periodically, such as a connection that may need a keep-alive ping.
public protocol TimerWheelMember: AnyObject {
    /// Position in the ring; only the ring changes it.
    var sweepPosition: SweepPosition { get set }
    /// Called one round after the last visit, or after the member was added. On the loop.
    func visit()
}

/// Position of a member in its ring.
public struct SweepPosition: Sendable {
    var slot: UInt32 = .max
    var index: UInt32 = 0

    /// Creates the position of a member that is in no ring.
    public init() {}

    var isInRing: Bool { slot != .max }
}

/// Visits each member once in each round, spread evenly over the round. Thousands of connections share one timer and need 16 bytes
/// each, instead of one timer each. On one loop only.
public final class TimerWheel {
    /// Time between two slots.
    static let stepInterval = Duration.seconds(1)
    /// Maximum number of slots of a ring.
    static let slotsMax: UInt64 = 3_600

    private unowned let loop: EventLoop
    private let step: Duration
    private var slots: [[any TimerWheelMember]]
    private var current = 0
    private var isRunning = false
    /// Number of members.
    public private(set) var count = 0

    init(loop: EventLoop, interval: Duration) {
        self.loop = loop
        let wanted = interval.nanoseconds / Self.stepInterval.nanoseconds
        let slotCount = min(max(1, wanted), Self.slotsMax)
        slots = Array(repeating: [], count: Int(slotCount))
        step = interval / Int(slotCount)
    }

    /// Adds a member. Its first visit is one round from now, give or take one step. O(1).
    public func add(_ member: any TimerWheelMember) {
        loop.preconditionIsolated()
        guard !member.sweepPosition.isInRing else { return }
        member.sweepPosition.slot = UInt32(current)
        member.sweepPosition.index = UInt32(slots[current].count)
        slots[current].append(member)
        count += 1
        if !isRunning { run() }
    }

    /// Removes a member; does nothing if it is in no ring. O(1).
    public func remove(_ member: any TimerWheelMember) {
        loop.preconditionIsolated()
        let position = member.sweepPosition
        guard position.isInRing else { return }
        member.sweepPosition = SweepPosition()
        let slot = Int(position.slot)
        let last = slots[slot].removeLast()
        if last !== member {
            slots[slot][Int(position.index)] = last
            last.sweepPosition.index = position.index
        }
        count -= 1
    }

    private func run() {
        isRunning = true
        loop.schedule(after: step) { [weak self] in
            guard let self else { return }
            isRunning = false
            current = (current + 1) % slots.count
            for member in slots[current] { member.visit() }
            if count > 0 { run() }
        }
    }
}

extension EventLoop {
    /// Returns the ring with this interval, and creates it on first use. On the loop.
    public func timerWheel(every interval: Duration) -> TimerWheel {
        preconditionIsolated()
        if let ring = sweepRings[interval] { return ring }
        let ring = TimerWheel(loop: self, interval: interval)
        sweepRings[interval] = ring
        return ring
    }
}
