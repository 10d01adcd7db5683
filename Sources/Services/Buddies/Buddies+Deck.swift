import Postgres
import Wire

/// Suggestions, cards and the list of buddies (W-4, W-5).
extension Buddies {
    /// Common answer for accounts that do not exist, are hidden or blocked, or have switched off suggestions.
    static let notSuggested = RPCError(.notFound, "this account is not suggested to you", field: "account")

    /// Returns suggestions, best first, without side effects.
    /// - Throws: ``Wire/RPCError``: `conflict` and `forbidden` if a precondition is not met.
    public func deck(_ identity: Identity, _ params: BuddiesSuggestions.Params) async throws
        -> BuddiesSuggestions.Result
    {
        let limit = params.limit ?? Self.cardsDefault
        guard (1...Self.cardsMax).contains(limit) else {
            throw RPCError.invalid("limit", "must be 1 to \(Self.cardsMax)")
        }
        let mine = try await standing(identity.account.id).requireReady(today: today)
        return BuddiesSuggestions.Result(cards: try await cards(for: mine, limit: limit))
    }

    private func cards(for mine: CardRow, limit: Int) async throws -> [BuddyCard] {
        let today = today
        // Days since 1970, so that the order of ties stays the same for a day.
        let day = now().milliseconds / Int64(Timestamp.daySeconds * 1_000)
        let rows = try await database.query(
            Candidates.deck, candidateParameters(of: mine.account) + [.int(Int64(limit)), .int(day)])
        return try rows.map { row in
            try CardRow(row).card(
                seenBy: mine.choices, isBuddy: false, score: Int(try row.int("score")), today: today)
        }
    }

    /// Returns a buddy's card, or a card of the current deck.
    /// - Throws: ``Wire/RPCError``: ``notSuggested``, and the errors of ``deck(_:_:)``.
    public func card(_ identity: Identity, _ params: AccountParams) async throws -> BuddiesCard.Result {
        let viewer = identity.account.id
        if let buddy = try await buddy(params.account, of: viewer) { return buddy }
        let mine = try await standing(viewer).requireReady(today: today)
        guard let card = try await cards(for: mine, limit: Self.cardsMax).first(where: { $0.account == params.account })
        else { throw Self.notSuggested }
        return BuddiesCard.Result(card: card, conversation: nil)
    }

    private func buddy(_ account: Int64, of viewer: Int64) async throws -> BuddiesCard.Result? {
        let pair = Pair(viewer, account)
        let rows = try await database.query(
            """
            SELECT f.conversation_id, \(Candidates.card)
            FROM buddies f JOIN buddy_profiles b ON b.account_id = $3 JOIN profiles p ON p.account_id = b.account_id
            WHERE f.low_id = $1 AND f.high_id = $2
            """, [.int(pair.low), .int(pair.high), .int(account)])
        guard let row = rows.first else { return nil }
        let mine = try await standing(viewer).card
        return BuddiesCard.Result(
            card: try CardRow(row).card(seenBy: mine?.choices, isBuddy: true, score: nil, today: today),
            conversation: try row.int("conversation_id"))
    }

    /// Lists the caller's buddies, newest first.
    public func list(_ identity: Identity) async throws -> BuddiesList.Result {
        let viewer = identity.account.id
        let rows = try await database.query(
            """
            SELECT CASE WHEN low_id = $1 THEN high_id ELSE low_id END AS account_id, conversation_id, matched_at
            FROM buddies WHERE low_id = $1 OR high_id = $1 ORDER BY matched_at DESC, account_id DESC LIMIT $2
            """, [.int(viewer), .int(Int64(Self.buddiesMax))])
        let people = try await people.people(try rows.map { try $0.int("account_id") }, seenBy: viewer)
        return BuddiesList.Result(
            buddies: try rows.compactMap { row in
                guard let person = people[try row.int("account_id")] else { return nil }
                return BuddiesList.Buddy(
                    person: person, conversation: try row.int("conversation_id"),
                    matchedAt: Timestamp(milliseconds: try row.timestamp("matched_at")))
            })
    }

    // MARK: Pictures

    /// Whether an account may see a profile picture now. The owner always may, and so may an admin who has a report about the owner,
    /// while it is the picture of the owner's account. Without a block between the two, also buddies, members of a common
    /// conversation, and accounts on whose deck the owner could be. An account that passed the owner or ended their match may not. A pass
    /// by the owner does not affect the answer.
    public nonisolated func mayViewProfilePicture(
        _ picture: String, of owner: Int64, by viewer: Int64, adminsNeedFactor: Bool
    ) async throws -> Bool {
        if owner == viewer { return true }
        let parameters = await candidateParameters(of: viewer) + [.int(owner), .uuid(picture), .bool(adminsNeedFactor)]
        let rows = try await database.query(Self.pictureSQL, parameters)
        return try rows.first?.bool("may_view") ?? false
    }

    private static let pictureSQL = """
        SELECT EXISTS (SELECT FROM accounts s WHERE s.id = $4 AND s.picture_id = $5)
            AND (EXISTS (SELECT FROM reports r WHERE r.reported_id = $4 AND is_admin($1, $6))
                OR NOT is_blocked($1, $4)
                AND (person_is_buddy($1, $4)
                    OR EXISTS (SELECT FROM members i JOIN members u USING (conversation_id)
                        WHERE i.account_id = $1 AND i.state = 'joined' AND u.account_id = $4 AND u.state = 'joined')
                    OR EXISTS (SELECT \(Candidates.relation) AND b.account_id = $4)
                    AND NOT EXISTS (SELECT FROM buddy_decisions d
                        WHERE d.account_id = $1 AND d.other_id = $4 AND NOT d.accepts))) AS may_view
        """
}
