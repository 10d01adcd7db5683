import Postgres
import Wire

/// Deleting an account and all of it. It is done in steps that can be done again: what a server leaves undone, another finishes.
extension PersonalData {
    /// Messages of groups that one statement erases.
    static let messagesPerStepMax: Int64 = 200
    /// Steps of one kind: two million messages, and as many sessions.
    static let stepsMax = 10_000
    /// Accounts that one look at what was left undone takes up.
    static let unfinishedMax: Int64 = 100

    /// Deletes the caller's account, after its password and its name.
    /// - Throws: ``Wire/RPCError``: `rejected` for another name, what ``Accounts/confirm(_:of:)`` throws, `conflict` for the last admin;
    ///   ``Postgres/PostgresError``: once it is begun it is finished without the caller.
    public func delete(_ params: AccountDelete.Params, by identity: Identity) async throws -> AccountDelete.Result {
        guard Registration.trimmed(params.username) == identity.account.username else {
            throw RPCError(.rejected, "That is not your username: type it as it is shown", field: "username")
        }
        try await accounts.confirm(params.password, of: identity)
        do {
            try await database.transaction { [now] transaction in
                try await AuditLog.record(
                    .init(
                        "user.erase",
                        subject: .init(kind: "user", id: identity.account.id, name: identity.account.username)),
                    by: identity, in: transaction)
                try await Self.begin(identity.account.id, byOwner: true, at: now(), in: transaction)
            }
        } catch let error as PostgresError where error.constraint == Administration.lastAdminConstraint {
            throw Administration.lastAdmin
        }
        // The caller's own connection goes last, behind the answer.
        try await finish(identity.account.id, keeping: identity.tokenID)
        try await others.end(identity.account.id, [identity.tokenID])
        return AccountDelete.Result(message: "Account deleted")
    }

    /// From here on the account is on its way out: nobody signs in to it.
    /// - Parameter byOwner: Whoever it belongs to wants it; then the audit log forgets its names.
    static func begin(
        _ account: Int64, byOwner: Bool, at time: Timestamp, in transaction: PostgresTransaction
    ) async throws {
        _ = try await transaction.query(
            """
            UPDATE accounts SET erasing_at = coalesce(erasing_at, $2), disabled_at = coalesce(disabled_at, $2),
                disabled_reason = coalesce(disabled_reason, 'is being deleted'), is_erased_by_owner = is_erased_by_owner OR $3
            WHERE id = $1
            """, [.int(account), .timestamp(time.milliseconds), .bool(byOwner)])
    }

    /// Finishes what a server has left undone. Call it now and then.
    /// - Throws: ``Postgres/PostgresError``.
    public func finishErasing() async throws {
        let rows = try await database.query(
            "SELECT id FROM accounts WHERE erasing_at IS NOT NULL ORDER BY id LIMIT $1", [.int(Self.unfinishedMax)])
        for row in rows { try await finish(try row.int("id")) }
    }

    /// Erases an account that ``begin(_:byOwner:at:in:)`` was called for. Harmless when repeated, and when two do it at once.
    /// - Throws: ``Postgres/PostgresError``.
    /// - Parameter token: One that goes with the account only.
    public func finish(_ account: Int64, keeping token: Int64 = 0) async throws {
        let tokens = try await database.query(
            """
            UPDATE tokens SET revoked_at = now() WHERE account_id = $1 AND revoked_at IS NULL AND id <> $2 RETURNING id
            """, [.int(account), .int(token)])
        try await others.end(account, try tokens.map { try $0.int("id") })
        for _ in 0..<Self.stepsMax {
            let rows = try await database.query(
                "SELECT DISTINCT chat_erase AS id FROM chat_erase($1, $2, $3)",
                [.int(account), .timestamp(now().milliseconds), .int(Self.messagesPerStepMax)])
            guard rows.first != nil else { break }
            await others.conversationsChanged(try rows.map { try $0.int("id") })
        }
        for _ in 0..<Self.stepsMax {
            let removed = try await database.query(
                "DELETE FROM sessions WHERE id = (SELECT min(id) FROM sessions WHERE account_id = $1)", [.int(account)])
            guard removed.affected > 0 else { break }
        }
        try await database.transaction { [now] transaction in
            _ = try await transaction.query(
                "SELECT event_leave($1, $2)", [.int(account), .timestamp(now().milliseconds)])
            for statement in Self.lastSQL { _ = try await transaction.query(statement, [.int(account)]) }
            _ = try await transaction.query(
                "DELETE FROM accounts WHERE id = $1 AND erasing_at IS NOT NULL", [.int(account)])
        }
        await others.left()
        await others.gone(account)
    }

    /// What names the account and does not go with its row.
    private static let lastSQL = [
        "SELECT audit_forget($1)",
        // What was reported and dealt with; what is open stays until it is.
        "DELETE FROM reports WHERE closed_at IS NOT NULL AND (reported_id = $1 OR reporter_id = $1)",
        "DELETE FROM event_news WHERE account_id = $1",
    ]
}
