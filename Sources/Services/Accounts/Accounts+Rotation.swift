import Postgres
import Wire

/// Lifetime and rotation of tokens. A client that asks for it gets a new token from time to time; the old one ends when it uses the new
/// one, so that a lost reply does no harm. A copy of a token is thus of use for a day or so. A token that was replaced and is used all the
/// same shows that there is a copy: the device is signed out (RFC 9700, section 4.14.2).
extension Accounts {
    /// Days after the sign-in after which a token is invalid, however it is used.
    static let tokenDaysMax: Int64 = 365
    /// Seconds for which a token is in use before its device gets another one.
    public static let rotationSeconds = 86_400.0
    /// Seconds after which a device that has not used its new token may get another one.
    static let unusedSeconds = 3_600.0
    /// Seconds for which a token is accepted after it was replaced: for requests under way, and for other tabs of a browser.
    public static let replacedSeconds: Int64 = 600

    /// Makes the token that replaces the one in use, if that is due.
    /// - Parameter token: Token in use.
    /// - Returns: The new token, or nil if none is due.
    /// - Throws: ``Postgres/PostgresError``.
    public func rotate(_ token: String, of identity: Identity) async throws -> String? {
        let next = Secrets.makeToken()
        let rows = try await database.query(
            """
            UPDATE tokens SET next_hash = $3, next_at = now()
            WHERE id = $1 AND hash = $2 AND revoked_at IS NULL AND hash_at < now() - make_interval(secs => $4)
                AND (next_at IS NULL OR next_at < now() - make_interval(secs => $5))
            """,
            [
                .int(identity.tokenID), .bytes(Secrets.hash(token)), .bytes(Secrets.hash(next)),
                .double(Self.rotationSeconds), .double(Self.unusedSeconds),
            ])
        return rows.affected > 0 ? next : nil
    }

    /// Signs out devices one of whose replaced tokens was used.
    func revokeCopied(_ tokens: [Int64]) async throws {
        try await revoke(
            "UPDATE tokens SET revoked_at = now() WHERE id = ANY ($1::bigint[]) AND revoked_at IS NULL RETURNING id",
            [.intArray(tokens)])
    }
}
