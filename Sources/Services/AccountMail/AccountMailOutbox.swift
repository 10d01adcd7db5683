import Postgres
import Wire

/// Adds mails about accounts to the outbox in PostgreSQL. ``AccountMail`` sends them, on any server.
public struct AccountMailOutbox: Sendable {
    /// Largest number of requests for a reset that are stored for an address within an hour; further ones get the same answer.
    public static let resetsPerHourMax: Int64 = 5
    /// Seconds for which a requested link is still sent.
    static let requestSecondsMax = 3_600.0
    /// Largest number of mails about new devices within a day for an account.
    public static let newDevicesPerDayMax: Int64 = 5
    /// Largest number of mails about one kind of change of the second factors within an hour for an account. Each kind has its own, so
    /// that none hides another.
    public static let factorChangesPerHourMax: Int64 = 10
    /// Seconds for which the mail about a new device, or a changed password or address, is still sent.
    static let changedSecondsMax = 86_400.0
    /// Largest number of mails with a code within an hour for an account.
    static let codesPerHourMax: Int64 = 5
    /// The same for an address, over all accounts that register with it: a stranger's requests leave some for its owner.
    static let codesToAddressPerHourMax: Int64 = 20
    /// Days that a provisional account has to confirm its address.
    public static let provisionalDays = 14.0
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
        try await database.transaction { try await requestReset(to: key, in: $0) }
    }

    /// The same in a transaction of the caller.
    func requestReset(to key: String, in transaction: PostgresTransaction) async throws {
        let at = now()
        _ = try await transaction.query(
            "SELECT account_mail_request($1, $2, $3, $4)",
            [
                .text(key), .timestamp(at.milliseconds),
                .timestamp(at.advanced(bySeconds: Self.requestSecondsMax).milliseconds), .int(Self.resetsPerHourMax),
            ])
    }

    /// Adds the mail about a changed password, in the transaction that changes it, after its revocations.
    /// - Parameters:
    ///   - client: Client program that changed the password; nil for the operator.
    ///   - issuers: Issuers of the identities before the change. The mail names those that are disconnected now.
    /// - Throws: ``Postgres/PostgresError``.
    func passwordChanged(
        of account: Int64, by client: String?, before issuers: [String] = [], in transaction: PostgresTransaction
    ) async throws {
        let at = now()
        _ = try await transaction.query(
            "SELECT account_mail_password_changed($1, $2, $3, $4, $5)",
            [
                .int(account), .optional(client), .textArray(issuers), .timestamp(at.milliseconds),
                .timestamp(at.advanced(bySeconds: Self.changedSecondsMax).milliseconds),
            ])
    }

    /// Time by which an account that registers now has to confirm its address.
    var confirmBy: Timestamp { now().advanced(bySeconds: Self.provisionalDays * Timestamp.daySeconds) }

    /// Makes an address the one that the account waits to confirm, and adds the mail to it. Earlier codes and links end when it is sent, or
    /// at once if they are for another address.
    /// - Returns: False if the account or the address has reached its number of an hour; then no mail is added.
    /// - Throws: ``Postgres/PostgresError``.
    func requestConfirmation(
        of address: String, for account: Int64, in transaction: PostgresTransaction
    ) async throws -> Bool {
        let at = now()
        let key = Inputs.key(address)
        _ = try await transaction.query(
            """
            INSERT INTO address_confirmations AS c (account_id, address, address_key) VALUES ($1, $2, $3)
            ON CONFLICT (account_id) DO UPDATE SET address = excluded.address, address_key = excluded.address_key,
                link_hash = NULL, code_hash = NULL, tries = 0, expires_at = NULL
            WHERE c.address <> excluded.address
            """, [.int(account), .text(address), .text(key)])
        let rows = try await transaction.query(
            "SELECT account_mail_confirm($1, $2, $3, $4, $5, $6) AS added",
            [
                .int(account), .text(key), .timestamp(at.milliseconds),
                .timestamp(at.advanced(bySeconds: Self.requestSecondsMax).milliseconds), .int(Self.codesPerHourMax),
                .int(Self.codesToAddressPerHourMax),
            ])
        return try rows.first?.bool("added") ?? false
    }

    /// Adds the mail about a log-in on a new device, in the transaction that makes its token, unless the account has got
    /// ``newDevicesPerDayMax`` within a day.
    /// - Throws: ``Postgres/PostgresError``.
    func signedInOnNewDevice(
        _ account: Int64, _ client: ClientDescription, in transaction: PostgresTransaction
    ) async throws {
        let at = now()
        _ = try await transaction.query(
            "SELECT account_mail_new_device($1, $2, $3, $4, $5, $6)",
            [
                .int(account), .text(client.name), .optional(client.address), .timestamp(at.milliseconds),
                .timestamp(at.advanced(bySeconds: Self.changedSecondsMax).milliseconds), .int(Self.newDevicesPerDayMax),
            ])
    }

    /// Adds the mail to the previous address of an account, in the transaction that replaces it.
    /// - Throws: ``Postgres/PostgresError``.
    func addressChanged(
        of account: Int64, from previous: String, in transaction: PostgresTransaction
    ) async throws {
        try await addNotice("account_mail_replaced", account, previous, in: transaction)
    }

    /// Adds the mail about an identity at a provider that was connected or disconnected, in the transaction that does it.
    /// - Parameter label: The provider's name, to display.
    /// - Throws: ``Postgres/PostgresError``.
    func providerChanged(
        of account: Int64, _ label: String, isConnected: Bool, in transaction: PostgresTransaction
    ) async throws {
        try await addNotice(
            isConnected ? "account_mail_connected" : "account_mail_disconnected", account, label, in: transaction)
    }

    /// Adds the mail about a change of passkeys or second factors, in the transaction that makes it, unless the account has got
    /// ``factorChangesPerHourMax`` of its kind within an hour.
    /// - Parameter detail: Name of the passkey, or number of codes that are left; empty for other changes.
    /// - Throws: ``Postgres/PostgresError``.
    func factorChanged(
        _ change: FactorChange, of account: Int64, detail: String = "", in transaction: PostgresTransaction
    ) async throws {
        let at = now()
        _ = try await transaction.query(
            "SELECT account_mail_factor($1, $2, $3, $4, $5, $6)",
            [
                .int(account), .text(change.rawValue), .text(detail), .timestamp(at.milliseconds),
                .timestamp(at.advanced(bySeconds: Self.changedSecondsMax).milliseconds),
                .int(Self.factorChangesPerHourMax),
            ])
    }

    /// Adds a mail about a change that has happened.
    /// - Parameters:
    ///   - function: SQL function that adds it.
    ///   - detail: Its second argument.
    private func addNotice(
        _ function: StaticString, _ account: Int64, _ detail: String, in transaction: PostgresTransaction
    ) async throws {
        let at = now()
        _ = try await transaction.query(
            "SELECT \(function)($1, $2, $3, $4)",
            [
                .int(account), .text(detail), .timestamp(at.milliseconds),
                .timestamp(at.advanced(bySeconds: Self.changedSecondsMax).milliseconds),
            ])
    }
}
