import EventLoop
import Logging
import Postgres
import Wire

/// What is kept of somebody: all of it for themselves to take away, and to have it erased (U-8, PDPA).
///
/// An actor on its loop.
public actor PersonalData {
    /// What erasing needs of the other services.
    public struct Others: Sendable {
        /// Ends what the account tracks and shares, and cuts its connections, given the tokens that were revoked.
        public var end: @Sendable (_ account: Int64, _ tokens: [Int64]) async throws -> Void
        /// The logs of these conversations went on.
        public var conversationsChanged: @Sendable (_ conversations: [Int64]) async -> Void
        /// An account went: its events are cancelled, and its notices of them withdrawn.
        public var left: @Sendable () async -> Void
        /// An account is no more: nobody keeps anything of it in memory.
        public var gone: @Sendable (_ account: Int64) async -> Void
        /// Memberwise.
        public init(
            end: @escaping @Sendable (Int64, [Int64]) async throws -> Void = { _, _ in },
            conversationsChanged: @escaping @Sendable ([Int64]) async -> Void = { _ in },
            left: @escaping @Sendable () async -> Void = {},
            gone: @escaping @Sendable (Int64) async -> Void = { _ in }
        ) {
            self.end = end
            self.conversationsChanged = conversationsChanged
            self.left = left
            self.gone = gone
        }
    }

    /// The loop it runs on.
    public nonisolated let loop: EventLoop
    /// The service runs on its loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let accounts: Accounts
    let others: Others
    let now: @Sendable () -> Timestamp
    let logger: Logger

    /// - Parameters:
    ///   - accounts: Knows passwords.
    ///   - others: What erasing needs of the other services.
    ///   - now: The server's wall clock.
    public init(
        loop: EventLoop, database: PostgresPool, accounts: Accounts, others: Others,
        now: @escaping @Sendable () -> Timestamp = { .now }, logger: Logger = Logger(label: "campanile.personal-data")
    ) {
        self.loop = loop
        self.database = database
        self.accounts = accounts
        self.others = others
        self.now = now
        self.logger = logger
    }

    private static let countsSQL = PersonalDataKind.all.map {
        "SELECT '\($0.name)' AS kind, count(*) AS n FROM (\($0.sql)) AS rows"
    }.joined(separator: "\nUNION ALL ")

    /// How much is kept of the caller, by kind, and for how long.
    /// - Throws: ``Postgres/PostgresError``.
    public func kept(of identity: Identity) async throws -> AccountData.Result {
        let rows = try await database.query(Self.countsSQL, [.int(identity.account.id)])
        let counts = try Dictionary(uniqueKeysWithValues: rows.map { (try $0.text("kind"), try $0.int("n")) })
        let kept = PersonalDataKind.all.map {
            KeptData(kind: $0.name, count: counts[$0.name] ?? 0, days: $0.days, erase: $0.erase)
        }
        return AccountData.Result(kept: kept)
    }
}
