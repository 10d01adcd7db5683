import EventLoop
import Foundation
import Logging
import Metrics
import Postgres
import Wire

/// Pictures of profiles, messages and places: accepts and re-encodes uploads, stores them, and returns them to permitted viewers. Usable
/// from any context.
public struct Pictures: Sendable {
    /// Largest size of an upload, in bytes.
    public static let uploadBytesMax = 8 * 1_048_576
    /// Largest number of an account's pictures that are not part of a sent message or the page of a place. ``removeUnused()``
    /// removes them after ``unusedSeconds``.
    public static let unusedPicturesMax = 20
    /// Largest total size of an account's chat pictures with thumbnails, in bytes. It includes unsent pictures and pictures of deleted
    /// messages that are retained for reports.
    public static let chatBytesMax = 256 * 1_048_576
    /// Seconds for which a picture is kept that is not used.
    static let unusedSeconds = 86_400.0
    /// Largest number of unused pictures that one statement removes.
    static let removedPerStatementMax: Int64 = 500
    /// Largest number of concurrent decodings; each uses a core and up to a gigabyte for a moment.
    public static let concurrentMax = 1
    /// Largest number of uploads waiting to be decoded, at about half a second each.
    public static let waitingMax = 8
    /// Delay before a client retries when the queue is full.
    static let retrySeconds = 5.0

    /// Paths of the required programs.
    public static let tools = [PictureEncoder.Tools.installed.vips, PictureEncoder.Tools.installed.vipsheader]

    /// Size variant of a picture.
    public enum Form: String, Sendable, CaseIterable {
        /// At most 1,600 pixels wide and high.
        case full
        /// At most 320 pixels wide and high; a square of 320 pixels for a profile picture.
        case thumb
    }

    /// A picture whose viewer has just passed the access check.
    public struct Visible: Sendable, Equatable {
        /// Id of the picture, in lower case.
        public let id: String
    }

    private let database: PostgresPool
    private let access: any PictureAccess
    private let encoder: PictureEncoder
    private let workers: WorkerPool
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    public let metrics: PictureMetrics

    /// - Parameters:
    ///   - access: Decides who may see pictures of others.
    ///   - directory: Parent of the temporary, private working directories.
    ///   - now: The server's clock.
    public init(
        database: PostgresPool, access: any PictureAccess = OwnPicturesOnly(),
        directory: String = NSTemporaryDirectory(), metrics: PictureMetrics = PictureMetrics(),
        workers: WorkerPool = WorkerPool(label: "pictures", concurrentMax: concurrentMax, waitingMax: waitingMax),
        now: @escaping @Sendable () -> Timestamp = { .now }, logger: Logger = Logger(label: "campanile.pictures")
    ) {
        self.database = database
        self.access = access
        encoder = PictureEncoder(directory: directory.hasSuffix("/") ? String(directory.dropLast()) : directory)
        self.metrics = metrics
        self.workers = workers
        self.now = now
        self.logger = logger
        let isolation = Self.decoderIsolation
        if !isolation.isWhole { logger.warning("\(isolation)") }
    }

    // MARK: Uploads

    /// Requires, before the upload's bytes arrive, that the account may store another picture.
    /// - Throws: ``Wire/RPCError`` `conflict`; `forbidden` for a picture of a place by an account that edits none.
    public func requireRoom(for purpose: PicturePurpose, of identity: Identity) async throws {
        // The re-encoded picture has at least one byte.
        try await requireRoom(for: purpose, bytes: 1, of: identity)
    }

    private func requireRoom(for purpose: PicturePurpose, bytes: Int, of identity: Identity) async throws {
        guard purpose != .profile else { return }
        let rows = try await database.query(Self.roomSQL, [.int(identity.account.id)])
        guard let row = rows.first else { return }
        if try purpose == .place && !identity.isAdmin && !row.bool("manages") { throw Self.notManager }
        if try row.int("unused") >= Int64(Self.unusedPicturesMax) { throw Self.tooManyUnused }
        if try purpose == .chat && row.int("bytes") + Int64(bytes) > Int64(Self.chatBytesMax) { throw Self.full }
    }

    /// The condition of pictures `p` that were uploaded and are not used.
    private static let isUnusedSQL = "p.purpose <> 'profile' AND p.at_offset IS NULL AND p.place_id IS NULL"

