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
    ///   - recordsUse: See ``Accounts/authenticate(token:recordsUse:)``.
    /// - Throws: `unauthenticated`; errors of the database.
    func find(_ hash: [UInt8], recordsUse: Bool, isolation: isolated Accounts) async throws -> Identity {
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
                    .int(Accounts.tokenIdleDays),
                ])
            var found: [Int: Result<Identity, any Error>] = [:]
            for row in rows {
                let identity = Identity(account: try Account(row: row), tokenID: try row.int("token_id"))
                found[Int(try row.int("place"))] =
                    try row.bool("is_disabled") ? .failure(Self.disabled) : .success(identity)
            }
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

    /// Looks up a batch of tokens and records their use. The record of use need not survive a database crash, so this transaction commits
    /// asynchronously (PostgreSQL manual §20.5.1). `SKIP LOCKED` avoids waiting for, and deadlocks with, transactions that change several
    /// of the same tokens.
    private static let sql = """
        WITH asked AS (
            SELECT place - 1 AS place, decode(hash, 'hex') AS hash, notes
            FROM unnest($1::text[], $2::boolean[]) WITH ORDINALITY AS asked (hash, notes, place)
        ), found AS (
            SELECT asked.place, asked.notes, t.id AS token_id, t.last_used_at, a.id, a.username, a.email, a.role,
                a.simulated, a.email_confirmed_at, a.confirm_by, t.last_used_at = t.created_at AS is_first,
                set_config('synchronous_commit', 'off', true)
            FROM asked JOIN tokens t ON t.hash = asked.hash JOIN accounts a ON a.id = t.account_id
            WHERE t.revoked_at IS NULL AND a.disabled_at IS NULL AND t.last_used_at > now() - make_interval(days => $3::int)
        ), free AS (
            SELECT tokens.id FROM found JOIN tokens ON tokens.id = found.token_id
            WHERE found.notes OR found.is_first OR found.last_used_at < now() - interval '1 minute'
            FOR NO KEY UPDATE OF tokens SKIP LOCKED
        ), touched AS (
            UPDATE tokens SET last_used_at = now() FROM free WHERE tokens.id = free.id
        )
        SELECT *, false AS is_disabled FROM found
        UNION ALL
        SELECT asked.place, asked.notes, t.id, t.last_used_at, a.id, a.username, a.email, a.role, a.simulated,
            a.email_confirmed_at, a.confirm_by, false, NULL, true
        FROM asked JOIN tokens t ON t.hash = asked.hash JOIN accounts a ON a.id = t.account_id
        WHERE a.disabled_at IS NOT NULL
        """
}
