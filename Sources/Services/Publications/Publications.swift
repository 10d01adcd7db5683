import EventLoop
import Foundation
import Hub
import HubCore
import Logging
import Metrics
import Postgres
import Wire

/// Reliable topics (B-1, B-6): commit, then acknowledge, then fan out. A repeated publication is stored once.
///
/// An actor on its loop. Publications that arrive within ``groupWindow``, or during a commit, form the next group, which is one
/// transaction. One group is in flight at a time, so that the hub receives publications in offset order.
public actor Publications {
    /// Time for which the first publication of a group waits for further ones.
    static let groupWindow = Duration.milliseconds(2)
    /// Largest number of publications in one transaction.
    static let groupPublicationsMax = 256
    /// Bytes at which a group is full; a group has at least one publication.
    static let groupBytesMax = 1_048_576
    /// Largest number of publications waiting for a group.
    public static let waitingPublicationsMax = 4_096
    /// Largest total size of the waiting publications, in bytes.
    static let waitingBytesMax = 16 * 1_048_576
    /// Largest size of one publication's JSON, in bytes.
    static let publicationBytesMax = 32_768
    /// Number of publications kept per topic.
    static let keptPublicationsMax: Int64 = 10_000
    /// Seconds for which a publication is kept; repeating a publication is harmless during that time.
    static let keptSeconds = 90.0 * 86_400

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let table: PublicationTable
    let hub: Hub
    let campus: CampusMap
    let now: @Sendable () -> Timestamp
    /// Whether the topics `test/<n>` exist.
    public nonisolated let hasTestTopics: Bool
    private let writer: TransactionWriter
    private let logger: Logger
    private let metrics: CommitMetrics
    private let waitingMax: Int
    private lazy var groups = GroupCommit<Draft, Published>(
        loop: loop,
        limits: .init(
            window: Self.groupWindow, groupItemsMax: Self.groupPublicationsMax, groupSizeMax: Self.groupBytesMax,
            waitingItemsMax: waitingMax, waitingSizeMax: Self.waitingBytesMax),
        refuse: { [metrics] in metrics.refuse() },
        write: { [writer] drafts, arrival, completion in
            writer.write(PublicationGroup(drafts: drafts).statements, arrival: arrival, completion: completion)
        },
        read: { [weak self] in try await self.required.committed($0, $1, nanoseconds: $2) },
        failed: { [weak self] in await self?.failed($0, $1) })
    /// Topics that are known to have a row in the table.
    private var known: Set<Topic> = []
    private var announce: (@Sendable (Topic, Int64, [StoredPublication]) -> Void)?

    /// - Parameters:
    ///   - table: The table that the hub reads as well.
    ///   - writer: A writer of its own, so that other writes do not wait for a topic's lock.
    ///   - now: The server's wall clock.
    ///   - hasTestTopics: Whether `test/<n>` exists, on which any caller may publish.
    ///   - metrics: Counts publications and groups.
    ///   - waitingMax: Largest number of publications waiting for a group.
    public init(
        loop: EventLoop, table: PublicationTable, writer: TransactionWriter, hub: Hub, campus: CampusMap,
        now: @escaping @Sendable () -> Timestamp = { .now }, hasTestTopics: Bool = false,
        metrics: CommitMetrics = .publications(), logger: Logger = Logger(label: "campanile.publications"),
        waitingMax: Int = Publications.waitingPublicationsMax
    ) {
        self.loop = loop
        self.table = table
        self.hub = hub
        self.campus = campus
        self.now = now
        self.hasTestTopics = hasTestTopics
        self.metrics = metrics
        self.logger = logger
        self.writer = writer
        self.waitingMax = waitingMax
    }

    /// Sets the handler that announces publications committed by this server to other servers, which call
    /// ``Hub/LogFeed/advance(_:to:)``. It runs after the local fan-out.
    /// - Parameter body: Called on the loop with the topic, its epoch and the new publications, which have consecutive offsets.
    public func setAnnouncer(_ body: @escaping @Sendable (Topic, Int64, [StoredPublication]) -> Void) {
        announce = body
    }

    /// Removes publications beyond ``keptPublicationsMax`` and ``keptSeconds``.
    public func prune() async throws {
        let removed = try await table.prune(
            keptMax: Self.keptPublicationsMax, before: now().advanced(bySeconds: -Self.keptSeconds))
        if removed > 0 { logger.info("removed old publications", metadata: ["count": "\(removed)"]) }
    }

    /// Number of publications rejected because the queue was full.
    var refusedCount: Int { Int(metrics.refused.value) }

    // MARK: Publishing

    /// Publishes a draft and returns once it is committed.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``. After `unavailable` the outcome is in doubt; repeating the draft with the
    ///   same client id is harmless.
    func publish(_ draft: Draft) async throws -> Published {
        guard draft.data.count <= Self.publicationBytesMax else {
            throw RPCError(.invalidParams, "a publication has at most \(Self.publicationBytesMax) bytes")
        }
        if !known.contains(draft.topic) {
            _ = try await table.open(draft.topic)
            known.insert(draft.topic)
        }
        return try await groups.submit(draft, size: draft.data.count)
    }

    private func committed(_ drafts: [Draft], _ answers: [PostgresRows], nanoseconds: UInt64) throws
        -> GroupCommit<Draft, Published>.Committed
    {
        let outcome = try PublicationGroup(drafts: drafts).outcome(answers)
        metrics.committed(
            fresh: outcome.fresh.values.reduce(0) { $0 + $1.count }, accepted: drafts.count, of: drafts.count,
            nanoseconds: nanoseconds)
        return .init(answers: outcome.places.map { .success($0) }) { [self] in await publish(outcome) }
    }

    private func publish(_ outcome: PublicationGroup.Outcome) async {
        for (topic, fresh) in outcome.fresh {
            guard let epoch = outcome.epochs[topic], !fresh.isEmpty else { continue }
            await hub.logs.publish(fresh, topic: topic, epoch: epoch)
            announce?(topic, epoch, fresh)
        }
    }

    private func failed(_ drafts: [Draft], _ error: any Error) async {
        metrics.failed.add(drafts.count)
        switch error as? PostgresError {
        case .server, .overloaded: break
        // The commit is in doubt. If it succeeded, subscribers must receive the publications even if the client does not retry.
        case .unavailable, .timeout, .decoding, nil:
            let topics = PublicationGroup(drafts: drafts).topics
            // A restored database may lack a topic that was known.
            known.subtract(topics)
            await hub.logs.markInDoubt(topics)
        }
    }
}