    /// Reads the number of an account's unused pictures, the total size of its chat pictures, and whether it manages a place.
    private static let roomSQL = """
        SELECT (SELECT count(*) FROM pictures p WHERE owner_id = $1 AND \(isUnusedSQL)) AS unused,
            coalesce((SELECT bytes FROM picture_room WHERE account_id = $1), 0) AS bytes,
            EXISTS (SELECT FROM places WHERE manager_id = $1 AND NOT is_removed) AS manages
        """

    private static let notManager = RPCError(
        .forbidden, "only accounts that manage a place, and admins, upload pictures of places")

    private static let tooManyUnused = RPCError(
        .conflict, "\(unusedPicturesMax) pictures were uploaded and not used: send or save some, or wait a day")

    private static let full = RPCError(
        .conflict,
        "your pictures in conversations take \(chatBytesMax / 1_048_576) MiB, which is all there is for one account: delete messages "
            + "with pictures that you sent, which makes room \(Int(Chat.retractedDaysMax)) days later")

    /// Removes the profile pictures of account `$1` that are not its picture.
    static let removeReplacedSQL = """
        DELETE FROM pictures p WHERE owner_id = $1 AND purpose = 'profile'
            AND NOT EXISTS (SELECT FROM accounts a WHERE a.picture_id = p.id)
        """

