import DequeModule

/// Holder of incomplete input from a peer, such as half a message.
public protocol IncompleteInputOwner: AnyObject {
    /// The loop that the owner is confined to.
    var loop: EventLoop { get }
    /// Only ``IncompleteInputLimiter`` changes it.
    var unfinished: IncompleteInputState { get set }
    /// Discards the incomplete input and makes the peer start again, or closes the connection. On the loop. The owner soon reports
    /// 0 bytes.
    func giveUpUnfinished(_ excess: IncompleteInputLimiter.Excess)
}

/// Bookkeeping of ``IncompleteInputLimiter`` for one owner.
public struct IncompleteInputState: Sendable {
    /// Identifies the current incomplete input; 0 for none.
    var serial: UInt64 = 0
    var bytes = 0

    public init() {}
}

/// Limits on the incomplete input that a loop holds for its peers: a time limit for each, a size limit for all together. Without
/// limits, a peer could pin a megabyte with a kilobyte that decompresses to it, on thousands of connections, and keep them alive
/// with pings.
///
/// Above the size limit the oldest input is discarded first, because honest peers finish soon. On its loop only.
public final class IncompleteInputLimiter {
    /// Reason why incomplete input is discarded.
    public enum Excess: Sendable {
        /// The input took too long.
        case time
        /// The loop holds too much, and this input is the oldest.
        case memory
    }

    /// Bytes that all connections of the loop together may hold.
    public static let bytesMaxDefault = 64 * 1_048_576
    /// Time from the first byte to the last. A phone at 2 kB/s sends 120 kB in it.
    public static let timeMaxDefault = Duration.seconds(60)
    /// Outdated entries that may stay in the queue.
    private static let staleMax = 256

    /// See ``bytesMaxDefault``.
    public var bytesMax = bytesMaxDefault
    /// See ``timeMaxDefault``. Must not be shortened while input is held, because deadlines are kept in order.
    public var timeMax = timeMaxDefault
    /// Bytes held now.
    public private(set) var bytes = 0

    private struct Entry {
        weak var owner: (any IncompleteInputOwner)?
        let serial: UInt64
        let deadline: UInt64

        var current: (any IncompleteInputOwner)? { owner.flatMap { $0.unfinished.serial == serial ? $0 : nil } }
    }
    /// In the order of their start, and thus of their deadlines.
    private var line = Deque<Entry>()
    private var count = 0
    private var lastSerial: UInt64 = 0
    private var isTimerSet = false

    /// Records the incomplete input that an owner holds now. Amortised O(1).
    /// - Parameters:
    ///   - held: Bytes, 0 for none.
    ///   - isAnother: True if this is a different input than at the last call; the time limit starts again.
    public func update(_ owner: any IncompleteInputOwner, bytes held: Int, isAnother: Bool) {
        guard held > 0 || owner.unfinished.serial != 0 else { return }
        bytes += held - owner.unfinished.bytes
        owner.unfinished.bytes = held
        if held == 0 || isAnother, owner.unfinished.serial != 0 {
            owner.unfinished.serial = 0
            count -= 1
        }
        if held > 0, owner.unfinished.serial == 0 { begin(owner) }
        while bytes > bytesMax, let oldest = line.popFirst() { oldest.current.map { giveUp($0, .memory) } }
    }

    private func begin(_ owner: any IncompleteInputOwner) {
        if line.count > 2 * count + Self.staleMax { line.removeAll { $0.current == nil } }
        lastSerial += 1
        count += 1
        owner.unfinished.serial = lastSerial
        line.append(
            Entry(owner: owner, serial: lastSerial, deadline: EventLoop.nowNanoseconds &+ timeMax.nanoseconds))
        setTimer(on: owner.loop)
    }

    private func giveUp(_ owner: any IncompleteInputOwner, _ excess: Excess) {
        // Updated first, because the owner may change its state only later.
        update(owner, bytes: 0, isAnother: false)
        owner.giveUpUnfinished(excess)
    }

    private func setTimer(on loop: EventLoop) {
        guard !isTimerSet, let first = line.first else { return }
        isTimerSet = true
        let now = EventLoop.nowNanoseconds
        loop.schedule(after: .nanoseconds(first.deadline > now ? first.deadline - now : 0)) { [weak loop] in
            guard let loop else { return }
            self.isTimerSet = false
            let now = EventLoop.nowNanoseconds
            while let first = self.line.first, first.current == nil || first.deadline <= now {
                self.line.removeFirst()
                first.current.map { self.giveUp($0, .time) }
            }
            self.setTimer(on: loop)
        }
    }
}
