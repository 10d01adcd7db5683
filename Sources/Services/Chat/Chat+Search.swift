import Foundation
import Hub
import Postgres
import Wire

/// Looking for what was written, in one's own conversations alone: what it takes depends on nobody else's.
extension Chat {
    /// Characters that are looked for.
    static let searchedCharactersMax = 100
    /// Events that one search looks at, shared among the conversations; and of each, however many there are.
    static let lookedMax = Looked(inAll: 20_000, eachMin: 40)
    /// Behind the moment that a page ends at, for nodes whose clocks differ.
    static let lookedSlack: Int64 = 64
    /// Results of a search.
    static let foundMax = 50
    static let foundDefault = 20

    struct Looked {
        let inAll: Int64
        let eachMin: Int64
    }

    private static let searchSQL = """
        SELECT * FROM chat_search($1, $2::text[], $3::bigint[], $4, $5, $6, $7, $8, $9)
        """

    /// Messages with all these words, as they were written but for upper and lower case. A page ends between two moments, so that
    /// the next one, which is before that, has the rest; it may be empty when there is a next one.
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
                .int(Int64(limit)), .int(looked.inAll), .int(looked.eachMin), .int(Self.lookedSlack),
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
