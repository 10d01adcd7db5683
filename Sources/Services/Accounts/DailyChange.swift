import Postgres
import Wire

/// A change of an account by its owner whose number within a day is limited, over all devices and servers. The raw value is
/// `account_changes.kind`.
enum DailyChange: String {
    /// Of the username, also of its spelling alone.
    case username
    /// Of the first or the last name.
    case names
    /// Of the address, also one that is never confirmed.
    case address

    static let usernamesPerDayMax: Int64 = 20
    static let namesPerDayMax: Int64 = 20
    static let addressesPerDayMax: Int64 = 20

    private var perDayMax: Int64 {
        switch self {
        case .username: Self.usernamesPerDayMax
        case .names: Self.namesPerDayMax
        case .address: Self.addressesPerDayMax
        }
    }

    /// The parameter of the change and its name in sentences.
    private var words: (field: String, name: String) {
        switch self {
        case .username: ("username", "username")
        case .names: ("firstName", "name")
        case .address: ("email", "email")
        }
    }

    /// Counts a change, in the transaction that makes it and holds the lock of the account.
    /// - Parameter field: Parameter of the change, if it has another name.
    /// - Throws: ``Wire/RPCError`` `conflict` if there were too many within a day; ``Postgres/PostgresError``.
    func count(
        of account: Int64, at now: Timestamp, field: String? = nil, in transaction: PostgresTransaction
    ) async throws {
        let rows = try await transaction.query(
            """
            SELECT changed_at FROM account_changes WHERE account_id = $1 AND kind = $2 AND changed_at > $3
            ORDER BY changed_at DESC OFFSET $4 LIMIT 1
            """,
            [
                .int(account), .text(rawValue),
                .timestamp(now.advanced(bySeconds: -Timestamp.daySeconds).milliseconds), .int(perDayMax - 1),
            ])
        if let oldest = try rows.first?.timestamp("changed_at") {
            let again = Timestamp(milliseconds: oldest).advanced(bySeconds: Timestamp.daySeconds)
            throw RPCError(
                .conflict,
                "your \(words.name) was changed \(perDayMax) times within a day: change it again after \(LocalTime.text(again))",
                field: field ?? words.field, retryAfter: again.seconds(since: now).rounded(.up))
        }
        _ = try await transaction.query(
            "INSERT INTO account_changes (account_id, kind, changed_at) VALUES ($1, $2, $3)",
            [.int(account), .text(rawValue), .timestamp(now.milliseconds)])
    }
}
