import Delivery
import Postgres
import Wire

/// Mail addresses and phone numbers. An unconfirmed address receives nothing but a code.
extension Reminders {
    /// Largest number of codes for an account within a day.
    public static let codesOfAccountPerDayMax: Int64 = 10
    /// Largest number of codes to an address within a day, by any account.
    public static let codesToAddressPerDayMax: Int64 = 5
    /// Largest number of codes by text message within a day in total, because each costs money.
    static let textCodesPerDayMax: Int64 = 1_000
    /// Seconds for which a code is valid after it is sent, and for which a requested code is still sent.
    static let codeSeconds = 900.0
    /// Largest number of attempts to enter a code.
    public static let codeTriesMax: Int64 = 5
    static let codeDigits = 6

    /// Sends a code to an address, which becomes the account's address once it is confirmed. The previous address is no longer used.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func setAddress(_ params: RemindersSetAddress.Params, of identity: Identity) async throws -> ReminderSettings
    {
        try requireAvailable(params.channel)
        let (address, key) = try Self.parse(params, account: identity.account)
        let account = identity.account.id
        let at = now()
        try await database.transaction { transaction in
            _ = try await transaction.query("SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE", [.int(account)])
            try await identity.requireValidToken(in: transaction)
            let known = try await transaction.query(
                "SELECT address, state FROM reminder_addresses WHERE account_id = $1 AND channel = $2",
                [.int(account), .text(params.channel.rawValue)])
            if let row = known.first, try row.text("state") == "on", try row.text("address") == address { return }
            try await Self.countCode(params.channel, key, account, transaction, at: at)
            let rows = try await transaction.query(
                """
                INSERT INTO reminder_addresses (account_id, channel, address, address_key, state, created_at)
                VALUES ($1, $2, $3, $4, 'unconfirmed', $5)
                ON CONFLICT (account_id, channel) WHERE channel <> 'push' DO UPDATE SET address = excluded.address,
                    address_key = excluded.address_key, state = 'unconfirmed', reason = NULL, code_hash = NULL,
                    code_until = NULL, code_tries = 0, created_at = excluded.created_at
                RETURNING id
                """,
                [
                    .int(account), .text(params.channel.rawValue), .text(address), .text(key),
                    .timestamp(at.milliseconds),
                ])
            guard let id = try rows.first?.int("id") else { throw RPCError(.internalError, "no address was kept") }
            // Drops earlier codes that are not sent yet.
            _ = try await transaction.query(
                "UPDATE reminders SET state = 'dropped' WHERE address_id = $1 AND kind = 'code' AND state = 'waiting'",
                [.int(id)])
            _ = try await transaction.query(Self.askedSQL, Self.asked("code", params.channel, id, account, at: at))
        }
        return try await settings(of: identity)
    }

    /// Puts a requested code or test into the outbox.
    static let askedSQL = """
        INSERT INTO reminders (account_id, kind, channel, address_id, dedupe, payload, is_urgent, due_at, expires_at, next_at)
        VALUES ($1, $2, $3, $4, $5, '{}', true, $6, $7, $6)
        """

    static func asked(
        _ kind: String, _ channel: ReminderChannel, _ address: Int64, _ account: Int64, at: Timestamp
    ) -> [PostgresValue] {
        [
            .int(account), .text(kind), .text(channel.rawValue), .int(address),
            .text("\(kind)/\(address)/\(Secrets.hexadecimal(Secrets.randomBytes(8)))"), .timestamp(at.milliseconds),
            .timestamp(at.advanced(bySeconds: codeSeconds).milliseconds),
        ]
    }

