import Postgres
import Wire

/// Signing in by email and password (U-2).
extension Accounts {
    /// Largest number of remembered devices of an account; a further device replaces the least recently used one.
    static let knownDevicesMax: Int64 = 20
    /// Days without a sign-in after which a device is forgotten.
    static let knownDeviceDays: Int64 = 180

    /// Hash of the device token if the device has signed in to this account before; such a device bypasses the limits of its address. A
    /// device of a provisional account does not: the guesses may be at the password of the address's owner.
    /// - Throws: ``Postgres/PostgresError``.
    public func knownDevice(_ params: AccountLogin.Params) async throws -> [UInt8]? {
        guard let hash = Self.deviceHash(params.device), let email = params.email else { return nil }
        let rows = try await database.query(
            """
            SELECT FROM known_devices d JOIN accounts a ON a.id = d.account_id
            WHERE a.email_key = $1 AND a.confirm_by IS NULL AND d.hash = $2 AND d.last_used_at > now() - make_interval(days => $3::int)
            """,
            [.text(Inputs.key(Inputs.trimmed(email))), .bytes(hash), .int(Self.knownDeviceDays)])
        return rows.isEmpty ? nil : hash
    }

    static func deviceHash(_ device: String?) -> [UInt8]? {
        guard let device, device.utf8.count == Secrets.tokenCharacters else { return nil }
        return Secrets.hash(device)
    }

    /// Signs in by email and password. An unknown address and a wrong password have the same answer and take the same time.
    /// - Parameter device: Result of ``knownDevice(_:)``.
    /// - Throws: ``Wire/RPCError``: `rejected` (malformed), `invalidCredentials`, `rateLimited`.
    public func login(
        _ params: AccountLogin.Params, address: String, client: ClientDescription, device: [UInt8]? = nil
    ) async throws -> (SignedIn, Identity) {
        let (email, password) = try Registration.validateLogin(params)
        let key = Inputs.key(email)
        return try await throttled(key, from: device.map { .device($0) } ?? .address(address)) {
            let (account, hash) = try await verified(key, password)
            let signedIn = try await signIn(
                account, client: client, device: params.device, proof: .password(hash: hash))
            // Whoever registers provisionally with somebody's address does not end the waits of guesses at the owner's password.
            return (signedIn, account.confirmBy == nil)
        }
    }

    /// Verifies the password of a signed-in caller, because a stolen token must not suffice for sensitive operations. Guesses are
    /// throttled like sign-ins.
    /// - Returns: The stored hash.
    /// - Throws: ``Wire/RPCError``: `invalidParams` without a password, `invalidCredentials`, ``noPassword``, `rateLimited`.
    @discardableResult
    func confirm(_ password: String?, of identity: Identity) async throws -> String {
        guard try await hasPassword(identity.account.id) else { throw Self.noPassword }
        guard let password, !password.isEmpty else { throw Self.needsPassword }
        do {
            return try await throttled("account \(identity.account.id)", from: .token(identity.tokenID)) {
                let rows = try await database.query(
                    "\(Self.credentialsSQL) accounts WHERE id = $1", [.int(identity.account.id)])
                return (try await verified(rows.map { $0 }, password, countMin: 1).hash, true)
            }
        } catch let error as RPCError where error.registered == .invalidCredentials {
            throw RPCError(.invalidCredentials, "that is not your password: type it again", field: "password")
        }
    }

    /// Whether the caller's account has a password.
    /// - Throws: ``Postgres/PostgresError``.
    public func hasPassword(of identity: Identity) async throws -> Bool { try await hasPassword(identity.account.id) }

    /// Whether an account has a password: one that was made by a provider's sign-in has none until its owner sets one.
    func hasPassword(_ account: Int64) async throws -> Bool {
        let rows = try await database.query(
            "SELECT FROM accounts WHERE id = $1 AND password_hash IS NOT NULL", [.int(account)])
        return !rows.isEmpty
    }

    /// - Parameter body: Returns also whether the success ends the waits after failures.
    private func throttled<Value: Sendable>(
        _ account: String, from source: SignInThrottle.Source, _ body: () async throws -> (Value, isProof: Bool)
    ) async throws -> Value {
        if let wait = failures.wait(account, from: source) { throw Self.tooOften(wait) }
        // Counted before the outcome is known, so that parallel guesses cannot all pass while the first is being hashed.
        failures.fail(account, from: source)
        do {
            let (value, isProof) = try await body()
            if isProof { failures.succeed(account, from: source) } else { failures.forgive(account, from: source) }
            return value
        } catch let error as RPCError where error.registered == .invalidCredentials {
            throw error
        } catch {
            // The database or the workers failed, not the caller: an outage must not lock people out.
            failures.forgive(account, from: source)
            throw error
        }
    }

    private static let credentialsSQL =
        "SELECT \(Account.columns), password_hash, disabled_at IS NOT NULL AS is_disabled FROM"

    /// Largest number of accounts that an address may mean, as the SQL function `accounts_of_address` returns them.
    private static let accountsOfAddressMax = 2

    private func verified(_ emailKey: String, _ password: String) async throws -> (account: Account, hash: String) {
        let rows = try await database.query("\(Self.credentialsSQL) accounts_of_address($1)", [.text(emailKey)])
        return try await verified(
            rows.map { $0 }, password, countMin: mail == nil ? 1 : Self.accountsOfAddressMax)
    }

    /// Returns the first account with this password.
    /// - Parameter countMin: Number of hashes that are computed at least, so that the time does not disclose how many accounts there are.
    private func verified(
        _ rows: [PostgresRow], _ password: String, countMin: Int
    ) async throws -> (account: Account, hash: String) {
        let stored = try rows.map { try $0.optionalText("password_hash") }
        var matches = [Bool](repeating: false, count: max(countMin, stored.count))
        for index in matches.indices {
            matches[index] = try await passwords.verify(
                password, against: index < stored.count ? stored[index] : nil)
        }
        guard let index = matches.firstIndex(of: true), let hash = stored[index] else { throw Self.wrongCredentials }
        // Checked after the password, so that only the owner learns that the account exists.
        if try rows[index].bool("is_disabled") { throw Self.disabled }
        return (try Account(row: rows[index]), hash)
    }

    static func tooOften(_ wait: Double) -> RPCError {
        let seconds = wait.rounded(.up)
        return RPCError(.rateLimited, "too many attempts: try again in \(Int(seconds)) s", retryAfter: seconds)
    }
}
