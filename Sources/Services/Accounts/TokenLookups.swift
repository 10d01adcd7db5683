import EventLoop
import Postgres
import Wire

/// Looks up the accounts of tokens in batches.
///
/// After a restart thousands of clients authenticate within a second, and each lookup records the token's use. One statement, and thus
/// one transaction, per token would exceed the database's queue. While one statement is in flight, further tokens collect for the next. A
/// single token is looked up without delay, and a burst needs one statement per few hundred tokens.
///
/// Not thread-safe: confined to the loop of ``Accounts``.
final class TokenLookups {
    /// Largest number of tokens in one statement.
    static let tokensPerStatementMax = 512
    /// Largest number of waiting tokens, equal to the largest number of connections of a server.
    static let waitingTokensMax = 65_536

    private struct Lookup {
        var recordsUse: Bool
        /// Latest client that uses the token; nil if it is not to be recorded.
        var client: ClientDescription?
        var waiters: [CheckedContinuation<Identity, any Error>]
    }

    private let loop: EventLoop
    private let database: PostgresPool
    /// Waiting lookups by the token's hash; `order` has their order of arrival.
    private var waiting: [[UInt8]: Lookup] = [:]
    private var order: [[UInt8]] = []
    private var isRunning = false

    init(loop: EventLoop, database: PostgresPool) {
        self.loop = loop
        self.database = database
    }

    /// - Parameters:
    ///   - hash: Hash of the token.
    ///   - client: See ``Accounts/authenticate(token:client:recordsUse:)``.
    ///   - recordsUse: See there.
    /// - Throws: `unauthenticated`; errors of the database.
    func find(
        _ hash: [UInt8], client: ClientDescription?, recordsUse: Bool, isolation: isolated Accounts
    ) async throws -> Identity {
        try await withCheckedThrowingContinuation { waiter in
            loop.preconditionIsolated()
            if waiting[hash] == nil {
                guard order.count < Self.waitingTokensMax else {
                    return waiter.resume(throwing: PostgresError.overloaded)
                }
                order.append(hash)
            }
            waiting[hash, default: Lookup(recordsUse: false, waiters: [])].waiters.append(waiter)
            if recordsUse { waiting[hash]?.recordsUse = true }
            if let client { waiting[hash]?.client = client }
            run(isolation: isolation)
        }
    }

    private func run(isolation: isolated Accounts) {
        guard !isRunning else { return }
        isRunning = true
        Task {
            _ = isolation
            while !order.isEmpty { await lookUpBatch(isolation: isolation) }
            isRunning = false
        }
    }

    private func lookUpBatch(isolation: isolated Accounts) async {
        let hashes = Array(order.prefix(Self.tokensPerStatementMax))
        order.removeFirst(hashes.count)
        let lookups = hashes.compactMap { waiting.removeValue(forKey: $0) }
        do {
            let rows = try await database.query(
                Self.sql,
                [
                    .textArray(hashes.map(Secrets.hexadecimal)), .boolArray(lookups.map(\.recordsUse)),
                    .textArray(lookups.map { $0.client?.platform ?? "" }),
                    .textArray(lookups.map { $0.client?.address ?? "" }), .int(Accounts.tokenIdleDays),
                    .int(Accounts.tokenDaysMax), .int(Accounts.replacedSeconds),
                ])
            var found: [Int: Result<Identity, any Error>] = [:]
            var copied: [Int64] = []
            for row in rows {
                if try row.bool("is_copy") {
                    copied.append(try row.int("token_id"))
                    continue
                }
                let identity = isolation.identity(try Account(row: row), tokenID: try row.int("token_id"))
                found[Int(try row.int("place"))] =
                    try row.bool("is_disabled") ? .failure(Self.disabled) : .success(identity)
            }
            if !copied.isEmpty { try await isolation.revokeCopied(copied) }
            for (index, lookup) in lookups.enumerated() {
                let result = found[index] ?? .failure(Self.invalid)
                for waiter in lookup.waiters { waiter.resume(with: result) }
            }
        } catch {
            for waiter in lookups.flatMap(\.waiters) { waiter.resume(throwing: error) }
        }
    }

