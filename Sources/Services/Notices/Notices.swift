import EventLoop
import Foundation
import Hub
import HubCore
import Logging
import Postgres
import Wire

/// Notices (N-7, U-7): permissions, scheduling, corrections and withdrawals. PostgreSQL determines the order of publication, see the SQL
/// function `notice_append`; the hub delivers the notices.
///
/// An actor on the hub's loop.
public actor Notices {
    /// Largest number of notices a day to the people of one event, by an account that is neither admin nor lecturer.
    public static let eventNoticesPerDayMax: Int64 = 5
    /// Largest number of notices a day to the people of all events of such an account.
    public static let ownerNoticesPerDayMax: Int64 = 20
    /// Largest number of notices a day by a lecturer.
    public static let lecturerNoticesPerDayMax: Int64 = 100
    /// Largest number of scheduled notices of an account that is not an admin.
    public static let scheduledMax: Int64 = 100
    /// Largest number of revisions of a notice; each is delivered to all recipients.
    public static let revisionsMax = 20
    /// Largest number of notices in a page.
    static let listedMax = 50
    static let listedDefault = 20
    /// Largest number of zones that an account follows.
    static let followedZonesMax = 50

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let hub: Hub
    let now: @Sendable () -> Timestamp
    let table: NoticeTable
    let metrics: CommitMetrics
    let logger: Logger
    private let writer: TransactionWriter
    lazy var receipts = makeReceipts(writer)

    /// Creates the service of notices.
    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - writer: Writer of receipts.
    ///   - table: The table that the hub reads as well.
    ///   - now: The server's wall clock.
    public init(
        loop: EventLoop, database: PostgresPool, writer: TransactionWriter, hub: Hub, table: NoticeTable,
        now: @escaping @Sendable () -> Timestamp = { .now }, metrics: CommitMetrics = .receipts(),
        logger: Logger = Logger(label: "campanile.notices")
    ) {
        self.loop = loop
        self.database = database
        self.writer = writer
        self.hub = hub
        self.table = table
        self.now = now
        self.metrics = metrics
        self.logger = logger
    }

    // MARK: Publication

    /// Publishes or schedules a notice. A repeated request with the same id returns the same notice.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``. After `unavailable` the outcome is in doubt.
    public func publish(_ params: NoticesPublish.Params, by identity: Identity) async throws -> SentNotice {
        let account = identity.account.id
        let clientID = try Inputs.clientID(params.id)
        let at = now()
        let draft = try NoticeDraft(title: params.title, body: params.body)
        try NoticeDraft.check(params.audience)
        let level = params.level ?? .info
        let publishAt = try NoticeDraft.publication(params.publishAt, now: at)
        let expiresAt = try NoticeDraft.expiry(
            params.expiresAt ?? publishAt.advanced(bySeconds: NoticeDraft.seconds(of: level)), from: publishAt, now: at)
        let id = try await database.transaction { transaction in
            // Serialises the account's notices, so that the limits hold.
            let actor = try await identity.current(.alone, in: transaction)
            let known = try await transaction.query(
                "SELECT id FROM notices WHERE author_id = $1 AND client_id = $2", [.int(account), .uuid(clientID)])
            if let row = known.first { return try row.int("id") }
            try await Self.requirePermission(params.audience, level, by: actor, at: at, transaction)
            try await Self.requireRate(
                params.audience, by: actor, at: at, isScheduled: publishAt > at, transaction)
            let rows = try await transaction.query(
                Self.insertSQL,
                [
                    .int(account), .uuid(clientID), .text(params.audience.kind.rawValue),
                    .optional(params.audience.zone), .optional(params.audience.role?.rawValue),
                    .optional(params.audience.event), .optional(params.audience.account), .text(draft.title),
                    .optional(draft.body), .text(level.rawValue), .timestamp(at.milliseconds),
                    .timestamp(publishAt.milliseconds), .timestamp(expiresAt.milliseconds),
                ])
            guard let id = try rows.first?.int("id") else { throw RPCError(.internalError, "no notice was made") }
            try await Self.audit(
                publishAt > at ? "schedule" : "publish", of: id, draft.title, params.audience, level, by: actor,
                transaction)
            if publishAt <= at {
                _ = try await transaction.query(
                    "SELECT notice_release($1, $2)", [.int(id), .timestamp(at.milliseconds)])
            }
            return id
        }
        if publishAt <= at { await hub.notices.appended(topics: params.audience.publicTopics) }
        return try await sent(id, for: identity)
    }

    private static let insertSQL = """
        INSERT INTO notices (author_id, client_id, kind, zone_id, role, event_id, account_id, title, body, level, was_emergency,
            created_at, publish_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10 = 'emergency', $11, $12, $13) RETURNING id
        """

    /// Records notices by admins and lecturers in the audit log; notices by event owners to their attendees are private.
    private static func audit(
        _ what: String, of notice: Int64, _ title: String, _ audience: NoticeAudience, _ level: NoticeLevel,
        by identity: Identity, _ transaction: PostgresTransaction
    ) async throws {
        guard identity.mayAnnounce else { return }
        try await AuditLog.record(
            .init(
                "notice.\(what)", subject: .init(kind: "notice", id: notice, name: title),
                details: [("to", audience.kind.rawValue), ("level", level.rawValue)]), by: identity, in: transaction)
    }

    /// - Parameter identity: The caller as the account is now.
    private static func requirePermission(
        _ audience: NoticeAudience, _ level: NoticeLevel, by identity: Identity, at: Timestamp,
        _ transaction: PostgresTransaction
    ) async throws {
        let account = identity.account.id
        // The SQL function knows the role alone.
        if identity.lacksSecondFactor {
            guard audience.kind == .event, level != .emergency else { throw MethodAccess.needsSecondFactor }
            let own = try await transaction.query(
                "SELECT FROM events WHERE id = $1 AND owner_id = $2", [.optional(audience.event), .int(account)])
            guard !own.isEmpty else { throw MethodAccess.needsSecondFactor }
        }
        let rows = try await transaction.query(
            "SELECT notice_refusal($1, $2, $3, $4, $5, $6, $7) AS refusal",
            [
                .int(account), .text(audience.kind.rawValue), .optional(audience.zone), .optional(audience.event),
                .optional(audience.account), .text(level.rawValue), .timestamp(at.milliseconds),
            ])
        if let refusal = try rows.first?.optionalText("refusal") { throw NoticeError.refused(refusal) }
    }

    private static let countSQL = """
        SELECT count(*) FILTER (WHERE created_at > $2) AS today,
            count(*) FILTER (WHERE created_at > $2 AND event_id = $3) AS of_event,
            count(*) FILTER (WHERE state = 'scheduled') AS scheduled
        FROM notices WHERE author_id = $1 AND (created_at > $2 OR state = 'scheduled')
        """

    private static func requireRate(
        _ audience: NoticeAudience, by identity: Identity, at: Timestamp, isScheduled: Bool,
        _ transaction: PostgresTransaction
    ) async throws {
        guard !identity.isAdmin else { return }
        let rows = try await transaction.query(
            countSQL,
            [
                .int(identity.account.id), .timestamp(at.advanced(bySeconds: -86_400).milliseconds),
                .optional(audience.event),
            ])
        guard let row = rows.first else { return }
        let isLecturer = identity.account.role == .lecturer
        let perDayMax = isLecturer ? lecturerNoticesPerDayMax : ownerNoticesPerDayMax
        guard try row.int("today") < perDayMax else {
            throw RPCError(
                .rateLimited, "you sent \(perDayMax) notices within a day: wait until tomorrow", retryAfter: 3_600)
        }
        if !isLecturer, try row.int("of_event") >= eventNoticesPerDayMax {
            throw RPCError(
                .rateLimited,
                "you sent \(eventNoticesPerDayMax) notices to this event's people within a day: wait until tomorrow",
                retryAfter: 3_600)
        }
        if isScheduled, try row.int("scheduled") >= scheduledMax {
            throw RPCError(
                .conflict, "\(scheduledMax) notices of yours wait for their time: withdraw one first",
                field: "publishAt")
        }
    }

    /// Returns the size of an audience; see ``NoticeCounts``.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func preview(_ params: NoticesPreview.Params, by identity: Identity) async throws -> NoticesPreview.Result {
        let audience = params.audience
        try NoticeDraft.check(audience)
        let at = now()
        let rows = try await database.transaction { transaction in
            try await Self.requirePermission(
                audience, .info, by: try await identity.current(.role, in: transaction), at: at, transaction)
            return try await transaction.query(
                """
                SELECT notice_audience(json_populate_record(NULL::notices,
                    json_build_object('kind', $1::text, 'zone_id', $2::bigint, 'role', $3::text, 'event_id', $4::bigint))) AS people
                """,
                [
                    .text(audience.kind.rawValue), .optional(audience.zone), .optional(audience.role?.rawValue),
                    .optional(audience.event),
                ])
        }
        guard let row = rows.first else { throw RPCError(.internalError, "the audience could not be counted") }
        return NoticesPreview.Result(
            people: NoticeCounts(of: audience.kind, recipients: try row.int("people")).recipients)
    }

    // MARK: Changes

    private struct Known: Sendable {
        let audience: NoticeAudience
        let level: NoticeLevel
        let state: String
        let revision: Int
        let isAuthor: Bool
        let isPublished: Bool
        let publishAt: Timestamp
        let expiresAt: Timestamp
        let title: String
        let body: String?

        init(_ row: PostgresRow) throws {
            let notice = try NoticeRow.notice(row)
            audience = try NoticeRow.audience(row)
            (level, title, body, publishAt) = (notice.level, notice.title, notice.body, notice.at)
            expiresAt = Timestamp(milliseconds: try row.timestamp("expires_at"))
            state = try row.text("state")
            revision = notice.revision
            isAuthor = try row.optionalBool("is_author") == true
            isPublished = try !row.isNull("published_offset")
        }
    }

    /// Changes a notice under its lock, and publishes the change if the notice is published. The caller must be the sender or an admin.
    /// - Parameter body: Makes the change by the caller as the account is now, and returns its kind; nil if nothing changed.
    private func change(
        _ notice: Int64, by identity: Identity,
        _ body: @Sendable (Known, Identity, PostgresTransaction) async throws -> String?
    ) async throws -> SentNotice {
        let (account, at) = (identity.account.id, now())
        let audience = try await database.transaction { transaction -> NoticeAudience? in
            let actor = try await identity.current(.role, in: transaction)
            let rows = try await transaction.query(
                """
                SELECT \(NoticeRow.columns), n.author_id = $2 AS is_author FROM notices n \(NoticeRow.join)
                WHERE n.id = $1 AND (n.author_id = $2 OR $3) FOR UPDATE OF n
                """, [.int(notice), .int(account), .bool(actor.isAdmin)])
            guard let row = rows.first else { throw NoticeError.notFound }
            let known = try Known(row)
            guard let what = try await body(known, actor, transaction) else { return nil }
            try await Self.audit(
                what == "withdrawn" ? "withdraw" : "correct", of: notice, known.title, known.audience, known.level,
                by: actor, transaction)
            guard known.isPublished else { return nil }
            _ = try await transaction.query(
                "SELECT notice_append(n, $2, $3) FROM notices n WHERE n.id = $1",
                [.int(notice), .text(what), .timestamp(at.milliseconds)])
            return known.audience
        }
        if let audience { await hub.notices.appended(topics: audience.publicTopics) }
        return try await sent(notice, for: identity)
    }

    /// Corrects a notice for all recipients.
    /// - Throws: ``Wire/RPCError``: `conflict` if the notice has changed since `revision`; ``Postgres/PostgresError``.
    public func correct(_ params: NoticesCorrect.Params, by identity: Identity) async throws -> SentNotice {
        let at = now()
        let draft = try NoticeDraft(title: params.title, body: params.body)
        return try await change(params.notice, by: identity) { known, actor, transaction in
            let level = params.level ?? known.level
            let expiresAt = params.expiresAt ?? known.expiresAt
            // A repeated request whose first answer was lost needs no change.
            if known.revision == params.revision + 1, known.state != "withdrawn", draft.title == known.title,
                draft.body == known.body, level == known.level, expiresAt == known.expiresAt
            {
                return nil
            }
            // A notice keeps its sender's name, so only the sender may change its text.
            guard known.isAuthor else { throw NoticeError.notSender }
            guard known.state != "withdrawn" else { throw NoticeError.withdrawn }
            guard known.expiresAt > at else { throw NoticeError.expired }
            guard known.revision == params.revision else { throw NoticeError.changed }
            guard known.revision < Self.revisionsMax else {
                throw RPCError(
                    .conflict,
                    "a notice is corrected at most \(Self.revisionsMax - 1) times: withdraw it, and send another",
                    field: "notice")
            }
            try await Self.requirePermission(known.audience, level, by: actor, at: at, transaction)
            _ = try NoticeDraft.expiry(expiresAt, from: known.publishAt, now: at)
            _ = try await transaction.query(
                """
                UPDATE notices SET title = $2, body = $3, level = $4, was_emergency = was_emergency OR $4 = 'emergency',
                    raised_revision = CASE WHEN NOT was_emergency AND $4 = 'emergency' AND published_offset IS NOT NULL
                        THEN revision + 1 ELSE raised_revision END, expires_at = $5, changed_at = $6, revision = revision + 1 WHERE id = $1
                """,
                [
                    .int(params.notice), .text(draft.title), .optional(draft.body), .text(level.rawValue),
                    .timestamp(expiresAt.milliseconds), .timestamp(at.milliseconds),
                ])
            return "corrected"
        }
    }

    /// Withdraws a notice from all recipients. The sender may do this even after losing the permission to publish. Idempotent.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func withdraw(_ params: NoticeParams, by identity: Identity) async throws -> SentNotice {
        let at = now()
        return try await change(params.notice, by: identity) { known, _, transaction in
            guard known.state != "withdrawn" else { return nil }
            _ = try await transaction.query(
                "UPDATE notices SET state = 'withdrawn', withdrawn_at = $2, revision = revision + 1 WHERE id = $1",
                [.int(params.notice), .timestamp(at.milliseconds)])
            // Also applies to expired notices, whose text the log contains until the withdrawal.
            return "withdrawn"
        }
    }
}

extension NoticeAudience {
    /// Topics on which guests receive the notice.
    var publicTopics: Set<Topic> {
        switch kind {
        case .campus: [.campusNotices]
        case .zone: zone.map { [.zoneNotices($0)] } ?? []
        case .role, .event, .user: []
        }
    }
}
