import Synchronization
import Wire

/// The record of a loss run: acknowledged writes, received publications, and the server's statements about failed
/// recoveries.
///
/// Written from the clients' loops, read from anywhere; each call holds a mutex for well under a microsecond.
final class LossTally: Sendable {
    /// An acknowledged write.
    struct Acknowledged: Sendable {
        let id: String
        let author: Int64
        let effect: LossWrite.Effect
        let position: LossPosition
    }

    /// A subscription that the server reported as not recovered.
    struct Unrecovered: Sendable {
        let topic: String
        let reason: RecoveryFailure
        let since: TopicPosition
        let reply: TopicPosition
    }

    struct State: Sendable {
        var acknowledged: [Acknowledged] = []
        /// Writes sent again because no answer came, or deliberately.
        var resends = 0
        /// Acknowledged writes that were stored at another offset when sent again.
        var movedResends = 0
        /// Writes given up at the end.
        var unacknowledged = 0
        var latency = LatencyHistogram()
        /// Time from sending to arrival at a subscriber of the same node, and of another node.
        var sameNode = LatencyHistogram()
        var otherNode = LatencyHistogram()
        var connections = 0
        var drops = 0
        var closeCodes: [String: Int] = [:]
        var recovered = 0
        var recoveredPublications = 0
        var pages = 0
        var unrecovered: [Unrecovered] = []
        /// Impossible positions sent, and those that the server answered incorrectly.
        var probes = 0
        var falseProbes = 0
        /// Refusals because of a full disk, with the required message (U-9).
        var storageFull = 0
        /// Internal errors of the server, by message.
        var internalErrors: [String: Int] = [:]
        /// Deliveries to an account without access.
        var foreign = 0
        /// Requests of an account without access.
        var foreignRequests = 0
        /// Signals on `user/<id>`.
        var signals = 0
        var doubledSignals = 0
        /// By conversation, the newest message that was signalled to the account that left.
        var leaversSignals: [Int64: Int64] = [:]
        var troubles: [String: Int] = [:]
    }
    private let state = Mutex(State())

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    var snapshot: State { state.withLock { $0 } }
    var acknowledgedCount: Int { state.withLock { $0.acknowledged.count } }

    /// Records the delivery of a publication to a subscriber of a node.
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

    /// Records a refusal.
    func refused(_ error: RPCError) {
        change { state in
            switch error.registered {
            case .storageFull:
                state.storageFull += 1
                if error.message != Self.storageFullMessage {
                    state.troubles["unexpected message for a full disk: \(error.message)", default: 0] += 1
                }
            case .internalError: state.internalErrors[error.message, default: 0] += 1
            default: break
            }
        }
    }

    /// The required message, verbatim (U-9).
    private static let storageFullMessage = "Insufficient Storage, please contact an admin"
}

/// The publications that one subscriber received of one topic, checked as they arrive.
///
/// Called on the event loop of its connection, which may change after a reconnection.
final class LossLedger: Sendable {
    struct State: Sendable {
        /// The offset after which it has received everything; nil before the first reply.
        var first: Int64?
        var position: TopicPosition?
        /// Hashes of the ids of the received publications, in order; the first is at `first + 1`.
        var hashes: [UInt64] = []
        var duplicated = 0
        var outOfOrder = 0
        /// Publications that the server stated as not recoverable, correctly or not.
        var givenUp: Int64 = 0
        /// Runs that ended with `recovered: false`.
        var closedRuns: [Run] = []
        /// True if the server reported that the account has no access to the topic any more.
        var isEnded = false
    }
    /// A range of offsets without a gap.
    struct Run: Sendable {
        let first: Int64
        let hashes: [UInt64]
    }

    let topic: String
    /// The subscriber's account; 0 for a guest.
    let account: Int64
    private let state = Mutex(State())

    /// - Parameter start: The subscriber expects everything after this position; nil begins with the first reply.
    init(topic: String, account: Int64 = 0, start: TopicPosition? = nil) {
        (self.topic, self.account) = (topic, account)
        state.withLock { ($0.first, $0.position) = (start?.offset, start) }
    }

    var snapshot: State { state.withLock { $0 } }
    var position: TopicPosition? { state.withLock { $0.position } }
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Marks the topic as no longer accessible to this subscriber.
    func end() { state.withLock { $0.isEnded = true } }

    /// Records a received event.
    /// - Parameter since: The position that the subscription sent.
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

    /// The FNV-1a hash of an id.
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
