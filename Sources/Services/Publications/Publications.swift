import EventLoop
import Foundation
import Hub
import Logging
import Metrics
import Postgres
import Wire

/// Reliable topics (B-1, B-6): commit, then acknowledge, then fan out. What is sent again is the same publication.
///
/// An actor on its loop. What arrives within ``groupWindow``, or while a group is being committed, is the next group: one
/// transaction. One group is in flight at a time, so that publications reach the hub in the order of their offsets.
public actor Publications {
    /// How long the first publication of a group waits for company.
    static let groupWindow = Duration.milliseconds(2)
    /// Publications in one transaction.
    static let groupPublicationsMax = 256
    /// Bytes of them; a group has at least one.
    static let groupBytesMax = 1_048_576
    /// Publications that may wait for their group.
    public static let waitingPublicationsMax = 4_096
    /// Bytes of them.
    static let waitingBytesMax = 16 * 1_048_576
    /// Bytes of one publication's JSON.
    static let publicationBytesMax = 32_768
    /// Publications kept of each topic.
    static let keptPublicationsMax: Int64 = 10_000
    /// How long a publication is kept. Sending one again is harmless as long as it is.
    static let keptSeconds = 90.0 * 86_400

    /// The loop it runs on.
    public nonisolated let loop: EventLoop
    /// The service runs on its loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let table: PublicationTable
    let hub: Hub
    let campus: CampusMap
    let now: @Sendable () -> Timestamp
    /// Whether `test/<n>` exists.
    public nonisolated let hasTestTopics: Bool
    private let writer: GroupWriter
    private let logger: Logger
    private let metrics: CommitMetrics
    private let waitingMax: Int
    private lazy var groups = CommitGroups<Draft, Published>(
        loop: loop,
        limits: .init(
            window: Self.groupWindow, groupItemsMax: Self.groupPublicationsMax, groupBytesMax: Self.groupBytesMax,
            waitingItemsMax: waitingMax, waitingBytesMax: Self.waitingBytesMax),
        refused: metrics.refused,
        write: { [writer] drafts, completion in
            writer.write(PublicationGroup(drafts: drafts).statements, completion: completion)
        },
        read: { [weak self] in try await self.required.committed($0, $1, nanoseconds: $2) },
        failed: { [weak self] in await self?.failed($0, $1) })
    /// Topics that are in the table.
    private var known: Set<Topic> = []
    private var announce: (@Sendable (Topic, Int64, [StoredPublication]) -> Void)?

    /// - Parameters:
    ///   - table: The same that the hub reads.
    ///   - writer: Its own, configured by ``writing(_:)``, so that nobody else's writes wait for a topic's lock.
    ///   - now: The server's wall clock.
    ///   - hasTestTopics: Whether `test/<n>` exists, to which anybody may publish.
    ///   - metrics: Counts publications and groups.
    ///   - waitingMax: Publications that may wait for their group.
    public init(
        loop: EventLoop, table: PublicationTable, writer: GroupWriter, hub: Hub, campus: CampusMap,
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

    /// Tells what this server committed, behind the fan-out: for other servers, which call `Hub.advance(_:to:)`.
    /// - Parameter body: Called on the loop; the topic, its epoch, and what is new, consecutive.
    public func setAnnouncer(_ body: @escaping @Sendable (Topic, Int64, [StoredPublication]) -> Void) {
        announce = body
    }

    /// What the writer of publications is to be configured with: their groups are made here.
    public static func writing(_ configuration: PostgresConfiguration) -> PostgresConfiguration {
        var configuration = configuration
        configuration.groupWindow = .zero
        return configuration
    }

    /// Removes what need not be kept any more; see ``keptPublicationsMax`` and ``keptSeconds``.
    public func prune() async throws {
        let removed = try await table.prune(
            keptMax: Self.keptPublicationsMax, before: now().advanced(bySeconds: -Self.keptSeconds))
        if removed > 0 { logger.info("removed old publications", metadata: ["count": "\(removed)"]) }
    }

    /// Publications that found the queue full.
    var refusedCount: Int { Int(metrics.refused.value) }

    // MARK: Publishing

    /// Publishes, and returns once it is committed.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``: `unavailable` leaves it open whether it is published: sending
    ///   it again with the same client id is harmless.
    func publish(_ draft: Draft) async throws -> Published {
        guard draft.data.count <= Self.publicationBytesMax else {
            throw RPCError(.invalidParams, "a publication has at most \(Self.publicationBytesMax) bytes")
        }
        if !known.contains(draft.topic) {
            _ = try await table.open(draft.topic)
            known.insert(draft.topic)
        }
        return try await groups.submit(draft, bytes: draft.data.count)
    }

    private func committed(_ drafts: [Draft], _ answers: [PostgresRows], nanoseconds: UInt64) throws
        -> CommitGroups<Draft, Published>.Committed
    {
        let outcome = try PublicationGroup(drafts: drafts).outcome(answers)
        metrics.committed(
            fresh: outcome.fresh.values.reduce(0) { $0 + $1.count }, accepted: drafts.count, of: drafts.count,
            nanoseconds: nanoseconds)
        return .init(answers: outcome.places.map { .success($0) }) { [self] in await tell(outcome) }
    }

    private func tell(_ outcome: PublicationGroup.Outcome) async {
        for (topic, fresh) in outcome.fresh {
            guard let epoch = outcome.epochs[topic], !fresh.isEmpty else { continue }
            await hub.publish(fresh, topic: topic, epoch: epoch)
            announce?(topic, epoch, fresh)
        }
    }

    private func failed(_ drafts: [Draft], _ error: any Error) async {
        metrics.failed.add(drafts.count)
        switch error as? PostgresError {
        case .server, .overloaded: break
        // Whether it was committed is not known. If it was, subscribers must get it also when nobody sends it again.
        case .unavailable, .timeout, .decoding, nil:
            let topics = PublicationGroup(drafts: drafts).topics
            // The table may have lost one that was known.
            known.subtract(topics)
            await hub.doubt(topics)
        }
    }
}
