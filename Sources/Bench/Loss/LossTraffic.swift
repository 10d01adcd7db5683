import CampanileClient
import Postgres
import Wire

/// The traffic of a loss run: publications on `test/<n>`, or conversations. Failures, counters and comparisons are the
/// same for both.
protocol LossTraffic: Sendable {
    /// The name of the writes in the report: "publications".
    var things: String { get }
    /// Clients that follow topics.
    var devices: [LossDevice] { get }
    /// The writers' tokens; nil for guests.
    var writers: [String?] { get }
    /// The largest gap that the server recovers.
    var recoveryMax: Int64 { get }

    /// Prepares a device that has said hello and will follow its topics next.
    func greet(_ device: LossDevice, on connection: CampanileConnection, tally: LossTally) async throws
    /// Subscribes to a reliable topic from `since`, like
    /// ``CampanileClient/CampanileConnection/follow(log:of:since:onEvent:)``.
    func follow(
        _ topic: String, since: TopicPosition?, on connection: CampanileConnection,
        onEvent: @escaping @Sendable (LossEvent) -> Void) async throws
    /// The next write of a writer.
    func next(of writer: Int, stamp: LossStamp) -> LossWrite
    /// The writes that follow an acknowledged write.
    func sequel(to write: LossWrite, at position: LossPosition, of writer: Int) -> [LossWrite]
    /// Whether the subscriber's account has left the topic, or is about to.
    func hasLeft(_ ledger: LossLedger) -> Bool
    /// Writes sent once at half-time, with the sender's token.
    var interlude: [(token: String, write: LossWrite)] { get }
    /// The topics' contents in the database.
    func table(_ database: PostgresConnection) async throws -> [String: LossAudit.Topic]
    /// Compares the server's own lists with the run at the end, and adds the results to the report.
    /// - Parameter connect: Opens a connection with a token.
    /// - Returns: The number of errors.
    func inspect(
        _ state: LossTally.State, _ audit: LossAudit, report: inout BenchReport,
        connect: @Sendable (String) async throws -> CampanileConnection
    ) async throws -> Int
}

extension LossTraffic {
    func greet(_ device: LossDevice, on connection: CampanileConnection, tally: LossTally) async throws {}
    func sequel(to write: LossWrite, at position: LossPosition, of writer: Int) -> [LossWrite] { [] }
    func hasLeft(_ ledger: LossLedger) -> Bool { false }
    var interlude: [(token: String, write: LossWrite)] { [] }
    func inspect(
        _ state: LossTally.State, _ audit: LossAudit, report: inout BenchReport,
        connect: @Sendable (String) async throws -> CampanileConnection
    ) async throws -> Int { 0 }
}

/// A client that follows topics, and the publications it received.
struct LossDevice: Sendable {
    /// Nil for a guest.
    var token: String?
    /// 0 for a guest.
    var account: Int64 = 0
    /// One ledger per topic.
    let ledgers: [LossLedger]
}

/// A write that is sent until it is acknowledged. Every attempt must be identical.
struct LossWrite: Sendable {
    /// The effect on unread counts, for the final comparison.
    enum Effect: Sendable, Equatable {
        /// Counts as unread for others.
        case message
        /// Removes a message from the unread counts.
        case deletion(of: Int64)
        /// Marks the conversation as read up to the offset; not recorded in a log.
        case read
        /// No effect.
        case other
    }
    /// The identity within a topic, in the table and at the subscribers.
    let id: String
    var author: Int64 = 0
    var effect = Effect.other
    /// Sends the write once.
    let send: @Sendable (CampanileConnection) async throws -> LossPosition
}

/// The position of an acknowledged write.
struct LossPosition: Sendable, Equatable {
    let topic: String
    let epoch: Int64
    /// Nil if the write was already stored and the server does not return its offset.
    let offset: Int64?
}

/// An event that a subscriber receives.
enum LossEvent: Sendable {
    /// The reply to a subscription.
    struct Reply: Sendable {
        let position: TopicPosition
        let isRecovered: Bool
        let reason: RecoveryFailure?
        let hasMore: Bool
        let items: [LossItem]
    }
    case resumed(Reply)
    case published(epoch: Int64, LossItem)
}

/// The checked parts of a publication.
struct LossItem: Sendable {
    let offset: Int64
    let id: String
    /// Time and node of sending; nil if the publication does not contain them.
    var stamp: LossStamp?
}

extension LossEvent {
    init<Data>(_ event: LogEvent<Data>, _ item: (Publication<Data>) -> LossItem) {
        switch event {
        case .published(let epoch, let publication): self = .published(epoch: epoch, item(publication))
        case .resumed(let reply):
            self = .resumed(
                Reply(
                    position: TopicPosition(epoch: reply.epoch, offset: reply.offset), isRecovered: reply.recovered,
                    reason: reply.reason, hasMore: reply.more == true, items: reply.publications.map(item)))
        }
    }
}

/// Node and time of sending, which the text of a loss run's message contains.
struct LossStamp: Sendable {
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