    /// Re-encodes and stores a picture. A profile picture replaces earlier ones that are not the account's picture.
    /// - Throws: ``PictureRejected``; ``Wire/RPCError`` `conflict`, `unavailable`, `storageFull`; `PostgresError`.
    public func store(
        _ bytes: [UInt8], for purpose: PicturePurpose, by identity: Identity
    ) async throws -> UploadedPicture {
        guard bytes.count <= Self.uploadBytesMax else { throw PictureRejected.tooMuchWork }
        let encoded = try await encode(bytes, for: purpose)
        let id = UUID().uuidString.lowercased()
        let insertion = PostgresStatement(
            """
            INSERT INTO pictures (id, owner_id, purpose, width, height, "full", thumb, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .uuid(id), .int(identity.account.id), .text(purpose.rawValue), .int(Int64(encoded.width)),
                .int(Int64(encoded.height)), .bytes(encoded.full), .bytes(encoded.thumb),
                .timestamp(now().milliseconds),
            ])
        if purpose == .profile {
            // Removes before inserting, because the new one is not the account's picture yet. Holds the account's lock, as a change of the
            // picture does.
            _ = try await database.transaction { transaction in
                try await transaction.batch([
                    PostgresStatement(Accounts.lock, [.intArray([identity.account.id])]),
                    PostgresStatement(Self.removeReplacedSQL, [.int(identity.account.id)]), insertion,
                ])
            }
        } else {
            // Two concurrent uploads of one account may exceed the limits by one, which is harmless.
            try await requireRoom(
                for: purpose, bytes: encoded.full.count + encoded.thumb.count, of: identity)
            _ = try await database.query(insertion.sql, insertion.parameters)
        }
        return UploadedPicture(picture: id, width: encoded.width, height: encoded.height)
    }

    private func encode(_ bytes: [UInt8], for purpose: PicturePurpose) async throws -> PictureEncoder.Encoded {
        do {
            return try await workers.run { [encoder, metrics] in
                let started = EventLoop.nowNanoseconds
                defer { metrics.encoding.observe(EventLoop.nowNanoseconds &- started) }
                return try encoder.encode(bytes, for: purpose)
            }
        } catch is WorkerPool.Overloaded {
            throw RPCError(
                .unavailable, "many pictures are being sent: send it again in a few seconds",
                retryAfter: Self.retrySeconds)
        } catch let error as PictureRejected {
            throw error
        } catch let error as RPCError {
            throw error
        } catch {
            logger.error("a picture could not be made", metadata: ["error": "\(error)"])
            throw RPCError(.unavailable, "pictures cannot be taken at the moment: try again later", retryAfter: 60)
        }
    }

    // MARK: Access

    /// Common answer for missing pictures and for pictures that the viewer may not see.
    public static let notFound = RPCError(.notFound, "there is no such picture")

    /// Checks whether an account, or with nil a guest, may see a picture now.
    /// - Throws: ``notFound``; `PostgresError`; errors of the access check.
    public func find(_ id: String, for viewer: Identity?) async throws -> Visible {
        guard let id = UUID(uuidString: id)?.uuidString.lowercased() else { throw Self.notFound }
        let rows = try await database.query(
            """
            SELECT p.owner_id, p.purpose, p.conversation_id, p.at_offset, l.deleted_at IS NOT NULL AS is_deleted,
                EXISTS (SELECT FROM places t WHERE t.id = p.place_id AND NOT t.is_removed) AS is_published
            FROM pictures p LEFT JOIN chat_log l ON l.conversation_id = p.conversation_id AND l.at_offset = p.at_offset
            WHERE p.id = $1
            """, [.uuid(id)])
        guard let row = rows.first else { throw Self.notFound }
        if try row.bool("is_published") { return Visible(id: id) }
        guard let viewer = viewer?.account.id else { throw Self.notFound }
        let owner = try row.int("owner_id")
        if owner == viewer {
            // An open report retains the picture of a deleted message. The sender must not learn of the report from the picture's
            // presence.
            guard try !row.bool("is_deleted") else { throw Self.notFound }
            return Visible(id: id)
        }
        let mayView: Bool
        if try row.text("purpose") == PicturePurpose.profile.rawValue {
            mayView = try await access.mayViewProfilePicture(id, of: owner, by: viewer)
        } else if let conversation = try row.optionalInt("conversation_id"),
            let offset = try row.optionalInt("at_offset")
        {
            mayView = try await access.mayViewChatPicture(id, conversation: conversation, offset: offset, by: viewer)
        } else {
            // The picture is not part of a message yet.
            mayView = false
        }
        guard mayView else { throw Self.notFound }
        return Visible(id: id)
    }

    /// Returns the picture as JPEG bytes.
    /// - Throws: ``notFound`` if the picture was removed since the check; `PostgresError`.
    public func bytes(of picture: Visible, _ form: Form) async throws -> [UInt8] {
        let column = form == .full ? "\"full\"" : "thumb"
        let rows = try await database.query(
            "SELECT \(column) AS bytes FROM pictures WHERE id = $1", [.uuid(picture.id)])
        guard let row = rows.first else { throw Self.notFound }
        return try row.bytes("bytes")
    }

    // MARK: Upkeep

    /// Removes pictures that were not used within a day, and working directories that a killed server left behind.
    public func removeUnused() async throws {
        let before = now().advanced(bySeconds: -Self.unusedSeconds)
        var removed = Int(Self.removedPerStatementMax)
        while removed >= Int(Self.removedPerStatementMax) {
            removed = try await database.query(
                """
                DELETE FROM pictures WHERE id = ANY (ARRAY(
                    SELECT id FROM pictures p WHERE \(Self.isUnusedSQL) AND created_at < $1
                    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED))
                RETURNING id
                """, [.timestamp(before.milliseconds), .int(Self.removedPerStatementMax)]
            ).count
        }
        try await workers.run { [encoder] in encoder.removeLeftovers() }
    }
}

/// Metrics of picture uploads.
public struct PictureMetrics: Sendable {
    /// Outcome of an upload.
    public enum Outcome: String, Sendable, CaseIterable {
        /// The picture is stored.
        case stored
        /// The picture was rejected because of its content.
        case refused
        /// A limit rejected the upload.
        case limited
        /// The server failed.
        case failed
    }

    private let outcomes: [Outcome: Counter]
    /// `campanile_picture_encoding_duration_seconds`: time from the start of the first program to the end of the last.
    public let encoding: Histogram

    /// Creates metrics in a registry that is not exported.
    public init() { self.init(MetricRegistry()) }

    /// Registers the metrics.
    public init(_ registry: MetricRegistry) {
        outcomes = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map { outcome in
                (
                    outcome,
                    registry.counter(
                        "campanile_picture_uploads_total", "Pictures sent to this server, by outcome.",
                        ["outcome": outcome.rawValue])
                )
            })
        encoding = registry.histogram(
            "campanile_picture_encoding_duration_seconds", "Time to decode, shrink and encode a picture.",
            buckets: .latency)
    }

    public func uploaded(_ outcome: Outcome) { outcomes[outcome]?.add() }
}
