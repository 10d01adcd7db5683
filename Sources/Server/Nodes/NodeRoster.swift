import Bus
import Logging
import Postgres
import Synchronization

/// Registry of the servers that use one database, for finding servers that cannot work together. Each server updates its own row
/// periodically. A row without updates belongs to a stopped server, so only servers that run beside this one count.
final class NodeRoster: Sendable {
    /// Seconds without an update after which a server counts as stopped.
    static let goneSeconds = 30.0
    /// Seconds after which rows are removed.
    static let keptSeconds = 86_400.0

    struct Entry: Sendable, Equatable {
        let name: String
        let hasBus: Bool
    }

    /// A row with its first and last update in milliseconds of the database's clock.
    struct Life: Sendable, Equatable {
        let server: Entry
        let startedAt: Int64
        let seenAt: Int64

        /// Whether both servers ran at the same time according to their rows. A crashed server and its successor did not.
        func overlaps(_ other: Life) -> Bool { seenAt > other.startedAt && other.seenAt > startedAt }
    }

    private let pool: PostgresPool
    private let run = NodeID.random().description
    private let own: Entry
    private let logger: Logger
    private let found = Mutex<[String]>([])

    /// - Parameters:
    ///   - name: Name of this server.
    ///   - hasBus: Whether it reaches the others through NATS.
    init(pool: PostgresPool, name: String, hasBus: Bool, logger: Logger) {
        self.pool = pool
        own = Entry(name: name, hasBus: hasBus)
        self.logger = logger
    }

    /// Conflicts among the servers of this database, each with one fact and what to do.
    var warnings: [String] { found.withLock { $0 } }

    /// Updates this server's row and reads the others.
    func refresh() async throws {
        // Another server's row counts if it was updated after this server's row was created.
        let rows = try await pool.query(
            """
            WITH mine AS (
                INSERT INTO nodes (run, name, has_bus) VALUES ($1, $2, $3)
                ON CONFLICT (run) DO UPDATE SET seen_at = clock_timestamp() RETURNING started_at),
            gone AS (DELETE FROM nodes WHERE seen_at < clock_timestamp() - make_interval(secs => $5))
            SELECT n.name, n.has_bus FROM nodes n, mine WHERE n.run <> $1 AND n.seen_at > mine.started_at
                AND n.seen_at > clock_timestamp() - make_interval(secs => $4) ORDER BY n.name
            """,
            [.text(run), .text(own.name), .bool(own.hasBus), .double(Self.goneSeconds), .double(Self.keptSeconds)])
        note(Self.troubles(own, others: try rows.map(Self.entry)))
    }

    /// Removes this server's row.
    func leave() async {
        _ = try? await pool.query("DELETE FROM nodes WHERE run = $1", [.text(run)])
    }

    /// Servers with recent updates, for `doctor`.
    static func living(_ pool: PostgresPool) async throws -> [Life] {
        try await pool.query(
            """
            SELECT name, has_bus, started_at, seen_at FROM nodes WHERE seen_at > clock_timestamp() - make_interval(secs => $1)
            ORDER BY name, started_at
            """, [.double(goneSeconds)]
        ).map { row in
            Life(
                server: try entry(row), startedAt: try row.timestamp("started_at"),
                seenAt: try row.timestamp("seen_at"))
        }
    }

    private static func entry(_ row: PostgresRow) throws -> Entry {
        Entry(name: try row.text("name"), hasBus: try row.bool("has_bus"))
    }

    /// Conflicts between a server and the others.
    static func troubles(_ own: Entry, others: [Entry]) -> [String] {
        guard !others.isEmpty else { return [] }
        var troubles: [String] = []
        if !own.hasBus {
            let names = others.map(\.name).joined(separator: ", ")
            troubles.append(
                "this server has no NATS, and others (\(names)) use the same database: events at one server are missing or late at the "
                    + "other; give all of them --nats, or stop this one")
        }
        let alone = others.filter { !$0.hasBus }.map(\.name)
        if own.hasBus, !alone.isEmpty {
            troubles.append(
                "\(alone.joined(separator: ", ")) uses the same database without NATS: events there are missing or late here; "
                    + "give it --nats, or stop it")
        }
        if others.contains(where: { $0.name == own.name && $0.hasBus && own.hasBus }) {
            troubles.append(
                "another server is called \(own.name) as well: give each one a name of its own with --node")
        }
        return troubles
    }

    /// Logs each change of the conflicts.
    private func note(_ troubles: [String]) {
        let before = found.withLock { found in
            defer { found = troubles }
            return found
        }
        for trouble in troubles where !before.contains(trouble) { logger.error("\(trouble)") }
        if troubles.isEmpty, !before.isEmpty { logger.notice("the servers of this database can work together again") }
    }
}
