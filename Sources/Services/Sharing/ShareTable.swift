import Hub
import Postgres
import Wire

/// Reads shares from PostgreSQL for the hub.
public struct ShareTable: ShareStore {
    let database: PostgresPool
    let now: @Sendable () -> Timestamp

    public init(database: PostgresPool, now: @escaping @Sendable () -> Timestamp = { .now }) {
        self.database = database
        self.now = now
    }

    static let columns = """
        s.id, s.account_id, a.username, CASE WHEN s.audience IN ('person', 'group')
            THEN share_name(s.person_id, s.account_id, s.audience = 'group') ELSE a.username END AS name, s.audience,
        s.person_id, s.conversation_id, s.session_id, s.precision, s.started_at, s.chosen_at, s.expires_at, s.secret,
        s.version, CASE WHEN s.ended_at IS NOT NULL THEN s.end_published_at END AS end_published_at
        """
    /// Condition for shares that are active at `$2`, or ended ones whose viewers have not learned of the end yet.
    static let isThere = "(s.ended_at IS NULL OR s.end_published_at > $2) AND s.expires_at > $2"
    static let tables = "shares s JOIN accounts a ON a.id = s.account_id"

    /// Returns an account's active shares.
    /// - Throws: `PostgresError`.
    public func shares(of account: Int64) async throws -> [StoredShare] {
        try await database.query(
            """
            SELECT \(Self.columns) FROM \(Self.tables)
            WHERE s.account_id = $1 AND \(Self.isThere) ORDER BY s.id
            """, [.int(account), .timestamp(now().milliseconds)]
        ).map(StoredShare.init)
    }

    /// Returns those of the given shares that are active.
    /// - Throws: `PostgresError`.
    public func shares(_ ids: [Int64]) async throws -> [StoredShare] {
        try await database.query(
            """
            SELECT \(Self.columns) FROM \(Self.tables)
            WHERE s.id = ANY ($1::bigint[]) AND \(Self.isThere)
            """, [.intArray(ids), .timestamp(now().milliseconds)]
        ).map(StoredShare.init)
    }

    /// Returns active shares with their start times.
    func started(_ condition: String, _ parameters: [PostgresValue]) async throws -> [Int64: Timestamp] {
        let rows = try await database.query(
            "SELECT id, started_at FROM shares WHERE \(condition) AND ended_at IS NULL", parameters)
        return try rows.reduce(into: [:]) {
            $0[try $1.int("id")] = Timestamp(milliseconds: try $1.timestamp("started_at"))
        }
    }

    /// Returns shares that have ended in a hidden place and whose viewers learn of it later, with that time.
    /// - Parameter condition: SQL condition that uses `$1`.
    func held(_ condition: String, _ parameter: PostgresValue) async throws -> [Int64: Timestamp] {
        let rows = try await database.query(
            "SELECT id, end_published_at FROM shares WHERE \(condition) AND ended_at IS NOT NULL AND end_published_at > $2",
            [parameter, .timestamp(now().milliseconds)])
        return Dictionary(
            try rows.map { (try $0.int("id"), Timestamp(milliseconds: try $0.timestamp("end_published_at"))) }
        ) { first, _ in first }
    }

    /// Returns the joined members of these conversations.
    /// - Throws: `PostgresError`.
    public func members(of groups: [Int64]) async throws -> [Int64: Set<Int64>] {
        let rows = try await database.query(
            "SELECT conversation_id, account_id FROM members WHERE conversation_id = ANY ($1::bigint[]) AND state = 'joined'",
            [.intArray(groups)])
        return try rows.reduce(into: [:]) {
            $0[try $1.int("conversation_id"), default: []].insert(try $1.int("account_id"))
        }
    }

    /// Ends these openings of shares, which record a viewer's access. The number 0 stands for access that lasts until the share ends, and
    /// is skipped.
    /// - Throws: `PostgresError`.
    public func close(openings: [Int64], at time: Timestamp) async throws {
        let openings = openings.filter { $0 != 0 }
        guard !openings.isEmpty else { return }
        _ = try await database.query(
            """
            UPDATE share_watches SET to_at = greatest($2, from_at) WHERE opening = ANY ($1::bigint[]) AND to_at IS NULL
            """, [.intArray(openings), .timestamp(time.milliseconds)])
    }

