import Postgres
import Wire

/// Erasure of an account with all its data, in repeatable steps: another server completes the steps that one leaves undone.
extension PersonalData {
    /// Largest number of group messages that one statement erases.
    static let messagesPerStepMax: Int64 = 200
    /// Largest number of log events of a conversation that one statement scans.
    static let eventsPerStepMax: Int64 = 5_000
    /// Largest number of pictures that one statement removes.
    static let picturesPerStepMax: Int64 = 20
    /// Largest number of trainings, with their sets and heart rates, that one statement removes.
    static let trainingsPerStepMax: Int64 = 200
    /// Largest number of steps of one kind; enough for two million messages, ten thousand sessions, or fifty million events of a
    /// conversation.
    static let stepsMax = 10_000
    /// Largest number of unfinished erasures that one call continues.
    static let unfinishedMax: Int64 = 100

    /// Deletes the caller's account, confirmed by password and user name.
    /// - Throws: ``Wire/RPCError``: `rejected` for another name, errors of ``Accounts/confirm(_:of:)``, `conflict` for the last admin;
    ///   ``Postgres/PostgresError``. An erasure that has begun completes without the caller.
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
        // The caller's connection closes last, after the answer.
        do {
            try await finish(identity.account.id, keeping: identity.tokenID)
            try await others.end(identity.account.id, [identity.tokenID])
        } catch let error as PostgresError {
            logger.warning("an erasure was interrupted and continues later", metadata: ["error": "\(error)"])
            await signOut(identity)
            return AccountDelete.Result(
                message:
                    "Your account is being deleted: nobody can sign in to it any more, and the deletion completes automatically"
            )
        }
        return AccountDelete.Result(message: "Account deleted")
    }

    /// Signs the caller out after an interrupted erasure. If the database does not answer now, the continuation of the erasure does it.
    private func signOut(_ identity: Identity) async {
        _ = try? await database.query(
            "UPDATE tokens SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL", [.int(identity.tokenID)])
        try? await others.end(identity.account.id, [identity.tokenID])
    }

    /// Starts an erasure: the account is disabled, and nobody can sign in to it any more.
    /// - Parameter byOwner: Whether the owner requested it; the audit log then forgets the account's names.
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

    /// Continues unfinished erasures. Call it periodically.
    /// - Throws: ``Postgres/PostgresError``: the first error, after all accounts were tried.
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

    /// Erases an account after ``begin(_:byOwner:at:in:)``. Idempotent, also under concurrent calls.
    ///
    /// Large amounts of data are removed in batches first, so that the final transaction is small.
    /// - Throws: ``Postgres/PostgresError``.
    /// - Parameter token: Id of a token that stays valid until the account's row is removed.
    public func finish(_ account: Int64, keeping token: Int64 = 0) async throws {
        let revoked = try await database.transaction { transaction in
            let revoked = try await RevokedGrants.revoke(of: account, keeping: token, in: transaction)
            // Also that of the token that stays.
            _ = try await transaction.query("DELETE FROM reminder_addresses WHERE account_id = $1", [.int(account)])
            return revoked
        }
        await accounts.cut(revoked, .removed)
        try await others.end(account, revoked.tokens)
        let departed = try await database.query(
            "SELECT chat_depart AS id FROM chat_depart($1, $2)", [.int(account), .timestamp(now().milliseconds)])
        await others.conversationsChanged(try departed.map { try $0.int("id") })
        try await clearConversations(of: account)
        try await eraseMessages(of: account)
        try await repeating(
            "DELETE FROM sessions WHERE id = (SELECT min(id) FROM sessions WHERE account_id = $1)", account)
        try await repeating(
            "DELETE FROM pictures WHERE id IN (SELECT id FROM pictures WHERE owner_id = $1 LIMIT \(Self.picturesPerStepMax))",
            account)
        try await repeating(
            """
            DELETE FROM trainings WHERE account_id = $1 AND id IN (
                SELECT id FROM trainings WHERE account_id = $1 LIMIT \(Self.trainingsPerStepMax))
            """, account)
        await others.conversationsChanged(try await remove(account))
        await others.left()
        await others.gone(account)
    }

    /// Repeats a statement until it changes nothing.
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

    /// Erases the account's messages in conversations with other members, and its authorship of events there.
    private func eraseMessages(of account: Int64) async throws {
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

    /// Removes the account's row, and data that was added since the batches: a connection on another node may have joined a group and
    /// written there before it was closed. The locks of `chat_depart` exclude further additions.
    /// - Returns: Conversations with new log events.
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
            // Under this lock the account can neither create nor be invited to a group.
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

    /// Removes data that names the account and that does not cascade from its row.
    private static let lastSQL = [
        "SELECT audit_forget($1)",
        // Closed reports are removed; open reports stay until they are closed.
        "DELETE FROM reports WHERE closed_at IS NOT NULL AND (reported_id = $1 OR reporter_id = $1)",
        "DELETE FROM event_news WHERE account_id = $1",
        """
        DELETE FROM account_mails m USING accounts a
        WHERE a.id = $1 AND a.confirm_by IS NULL AND m.kind = 'reset' AND m.address = a.email_key
        """,
    ]
}
