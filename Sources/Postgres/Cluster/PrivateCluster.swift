import EventLoop
import Glibc
import Logging
import Synchronization

/// The embedded PostgreSQL: a cluster of the hub's own, made, started, watched and stopped by it, reachable through a Unix
/// socket only.
///
/// It uses the distribution's binaries and safe settings, so it is the same engine as in production. As root, PostgreSQL
/// runs as the `postgres` user, otherwise as oneself. It runs in a session of its own: when the hub is killed it goes on,
/// and the next hub adopts it. When the postmaster dies, it is started again. Only the cluster's user enters its directory (mode 0700), and
/// PostgreSQL asks everybody for a password, which is in a file there: a program of the same user that cannot read files, such as a
/// picture decoder, gets nowhere with the socket.
///
/// An actor: its steps are in order; what blocks runs on `workers`.
public actor PrivateCluster {
    /// How long PostgreSQL may take to start; recovery after a crash replays its log first.
    static let startTimeout: Duration = .seconds(300)
    /// How long a fast shutdown may take before an immediate one.
    static let stopTimeout: Duration = .seconds(60)
    /// How often the postmaster's process is looked at.
    static let watchInterval: Duration = .milliseconds(200)
    static let pollInterval: Duration = .milliseconds(25)
    static let restartBackoffMax: Duration = .seconds(10)

    /// The database's name.
    public static let databaseName = "campanile"
    /// The role that owns the database and migrates it.
    public static let ownerRole = "campanile_owner"
    /// The server's role, which owns nothing.
    public static let applicationRole = "campanile"

    /// How to connect.
    public struct Access: Sendable {
        /// As the role that owns the schema: for migrations.
        public let owner: PostgresConfiguration
        /// As the server's role.
        public let application: PostgresConfiguration
        /// As the superuser: for operations such as creating databases, not for the server.
        public let administrator: PostgresConfiguration
        /// The roles' passwords, in a file that `psql` and its kin take as `PGPASSFILE`.
        public let passwordFile: String

        /// The same roles in another database of the cluster.
        public func database(_ name: String) -> Access {
            func moved(_ configuration: PostgresConfiguration) -> PostgresConfiguration {
                var configuration = configuration
                configuration.database = name
                return configuration
            }
            return Access(
                owner: moved(owner), application: moved(application), administrator: moved(administrator),
                passwordFile: passwordFile)
        }
    }

    private enum State {
        case stopped
        case busy
        case running(Postmaster, Access)
    }

    private let dataDirectory: String
    private let search: PostgresBinaries.Search
    private let extensions: [String]
    let loop: EventLoop
    let workers: WorkerPool
    let logger: Logger
    private var state = State.stopped
    private var lock: ClusterLock?
    private var layout: ClusterLayout?
    private var binaries: PostgresBinaries?
    private var watch: Task<Void, Never>?
    private let storageFull = Atomic<Bool>(false)

    /// - Parameters:
    ///   - dataDirectory: The hub's data directory; the cluster is kept in `postgres` below it. Made when it is not there.
    ///   - loop: The loop for the connections that set up roles and the database.
    ///   - workers: Where blocking steps run.
    ///   - search: Where PostgreSQL is looked for.
    ///   - extensions: Created in the database when they are installed.
    ///   - logger: Takes starts, stops and crashes.
    public init(
        dataDirectory: String, loop: EventLoop, workers: WorkerPool,
        search: PostgresBinaries.Search = .environment, extensions: [String] = ["postgis"],
        logger: Logger = Logger(label: "campanile.cluster")
    ) {
        self.dataDirectory = dataDirectory
        self.loop = loop
        self.workers = workers
        self.search = search
        self.extensions = extensions
        self.logger = logger
    }

    /// The disk is full and PostgreSQL cannot run until there is room. From any context.
    public nonisolated var isStorageFull: Bool { storageFull.load(ordering: .relaxed) }

    deinit {
        // The cluster goes on; the lock is let go of, so that another owner can adopt it.
        watch?.cancel()
        disown()
    }

    /// The postmaster's process, or nil when none runs.
    public var processID: Int32? {
        if case .running(let postmaster, _) = state { postmaster.processID } else { nil }
    }

    /// Makes the cluster on first use, starts or adopts it, and prepares roles, database and extensions.
    /// - Parameter bringingBack: When the database is missing and a replaced one is there, gives that one the database's name.
    /// - Throws: ``ClusterError``; ``PostgresError`` when preparing fails; `CancellationError`, and what it had started is stopped
    ///   then. Making a new cluster takes some seconds and is not cut short.
    public func start(bringingBack: Bool = false) async throws -> Access {
        switch state {
        case .running(_, let access): return access
        case .busy: throw ClusterError.inUse(path: dataDirectory, processID: getpid())
        case .stopped: break
        }
        state = .busy
        do {
            let access = try await begin(bringingBack: bringingBack)
            watch = Task { [weak self, loop] in
                while !Task.isCancelled {
                    await loop.sleep(for: Self.watchInterval)
                    guard let self, !Task.isCancelled else { return }
                    await self.checkPostmaster()
                }
            }
            return access
        } catch {
            disown()
            state = .stopped
            lock = nil
            throw error
        }
    }

    /// How to reach the cluster while another hub runs it: for commands beside a running server. It stays the other
    /// hub's; ``stop(immediately:)`` does nothing to it.
    /// - Throws: ``ClusterError``: `inUse` while the other hub is starting or stopping it.
    public func join() async throws -> Access {
        let dataDirectory = dataDirectory
        let layout = try await workers.run { try ClusterLayout.prepare(dataDirectory: dataDirectory) }
        let socketDirectory = try await workers.run {
            Postmaster.running(layout).flatMap {
                $0.isReady(layout) ? Postmaster.PIDFile(layout)?.socketDirectory : nil
            }
        }
        guard let socketDirectory else { throw ClusterError.inUse(path: layout.root, processID: nil) }
        let passwords = try await workers.run { ClusterPasswords(file: layout.passwords) }
        let access = Self.access(layout, passwords, socketDirectory: socketDirectory)
        try await waitUntilPrepared(access, root: layout.root)
        return access
    }

    /// On the first start the other hub makes roles, the database and its extensions only after PostgreSQL accepts
    /// connections; the schema belongs to the owner's role last of all.
    private func waitUntilPrepared(_ access: Access, root: String) async throws {
        let deadline = EventLoop.nowNanoseconds &+ Self.startTimeout.wholeNanoseconds
        let wanted = extensions
        while EventLoop.nowNanoseconds < deadline {
            let isPrepared = try? await Self.withConnection(access.administrator, loop, logger) { connection in
                let row = try await connection.query(
                    """
                    SELECT NOT EXISTS (SELECT FROM unnest($1::text[]) AS wanted (name)
                        JOIN pg_available_extensions a USING (name) WHERE a.installed_version IS NULL) AS prepared
                    """, [.textArray(wanted)]
                ).first
                return try row?.bool("prepared") ?? false
            }
            if isPrepared == true { return }
            await loop.wait(for: Self.pollInterval)
        }
        throw ClusterError.inUse(path: root, processID: nil)
    }

    /// Stops PostgreSQL: everything is written, sessions are ended. Harmless when it does not run.
    /// - Parameter immediately: Does not wait for everything to be written, like a crash: the next start recovers. For
    ///   clusters that are thrown away.
    public func stop(immediately: Bool = false) async {
        // A restart that has begun is finished first: what it started must not be left behind.
        let watch = self.watch
        self.watch = nil
        watch?.cancel()
        await watch?.value
        guard case .running(let postmaster, _) = state else { return }
        state = .busy
        if postmaster.isAlive { immediately ? postmaster.requestImmediateStop() : postmaster.requestStop() }
        if await !waitUntilGone(postmaster) {
            logger.warning("PostgreSQL did not stop within \(Self.stopTimeout): it is stopped at once")
            postmaster.requestImmediateStop()
            _ = await waitUntilGone(postmaster)
        }
        // Outside of the data directory when that has a long path; rmdir takes nothing but an empty directory.
        if let layout, !layout.socketDirectory.hasPrefix(layout.root) { rmdir(layout.socketDirectory) }
        disown()
        state = .stopped
        lock = nil
        logger.info("PostgreSQL stopped")
    }

    /// Lets go of PostgreSQL and leaves it running: the next hub adopts it.
    public func leave() async {
        let watch = self.watch
        self.watch = nil
        watch?.cancel()
        await watch?.value
        guard case .running = state else { return }
        disown()
        state = .stopped
        lock = nil
        logger.info("PostgreSQL is left to the next hub")
    }

    /// After ``leave()``: stops PostgreSQL all the same, unless another hub has adopted it or is about to.
    public func stopUnlessAdopted() async {
        guard case .stopped = state, let layout else { return }
        state = .busy
        lock = try? await workers.run { try ClusterLock(layout) }
        let isMine = lock != nil
        guard isMine, let postmaster = try? await workers.run({ Postmaster.running(layout) }) else {
            state = .stopped
            lock = nil
            return
        }
        state = .running(postmaster, Self.access(layout, nil, socketDirectory: layout.socketDirectory))
        await stop()
    }

    func waitUntilGone(_ postmaster: Postmaster) async -> Bool {
        let deadline = EventLoop.nowNanoseconds &+ Self.stopTimeout.wholeNanoseconds
        while EventLoop.nowNanoseconds < deadline {
            if !postmaster.isAlive { return true }
            await loop.wait(for: Self.pollInterval)
        }
        return !postmaster.isAlive
    }

    // MARK: Starting

    private func begin(bringingBack: Bool) async throws -> Access {
        let (dataDirectory, search) = (dataDirectory, search)
        let found = try await workers.run { try PostgresBinaries.find(search) }
        let layout = try await workers.run { try ClusterLayout.prepare(dataDirectory: dataDirectory) }
        lock = try await workers.run { try ClusterLock(layout) }
        let made = try await workers.run { layout.madeByVersion() }
        guard let binaries = made == nil ? found.first : found.first(where: { $0.version == made }) else {
            throw ClusterError.otherVersion(path: layout.data, made: made ?? 0, found: found.map(\.version))
        }
        // Before anything is written: a damaged cluster is left as it is, with its passwords.
        if made == nil { try await workers.run { try layout.checkData() } }
        let passwords = try await workers.run { try layout.readOrMakePasswords() }
        if made == nil {
            logger.notice("making a PostgreSQL \(binaries.version) cluster in \(layout.root)")
            try await workers.run { try layout.initialise(binaries, passwords) }
        }
        self.layout = layout
        self.binaries = binaries
        let launched = try await launch(layout, binaries)
        let access = Self.access(layout, passwords, socketDirectory: launched.socketDirectory)
        do {
            try await prepareRoles(access, passwords, layout)
            try await findDatabase(access, layout, bringingBack: bringingBack)
            try await prepareDatabase(access, Self.databaseName)
            try Task.checkCancellation()
        } catch {
            await abandon(launched)
            throw error
        }
        state = .running(launched.postmaster, access)
        return access
    }

    /// - Throws: ``ClusterError`` when this process does not run it.
    func requireRunning() throws(ClusterError) -> Access {
        guard case .running(_, let access) = state else { throw .inUse(path: dataDirectory, processID: nil) }
        return access
    }

    // MARK: Watching

    private func checkPostmaster() async {
        guard case .running(let postmaster, let access) = state, let layout, let binaries, !postmaster.isAlive else {
            return
        }
        logger.error("PostgreSQL, process \(postmaster.processID), died: it is started again")
        var backoff: Duration = .milliseconds(100)
        while !Task.isCancelled {
            do {
                state = .running(try await launch(layout, binaries).postmaster, access)
                storageFull.store(false, ordering: .relaxed)
                return
            } catch is CancellationError {
                return
            } catch {
                if case ClusterError.storageFull = error { storageFull.store(true, ordering: .relaxed) }
                logger.error("\(error)")
            }
            await loop.sleep(for: backoff)
            backoff = min(backoff * 2, Self.restartBackoffMax)
        }
    }

    // MARK: Roles and database

    private static func access(
        _ layout: ClusterLayout, _ passwords: ClusterPasswords?, socketDirectory: String
    ) -> Access {
        func configuration(_ role: String) -> PostgresConfiguration {
            PostgresConfiguration(
                socketDirectory: socketDirectory, user: role, database: databaseName, password: passwords?[role])
        }
        return Access(
            owner: configuration(ownerRole), application: configuration(applicationRole),
            administrator: configuration("postgres"), passwordFile: layout.passwords)
    }

    /// Gives the roles their passwords, and has PostgreSQL ask for them from then on.
    private func prepareRoles(
        _ access: Access, _ passwords: ClusterPasswords, _ layout: ClusterLayout
    ) async throws {
        var maintenance = access.administrator
        maintenance.database = "postgres"
        maintenance.queryTimeout = .seconds(120)
        let isTrusting = try await workers.run { layout.isTrusting }
        try await Self.withConnection(maintenance, loop, logger) { [workers] connection in
            try await passwords.give(connection, isTrusting: isTrusting)
            if isTrusting {
                try await workers.run { try layout.demandPasswords() }
                _ = try await connection.query("SELECT pg_reload_conf()")
            }
        }
    }

    /// A missing database beside one that was replaced is no fresh cluster: an empty database in its place would hide the data.
    private func findDatabase(_ access: Access, _ layout: ClusterLayout, bringingBack: Bool) async throws {
        var maintenance = access.administrator
        maintenance.database = "postgres"
        try await Self.withConnection(maintenance, loop, logger) { [logger] connection in
            let names = try await connection.query(
                "SELECT datname::text FROM pg_database WHERE datname = $1 OR datname ^@ $2 ORDER BY datname",
                [.text(Self.databaseName), .text(Self.keptPrefix)]
            ).map { try $0.text("datname") }
            guard !names.contains(Self.databaseName), let newest = names.last else { return }
            guard bringingBack else { throw ClusterError.databaseMissing(path: layout.root, kept: newest) }
            try await connection.script(
                "ALTER DATABASE \(quotedIdentifier(newest)) RENAME TO \(Self.databaseName)")
            logger.notice("the database \(newest) is \(Self.databaseName) again")
        }
    }

    /// Makes a database unless it is there, with the roles' rights and the extensions.
    /// - Parameter access: To that database.
    func prepareDatabase(_ access: Access, _ database: String) async throws {
        var maintenance = access.administrator
        maintenance.database = "postgres"
        maintenance.queryTimeout = .seconds(120)
        try await Self.withConnection(maintenance, loop, logger) { connection in
            let name = PostgresValue.text(database)
            if try await connection.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]).isEmpty {
                // Not within a transaction, so by the simple protocol.
                try await connection.script("CREATE DATABASE \(database) OWNER \(Self.ownerRole)")
            }
        }
        var administrator = access.administrator
        administrator.queryTimeout = .seconds(120)
        try await Self.withConnection(administrator, loop, logger) { [extensions, logger] connection in
            try await connection.script(
                """
                REVOKE ALL ON DATABASE \(database) FROM PUBLIC;
                GRANT CONNECT ON DATABASE \(database) TO \(Self.applicationRole);
                ALTER SCHEMA public OWNER TO \(Self.ownerRole);
                REVOKE CREATE ON SCHEMA public FROM PUBLIC;
                GRANT USAGE ON SCHEMA public TO \(Self.applicationRole)
                """)
            for name in extensions {
                let found = try await connection.query(
                    "SELECT 1 FROM pg_available_extensions WHERE name = $1", [.text(name)])
                if found.isEmpty {
                    logger.warning("the PostgreSQL extension \(name) is not installed")
                } else {
                    do {
                        try await connection.script("CREATE EXTENSION IF NOT EXISTS \(quotedIdentifier(name))")
                    } catch let error as PostgresError where error.isUniqueViolation {
                        // Another hub, killed while it made it, left its session at work: it is there now.
                    }
                }
            }
        }
    }

    static func withConnection<T: Sendable>(
        _ configuration: PostgresConfiguration, _ loop: EventLoop, _ logger: Logger,
        _ body: @Sendable (PostgresConnection) async throws -> T
    ) async throws -> T {
        let connection = try await PostgresConnection.connect(configuration: configuration, loop: loop, logger: logger)
        defer { connection.close() }
        return try await body(connection)
    }
}
