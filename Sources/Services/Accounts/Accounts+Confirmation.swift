import Postgres
import Wire

/// Confirmation and change of the email address by its owner (T-1, N-3).
extension Accounts {
    /// Largest number of codes that are compared with the code of one mail.
    static let codeTriesMax: Int64 = 5

    static let cannotConfirm = RPCError(
        .conflict, "this server sends no mail: ask a campus admin to change your address")
    static let confirmedAlready = RPCError(.conflict, "your address is confirmed already")
    /// The same for a link that is unknown, used, late or of another account, so that nobody learns which.
    static let unknownConfirmation = RPCError(
        .notFound, "this link does not work any more, or is for another account: send a new one", field: "token")
    static let codeOver = RPCError(.rejected, "This code no longer works. Send a new one.", field: "code")
    static let addressOwned = RPCError(
        .conflict, "this address belongs to another account by now: log in to that one, or use another address",
        field: "email")
    static let tooManyCodes = RPCError(
        .rateLimited, "too many codes were sent within an hour: use the latest one, or try again later",
        retryAfter: 3_600)

    /// Returns the caller's account as it is now.
    /// - Throws: ``Wire/RPCError`` `forbidden` for an account that is gone, ``Postgres/PostgresError``.
    public func own(_ identity: Identity) async throws -> OwnAccount {
        try Self.own(try await database.query(Self.ownSQL, [.int(identity.account.id)]))
    }

    private static let ownSQL = """
        SELECT \(Account.aliasedColumns), c.address AS confirming
        FROM accounts a LEFT JOIN address_confirmations c ON c.account_id = a.id WHERE a.id = $1
        """

    private static func own(_ rows: PostgresRows) throws -> OwnAccount {
        guard let row = rows.first else { throw accountUnavailable }
        return OwnAccount(account: try Account(row: row), confirming: try row.optionalText("confirming"))
    }

    /// Has another mail sent to the address that waits for its confirmation, or else to that of the account.
    /// - Throws: ``Wire/RPCError``: `conflict`, ``tooManyCodes``; ``Postgres/PostgresError``.
    public func sendConfirmation(_ identity: Identity) async throws -> OwnAccount {
        guard let mail else { throw Self.cannotConfirm }
        try await database.transaction { transaction in
            _ = try await transaction.query(Self.lock, [.intArray([identity.account.id])])
            try await identity.requireValidToken(in: transaction)
            let own = try Self.own(try await transaction.query(Self.ownSQL, [.int(identity.account.id)]))
            guard own.confirming != nil || !own.account.isEmailConfirmed else { throw Self.confirmedAlready }
            let address = own.confirming ?? own.account.email
            guard try await mail.requestConfirmation(of: address, for: own.account.id, in: transaction) else {
                throw Self.tooManyCodes
            }
        }
        return try await own(identity)
    }

    /// Has a code sent to another address, which replaces that of the account when it is confirmed. The address of a provisional account is
    /// replaced at once. The answer does not depend on whether another account has the address.
    /// - Throws: ``Wire/RPCError``: `conflict`, also by ``DailyChange``, `rejected` with the messages of U-1, errors of
    ///   ``confirm(_:of:)``, ``tooManyCodes``;
    ///   ``Postgres/PostgresError``.
    public func changeEmail(_ identity: Identity, _ params: AccountChangeEmail.Params) async throws -> OwnAccount {
        guard let mail else { throw Self.cannotConfirm }
        let email = Inputs.trimmed(params.email)
        guard Registration.isEmail(email) else { throw RPCError(.rejected, "Invalid Email!!!", field: "email") }
        try domains.require(email)
        // Without a password there is nothing to ask for, and an address that was mistyped could not be corrected otherwise: a
        // link to set a password would go there.
        let isWithoutProof =
            if try await own(identity).account.isEmailConfirmed { false } else {
                try await !hasPassword(identity.account.id)
            }
        if !isWithoutProof { try await confirm(params.password, of: identity) }
        let account = identity.account.id
        try await database.transaction { transaction in
            _ = try await transaction.query(Self.lock, [.intArray([account])])
            try await identity.requireValidToken(in: transaction)
            let own = try Self.own(try await transaction.query(Self.ownSQL, [.int(account)]))
            // It was confirmed meanwhile.
            if isWithoutProof, own.account.isEmailConfirmed { throw Self.noPassword }
            if own.account.email == email {
                // The present address cancels a change.
                if own.account.confirmBy == nil {
                    _ = try await transaction.query(
                        "DELETE FROM address_confirmations WHERE account_id = $1", [.int(account)])
                }
                return
            }
            try await DailyChange.address.count(of: account, at: mail.now(), in: transaction)
            guard try await mail.requestConfirmation(of: email, for: account, in: transaction) else {
                throw Self.tooManyCodes
            }
            if own.account.confirmBy != nil { try await Self.endResets(of: account, in: transaction) }
            _ = try await transaction.query(
                "UPDATE accounts SET email = $2, email_key = $3 WHERE id = $1 AND confirm_by IS NOT NULL",
                [.int(account), .text(email), .text(Inputs.key(email))])
        }
        return try await own(identity)
    }

