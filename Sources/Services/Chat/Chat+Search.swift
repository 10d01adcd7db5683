import Foundation
import Hub
import Postgres
import Wire

/// Search in the caller's conversations. Its cost depends only on these.
extension Chat {
    /// Largest length of a search text.
    static let searchedCharactersMax = TextLimit.messageSearch.max
    /// Number of events that one search scans, divided among the conversations, and the minimum per conversation regardless of their
    /// number.
    static let scannedMax = ScanLimits(inAll: 20_000, eachMin: 40)
    /// Number of events to scan beyond the time at which a page ends, because the clocks of nodes differ.
    static let scanSlack: Int64 = 64
    /// Largest number of search results.
    static let foundMax = 50
    static let foundDefault = 20

    struct ScanLimits {
        let inAll: Int64
        let eachMin: Int64
    }

    private static let searchSQL = """
        SELECT * FROM chat_search($1, $2::text[], $3::bigint[], $4, $5, $6, $7, $8, $9)
        """

    /// Finds messages that contain all words, ignoring case. A page ends between two timestamps, so that the next page starts before that
    /// time and nothing is missed. A page can be empty although there is a next one.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func search(_ params: ChatSearch.Params, for identity: Identity) async throws -> ChatSearch.Result {
        let text = try Inputs.text(params.text, "text", charactersMax: Self.searchedCharactersMax)
        let patterns = Patterns.like(text)
        guard !patterns.isEmpty else { throw RPCError.invalid("text", "must not be empty") }
        let limit = params.limit ?? Self.foundDefault
        guard (1...Self.foundMax).contains(limit) else {
            throw RPCError.invalid("limit", "must be 1 to \(Self.foundMax)")
        }
        let account = identity.account.id
        let rows = try await database.query(
            Self.searchSQL,
            [
                .int(account), .textArray(patterns), await hidden(from: account),
                params.before.map { .timestamp($0.milliseconds) } ?? .null, .optional(params.conversation),
                .int(Int64(limit)), .int(scanLimits.inAll), .int(scanLimits.eachMin), .int(Self.scanSlack),
            ])
        let horizon = try rows.last?.optionalTimestamp("further").map { Timestamp(milliseconds: $0) }
        let found = try await found(rows.filter { try !$0.isNull("conversation_id") }, by: account)
        return ChatSearch.Result(messages: found, next: found.count >= limit ? found.last?.at : horizon)
    }

    private func found(_ rows: [PostgresRow], by account: Int64) async throws -> [ChatSearch.Found] {
        var accounts: Set<Int64> = []
        for row in rows {
            accounts.insert(try row.int("author_id"))
            if let buddy = try row.optionalInt("buddy_id") { accounts.insert(buddy) }
        }
        let known = try await people.people(Array(accounts), seenBy: account)
        return try rows.map { row in
            let by = try row.int("author_id")
            return ChatSearch.Found(
                conversation: try row.int("conversation_id"),
                name: try row.optionalText("name") ?? row.optionalInt("buddy_id").flatMap { known[$0]?.name } ?? "",
                offset: try row.int("at_offset"),
                by: known[by] ?? Person(account: by, name: "", gender: nil, picture: nil),
                at: Timestamp(milliseconds: try row.timestamp("at")), text: try row.text("body"))
        }
        .sorted { ($0.at, $0.conversation, $0.offset) > ($1.at, $1.conversation, $1.offset) }
    }
}
