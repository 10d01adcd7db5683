import Synchronization
import Wire

/// What happens in a loss run: what was acknowledged, what each subscriber was given, and what was said of what could not be.
///
/// Fed from the clients' loops, read from anywhere; each call holds a mutex for well under a microsecond.
final class LossTally: Sendable {
    /// An acknowledged publication.
    struct Acknowledged: Sendable {
        let id: String
        let place: Published
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
        var troubles: [String: Int] = [:]
    }
    private let state = Mutex(State())

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    var snapshot: State { state.withLock { $0 } }
    /// A publication was pushed to a subscriber of a node.
    func arrived(_ event: LossEvent, at node: Int) {
        guard case .published(_, let publication) = event, let stamp = LossStamp(publication.data.data) else { return }
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
}

/// What a loss run publishes: where and when.
struct LossStamp {
    let node: Int
    let sentAt: UInt64

    init(node: Int, sentAt: UInt64) { (self.node, self.sentAt) = (node, sentAt) }

    init?(_ text: String) {
        let parts = text.split(separator: ".")
        guard parts.count == 2, let node = Int(parts[0]), let sentAt = UInt64(parts[1]) else { return nil }
        self.init(node: node, sentAt: sentAt)
    }

    var text: String { "\(node).\(sentAt)" }
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
    }
    /// A stretch of offsets without a gap.
    struct Run: Sendable {
        let first: Int64
        let hashes: [UInt64]
    }

    let topic: String
    private let state = Mutex(State())

    init(topic: String) { self.topic = topic }

    var snapshot: State { state.withLock { $0 } }
    var position: TopicPosition? { state.withLock { $0.position } }

    /// Takes what came.
    /// - Parameter since: What the subscription was asked with.
    /// - Returns: The reply, if it was one and has more to come.
    func take(_ event: LossEvent, since: TopicPosition?, tally: LossTally) {
        switch event {
        case .published(let epoch, let publication):
            state.withLock { $0.add(epoch, publication) }
        case .resumed(let reply):
            state.withLock { state in
                if !reply.recovered { state.begin(reply) }
                for publication in reply.publications { state.add(reply.epoch, publication) }
                if state.position?.offset != reply.offset { state.outOfOrder += 1 }
            }
            tally.change { tally in
                if reply.recovered {
                    tally.recovered += 1
                    tally.recoveredPublications += reply.publications.count
                    if reply.more == true { tally.pages += 1 }
                }
                guard let since, !reply.recovered else { return }
                guard let reason = reply.reason else {
                    tally.troubles["recovered: false without a reason", default: 0] += 1
                    return
                }
                tally.unrecovered.append(
                    .init(
                        topic: topic, reason: reason, since: since,
                        reply: TopicPosition(epoch: reply.epoch, offset: reply.offset)))
            }
        }
    }

    /// FNV-1a.
    static func hash(_ id: String) -> UInt64 {
        id.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}

extension LossLedger.State {
    fileprivate mutating func begin(_ reply: Resumed<TestPublication>) {
        if let first { closedRuns.append(.init(first: first, hashes: hashes)) }
        hashes = []
        let start = (reply.publications.first?.offset ?? reply.offset + 1) - 1
        if let position { givenUp += max(0, start - position.offset) }
        first = start
        position = TopicPosition(epoch: reply.epoch, offset: start)
    }

    fileprivate mutating func add(_ epoch: Int64, _ publication: Publication<TestPublication>) {
        guard let position, epoch == position.epoch, publication.offset == position.offset + 1 else {
            if let position, publication.offset <= position.offset { duplicated += 1 } else { outOfOrder += 1 }
            return
        }
        self.position?.offset += 1
        hashes.append(LossLedger.hash(publication.data.id))
    }
}
