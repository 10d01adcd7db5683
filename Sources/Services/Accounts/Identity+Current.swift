import Postgres
import Wire

extension Identity {
    /// Other changes by this account wait (`NO KEY UPDATE`), or only those of its role (`SHARE`). A transaction that is to have the
    /// stronger one takes it at once: two that have the weaker one would wait for each other.
    enum Hold: String, Sendable {
        case alone = "NO KEY UPDATE"
        case role = "SHARE"
    }

    /// Who acts, as the account is now and stays until the transaction ends. A connection goes on for a moment with the role that it
    /// came with, until its server hears that the role was changed; what a role decides is decided by this one.
    /// - Throws: `forbidden` when the account is gone or disabled, ``Postgres/PostgresError``.
    func current(_ hold: Hold, in transaction: PostgresTransaction) async throws -> Identity {
        let rows = try await transaction.query(
            """
            SELECT id, username, email, role, simulated FROM accounts WHERE id = $1 AND disabled_at IS NULL
            FOR \(hold.rawValue)
            """, [.int(account.id)])
        guard let row = rows.first else { throw Accounts.noLonger }
        return Identity(account: try Account(row: row), tokenID: tokenID, address: address)
    }

    /// Confirms that the caller is still an admin, and keeps it so until the transaction ends.
    /// - Throws: `forbidden`, ``Postgres/PostgresError``.
    func requireAdmin(in transaction: PostgresTransaction) async throws {
        let rows = try await transaction.query(
            "SELECT FROM accounts WHERE id = $1 AND role = 'admin' AND disabled_at IS NULL FOR SHARE",
            [.int(account.id)])
        guard rows.first != nil else { throw Self.noAdmin }
    }

    static let noAdmin = RPCError(.forbidden, "you are no admin any more: ask one of them")
}