    /// Locks the same rows as a statement that ends a share, so that an end either sees the new access records or precedes them. Taking
    /// all locks first, in one order and in the strength that the counters need, prevents deadlocks between nodes.
    private static let lockSQL = "SELECT FROM shares WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE"

    private static let logSQL = """
        WITH seen AS (
            SELECT n.share, n.account, n.precision, min(n.at) AS at
            FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::timestamptz[]) n (share, account, precision, at)
            GROUP BY n.share, n.account, n.precision)
        INSERT INTO share_watches AS w (share_id, account_id, precision, from_at, to_at)
        SELECT n.share, n.account, n.precision, n.at,
            CASE WHEN o.end_published_at > o.ended_at THEN CASE WHEN o.is_end_published THEN greatest(o.end_published_at, n.at) END
                WHEN o.ended_at IS NOT NULL THEN greatest(o.ended_at, n.at)
                WHEN o.precision <> n.precision THEN greatest(o.chosen_at, n.at) END
        FROM seen n JOIN shares o ON o.id = n.share JOIN accounts a ON a.id = n.account
        ORDER BY n.share, n.account, n.precision
        ON CONFLICT (share_id, account_id, precision) WHERE opening IS NULL DO UPDATE
            SET from_at = least(w.from_at, excluded.from_at), to_at = excluded.to_at,
                times = w.times + (w.to_at IS NOT NULL)::integer
        """

    /// Records that these accounts received campus-wide shares, and adds `more` to the number of viewers that are only counted.
    /// - Throws: `PostgresError`.
    public func log(_ seen: [AccessLogEntry], more: [Int64: Int]) async throws {
        let shares = Set(seen.map(\.share)).union(more.keys).sorted()
        guard !shares.isEmpty else { return }
        var statements = [PostgresStatement(Self.lockSQL, [.intArray(shares)])]
        if !seen.isEmpty {
            statements.append(
                PostgresStatement(
                    Self.logSQL,
                    [
                        .intArray(seen.map(\.share)), .intArray(seen.map(\.account)),
                        .textArray(seen.map(\.precision.rawValue)), .timestampArray(seen.map(\.at.milliseconds)),
                    ]))
        }
        if !more.isEmpty {
            let pairs = more.sorted { $0.key < $1.key }
            statements.append(
                PostgresStatement(
                    """
                    UPDATE shares s SET more = s.more + n.count
                    FROM unnest($1::bigint[], $2::bigint[]) n (id, count) WHERE s.id = n.id
                    """, [.intArray(pairs.map(\.key)), .intArray(pairs.map { Int64($0.value) })]))
        }
        let all = statements
        _ = try await database.transaction { try await $0.batch(all) }
    }
}

extension StoredShare {
    init(_ row: PostgresRow) throws {
        func time(_ name: String) throws -> Timestamp { Timestamp(milliseconds: try row.timestamp(name)) }
        self.init(
            id: try row.int("id"), owner: try row.int("account_id"), username: try row.text("username"),
            name: try row.text("name"), audience: try row.choice("audience"), person: try row.optionalInt("person_id"),
            group: try row.optionalInt("conversation_id"), session: try row.optionalInt("session_id"),
            precision: try row.choice("precision"), startedAt: try time("started_at"), chosenAt: try time("chosen_at"),
            expiresAt: try time("expires_at"), secret: try row.int("secret"), version: try row.int("version"),
            endPublishedAt: try row.optionalTimestamp("end_published_at").map { Timestamp(milliseconds: $0) })
    }
}

extension PostgresRow {
    /// Decodes a text column with a fixed set of values, the same as in the table's constraint.
    func choice<Choice: RawRepresentable>(_ column: String) throws -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: try text(column)) else {
            throw RPCError(.internalError, "\(column) holds an unknown word")
        }
        return choice
    }
}
