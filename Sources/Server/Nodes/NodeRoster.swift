import Bus
import Logging
import Postgres
import Synchronization

/// The servers over one database, as each of them writes it there: finds those that cannot work together. A server that is gone, however it
/// ended, stops touching its row, so only one that lives beside this one counts.
final class NodeRoster: Sendable {
    /// A server that has not touched its row for so long is gone, seconds.
    static let goneSeconds = 30.0
    /// Rows are removed after this, seconds.
    static let keptSeconds = 86_400.0

    struct Entry: Sendable, Equatable {
        let name: String
        let hasBus: Bool
    }

    /// A row, with the time in which its server touched it: milliseconds of the database's clock.
    struct Life: Sendable, Equatable {
        let server: Entry
        let startedAt: Int64
        let seenAt: Int64

        /// Both lived at one time, as far as their rows say. A server that crashed and its successor did not.
        func overlaps(_ other: Life) -> Bool { seenAt > other.startedAt && other.seenAt > startedAt }
    }

    private let pool: PostgresPool
    private let run = NodeID.random().description
    private let own: Entry
    private let logger: Logger
    private let found = Mutex<[String]>([])

    /// - Parameters:
    ///   - name: This server's.
    ///   - hasBus: It reaches the others by NATS.
    init(pool: PostgresPool, name: String, hasBus: Bool, logger: Logger) {
        self.pool = pool
        own = Entry(name: name, hasBus: hasBus)
        self.logger = logger
    }

    /// What is wrong with the servers of this database, one plain fact and what to do each.
    var warnings: [String] { found.withLock { $0 } }

    /// Says that this server lives, and looks who else does.
    func look() async throws {
        // Another server's row counts when it was touched since this one's was made.
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

    /// Says that this server is gone.
    func leave() async {
        _ = try? await pool.query("DELETE FROM nodes WHERE run = $1", [.text(run)])
    }

    /// The servers that touched their rows lately, for `doctor`.
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

    /// What is wrong among a server and the others.
    static func troubles(_ own: Entry, others: [Entry]) -> [String] {
        guard !others.isEmpty else { return [] }
        var troubles: [String] = []
        if !own.hasBus {
            let names = others.map(\.name).joined(separator: ", ")
            troubles.append(
                "this server has no NATS, and others (\(names)) use the same database: what happens at one is missing or late at the "
                    + "other; give all of them --nats, or stop this one")
        }
        let alone = others.filter { !$0.hasBus }.map(\.name)
        if own.hasBus, !alone.isEmpty {
            troubles.append(
                "\(alone.joined(separator: ", ")) uses the same database without NATS: what happens there is missing or late here; "
                    + "give it --nats, or stop it")
        }
        if others.contains(where: { $0.name == own.name && $0.hasBus && own.hasBus }) {
            troubles.append(
                "another server is called \(own.name) as well: give each one a name of its own with --node")
        }
        return troubles
    }

    /// A line for each change.
    private func note(_ troubles: [String]) {
        let before = found.withLock { found in
            defer { found = troubles }
            return found
        }
        for trouble in troubles where !before.contains(trouble) { logger.error("\(trouble)") }
        if troubles.isEmpty, !before.isEmpty { logger.notice("the servers of this database can work together again") }
    }
}
