/// Something that is looked at now and then, such as a connection that may need a keep-alive ping.
public protocol SweepMember: AnyObject {
    /// Where the ring keeps it; nobody else writes it.
    var sweepPosition: SweepPosition { get set }
    /// A round has passed since the last visit, or since it was added. On the loop.
    func visit()
}

/// A member's place in its ring.
public struct SweepPosition: Sendable {
    var slot: UInt32 = .max
    var index: UInt32 = 0

    /// In no ring.
    public init() {}

    var isInRing: Bool { slot != .max }
}

/// Visits each of its members once a round, spread evenly over it: thousands of connections share one timer and need 16
/// bytes each, instead of a timer each. On one loop only.
public final class SweepRing {
    /// Between two slots.
    static let stepInterval = Duration.seconds(1)
    /// Slots of a ring, whatever its interval.
    static let slotsMax: UInt64 = 3_600

    private unowned let loop: EventLoop
    private let step: Duration
    private var slots: [[any SweepMember]]
    private var current = 0
    private var isRunning = false
    /// How many members there are.
    public private(set) var count = 0

    init(loop: EventLoop, interval: Duration) {
        self.loop = loop
        let wanted = interval.nanoseconds / Self.stepInterval.nanoseconds
        let slotCount = min(max(1, wanted), Self.slotsMax)
        slots = Array(repeating: [], count: Int(slotCount))
        step = interval / Int(slotCount)
    }

    /// Adds a member; its first visit is one round from now, a step more or less. O(1).
    public func add(_ member: any SweepMember) {
        loop.preconditionIsolated()
        guard !member.sweepPosition.isInRing else { return }
        member.sweepPosition.slot = UInt32(current)
        member.sweepPosition.index = UInt32(slots[current].count)
        slots[current].append(member)
        count += 1
        if !isRunning { run() }
    }

    /// Removes a member; harmless when it is in no ring. O(1).
    public func remove(_ member: any SweepMember) {
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
    /// The ring with this interval; made when it is asked for the first time. On the loop.
    public func sweepRing(every interval: Duration) -> SweepRing {
        preconditionIsolated()
        if let ring = sweepRings[interval] { return ring }
        let ring = SweepRing(loop: self, interval: interval)
        sweepRings[interval] = ring
        return ring
    }
}
