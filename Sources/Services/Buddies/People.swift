import Postgres
import Wire

/// Names and pictures of accounts as a viewer may see them: see the Matching article (Shown names). The SQL function `person_shown`
/// implements the rules.
public struct People: Sendable {
    /// Largest number of known people that ``known(to:)`` returns.
    static let knownMax = 2_000

    private let database: PostgresPool

    /// - Parameter database: Pool with the server's role.
    public init(database: PostgresPool) { self.database = database }

    /// Returns names, genders and pictures. The picture is omitted if one of the two accounts blocks the other.
    ///
    /// The caller must check that the viewer may know of these accounts, for example as members of a common conversation.
    /// - Parameters:
    ///   - accounts: Account ids; the caller bounds their number.
    ///   - viewer: Account that sees the result.
    ///   - vouched: Whether the viewer is an admin who handles a report; the accounts are then shown as to members of a common
    ///     conversation.
    /// - Returns: People by account; accounts that do not exist are omitted.
    /// - Throws: ``Postgres/PostgresError``.
    public func people(
        _ accounts: [Int64], seenBy viewer: Int64, vouched: Bool = false
    ) async throws -> [Int64: Person] {
        guard !accounts.isEmpty else { return [:] }
        var people: [Int64: Person] = [:]
        for row in try await database.query(Self.sql, [.intArray(accounts), .int(viewer), .bool(vouched)]) {
            let person = try Self.person(row)
            people[person.account] = person
        }
        return people
    }

    private static let sql = """
        SELECT u.id, s.* FROM unnest($1::bigint[]) AS u (id) CROSS JOIN LATERAL person_shown($2, u.id, $3) s WHERE s.name IS NOT NULL
        """

    private static func person(_ row: PostgresRow) throws -> Person {
        Person(
            account: try row.int("id"), name: try row.text("name"),
            gender: try row.optionalText("gender").flatMap { Gender(rawValue: $0) },
            picture: try row.optionalUUID("picture_id"))
    }

    // MARK: Known people

    private static let knownSQL = """
        WITH met AS (
            SELECT $1::bigint AS id, 0 AS rank
            UNION ALL SELECT b.high_id, 1 FROM buddies b WHERE b.low_id = $1
            UNION ALL SELECT b.low_id, 1 FROM buddies b WHERE b.high_id = $1
            UNION ALL SELECT u.account_id, 2 FROM members i JOIN members u USING (conversation_id)
                JOIN conversations c ON c.id = conversation_id AND c.is_open
                WHERE i.account_id = $1 AND i.state = 'joined' AND u.state = 'joined')
        SELECT m.id, a.username, s.* FROM (SELECT id, min(rank) AS rank FROM met GROUP BY id ORDER BY min(rank), id LIMIT \(knownMax)) m
        JOIN accounts a ON a.id = m.id CROSS JOIN LATERAL person_shown($1, m.id) s
        WHERE NOT is_blocked($1, m.id) ORDER BY m.rank, m.id
        """

    /// Returns the account itself, its buddies, and members of its open conversations, without people on either side of a block.
    /// - Throws: ``Postgres/PostgresError``.
    public func known(to identity: Identity) async throws -> PeopleKnown.Result {
        let rows = try await database.query(Self.knownSQL, [.int(identity.account.id)])
        return PeopleKnown.Result(
            people: try rows.map { row in
                let person = try Self.person(row)
                return KnownPerson(
                    account: person.account, username: try row.text("username"), name: person.name,
                    gender: person.gender, picture: person.picture)
            })
    }
}
