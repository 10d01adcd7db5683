import Postgres
import Wire

/// Codes for the loss of the other second factors. Each works once.
enum RecoveryCode {
    /// Number of codes of an account.
    static let perAccount = 10
    /// Characters of a code: 80 bits, so that a plain SHA-256 hides it from whoever steals the table.
    static let characters = 16
    /// Without characters that look like others.
    private static let alphabet = Array("abcdefghjkmnpqrstuvwxyz023456789".utf8)

    /// A new code, in groups of four.
    static func make() -> String {
        let letters = Secrets.randomBytes(characters).map { alphabet[Int($0) % alphabet.count] }
        return stride(from: 0, to: characters, by: 4).map {
            String(decoding: letters[$0..<($0 + 4)], as: UTF8.self)
        }.joined(separator: "-")
    }

    /// Stored digest of what a person typed; nil if it cannot be a code.
    static func hash(_ text: String, account: Int64) -> [UInt8]? {
        guard text.utf8.count <= 4 * characters else { return nil }
        let typed = text.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
        guard typed.count == characters, typed.allSatisfy(alphabet.contains) else { return nil }
        return Secrets.hash("\(account)/\(String(decoding: typed, as: UTF8.self))")
    }

    /// Replaces the codes of an account.
    /// - Returns: The codes, which are sent once.
    static func replace(of account: Int64, in transaction: PostgresTransaction) async throws -> [String] {
        let codes = (0..<perAccount).map { _ in make() }
        _ = try await transaction.query("DELETE FROM recovery_codes WHERE account_id = $1", [.int(account)])
        for code in codes {
            guard let hash = hash(code, account: account) else { continue }
            _ = try await transaction.query(
                "INSERT INTO recovery_codes (account_id, hash) VALUES ($1, $2)", [.int(account), .bytes(hash)])
        }
        return codes
    }

    /// Makes the codes of an account that has none; nil if it has some.
    static func makeIfNone(for account: Int64, in transaction: PostgresTransaction) async throws -> [String]? {
        let known = try await transaction.query(
            "SELECT FROM recovery_codes WHERE account_id = $1 LIMIT 1", [.int(account)])
        return known.isEmpty ? try await replace(of: account, in: transaction) : nil
    }
}

extension AccountMailOutbox {
    /// Asks the owner of an account to make recovery codes if a sign-in by password now takes a second factor and none is left. Call it
    /// in the transaction that makes an account an admin's: only its owner may see codes, so none are made here.
    /// - Throws: ``Postgres/PostgresError``.
    func askForRecoveryCodes(of account: Int64, in transaction: PostgresTransaction) async throws {
        let missing = try await transaction.query(
            """
            SELECT FROM accounts a WHERE a.id = $1 AND \(Accounts.isHalfByPassword)
                AND NOT EXISTS (SELECT FROM recovery_codes r WHERE r.account_id = a.id AND r.used_at IS NULL)
            """, [.int(account)])
        if !missing.isEmpty { try await factorChanged(.recoveryCodesMissing, of: account, in: transaction) }
    }
}

extension Identity {
    static let needsFactor = RPCError(
        .conflict, "admins need two-step log-in: add another passkey or an authenticator app first",
        field: "secondFactor")

    /// Requires that a caller who needs a second factor still has one that works: a stopped passkey does not.
    func requireFactorLeft(in transaction: PostgresTransaction) async throws {
        guard adminsNeedFactor else { return }
        let rows = try await transaction.query(
            """
            SELECT FROM accounts a WHERE a.id = $1 AND a.role = 'admin' AND NOT a.has_totp
                AND NOT EXISTS (SELECT FROM passkeys p WHERE p.account_id = a.id AND p.stopped_at IS NULL)
            """,
            [.int(account.id)])
        guard rows.isEmpty else { throw Self.needsFactor }
    }
}
