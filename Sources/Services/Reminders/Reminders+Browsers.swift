import Delivery
import Postgres
import Wire

/// Subscriptions of browsers (RFC 8030). The server connects to the endpoint that a browser names, so it must be at a public address.
extension Reminders {
    /// Largest number of browsers of an account; a further one replaces the oldest.
    public static let browsersMax: Int64 = 10
    /// Largest number of subscriptions of an account within a day, because each needs a DNS lookup.
    static let subscriptionsPerDayMax = 100
    static let clientCharactersMax = 100

    /// Returns the public key with which browsers subscribe.
    /// - Throws: ``Wire/RPCError`` `conflict` if Web Push is unavailable.
    public func pushKey() throws -> RemindersPushKey.Result {
        try requireAvailable(.push)
        guard let push else { throw RPCError(.internalError, "there is no key") }
        return RemindersPushKey.Result(key: push.applicationServerKey)
    }

    /// Subscribes a browser to the account's reminders.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func subscribe(
        _ params: RemindersSubscribePush.Params, of identity: Identity
    ) async throws -> ReminderSettings {
        try requireAvailable(.push)
        let account = identity.account.id
        guard let key = Secrets.decodeBase64(params.keys.p256dh), PushKey.isPublicKey(key) else {
            throw RPCError.invalid("keys.p256dh", "must be the browser's key, a point of P-256 in base64url")
        }
        guard let secret = Secrets.decodeBase64(params.keys.auth), secret.count == PushEncryption.secretBytes else {
            throw RPCError.invalid("keys.auth", "must be the browser's secret, 16 bytes in base64url")
        }
        let client = try params.client.map {
            try Inputs.text($0, "client", charactersMax: Self.clientCharactersMax)
        }
        let at = now()
        if let wait = subscriptions.count(account, at: at) {
            throw RPCError(
                .rateLimited, "too many browsers were subscribed today: try again tomorrow", retryAfter: wait)
        }
        try await requirePublic(params.endpoint)
        try await database.transaction { transaction in
            _ = try await transaction.query("SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE", [.int(account)])
            try await identity.requireValidToken(in: transaction)
            // A browser that is now signed in to another account must not show the previous account's reminders.
            _ = try await transaction.query(
                "DELETE FROM reminder_addresses WHERE channel = 'push' AND address = $1 AND account_id <> $2",
                [.text(params.endpoint), .int(account)])
            _ = try await transaction.query(
                """
                INSERT INTO reminder_addresses (account_id, channel, address, address_key, state, public_key, secret, client,
                    created_at, token_id)
                VALUES ($1, 'push', $2, $2, 'on', $3, $4, $5, $6, $7)
                ON CONFLICT (address) WHERE channel = 'push' DO UPDATE SET public_key = excluded.public_key,
                    secret = excluded.secret, client = excluded.client, state = 'on', reason = NULL, token_id = excluded.token_id
                WHERE reminder_addresses.account_id = excluded.account_id
                """,
                [
                    .int(account), .text(params.endpoint), .bytes(key), .bytes(secret), .optional(client),
                    .timestamp(at.milliseconds), .int(identity.tokenID),
                ])
            _ = try await transaction.query(
                """
                DELETE FROM reminder_addresses WHERE id IN (
                    SELECT id FROM reminder_addresses WHERE account_id = $1 AND channel = 'push'
                    ORDER BY state = 'dead', created_at DESC, id DESC OFFSET $2)
                """, [.int(account), .int(Self.browsersMax)])
        }
        return try await settings(of: identity)
    }

    /// Requires an endpoint at a public address; each connection checks the address again.
    /// - Throws: ``Wire/RPCError`` for other endpoints.
    private func requirePublic(_ url: String) async throws {
        let endpoint: PushEndpoint
        do {
            endpoint = try PushEndpoint(url, allowedHosts: configuration.pushAllowedHosts)
        } catch {
            throw RPCError.invalid("endpoint", error.description)
        }
        guard !configuration.pushAllowedHosts.contains(endpoint.host) else { return }
        let addresses = try await lookups.run { PublicAddress.addresses(of: endpoint.host) }
        guard !addresses.isEmpty else {
            throw RPCError(
                .unavailable, "the push service's name is not known here: send again later", field: "endpoint",
                retryAfter: 30)
        }
        guard addresses.allSatisfy({ $0.map(PublicAddress.isPublic) ?? false }) else {
            throw RPCError.invalid("endpoint", "must lead to a push service at a public address")
        }
    }

    /// Ends a browser's subscription.
    /// - Throws: ``Postgres/PostgresError``.
    public func unsubscribe(
        _ params: RemindersUnsubscribePush.Params, of identity: Identity
    ) async throws -> ReminderSettings {
        _ = try await database.query(
            "DELETE FROM reminder_addresses WHERE account_id = $1 AND channel = 'push' AND address = $2",
            [.int(identity.account.id), .text(params.endpoint)])
        return try await settings(of: identity)
    }
}
