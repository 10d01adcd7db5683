import Delivery
import EventLoop
import Foundation
import Hub
import HubCore
import Logging
import Postgres
import Wire

/// Reminders (C-8) of events, messages, notices and goals, by Web Push, mail and text message. The Reminders article describes them.
///
/// Planned reminders are in an outbox in PostgreSQL that all servers share; each server claims due reminders and sends them. An actor on
/// the hub's loop.
public actor Reminders {
    /// Returns which of the given accounts must not be disturbed, and until when. Called before a reminder is sent, except for
    /// emergencies.
    public typealias HeldUntil = @Sendable ([Int64]) async throws -> [Int64: Timestamp]

    /// Largest number of reminders in flight by channel; a blocked channel does not delay the others.
    static let concurrentMax: [ReminderChannel: Int] = [.push: 8, .email: 4, .text: 2]
    /// Largest number of attempts for a reminder.
    public static let attemptsMax: Int64 = 10
    /// Seconds before the second attempt; the delay doubles for each further one, with a jitter of ±50 %.
    static let retrySecondsFirst = 30.0
    static let retrySecondsMax = 1_800.0
    /// Longest delay in seconds that a receiving server can request.
    static let retryAfterSecondsMax = 3_600.0
    /// Largest number of reminders sent to one address within a day; further ones are dropped.
    static let sentPerDayMax: [ReminderChannel: Int64] = [.push: 500, .email: 100, .text: 20]
    /// Days for which finished reminders are kept.
    static let keptDaysMax = 7.0
    /// Number of accounts that one statement adds to the outbox; the actor yields in between.
    static let addedAtOnceMax = 1_000

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let hub: Hub
    let people: People
    let configuration: ReminderConfiguration
    let push: WebPush?
    let unsubscribing: UnsubscribeTokens
    let heldUntil: HeldUntil
    let now: @Sendable () -> Timestamp
    let metrics: ReminderMetrics
    let logger: Logger
    /// Name of this server in claims; different after each start.
    let node: String
    let workers: [ReminderChannel: WorkerPool]
    /// Workers that resolve the host names of push services.
    let lookups = WorkerPool(label: "push-names", concurrentMax: 2, waitingMax: 32)
    /// Conversations with new messages.
    public nonisolated let unread = UnreadConversations()
    var subscriptions = DailyCounts(max: subscriptionsPerDayMax)
    var inFlight: [ReminderChannel: Int] = [:]
    var isStopping = false
    var plannedEventsAt: Timestamp?
    var plannedWorkoutsAt: Timestamp?
    var plannedMessagesAt: Timestamp?
    var plannedNoticesAt: Timestamp?

    /// Creates the service. Reads the secrets that the servers share, or creates them.
    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - heldUntil: Returns accounts that must not be disturbed.
    ///   - now: The server's wall clock.
    /// - Throws: ``Postgres/PostgresError``; ``Delivery/PushKey/Failed`` for an invalid key in the database.
    public static func make(
        loop: EventLoop, database: PostgresPool, hub: Hub, configuration: ReminderConfiguration = .init(),
        heldUntil: @escaping HeldUntil = { _ in [:] }, now: @escaping @Sendable () -> Timestamp = { .now },
        metrics: ReminderMetrics = .init(), logger: Logger = Logger(label: "campanile.reminders")
    ) async throws -> Reminders {
        let keys = StoredSecrets(database: database)
        var push: WebPush?
        if let contact = configuration.pushContact {
            let key: PushKey
            if let given = configuration.pushKey {
                key = given
            } else {
                key = try PushKey(der: try await keys.secret("push") { try PushKey.make().der })
            }
            push = WebPush(
                key: key, contact: contact, allowedHosts: configuration.pushAllowedHosts,
                authorityFile: configuration.authorityFile)
        }
        let unsubscribing = UnsubscribeTokens(
            key: try await keys.secret("unsubscribe") { Secrets.randomBytes(Secrets.tokenBytes) })
        return Reminders(
            loop: loop, database: database, hub: hub, configuration: configuration, push: push,
            unsubscribing: unsubscribing, heldUntil: heldUntil, now: now, metrics: metrics, logger: logger)
    }

    private init(
        loop: EventLoop, database: PostgresPool, hub: Hub, configuration: ReminderConfiguration, push: WebPush?,
        unsubscribing: UnsubscribeTokens, heldUntil: @escaping HeldUntil, now: @escaping @Sendable () -> Timestamp,
        metrics: ReminderMetrics, logger: Logger
    ) {
        (self.loop, self.database, self.hub, self.configuration) = (loop, database, hub, configuration)
        (self.push, self.unsubscribing, self.heldUntil, self.now) = (push, unsubscribing, heldUntil, now)
        (self.metrics, self.logger) = (metrics, logger)
        people = People(database: database)
        node = Secrets.hexadecimal(Secrets.randomBytes(8))
        // Pool sizes equal the limits of reminders in flight, so that none waits in a pool while its lease runs.
        workers = Dictionary(
            uniqueKeysWithValues: Self.concurrentMax.map { channel, count in
                (channel, WorkerPool(label: "reminders-\(channel)", concurrentMax: count, waitingMax: count))
            })
    }

    var available: [ReminderChannel] { configuration.available }

    // MARK: Other services

    /// A reminder by another service.
    public struct Reminder: Sendable {
        public var kind: ReminderKind
        /// Subject, at most 100 bytes of ASCII: the outbox stores one reminder per account, kind and key.
        public var key: String
        /// One-line title.
        public var title: String
        /// Text after the title.
        public var body: String
        /// Path in the web app.
        public var path: String
        /// Whether the reminder ignores quiet times.
        public var isUrgent: Bool
        /// Earliest time of sending.
        public var due: Timestamp
        /// Latest time of sending.
        public var expires: Timestamp
        public init(
            kind: ReminderKind, key: String, title: String, body: String, path: String, isUrgent: Bool = false,
            due: Timestamp, expires: Timestamp
        ) {
            (self.kind, self.key, self.title, self.body, self.path) = (kind, key, title, body, path)
            (self.isUrgent, self.due, self.expires) = (isUrgent, due, expires)
        }
    }

    /// Puts a reminder for each of these accounts into the outbox, for the channels that each chose. Idempotent.
    /// - Returns: Number of new reminders.
    /// - Throws: ``Postgres/PostgresError``.
    @discardableResult
    public func enqueue(_ reminder: Reminder, for accounts: [Int64]) async throws -> Int {
        let payload = ReminderPayload(
            title: ReminderText.line(reminder.title, max: ReminderText.titleCharactersMax),
            body: ReminderText.line(reminder.body, max: ReminderText.bodyCharactersMax), path: reminder.path)
        return try await add(
            accounts, reminder.kind, "\(reminder.kind)/\(reminder.key)", payload, isUrgent: reminder.isUrgent,
            due: reminder.due, expires: reminder.expires)
    }

    /// Puts reminders of an event's change into the outbox. They are checked again when they are sent.
    /// - Throws: ``Postgres/PostgresError``.
    func eventChanged(_ event: Int64, _ news: EventNews, to accounts: [Int64]) async throws {
        let rows = try await database.query("SELECT revision FROM events WHERE id = $1", [.int(event)])
        guard let revision = try rows.first?.int("revision") else { return }
        let at = now()
        try await add(
            accounts, .event, "news/\(event)/\(revision)/\(news)", ReminderPayload(event: event, news: news),
            isUrgent: false, due: at, expires: at.advanced(bySeconds: Self.eventChangeSeconds))
    }

    @discardableResult
    func add(
        _ accounts: [Int64], _ kind: ReminderKind, _ key: String, _ payload: ReminderPayload, isUrgent: Bool,
        due: Timestamp, expires: Timestamp
    ) async throws -> Int {
        var added = 0
        let json = String(decoding: try WireJSON.encode(payload), as: UTF8.self)
        for start in stride(from: 0, to: accounts.count, by: Self.addedAtOnceMax) {
            if start > 0 { await Task.yield() }
            let some = Array(accounts[start..<min(start + Self.addedAtOnceMax, accounts.count)])
            let rows = try await database.query(
                "SELECT reminder_add($1, $2, $3, $4, $5, $6, $7, $8) AS added",
                [
                    .intArray(some), .text(kind.rawValue), .text(key), .text(json), .bool(isUrgent),
                    .timestamp(due.milliseconds), .timestamp(expires.milliseconds), availableNames,
                ])
            added += Int(try rows.first?.int("added") ?? 0)
        }
        return added
    }

    var availableNames: PostgresValue { .textArray(available.map(\.rawValue)) }

    // MARK: Upkeep

    /// Removes old finished reminders and old codes.
    public func prune() async throws {
        let at = now()
        _ = try await database.query(
            "DELETE FROM reminders WHERE state NOT IN ('waiting', 'sending') AND expires_at < $1",
            [.timestamp(at.advanced(bySeconds: -Self.keptDaysMax * 86_400).milliseconds)])
        _ = try await database.query(
            "DELETE FROM reminder_codes WHERE at < $1", [.timestamp(at.advanced(bySeconds: -86_400).milliseconds)])
    }
}
