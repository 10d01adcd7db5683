import Postgres
import Wire

extension Identity {
    /// Lock mode of the account's row: `alone` blocks all other changes of the account, `role` only changes of its role. A transaction
    /// that needs `alone` takes it first: two transactions that upgrade from `role` would deadlock.
    enum LockMode: String, Sendable {
        case alone = "NO KEY UPDATE"
        case role = "SHARE"
    }

    /// The caller with the account's current role, locked until the transaction ends. A connection keeps the role it authenticated with
    /// until its server learns of a change, so decisions that depend on the role use this one.
    /// - Throws: `forbidden` for a removed or disabled account, ``Postgres/PostgresError``.
    func current(_ hold: LockMode, in transaction: PostgresTransaction) async throws -> Identity {
        let rows = try await transaction.query(
            """
            SELECT \(Account.columns) FROM accounts WHERE id = $1 AND disabled_at IS NULL
            FOR \(hold.rawValue)
            """, [.int(account.id)])
        guard let row = rows.first else { throw Accounts.accountUnavailable }
        return with(try Account(row: row))
    }

    /// Confirms that the caller is still an admin, and locks the role until the transaction ends.
    /// - Throws: `forbidden`, ``Postgres/PostgresError``.
    func requireAdmin(in transaction: PostgresTransaction) async throws {
        let rows = try await transaction.query(
            "SELECT FROM accounts WHERE id = $1 AND role = 'admin' AND disabled_at IS NULL FOR SHARE",
            [.int(account.id)])
        guard rows.first != nil else { throw Self.noAdmin }
    }

    static let noAdmin = RPCError(.forbidden, "you are no admin any more: ask one of them")
}