    private static func countCode(
        _ channel: ReminderChannel, _ key: String, _ account: Int64, _ transaction: PostgresTransaction, at: Timestamp
    ) async throws {
        let since = PostgresValue.timestamp(at.advanced(bySeconds: -Timestamp.daySeconds).milliseconds)
        // Serialises requests for the same address by different accounts.
        _ = try await transaction.query(
            "SELECT pg_advisory_xact_lock(hashtextextended($1, 16))", [.text("\(channel)/\(key)")])
        let rows = try await transaction.query(
            """
            SELECT (SELECT count(*) FROM reminder_codes WHERE account_id = $1 AND at > $4) AS of_account,
                (SELECT count(*) FROM reminder_codes WHERE channel = $2 AND address_key = $3 AND at > $4) AS to_address,
                (SELECT count(*) FROM reminder_codes WHERE channel = 'text' AND $2 = 'text' AND at > $4) AS texts
            """, [.int(account), .text(channel.rawValue), .text(key), since])
        guard let row = rows.first else { throw RPCError(.internalError, "codes could not be counted") }
        guard try row.int("of_account") < codesOfAccountPerDayMax, try row.int("to_address") < codesToAddressPerDayMax
        else {
            throw RPCError(
                .rateLimited, "too many codes were sent today: use the last one, or try again tomorrow",
                retryAfter: Timestamp.daySeconds)
        }
        guard try row.int("texts") < textCodesPerDayMax else {
            throw RPCError(
                .rateLimited, "no more codes are sent by text message today: use mail, or try again tomorrow",
                retryAfter: Timestamp.daySeconds)
        }
        _ = try await transaction.query(
            "INSERT INTO reminder_codes (account_id, channel, address_key, at) VALUES ($1, $2, $3, $4)",
            [.int(account), .text(channel.rawValue), .text(key), .timestamp(at.milliseconds)])
    }

    private static func parse(
        _ params: RemindersSetAddress.Params, account: Account
    ) throws -> (address: String, key: String) {
        switch params.channel {
        case .push: throw RPCError.invalid("channel", "must be email or text: browsers subscribe")
        case .email:
            guard let address = MailAddress(Inputs.trimmed(params.address ?? account.email)) else {
                throw RPCError.invalid("address", "must be a mail address of plain letters, such as anna@example.org")
            }
            return (address.description, Inputs.key(address.description))
        case .text:
            let bare = (params.address ?? "").filter { !" -().\u{A0}".contains($0) }
            // E.164: at most 15 digits, starting with the country code.
            guard bare.hasPrefix("+"), (9...16).contains(bare.utf8.count),
                bare.utf8.dropFirst().allSatisfy({ (48...57).contains($0) }), !bare.hasPrefix("+0")
            else { throw RPCError.invalid("address", "must be a number with its country code, such as +6591234567") }
            return (bare, bare)
        }
    }

    func requireAvailable(_ channel: ReminderChannel) throws {
        guard available.contains(channel) else {
            throw RPCError(
                .conflict, "this server does not remind by \(channel): choose another way, or ask its operator",
                field: "channel")
        }
    }

