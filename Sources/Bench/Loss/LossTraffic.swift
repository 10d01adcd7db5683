import CampanileClient
import Postgres
import Wire

/// What the clients of a loss run send and follow: publications of `test/<n>`, or conversations. How they are killed, what is counted
/// and what is compared is the same for both.
protocol LossTraffic: Sendable {
    /// What is sent, for the report: "publications".
    var things: String { get }
    /// Clients that follow topics.
    var devices: [LossDevice] { get }
    /// Clients that write, and whose tokens they have; nil for guests.
    var writers: [String?] { get }
    /// The largest gap that the server gives a subscriber.
    var recoveryMax: Int64 { get }

    /// A device has said hello, and follows its topics next.
    func greet(_ device: LossDevice, on connection: CampanileConnection, tally: LossTally) async throws
    /// Subscribes to a reliable topic from `since`; as ``CampanileClient/CampanileConnection/follow(log:of:since:onEvent:)``.
    func follow(
        _ topic: String, since: TopicPosition?, on connection: CampanileConnection,
        onEvent: @escaping @Sendable (LossEvent) -> Void) async throws
    /// What a writer sends next.
    func next(of writer: Int, stamp: LossStamp) -> LossWrite
    /// What it sends behind that, knowing where it is.
    func sequel(to write: LossWrite, at place: LossPlace, of writer: Int) -> [LossWrite]
    /// Whether the subscriber's account has left the topic, or is about to.
    func hasLeft(_ ledger: LossLedger) -> Bool
    /// What is sent once, at half-time, whatever happens: whose token, and what.
    var interlude: [(token: String, write: LossWrite)] { get }
    /// What the database has.
    func table(_ database: PostgresConnection) async throws -> [String: LossAudit.Topic]
    /// Looks in the end whether the server's own account of it is so; adds to the report.
    /// - Parameter connect: A connection with a token.
    /// - Returns: How much of it is wrong.
    func inspect(
        _ state: LossTally.State, _ audit: LossAudit, report: inout BenchReport,
        connect: @Sendable (String) async throws -> CampanileConnection
    ) async throws -> Int
}

extension LossTraffic {
    func greet(_ device: LossDevice, on connection: CampanileConnection, tally: LossTally) async throws {}
    func sequel(to write: LossWrite, at place: LossPlace, of writer: Int) -> [LossWrite] { [] }
    func hasLeft(_ ledger: LossLedger) -> Bool { false }
    var interlude: [(token: String, write: LossWrite)] { [] }
    func inspect(
        _ state: LossTally.State, _ audit: LossAudit, report: inout BenchReport,
        connect: @Sendable (String) async throws -> CampanileConnection
    ) async throws -> Int { 0 }
}

/// A client that follows topics, and what it was given.
struct LossDevice: Sendable {
    /// Nil for a guest.
    var token: String?
    /// 0 for a guest.
    var account: Int64 = 0
    /// One a topic.
    let ledgers: [LossLedger]
}

/// Something that is sent until it is acknowledged; sent again, it must be the same.
struct LossWrite: Sendable {
    /// What of it the end's account depends on.
    enum Effect: Sendable, Equatable {
        /// It counts as unread for others.
        case message
        /// That message does not any more.
        case deletion(of: Int64)
        /// Its writer has read up to there. Nothing of it is in a log.
        case read
        /// Neither.
        case other
    }
    /// What the table and the subscribers know it by; of one topic.
    let id: String
    var author: Int64 = 0
    var effect = Effect.other
    /// Sends it once.
    let send: @Sendable (CampanileConnection) async throws -> LossPlace
}

/// Where what was acknowledged is.
struct LossPlace: Sendable, Equatable {
    let topic: String
    let epoch: Int64
    /// Nil when it was there already, and the server does not say where.
    let offset: Int64?
}

/// What a subscriber is told.
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

/// A publication, as far as it is checked.
struct LossItem: Sendable {
    let offset: Int64
    let id: String
    /// When and where it was sent; nil when it does not say.
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

/// What a loss run sends says of itself: at which node, and when.
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