    /// Confirms the address that waits for it, which becomes that of the account. The previous address gets a mail.
    /// - Throws: ``Wire/RPCError``: `invalidParams`, ``unknownConfirmation``, ``codeOver``, `rejected` for a wrong code,
    ///   ``addressOwned``; ``Postgres/PostgresError``.
    public func confirmEmail(_ identity: Identity, _ params: AccountConfirmEmail.Params) async throws -> OwnAccount {
        let account = identity.account.id
        let proof: (column: String, hash: [UInt8])
        if let token = params.token {
            proof = ("link_hash", Secrets.hash(token))
        } else {
            proof = ("code_hash", try await checkedCode(params.code, of: account))
        }
        do {
            try await database.transaction { [mail] transaction in
                _ = try await transaction.query(Self.lock, [.intArray([account])])
                try await identity.requireValidToken(in: transaction)
                let used = try await transaction.query(
                    """
                    DELETE FROM address_confirmations c USING accounts a
                    WHERE c.account_id = $1 AND c.\(proof.column) = $2 AND c.expires_at > now() AND a.id = c.account_id
                    RETURNING c.address, a.email, a.confirm_by IS NULL AS owned
                    """, [.int(account), .bytes(proof.hash)])
                guard let row = used.first else {
                    throw params.token == nil ? Self.codeOver : Self.unknownConfirmation
                }
                let (address, previous) = (try row.text("address"), try row.text("email"))
                try await Self.endResets(of: account, in: transaction)
                _ = try await transaction.query(
                    """
                    UPDATE accounts SET email = $2, email_key = $3, email_confirmed_at = now(), confirm_by = NULL WHERE id = $1
                    """, [.int(account), .text(address), .text(Inputs.key(address))])
                // A provisional account did not own the previous one, which may be a stranger's.
                if try row.bool("owned"), Inputs.key(address) != Inputs.key(previous) {
                    try await mail?.addressChanged(of: account, from: previous, in: transaction)
                }
            }
        } catch let error as PostgresError where error.constraint == Self.addressConstraint {
            throw Self.addressOwned
        }
        return try await own(identity)
    }

    /// Ends the links that reset the password: they were mailed to another address, and would confirm this one.
    private static func endResets(of account: Int64, in transaction: PostgresTransaction) async throws {
        _ = try await transaction.query("DELETE FROM password_resets WHERE account_id = $1", [.int(account)])
    }

    /// Compares a code with the latest one. The attempt is counted before the comparison, so that concurrent attempts count as well.
    /// - Returns: The code's hash.
    private func checkedCode(_ code: String?, of account: Int64) async throws -> [UInt8] {
        let code = try AddressCode.parse(code)
        let rows = try await database.query(
            """
            UPDATE address_confirmations SET tries = tries + 1
            WHERE account_id = $1 AND code_hash IS NOT NULL AND expires_at > now() AND tries < $2 RETURNING code_hash, tries
            """, [.int(account), .int(Self.codeTriesMax)])
        guard let row = rows.first else { throw Self.codeOver }
        let hash = AddressCode.hash(code, account: account)
        guard Secrets.areEqual(try row.bytes("code_hash"), hash) else {
            let left = Self.codeTriesMax - (try row.int("tries"))
            throw RPCError(
                .rejected, "That's not the latest code. You have \(left) more \(left == 1 ? "try" : "tries").",
                field: "code")
        }
        return hash
    }

    /// Largest number of accounts whose erasure one statement begins.
    static let expiredPerStepMax = 100

    /// Begins the erasure of provisional accounts whose time is over. ``PersonalData/finishErasing()`` completes it. Call it periodically.
    /// - Throws: ``Postgres/PostgresError``.
    public func eraseExpiredProvisional() async throws {
        // Without mail nobody could have confirmed an address.
        guard mail != nil else { return }
        for _ in 0..<Self.pruneStepsMax {
            let begun = try await database.query(Self.eraseExpiredSQL, [.int(Int64(Self.expiredPerStepMax))])
            guard begun.affected == Self.expiredPerStepMax else { return }
        }
    }

    // A provisional account has no other role: see `Administration.editUser`.
    private static let eraseExpiredSQL = """
        UPDATE accounts SET erasing_at = now(), disabled_at = coalesce(disabled_at, now()), is_erased_by_owner = true,
            disabled_reason = coalesce(disabled_reason, 'is being deleted: its address was not confirmed')
        WHERE id = ANY (ARRAY(SELECT id FROM accounts
            WHERE confirm_by < now() AND erasing_at IS NULL AND role = 'student'
            ORDER BY confirm_by LIMIT $1 FOR UPDATE SKIP LOCKED))
        """
}
