import Postgres
import Wire

/// Adds mails about accounts to the outbox in PostgreSQL. ``AccountMail`` sends them, on any server.
public struct AccountMailOutbox: Sendable {
    /// Largest number of requests for a reset that are stored for an address within an hour; further ones get the same answer.
    public static let resetsPerHourMax: Int64 = 5
    /// Seconds for which a requested reset is still sent.
    static let resetSecondsMax = 3_600.0
    /// Seconds for which the mail about a changed password is still sent.
    static let changedSecondsMax = 86_400.0
    /// Days after which a mail is removed, sent or not. At least the hour that the limit of an address counts.
    static let keptDays = 1

    let now: @Sendable () -> Timestamp

    /// - Parameter now: The server's wall clock.
    public init(now: @escaping @Sendable () -> Timestamp = { .now }) { self.now = now }

    /// Stores the request for a reset of a password. The statement is the same for every address, whether or not it has an account, so
    /// that neither the answer nor its time discloses that.
    /// - Parameter key: Comparison key of the address that was typed.
    /// - Throws: ``Postgres/PostgresError``.
    func requestReset(to key: String, in database: PostgresPool) async throws {
        let at = now()
        _ = try await database.query(
            "SELECT account_mail_request($1, $2, $3, $4)",
            [
                .text(key), .timestamp(at.milliseconds),
                .timestamp(at.advanced(bySeconds: Self.resetSecondsMax).milliseconds), .int(Self.resetsPerHourMax),
            ])
    }

    /// Adds the mail about a changed password, in the transaction that changes it.
    /// - Parameter client: Client program that changed the password.
    /// - Throws: ``Postgres/PostgresError``.
    func passwordChanged(
        of account: Int64, by client: String, in transaction: PostgresTransaction
    ) async throws {
        let at = now()
        _ = try await transaction.query(
            "SELECT account_mail_changed($1, $2, $3, $4)",
            [
                .int(account), .text(client), .timestamp(at.milliseconds),
                .timestamp(at.advanced(bySeconds: Self.changedSecondsMax).milliseconds),
            ])
    }
}