    static let invalid = RPCError(
        .unauthenticated, "the token is not valid any more: sign in again", field: "token")

    /// Answer for a token of a disabled account.
    private static let disabled = RPCError(
        .unauthenticated, "this account is disabled: contact an admin", field: Accounts.disabledField)

    /// Looks up a batch of tokens, and records their use. A token that replaces another one comes into use by that. The record need not
    /// survive a database crash, so this transaction commits asynchronously (PostgreSQL manual §20.5.1). `SKIP LOCKED` avoids waiting for,
    /// and deadlocks with, transactions that change several of the same tokens.
    ///
    /// `generation` is 0 for the token in use, 1 for its successor, -1 for its predecessor.
    private static let sql = """
        WITH asked AS (
            SELECT place - 1 AS place, decode(hash, 'hex') AS hash, notes, nullif(platform, '') AS platform,
                nullif(address, '') AS address
            FROM unnest($1::text[], $2::boolean[], $3::text[], $4::text[]) WITH ORDINALITY AS asked (hash, notes, platform, address, place)
        ), matched AS (
            SELECT asked.*, m.id AS token_id, m.generation FROM asked CROSS JOIN LATERAL (
                SELECT id, 0 AS generation FROM tokens t WHERE t.hash = asked.hash
                UNION ALL SELECT id, 1 FROM tokens t WHERE t.next_hash = asked.hash
                UNION ALL SELECT id, -1 FROM tokens t WHERE t.previous_hash = asked.hash) AS m
        ), found AS (
            SELECT m.*, t.last_used_at, a.id, a.username, a.email, a.role,
                a.simulated, a.email_confirmed_at, a.confirm_by, a.picture_id, a.has_passkey OR a.has_totp AS has_factor,
                t.last_used_at = t.created_at AS is_first,
                m.generation = -1 AND t.hash_at < now() - make_interval(secs => $7::int) AS is_copy,
                set_config('synchronous_commit', 'off', true)
            FROM matched m JOIN tokens t ON t.id = m.token_id JOIN accounts a ON a.id = t.account_id
            WHERE t.revoked_at IS NULL AND a.disabled_at IS NULL AND t.last_used_at > now() - make_interval(days => $5::int)
                AND t.created_at > now() - make_interval(days => $6::int)
        ), free AS (
            SELECT tokens.id, found.hash, found.generation, found.platform, found.address
            FROM found JOIN tokens ON tokens.id = found.token_id
            WHERE NOT found.is_copy AND (found.notes OR found.is_first OR found.generation = 1
                OR found.last_used_at < now() - interval '1 minute')
            FOR NO KEY UPDATE OF tokens SKIP LOCKED
        ), touched AS (
            UPDATE tokens t SET last_used_at = now(), platform = coalesce(free.platform, t.platform),
                address = coalesce(free.address, t.address),
                hash = CASE WHEN t.next_hash = free.hash THEN t.next_hash ELSE t.hash END,
                hash_at = CASE WHEN t.next_hash = free.hash THEN now() ELSE t.hash_at END,
                previous_hash = CASE WHEN t.next_hash = free.hash THEN t.hash ELSE t.previous_hash END,
                next_at = CASE WHEN t.next_hash = free.hash THEN NULL ELSE t.next_at END,
                next_hash = CASE WHEN t.next_hash = free.hash THEN NULL ELSE t.next_hash END
            FROM free WHERE t.id = free.id
        )
        SELECT *, false AS is_disabled FROM found
        UNION ALL
        SELECT m.*, t.last_used_at, a.id, a.username, a.email, a.role, a.simulated,
            a.email_confirmed_at, a.confirm_by, a.picture_id, a.has_passkey OR a.has_totp, false, false, NULL, true
        FROM matched m JOIN tokens t ON t.id = m.token_id JOIN accounts a ON a.id = t.account_id
        WHERE a.disabled_at IS NOT NULL
        """
}
