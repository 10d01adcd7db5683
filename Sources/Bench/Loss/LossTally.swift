import Synchronization
import Wire

/// What happens in a loss run: what was acknowledged, what each subscriber was given, and what was said of what could not be.
///
/// Fed from the clients' loops, read from anywhere; each call holds a mutex for well under a microsecond.
final class LossTally: Sendable {
    /// What was acknowledged.
    struct Acknowledged: Sendable {
        let id: String
        let author: Int64
        let effect: LossWrite.Effect
        let place: LossPlace
    }

    /// Why a subscriber could not be given everything, as the server said, and what is known of it.
    struct Unrecovered: Sendable {
        let topic: String
        let reason: RecoveryFailure
        let since: TopicPosition
        let reply: TopicPosition
    }

    struct State: Sendable {
        var acknowledged: [Acknowledged] = []
        /// Sent again because no answer came, or the answer was to.
        var resends = 0
        /// Sent again though acknowledged, and put into another place.
        var movedResends = 0
        /// Publishers that gave up, at the end.
        var unacknowledged = 0
        var latency = LatencyHistogram()
        /// From sending to a subscriber at the same node, and at another one.
        var sameNode = LatencyHistogram()
        var otherNode = LatencyHistogram()
        var connections = 0
        var drops = 0
        var closeCodes: [String: Int] = [:]
        var recovered = 0
        var recoveredPublications = 0
        var pages = 0
        var unrecovered: [Unrecovered] = []
        /// Positions that were made up, and what was said of them.
        var probes = 0
        var falseProbes = 0
        /// Refused because the disk was full, with the words that the requirement has (U-9).
        var storageFull = 0
        /// Errors that are the server's fault and have no better name.
        var internalErrors: [String: Int] = [:]
        /// Told to an account that it does not concern.
        var foreign = 0
        /// Asked for by an account that it does not concern.
        var foreignRequests = 0
        /// Of `user/<id>`.
        var signals = 0
        var doubledSignals = 0
        /// By conversation, the newest message that those were told of who left it.
        var leaversSignals: [Int64: Int64] = [:]
        var troubles: [String: Int] = [:]
    }
    private let state = Mutex(State())

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    var snapshot: State { state.withLock { $0 } }
    var acknowledgedCount: Int { state.withLock { $0.acknowledged.count } }

    /// A publication was pushed to a subscriber of a node.
    func arrived(_ event: LossEvent, at node: Int) {
        guard case .published(_, let item) = event, let stamp = item.stamp else { return }
        let nanoseconds = LoadLoop.now - stamp.sentAt
        change { state in
            if stamp.node == node {
                state.sameNode.record(nanoseconds: nanoseconds)
            } else {
                state.otherNode.record(nanoseconds: nanoseconds)
            }
        }
    }

    func trouble(_ text: String) { change { $0.troubles[text, default: 0] += 1 } }

    /// Something was refused.
    func refused(_ error: RPCError) {
        change { state in
            switch error.registered {
            case .storageFull:
                state.storageFull += 1
                if error.message != Self.storageFullMessage {
                    state.troubles["a full disk was called: \(error.message)", default: 0] += 1
                }
            case .internalError: state.internalErrors[error.message, default: 0] += 1
            default: break
            }
        }
    }

    /// Word for word (U-9).
    private static let storageFullMessage = "Insufficient Storage, please contact an admin"
}

/// What one subscriber was given of one topic, checked as it comes.
///
/// Called on its connection's loop; after a reconnection that may be another.
final class LossLedger: Sendable {
    struct State: Sendable {
        /// Behind this offset it has everything; nil before the first reply.
        var first: Int64?
        var position: TopicPosition?
        /// Of what it was given in order, the hashes of the publications' ids; the first is at `first + 1`.
        var hashes: [UInt64] = []
        var duplicated = 0
        var outOfOrder = 0
        /// Publications that it was told it would not get, since it was told so truthfully or not.
        var givenUp: Int64 = 0
        /// Runs that ended with a `recovered: false`.
        var closedRuns: [Run] = []
        /// The topic is not its business any more, as the server said.
        var isEnded = false
    }
    /// A stretch of offsets without a gap.
    struct Run: Sendable {
        let first: Int64
        let hashes: [UInt64]
    }

    let topic: String
    /// Whose it is; 0 for a guest's.
    let account: Int64
    private let state = Mutex(State())

    /// - Parameter start: Behind it the subscriber wants everything; nil begins with the first reply.
    init(topic: String, account: Int64 = 0, start: TopicPosition? = nil) {
        (self.topic, self.account) = (topic, account)
        state.withLock { ($0.first, $0.position) = (start?.offset, start) }
    }

    var snapshot: State { state.withLock { $0 } }
    var position: TopicPosition? { state.withLock { $0.position } }
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// The server says that there is nothing of it for this subscriber any more.
    func end() { state.withLock { $0.isEnded = true } }

    /// Takes what came.
    /// - Parameter since: What the subscription was asked with.
    /// - Returns: The reply, if it was one and has more to come.
    func take(_ event: LossEvent, since: TopicPosition?, tally: LossTally) {
        switch event {
        case .published(let epoch, let item):
            state.withLock { $0.add(epoch, item) }
        case .resumed(let reply):
            state.withLock { state in
                if !reply.isRecovered { state.begin(reply) }
                for item in reply.items { state.add(reply.position.epoch, item) }
                if state.position?.offset != reply.position.offset { state.outOfOrder += 1 }
            }
            tally.change { tally in
                if reply.isRecovered {
                    tally.recovered += 1
                    tally.recoveredPublications += reply.items.count
                    if reply.hasMore { tally.pages += 1 }
                }
                guard let since, !reply.isRecovered else { return }
                guard let reason = reply.reason else {
                    tally.troubles["recovered: false without a reason", default: 0] += 1
                    return
                }
                tally.unrecovered.append(
                    .init(topic: topic, reason: reason, since: since, reply: reply.position))
            }
        }
    }

    /// FNV-1a.
    static func hash(_ id: String) -> UInt64 {
        id.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}

extension LossLedger.State {
    fileprivate mutating func begin(_ reply: LossEvent.Reply) {
        if let first { closedRuns.append(.init(first: first, hashes: hashes)) }
        hashes = []
        let start = (reply.items.first?.offset ?? reply.position.offset + 1) - 1
        if let position { givenUp += max(0, start - position.offset) }
        first = start
        position = TopicPosition(epoch: reply.position.epoch, offset: start)
    }

    fileprivate mutating func add(_ epoch: Int64, _ item: LossItem) {
        guard let position, epoch == position.epoch, item.offset == position.offset + 1 else {
            if let position, item.offset <= position.offset { duplicated += 1 } else { outOfOrder += 1 }
            return
        }
        self.position?.offset += 1
        hashes.append(LossLedger.hash(item.id))
    }
}
