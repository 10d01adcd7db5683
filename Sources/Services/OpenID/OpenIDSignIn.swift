import EventLoop
import Logging
import OpenID
import Postgres
import Wire

/// Sign-in by providers of OpenID Connect (C-1): attempts, their answers, and tickets. An actor on its loop; requests to providers and the
/// verification of signatures run on workers.
///
/// A page makes a secret, keeps it, and sends the browser to the start of an attempt with the secret's hash. After the provider's answer
/// was verified, the browser gets a ticket in the fragment of a URL. Only the page with the secret can redeem it: who knows the address of
/// an answer, or makes somebody else open one, gets nothing. Attempts and tickets are in PostgreSQL, so that any server can finish them,
/// and work once.
public actor OpenIDSignIn {
    /// Largest number of requests to one provider in flight, so that a provider that hangs holds up no other.
    static let concurrentMax = 3
    /// Largest number of requests to one provider that wait; further sign-ins get `rateLimited`.
    static let waitingMax = 32
    /// Largest number of signatures that are verified at once, and that wait for it.
    static let verifiedMax = (concurrent: 2, waiting: 64)
    /// Largest number of attempts that wait for their answer.
    static let attemptsMax: Int64 = 20_000
    /// Seconds for which a ticket is valid: time to choose a user name, or to log in to the account that has the address.
    static let ticketSeconds = 600.0

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let accounts: Accounts
    /// Public base URL of the server, without a trailing slash.
    private let site: String
    private let providers: [String: OpenIDProvider]
    /// Providers in the operator's order.
    public nonisolated let settings: [ProviderSettings]
    /// Verifies signatures.
    private let workers = WorkerPool(
        label: "openid", concurrentMax: OpenIDSignIn.verifiedMax.concurrent,
        waitingMax: OpenIDSignIn.verifiedMax.waiting)
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private var key: [UInt8]?

    /// - Parameters:
    ///   - site: Public base URL of the server.
    ///   - authorityFile: PEM file with the authorities to trust instead of the system's.
    ///   - now: The server's wall clock.
    public init(
        loop: EventLoop, database: PostgresPool, accounts: Accounts, settings: [ProviderSettings], site: String,
        authorityFile: String? = nil, now: @escaping @Sendable () -> Timestamp = { .now },
        logger: Logger = Logger(label: "campanile.openid")
    ) {
        (self.loop, self.database, self.accounts) = (loop, database, accounts)
        (self.settings, self.site, self.now, self.logger) = (settings, site, now, logger)
        providers = Dictionary(
            uniqueKeysWithValues: settings.map { settings in
                let workers = WorkerPool(
                    label: "openid.\(settings.name)", concurrentMax: Self.concurrentMax, waitingMax: Self.waitingMax)
                let provider = OpenIDProvider(settings, now: now) { request in
                    try await workers.run { try request.send(authorityFile: authorityFile) }
                }
                return (settings.name, provider)
            })
    }

    /// The operator's settings of a provider; nil for an unknown name.
    public nonisolated func settings(of name: String) -> ProviderSettings? { settings.first { $0.name == name } }

    /// URL at which the answer of a provider arrives.
    public nonisolated func redirectURI(of settings: ProviderSettings) -> String { site + settings.callbackPath }

    private func requestKey() async throws -> [UInt8] {
        if let key { return key }
        let stored = try await StoredSecrets(database: database).secret("openid") { Secrets.randomBytes(32) }
        key = stored
        return stored
    }

    // MARK: Attempts

    /// Begins an attempt.
    /// - Parameter secretHash: SHA-256 of the page's secret, in base64url.
    /// - Returns: The URL of the provider to send the browser to.
    /// - Throws: ``OpenID/OpenIDFailure``; ``Wire/RPCError`` `notFound`, `invalidParams`, `rateLimited`; ``Postgres/PostgresError``.
    public func start(_ name: String, secretHash: String) async throws -> String {
        guard let provider = providers[name] else { throw Self.unknownProvider }
        guard secretHash.utf8.count == Secrets.tokenCharacters, let digest = Secrets.decodeBase64(secretHash),
            digest.count == Secrets.tokenBytes
        else { throw RPCError.invalid("secret", "must be the SHA-256 of the page's secret in base64url") }
        let metadata: ProviderMetadata
        do {
            metadata = try await provider.loadMetadata(isolation: self)
        } catch {
            throw logged(error, provider.settings)
        }
        let state = Secrets.makeToken()
        let request = AuthorizationRequest(state: state, key: try await requestKey())
        let added = try await database.query(
            """
            INSERT INTO openid_attempts (state_hash, provider, secret_hash, expires_at)
            SELECT $1, $2, $3, now() + make_interval(secs => $4)
            WHERE $5 > (SELECT count(*) FROM (SELECT FROM openid_attempts WHERE expires_at > now() LIMIT $5) waiting)
            """,
            [
                .bytes(Secrets.hash(state)), .text(name), .bytes(digest),
                .double(AuthorizationRequest.attemptSecondsMax),
                .int(Self.attemptsMax),
            ])
        guard added.affected > 0 else {
            throw RPCError(.rateLimited, "too many people are signing in: try again in a minute", retryAfter: 60)
        }
        return request.url(provider.settings, metadata, redirectURI: redirectURI(of: provider.settings))
    }

    static let unknownProvider = RPCError(
        .notFound, "this server has no such sign-in: choose one on the log-in page", field: "provider")

    /// Finishes an attempt, which then is used up.
    /// - Parameter read: Reads the provider's answer.
    /// - Returns: A ticket.
    /// - Throws: ``OpenID/OpenIDFailure``; ``Wire/RPCError`` `notFound`; ``Postgres/PostgresError``; `WorkerPool.Overloaded`.
    public func finish(_ name: String, _ read: () throws(OpenIDFailure) -> Callback) async throws -> String {
        guard let provider = providers[name] else { throw Self.unknownProvider }
        let callback = try read()
        // Of this provider: an answer that one provider makes for another's attempt finds none (mix-up, RFC 9700 §4.4).
        let used = try await database.query(
            """
            DELETE FROM openid_attempts WHERE state_hash = $1 AND provider = $2
            RETURNING secret_hash, expires_at > now() AS is_valid
            """, [.bytes(Secrets.hash(callback.state)), .text(name)])
        guard let row = used.first, try row.bool("is_valid") else { throw OpenIDFailure.unknownAttempt }
        let secretHash = try row.bytes("secret_hash")
        let identity: ProvenIdentity
        do {
            identity = try await self.identity(provider, callback)
        } catch {
            throw logged(error, provider.settings)
        }
        return try await makeTicket(for: identity, of: name, secretHash)
    }

    /// Exchanges the code, and verifies who the person is.
    private func identity(_ provider: OpenIDProvider, _ callback: Callback) async throws -> ProvenIdentity {
        let metadata = try await provider.loadMetadata(isolation: self)
        let request = AuthorizationRequest(state: callback.state, key: try await requestKey())
        let exchange = TokenExchange(provider.settings, metadata, nonce: request.nonce)
        let tokenRequest = try exchange.tokenRequest(
            for: callback, verifier: request.verifier, redirectURI: redirectURI(of: provider.settings), now: seconds)
        let tokens = try exchange.tokens(try await provider.fetch(tokenRequest))
        var outcome = try await check(
            exchange, tokens, try await provider.loadKeys(metadata, isolation: self), callback.names)
        if outcome == .unknownKey {
            let keys = try await provider.loadKeys(metadata, isUnknown: true, isolation: self)
            outcome = try await check(exchange, tokens, keys, callback.names)
        }
        switch outcome {
        case .proven(let identity): return identity
        case .unknownKey: throw OpenIDFailure.badAnswer("the ID token is signed by none of its keys (kid)")
        case .needsUserinfo(let identity, let request):
            return try exchange.identity(identity, userinfo: try await provider.fetch(request))
        }
    }

    private var seconds: Double { Double(now().milliseconds) / 1_000 }

    /// On a worker: a signature takes up to a millisecond.
    private func check(
        _ exchange: TokenExchange, _ tokens: TokenExchange.Tokens, _ keys: KeySet, _ names: [String]
    ) async throws -> TokenExchange.Outcome {
        let seconds = seconds
        return try await workers.run { try exchange.identity(tokens, keys: keys, names: names, now: seconds) }
    }

    /// Logs why a sign-in failed, unless the person cancelled.
    private func logged(_ error: any Error, _ settings: ProviderSettings) -> any Error {
        guard let failure = error as? OpenIDFailure, failure != .denied, failure != .unknownAttempt else {
            return error
        }
        logger.warning(
            "a sign-in by a provider failed",
            metadata: ["provider": "\(settings.name)", "reason": "\(failure.description)"])
        return error
    }

    /// Removes attempts and tickets that have expired. Call it periodically.
    /// - Throws: ``Postgres/PostgresError``.
    public func prune() async throws {
        for table in ["openid_attempts", "openid_tickets"] {
            for _ in 0..<Accounts.pruneStepsMax {
                let gone = try await database.query(
                    """
                    DELETE FROM \(table) WHERE ctid = ANY (ARRAY(
                        SELECT ctid FROM \(table) WHERE expires_at < now() LIMIT \(Accounts.prunedPerStepMax) FOR UPDATE SKIP LOCKED))
                    """)
                guard gone.affected == Accounts.prunedPerStepMax else { break }
            }
        }
    }
}
