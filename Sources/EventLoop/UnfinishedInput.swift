import DequeModule

/// Who holds the beginning of something that its peer has not finished sending, such as half a message.
public protocol UnfinishedInputOwner: AnyObject {
    /// The loop that all of it happens on.
    var loop: EventLoop { get }
    /// Nobody but ``UnfinishedInput`` writes it.
    var unfinished: UnfinishedPlace { get set }
    /// Forgets what it holds and has the peer begin anew, or ends the connection. On the loop; it reports 0 bytes before long.
    func giveUpUnfinished(_ excess: UnfinishedInput.Excess)
}

/// What is known of an owner.
public struct UnfinishedPlace: Sendable {
    /// Tells what is held now from what was held before; 0 for nothing.
    var serial: UInt64 = 0
    var bytes = 0

    /// Nothing is held.
    public init() {}
}

/// Bounds what a loop holds because its peers began something and do not finish it: each by time, all together by size. A peer
/// could otherwise pin a megabyte with a kilobyte that decompresses to it, thousands of times over, and only send pings.
///
/// Beyond the size the oldest goes first: honest peers finish soon. On its loop only.
public final class UnfinishedInput {
    /// Why something is given up.
    public enum Excess: Sendable {
        /// It took too long.
        case time
        /// The loop holds too much, and this is the oldest.
        case memory
    }

    /// What all connections of the loop may hold.
    public static let bytesMaxDefault = 64 * 1_048_576
    /// From the first byte to the last: a phone at 2 kB/s sends 120 kB in it.
    public static let timeMaxDefault = Duration.seconds(60)
    /// Entries that may be stale before they are swept out.
    private static let staleMax = 256

    /// See ``bytesMaxDefault``.
    public var bytesMax = bytesMaxDefault
    /// See ``timeMaxDefault``; not shorter than before while anything is held.
    public var timeMax = timeMaxDefault
    /// What is held now.
    public private(set) var bytes = 0

    private struct Entry {
        weak var owner: (any UnfinishedInputOwner)?
        let serial: UInt64
        let deadline: UInt64

        var current: (any UnfinishedInputOwner)? { owner.flatMap { $0.unfinished.serial == serial ? $0 : nil } }
    }
    /// In the order of their beginnings, and so of their deadlines.
    private var line = Deque<Entry>()
    private var count = 0
    private var lastSerial: UInt64 = 0
    private var isTimerSet = false

    /// Takes note of what an owner holds now. Amortised O(1).
    /// - Parameters:
    ///   - held: Bytes, 0 for nothing.
    ///   - isAnother: It is not what it was when this was last called: the clock begins anew.
    public func update(_ owner: any UnfinishedInputOwner, bytes held: Int, isAnother: Bool) {
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

    private func begin(_ owner: any UnfinishedInputOwner) {
        if line.count > 2 * count + Self.staleMax { line.removeAll { $0.current == nil } }
        lastSerial += 1
        count += 1
        owner.unfinished.serial = lastSerial
        line.append(
            Entry(owner: owner, serial: lastSerial, deadline: EventLoop.nowNanoseconds &+ timeMax.nanoseconds))
        setTimer(on: owner.loop)
    }

    private func giveUp(_ owner: any UnfinishedInputOwner, _ excess: Excess) {
        // Before the owner hears of it, which may not change anything at once.
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
