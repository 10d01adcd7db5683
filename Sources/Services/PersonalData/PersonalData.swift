import EventLoop
import Logging
import Postgres
import Wire

/// Overview, export and erasure of an account's personal data (U-8, PDPA).
///
/// An actor on its loop.
public actor PersonalData {
    /// Operations of other services that erasure needs.
    public struct ErasureHandlers: Sendable {
        /// Ends the account's sessions and shares, and closes the connections of the revoked tokens.
        public var end: @Sendable (_ account: Int64, _ tokens: [Int64]) async throws -> Void
        /// Announces new log events of these conversations.
        public var conversationsChanged: @Sendable (_ conversations: [Int64]) async -> Void
        /// Announces that the account's events were cancelled and its notices withdrawn.
        public var left: @Sendable () async -> Void
        /// Removes the account from caches in memory.
        public var gone: @Sendable (_ account: Int64) async -> Void
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

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let accounts: Accounts
    let others: ErasureHandlers
    let now: @Sendable () -> Timestamp
    let logger: Logger

    /// - Parameters:
    ///   - accounts: Verifies passwords and revokes grants.
    ///   - others: Operations of other services.
    ///   - now: The server's wall clock.
    public init(
        loop: EventLoop, database: PostgresPool, accounts: Accounts, others: ErasureHandlers,
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

    /// Returns the amount of data stored about the caller by kind, with its retention time.
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
