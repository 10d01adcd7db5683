import Postgres
import Wire

/// Deleting an account and all of it. It is done in steps that can be done again: what a server leaves undone, another finishes.
extension PersonalData {
    /// Messages of groups that one statement erases.
    static let messagesPerStepMax: Int64 = 200
    /// Events of a conversation's log that one statement goes through.
    static let eventsPerStepMax: Int64 = 5_000
    /// Pictures that one statement removes.
    static let picturesPerStepMax: Int64 = 20
    /// Steps of one kind: two million messages, as many sessions, fifty million events of one conversation.
    static let stepsMax = 10_000
    /// Accounts that one look at what was left undone takes up.
    static let unfinishedMax: Int64 = 100

    /// Deletes the caller's account, after its password and its name.
    /// - Throws: ``Wire/RPCError``: `rejected` for another name, what ``Accounts/confirm(_:of:)`` throws, `conflict` for the last admin;
    ///   ``Postgres/PostgresError``: once it is begun it is finished without the caller.
    public func delete(_ params: AccountDelete.Params, by identity: Identity) async throws -> AccountDelete.Result {
        guard Inputs.trimmed(params.username) == identity.account.username else {
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
        } catch let error as PostgresError where error.constraint == Accounts.lastAdminConstraint {
            throw Accounts.lastAdmin
        }
        // The caller's own connection goes last, behind the answer.
        do {
            try await finish(identity.account.id, keeping: identity.tokenID)
            try await others.end(identity.account.id, [identity.tokenID])
        } catch let error as PostgresError {
            logger.warning("an account is erased later", metadata: ["error": "\(error)"])
            await signOut(identity)
            return AccountDelete.Result(
                message: "Your account is being deleted: nobody can sign in to it any more, and the rest goes by itself"
            )
        }
        return AccountDelete.Result(message: "Account deleted")
    }

