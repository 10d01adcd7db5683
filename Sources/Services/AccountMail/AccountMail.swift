import Delivery
import EventLoop
import Logging
import Postgres
import Wire

/// Sends mails about accounts (U-2, U-8, T-1): links that reset a password, codes that confirm an address, and notices of a changed
/// password or address.
///
/// All servers share the outbox in PostgreSQL (``AccountMailOutbox``). A server claims a mail for the time of a lease, sends it, and stores
/// the outcome. If the server dies in between, another one sends the mail again: sending is at least once, because a second link does no
/// harm and a missing one does. An actor on the hub's loop.
public actor AccountMail {
    /// Largest number of mails in flight.
    static let concurrentMax = 4
    /// Largest number of attempts for a mail.
    public static let attemptsMax: Int64 = 20
    /// Attempts after which a mail counts as sent although its server never said so: it takes mails, and answers too late.
    static let doubtfulAttemptsMax: Int64 = 3
    /// Seconds before the second attempt; the delay doubles for each further one, with a jitter of ±50 %.
    static let retrySecondsFirst = 10.0
    static let retrySecondsMax = 300.0
    /// Seconds for which a link is valid after it is made.
    public static let linkSeconds = 3_600.0
    /// Seconds for which a code and the link beside it are valid after they are made.
    public static let codeSeconds = 86_400.0
    /// Largest time for which a stopping server waits for mails in flight.
    static let stopTimeMax = Duration.seconds(5)
    /// Delay between attempts to store an outcome.
    static let settleInterval = Duration.milliseconds(500)

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let database: PostgresPool
    private let configuration: AccountMailConfiguration
    private let now: @Sendable () -> Timestamp
    private let metrics: AccountMailMetrics
    private let logger: Logger
    /// Name of this server in claims; different after each start.
    private let node = Secrets.hexadecimal(Secrets.randomBytes(8))
    /// As many workers as mails in flight, so that none waits in the pool while its lease runs.
    private let workers = WorkerPool(
        label: "account-mail", concurrentMax: AccountMail.concurrentMax, waitingMax: AccountMail.concurrentMax)
    private(set) var inFlight = 0
    private var isStopping = false

    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - now: The server's wall clock.
    public init(
        loop: EventLoop, database: PostgresPool, configuration: AccountMailConfiguration,
        now: @escaping @Sendable () -> Timestamp = { .now }, metrics: AccountMailMetrics = .init(),
        logger: Logger = Logger(label: "campanile.account-mail")
    ) {
        (self.loop, self.database, self.configuration) = (loop, database, configuration)
        (self.now, self.metrics, self.logger) = (now, metrics, logger)
    }

    // MARK: Running

    /// Sends mails until the task is cancelled.
    public func run() async {
        while !Task.isCancelled, !isStopping {
            do {
                try await runOnce()
            } catch {
                // The database is unreachable; the outbox keeps its rows.
                logger.warning("the outbox of account mails could not be processed", metadata: ["error": "\(error)"])
            }
            await loop.sleep(for: configuration.interval)
        }
    }

    /// Stops claiming mails, and returns when none is in flight or after ``stopTimeMax``.
    public func stop() async {
        isStopping = true
        let deadline = ContinuousClock.now + Self.stopTimeMax
        while inFlight > 0, ContinuousClock.now < deadline { await loop.sleep(for: .milliseconds(20)) }
    }

    /// Claims due mails for free slots; finished mails claim further ones. Returns when the claimed mails are in flight.
    func runOnce() async throws {
        let room = Self.concurrentMax - inFlight
        guard room > 0, !isStopping else { return }
        // Reserved before the query, so that concurrent calls do not claim twice as many.
        inFlight += room
        var taken = 0
        defer { inFlight -= room - taken }
        let at = now()
        let rows = try await database.query(
            "SELECT * FROM account_mail_claim($1, $2, $3, $4)",
            [
                .int(Int64(room)), .timestamp(at.milliseconds),
                .timestamp(at.advanced(bySeconds: configuration.leaseSeconds).milliseconds), .text(node),
            ])
        let claimed = try rows.map { try AccountMailRow($0) }
        taken = claimed.count
        for row in claimed {
            Task(executorPreference: loop) {
                await self.deliver(row)
                await self.done()
            }
        }
    }

    private func done() async {
        inFlight -= 1
        // The next iteration repeats a failed claim.
        try? await runOnce()
    }

    // MARK: One mail

    private enum Outcome: Sendable, Equatable {
        case sent
        case retry(String)
        case dropped(String)
        case failed(String)
    }

    /// A mail that is ready to be sent.
    private struct Letter: Sendable {
        let address: String
        let page: MailPage
    }

    private func deliver(_ row: AccountMailRow) async {
        let outcome: Outcome
        do {
            outcome = try await attempt(row)
        } catch {
            logger.warning("an account mail could not be prepared", metadata: ["error": "\(error)"])
            outcome = .retry("it could not be prepared")
        }
        await settle(row, outcome)
    }

    private func attempt(_ row: AccountMailRow) async throws -> Outcome {
        // The server may have died in each attempt.
        guard row.attempts <= Self.attemptsMax else { return .failed("too many attempts") }
        guard row.expiresAt > now() else { return .dropped("it was too late") }
        if case .unknown(let kind) = row.kind {
            logger.warning("an account mail of an unknown kind was dropped", metadata: ["kind": "\(kind)"])
            return .dropped("this release does not know its kind")
        }
        guard let letter = try await letter(for: row) else { return .dropped("it is for no account") }
        guard let to = MailAddress(letter.address) else { return .failed("the address cannot get mail") }
        let message = MailMessage(
            from: configuration.from, fromName: "Campanile", to: to, subject: letter.page.title,
            plain: letter.page.plain, html: letter.page.html,
            id: "campanile-account-\(row.id)-\(row.createdAt.milliseconds)", date: row.createdAt, unsubscribeURL: nil)
        let (server, from) = (configuration.server, configuration.from)
        return switch try await workers.run({ server.send(message.bytes(), from: from, to: to) }) {
        case .sent: .sent
        case .later(let reason, _): .retry(reason)
        case .doubtful(let reason): row.attempts < Self.doubtfulAttemptsMax ? .retry(reason) : .sent
        case .refused(let reason), .dead(let reason): .failed(reason)
        }
    }

    /// Composes a mail; nil if its account is gone, disabled, simulated or being erased.
    private func letter(for row: AccountMailRow) async throws -> Letter? {
        switch row.kind {
        case .unknown: return nil
        case .reset(let key):
            // Made only now, so that the outbox never contains a link. Links of earlier attempts stay valid.
            let token = Secrets.makeToken()
            let rows = try await database.query(
                "SELECT * FROM account_mail_make_link($1, $2, $3)",
                [
                    .text(key), .bytes(Secrets.hash(token)), .double(Self.linkSeconds),
                ])
            guard let owner = rows.first else { return nil }
            return Letter(
                address: try owner.text("email"),
                page: .passwordReset(
                    of: try owner.text("username"), link: "\(configuration.site)/reset/\(token)"))
        case .confirm(let account, let key): return try await confirmation(of: key, for: account)
        case .passwordChanged(let account, let address, let client, let endedIssuers):
            guard let username = try await owner(of: account) else { return nil }
            return Letter(
                address: address,
                page: .passwordChanged(
                    of: username, at: row.createdAt, by: client, passkeys: try await passkeys(of: account),
                    endedProviders: endedIssuers.map(configuration.providerLabel(of:)).sorted(),
                    resetPage: "\(configuration.site)/reset"))
        case .factor(let change, let account, let address, let detail):
            return try await owner(of: account).map { username in
                Letter(
                    address: address,
                    page: .factorChanged(change, of: username, at: row.createdAt, detail, site: configuration.site))
            }
        case .newDevice(let account, let address, let device, let networkAddress):
            return try await owner(of: account).map { username in
                Letter(
                    address: address,
                    page: .newDevice(
                        of: username, at: row.createdAt, device: device, networkAddress: networkAddress,
                        resetPage: "\(configuration.site)/reset"))
            }
        case .providerChanged(let account, let address, let label, let isConnected):
            return try await owner(of: account).map { username in
                Letter(
                    address: address,
                    page: .providerChanged(
                        of: username, label: label, isConnected: isConnected, at: row.createdAt,
                        resetPage: "\(configuration.site)/reset"))
            }
        case .addressChanged(let account, let address):
            return try await owner(of: account).map { username in
                Letter(
                    address: address,
                    page: .addressChanged(of: username, at: row.createdAt, loginPage: "\(configuration.site)/login"))
            }
        }
    }

    /// User name of an account that gets mail.
    private func owner(of account: Int64) async throws -> String? {
        try await database.query(
            """
            SELECT username FROM accounts
            WHERE id = $1 AND disabled_at IS NULL AND erasing_at IS NULL AND NOT simulated
            """, [.int(account)]
        ).first?.text("username")
    }

    /// Names of an account's passkeys that work.
    private func passkeys(of account: Int64) async throws -> [String] {
        try await database.query(
            "SELECT name FROM passkeys WHERE account_id = $1 AND stopped_at IS NULL ORDER BY id", [.int(account)]
        ).map { try $0.text("name") }
    }

    /// Makes a code and a link, which end earlier ones. The owner of an address that another account wants learns which account is theirs.
    private func confirmation(of key: String, for account: Int64) async throws -> Letter? {
        // Made only now, so that the outbox never contains them.
        let token = Secrets.makeToken()
        let code = AddressCode.make()
        let rows = try await database.query(
            "SELECT * FROM account_mail_make_code($1, $2, $3, $4, $5)",
            [
                .int(account), .text(key), .bytes(Secrets.hash(token)),
                .bytes(AddressCode.hash(code, account: account)), .double(Self.codeSeconds),
            ])
        guard let row = rows.first else { return nil }
        let address = try row.text("email")
        if let owner = try row.optionalText("owner") {
            return Letter(
                address: address,
                page: .addressOwned(
                    by: owner, loginPage: "\(configuration.site)/login", resetPage: "\(configuration.site)/reset"))
        }
        return Letter(
            address: address,
            page: .confirmAddress(
                of: try row.text("username"), code: code, link: "\(configuration.site)/confirm/\(token)",
                isChange: try row.bool("is_change")))
    }

    // MARK: Outcomes

    /// Stores the outcome as soon as the database accepts it. If another server has claimed the mail meanwhile, its claim stays.
    private func settle(_ row: AccountMailRow, _ outcome: Outcome) async {
        let (state, next, error) = settlement(row, outcome)
        let at = now()
        while true {
            do {
                _ = try await database.query(
                    """
                    UPDATE account_mails SET state = $4, next_at = $5, sent_at = $6, error = $7
                    WHERE id = $1 AND node = $2 AND attempts = $3 AND state = 'waiting'
                    """,
                    [
                        .int(row.id), .text(node), .int(row.attempts), .text(state), .timestamp(next.milliseconds),
                        .optional(timestamp: state == "sent" ? at.milliseconds : nil), .optional(error),
                    ])
                return
            } catch {
                if isStopping || Task.isCancelled { return }
                await loop.sleep(for: Self.settleInterval)
            }
        }
    }

    private func settlement(
        _ row: AccountMailRow, _ outcome: Outcome
    ) -> (state: String, next: Timestamp, error: String?) {
        let at = now()
        let kind = row.name
        switch outcome {
        case .sent:
            metrics.count(.sent, kind)
            return ("sent", at, nil)
        case .dropped(let reason):
            metrics.count(.dropped, kind)
            return ("dropped", at, reason)
        case .failed(let reason):
            metrics.count(.failed, kind)
            logger.warning(
                "an account mail was refused", metadata: ["kind": "\(kind.rawValue)", "reason": "\(reason)"])
            return ("failed", at, reason)
        case .retry(let reason):
            let next = at.advanced(
                bySeconds: Backoff.seconds(
                    attempts: row.attempts, first: Self.retrySecondsFirst, max: Self.retrySecondsMax))
            let metadata: Logger.Metadata = ["kind": "\(kind.rawValue)", "reason": "\(reason)"]
            guard row.attempts < Self.attemptsMax, next < row.expiresAt else {
                metrics.count(.failed, kind)
                logger.warning("an account mail could not be sent in time", metadata: metadata)
                return ("failed", at, reason)
            }
            logger.info("an account mail could not be sent yet", metadata: metadata)
            metrics.count(.retried, kind)
            return ("waiting", next, reason)
        }
    }
}