    /// Confirms an address with its code. The attempt is counted before the comparison, so that concurrent attempts count as well.
    /// - Throws: ``Wire/RPCError``: `rejected` for a wrong code; ``Postgres/PostgresError``.
    public func confirm(_ params: RemindersConfirm.Params, of identity: Identity) async throws -> ReminderSettings {
        let account = identity.account.id
        let code = params.code.filter { $0 != " " }
        guard code.utf8.count == Self.codeDigits, code.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw RPCError.invalid("code", "has \(Self.codeDigits) digits")
        }
        let rows = try await database.query(
            """
            UPDATE reminder_addresses SET code_tries = code_tries + 1
            WHERE account_id = $1 AND channel = $2 AND state = 'unconfirmed' AND code_hash IS NOT NULL AND code_until > $3
                AND code_tries < $4
            RETURNING id, code_hash, code_tries
            """,
            [
                .int(account), .text(params.channel.rawValue), .timestamp(now().milliseconds),
                .int(Self.codeTriesMax),
            ])
        guard let row = rows.first else {
            let current = try await settings(of: identity)
            if current.channels.first(where: { $0.channel == params.channel })?.state == .on { return current }
            throw RPCError(
                .rejected, "This code is no longer valid. Send a new code.",
                field: "code")
        }
        let id = try row.int("id")
        let digest = try row.bytes("code_hash")
        guard Secrets.areEqual(digest, Self.digest(code, address: id)) else {
            let left = Self.codeTriesMax - (try row.int("code_tries"))
            throw RPCError(
                .rejected, "That's not the latest code. You have \(left) more \(left == 1 ? "try" : "tries").",
                field: "code")
        }
        _ = try await database.query(
            """
            UPDATE reminder_addresses SET state = 'on', code_hash = NULL, code_until = NULL
            WHERE id = $1 AND state = 'unconfirmed' AND code_hash = $2
            """, [.int(id), .bytes(digest)])
        return try await settings(of: identity)
    }

    static func digest(_ code: String, address: Int64) -> [UInt8] { Secrets.hash("\(address)/\(code)") }

    /// Creates a code for an address at sending time, so that the outbox never contains a code.
    /// - Returns: The code; nil if the address is confirmed or removed.
    func makeCode(for address: Int64) async throws -> String? {
        let code = Secrets.makeCode(digits: Self.codeDigits)
        let rows = try await database.query(
            """
            UPDATE reminder_addresses SET code_hash = $2, code_until = $3, code_tries = 0
            WHERE id = $1 AND state = 'unconfirmed' RETURNING id
            """,
            [
                .int(address), .bytes(Self.digest(code, address: address)),
                .timestamp(now().advanced(bySeconds: Self.codeSeconds).milliseconds),
            ])
        return rows.isEmpty ? nil : code
    }

    /// Removes an address.
    /// - Throws: ``Postgres/PostgresError``.
    public func removeAddress(
        _ params: RemindersRemoveAddress.Params, of identity: Identity
    ) async throws -> ReminderSettings {
        _ = try await database.query(
            "DELETE FROM reminder_addresses WHERE account_id = $1 AND channel = $2",
            [.int(identity.account.id), .text(params.channel.rawValue)])
        return try await settings(of: identity)
    }

    // MARK: Tests

    /// Largest number of tests per account and channel within an hour.
    static let trialsPerHourMax: Int64 = 5

    /// Sends a test to all confirmed addresses of a channel.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func test(_ params: RemindersTest.Params, of identity: Identity) async throws -> RemindersTest.Result {
        try requireAvailable(params.channel)
        let account = identity.account.id
        let at = now()
        let sending = try await database.transaction { transaction in
            _ = try await transaction.query("SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE", [.int(account)])
            let counted = try await transaction.query(
                """
                SELECT count(DISTINCT due_at) AS count FROM reminders
                WHERE account_id = $1 AND channel = $2 AND dedupe LIKE 'trial/%' AND due_at > $3
                """,
                [
                    .int(account), .text(params.channel.rawValue),
                    .timestamp(at.advanced(bySeconds: -3_600).milliseconds),
                ])
            guard try counted.first?.int("count") ?? 0 < Self.trialsPerHourMax else {
                throw RPCError(
                    .rateLimited, "\(Self.trialsPerHourMax) trials were sent within an hour: wait for them",
                    retryAfter: 3_600)
            }
            let rows = try await transaction.query(
                """
                SELECT id FROM reminder_addresses WHERE account_id = $1 AND channel = $2 AND state = 'on'
                ORDER BY id FOR KEY SHARE
                """, [.int(account), .text(params.channel.rawValue)])
            for row in rows {
                _ = try await transaction.query(
                    Self.askedSQL, Self.asked("trial", params.channel, try row.int("id"), account, at: at))
            }
            return rows.count
        }
        guard sending > 0 else {
            throw RPCError(
                .conflict, "\(params.channel) leads nowhere yet: set and confirm an address, or subscribe a browser",
                field: "channel")
        }
        return RemindersTest.Result(sending: sending)
    }
}
