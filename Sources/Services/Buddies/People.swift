import Postgres
import Wire

/// What somebody is called, and looks like, in somebody else's eyes: see the Matching article. One query for any number.
public struct People: Sendable {
    private let database: PostgresPool

    /// - Parameter database: As the server's role.
    public init(database: PostgresPool) { self.database = database }

    /// A buddy, or oneself, by full name; another by first name and initial; who has no profile by username. The picture is
    /// left out between two of whom one blocked the other.
    ///
    /// Whether the viewer may know of these accounts at all is for the caller to say: whoever shares a conversation may.
    /// - Parameters:
    ///   - accounts: Their numbers; bounded by the caller.
    ///   - viewer: In whose eyes.
    /// - Returns: By account; those that do not exist are left out.
    /// - Throws: ``Postgres/PostgresError``.
    public func people(_ accounts: [Int64], seenBy viewer: Int64) async throws -> [Int64: Person] {
        guard !accounts.isEmpty else { return [:] }
        var people: [Int64: Person] = [:]
        for row in try await database.query(Self.sql, [.intArray(accounts), .int(viewer)]) {
            let person = try Self.person(row)
            people[person.account] = person
        }
        return people
    }

    private static let sql = """
        SELECT a.id, a.username, p.first_name, p.last_name, p.gender,
            a.id = $2 OR EXISTS (SELECT FROM buddies f WHERE f.low_id = least(a.id, $2) AND f.high_id = greatest(a.id, $2))
                AS is_close,
            CASE WHEN NOT EXISTS (SELECT FROM blocks x WHERE x.is_on AND x.blocker_id = a.id AND x.blocked_id = $2)
                AND NOT EXISTS (SELECT FROM blocks x WHERE x.is_on AND x.blocker_id = $2 AND x.blocked_id = a.id)
                THEN b.picture_id END AS picture_id
        FROM accounts a LEFT JOIN profiles p ON p.account_id = a.id LEFT JOIN buddy_profiles b ON b.account_id = a.id
        WHERE a.id = ANY ($1::bigint[])
        """

    private static func person(_ row: PostgresRow) throws -> Person {
        let account = try row.int("id")
        guard let first = try row.optionalText("first_name"), let last = try row.optionalText("last_name") else {
            return Person(account: account, name: try row.text("username"), gender: nil, picture: nil)
        }
        let name = try row.bool("is_close") ? "\(first) \(last)" : "\(first) \(last.prefix(1))."
        return Person(
            account: account, name: name, gender: Gender(rawValue: try row.text("gender")),
            picture: try row.optionalUUID("picture_id"))
    }
}
