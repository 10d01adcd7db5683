import EventLoop
import Postgres
import Wire

/// Looks up whose tokens are, those that come meanwhile all at once.
///
/// After a restart thousands say hello within a second, and each notes that its token was used. One statement for each is a
/// transaction for each, and more than may wait for the database. So while one statement is under way, what comes is gathered for
/// the next: who comes alone waits for nobody, and a storm needs a statement for hundreds.
///
/// Not thread-safe: confined to the loop of ``Accounts``.
final class TokenLookups {
    /// Tokens of one statement.
    static let tokensPerStatementMax = 512
    /// Tokens that wait for the next ones: as many as a server may have connections.
    static let waitingTokensMax = 65_536

    private struct Lookup {
        var notesUse: Bool
        var waiters: [CheckedContinuation<Identity, any Error>]
    }

    private let loop: EventLoop
    private let database: PostgresPool
    /// By the token's hash, in the order they came.
    private var waiting: [[UInt8]: Lookup] = [:]
    private var order: [[UInt8]] = []
    private var isRunning = false

    init(loop: EventLoop, database: PostgresPool) {
        self.loop = loop
        self.database = database
    }

    /// - Parameters:
    ///   - hash: The token's.
    ///   - notesUse: See ``Accounts/authenticate(token:notesUse:)``.
    /// - Throws: `unauthenticated`, or what the database throws.
    func find(_ hash: [UInt8], notesUse: Bool, isolation: isolated Accounts) async throws -> Identity {
        try await withCheckedThrowingContinuation { waiter in
            loop.preconditionIsolated()
            if waiting[hash] == nil {
                guard order.count < Self.waitingTokensMax else {
                    return waiter.resume(throwing: PostgresError.overloaded)
                }
                order.append(hash)
            }
            waiting[hash, default: Lookup(notesUse: false, waiters: [])].waiters.append(waiter)
            if notesUse { waiting[hash]?.notesUse = true }
            run(isolation: isolation)
        }
    }

    private func run(isolation: isolated Accounts) {
        guard !isRunning else { return }
        isRunning = true
        Task {
            _ = isolation
            while !order.isEmpty { await look(isolation: isolation) }
            isRunning = false
        }
    }

    private func look(isolation: isolated Accounts) async {
        let hashes = Array(order.prefix(Self.tokensPerStatementMax))
        order.removeFirst(hashes.count)
        let lookups = hashes.compactMap { waiting.removeValue(forKey: $0) }
        do {
            let rows = try await database.query(
                Self.sql,
                [
                    .textArray(hashes.map(Secrets.hexadecimal)), .boolArray(lookups.map(\.notesUse)),
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

    /// Told to who holds a token that was valid: it was away when the account was disabled.
    private static let disabled = RPCError(
        .unauthenticated, "this account is disabled: contact an admin", field: Accounts.disabledField)

    /// To note a use need not survive a crash of the database: the commit does not wait for the disk (PostgreSQL manual §20.5.1),
    /// for this one statement only. It does not wait for anybody either, who changes several of the same tokens just then, and so
    /// never ends in a deadlock.
    private static let sql = """
        WITH asked AS (
            SELECT place - 1 AS place, decode(hash, 'hex') AS hash, notes
            FROM unnest($1::text[], $2::boolean[]) WITH ORDINALITY AS asked (hash, notes, place)
        ), found AS (
            SELECT asked.place, asked.notes, t.id AS token_id, t.last_used_at, a.id, a.username, a.email, a.role,
                a.simulated, set_config('synchronous_commit', 'off', true)
            FROM asked JOIN tokens t ON t.hash = asked.hash JOIN accounts a ON a.id = t.account_id
            WHERE t.revoked_at IS NULL AND a.disabled_at IS NULL AND t.last_used_at > now() - make_interval(days => $3::int)
        ), free AS (
            SELECT tokens.id FROM found JOIN tokens ON tokens.id = found.token_id
            WHERE found.notes OR found.last_used_at < now() - interval '1 minute'
            FOR NO KEY UPDATE OF tokens SKIP LOCKED
        ), touched AS (
            UPDATE tokens SET last_used_at = now() FROM free WHERE tokens.id = free.id
        )
        SELECT *, false AS is_disabled FROM found
        UNION ALL
        SELECT asked.place, asked.notes, t.id, t.last_used_at, a.id, a.username, a.email, a.role, a.simulated, NULL, true
        FROM asked JOIN tokens t ON t.hash = asked.hash JOIN accounts a ON a.id = t.account_id
        WHERE a.disabled_at IS NOT NULL
        """
}