    /// Whoever goes on with the erasing ends it too, when the database does not answer now.
    private func signOut(_ identity: Identity) async {
        _ = try? await database.query(
            "UPDATE tokens SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL", [.int(identity.tokenID)])
        try? await others.end(identity.account.id, [identity.tokenID])
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
    /// - Throws: ``Postgres/PostgresError``: the first; the other accounts are finished all the same.
    public func finishErasing() async throws {
        let rows = try await database.query(
            "SELECT id FROM accounts WHERE erasing_at IS NOT NULL ORDER BY random() LIMIT $1",
            [.int(Self.unfinishedMax)])
        var first: (any Error)?
        for row in rows {
            do {
                try await finish(try row.int("id"))
            } catch {
                first = first ?? error
            }
        }
        if let first { throw first }
    }

    /// Erases an account that ``begin(_:byOwner:at:in:)`` was called for. Harmless when repeated, and when two do it at once.
    ///
    /// What may be much is done in pieces beforehand, so that the last statement finds little.
    /// - Throws: ``Postgres/PostgresError``.
    /// - Parameter token: One that goes with the account only.
    public func finish(_ account: Int64, keeping token: Int64 = 0) async throws {
        let revoked = try await database.transaction {
            try await RevokedGrants.revoke(of: account, keeping: token, in: $0)
        }
        await accounts.cut(revoked, .removed)
        try await others.end(account, revoked.tokens)
        let departed = try await database.query(
            "SELECT chat_depart AS id FROM chat_depart($1, $2)", [.int(account), .timestamp(now().milliseconds)])
        await others.conversationsChanged(try departed.map { try $0.int("id") })
        try await clearConversations(of: account)
        try await eraseWords(of: account)
        try await repeating(
            "DELETE FROM sessions WHERE id = (SELECT min(id) FROM sessions WHERE account_id = $1)", account)
        try await repeating(
            "DELETE FROM pictures WHERE id IN (SELECT id FROM pictures WHERE owner_id = $1 LIMIT \(Self.picturesPerStepMax))",
            account)
        await others.conversationsChanged(try await remove(account))
        await others.left()
        await others.gone(account)
    }

    /// Does a statement as long as it changes something.
    private func repeating(_ sql: String, _ account: Int64) async throws {
        for _ in 0..<Self.stepsMax {
            guard try await database.query(sql, [.int(account)]).affected > 0 else { break }
        }
    }

    private func clearConversations(of account: Int64) async throws {
        for _ in 0..<Self.stepsMax {
            let rows = try await database.query(
                Self.clearSQL, [.int(account), .int(Self.eventsPerStepMax), .int(Self.picturesPerStepMax)])
            guard try rows.first?.bool("more") == true else { break }
        }
    }

    /// What the account wrote in conversations that others are in, and that it was who did what there.
    private func eraseWords(of account: Int64) async throws {
        for _ in 0..<Self.stepsMax {
            let rows = try await database.query(
                "SELECT DISTINCT chat_erase AS id FROM chat_erase($1, $2, $3)",
                [.int(account), .timestamp(now().milliseconds), .int(Self.messagesPerStepMax)])
            guard rows.first != nil else { break }
            await others.conversationsChanged(try rows.map { try $0.int("id") })
        }
        let left = try await database.query(
            "SELECT conversation_id AS id FROM members WHERE account_id = $1 AND state = 'left' ORDER BY 1",
            [.int(account)])
        for row in left {
            let conversation = try row.int("id")
            var after: Int64? = 0
            for _ in 0..<Self.stepsMax {
                guard let from = after else { break }
                let rows = try await database.query(
                    "SELECT chat_forget($1, $2, $3, $4) AS next",
                    [.int(account), .int(conversation), .int(from), .int(Self.eventsPerStepMax)])
                after = try rows.first?.optionalInt("next")
            }
        }
    }

    /// The account's row goes, and what came since it was looked for: a connection that was not cut yet, at another node, may have
    /// joined a group and written there. Nobody does from the locks on that `chat_depart` takes.
    /// - Returns: Conversations whose logs went on.
    private func remove(_ account: Int64) async throws -> [Int64] {
        try await database.transaction { [now] transaction in
            let moment = PostgresValue.timestamp(now().milliseconds)
            _ = try await transaction.query("SELECT event_leave($1, $2)", [.int(account), moment])
            var changed: Set<Int64> = []
            func note(_ sql: String) async throws {
                for row in try await transaction.query(sql, [.int(account), moment]) {
                    changed.insert(try row.int("id"))
                }
            }
            let depart = "SELECT chat_depart AS id FROM chat_depart($1, $2)"
            try await note(depart)
            // No group is made, nor is it invited to one, behind this lock.
            let rows = try await transaction.query(
                "SELECT FROM accounts WHERE id = $1 AND erasing_at IS NOT NULL FOR UPDATE", [.int(account)])
            guard rows.first != nil else { return Array(changed) }
            try await note(depart)
            try await note("SELECT DISTINCT chat_erase AS id FROM chat_erase($1, $2)")
            for _ in 0..<Self.stepsMax {
                let cleared = try await transaction.query(
                    Self.clearSQL, [.int(account), .int(Self.eventsPerStepMax), .int(Self.picturesPerStepMax)])
                guard try cleared.first?.bool("more") == true else { break }
            }
            for statement in Self.lastSQL { _ = try await transaction.query(statement, [.int(account)]) }
            _ = try await transaction.query("DELETE FROM accounts WHERE id = $1", [.int(account)])
            return Array(changed)
        }
    }

    private static let clearSQL = "SELECT chat_clear($1, $2, $3) AS more"

    /// What names the account and does not go with its row.
    private static let lastSQL = [
        "SELECT audit_forget($1)",
        // What was reported and dealt with; what is open stays until it is.
        "DELETE FROM reports WHERE closed_at IS NOT NULL AND (reported_id = $1 OR reporter_id = $1)",
        "DELETE FROM event_news WHERE account_id = $1",
    ]
}
