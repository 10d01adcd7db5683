import EventLoop
import Glibc
import Logging
import Synchronization

/// A PostgreSQL cluster that the server creates, starts, watches and stops itself. It is reachable only through a Unix socket.
///
/// The cluster uses the distribution's binaries, so it is the same engine as in production, with durable settings. PostgreSQL runs
/// as the server's user; if that is root, as the user `postgres`. It has a session of its own, so it survives a kill of the server
/// and the next server process adopts it. The actor restarts a postmaster that dies.
///
/// Only the cluster's user can enter its directory (mode 0700), and every role needs a password, which is in a file there. A
/// program of the same user that cannot read files, such as an image decoder, therefore cannot log in through the socket.
///
/// The actor runs blocking steps on `workers`.
public actor PrivateCluster {
    /// Maximum time for a start, which includes replaying the write-ahead log after a crash.
    static let startTimeout: Duration = .seconds(300)
    /// Maximum time for a fast shutdown. An immediate shutdown follows.
    static let stopTimeout: Duration = .seconds(60)
    /// Interval between two checks of the postmaster's process.
    static let watchInterval: Duration = .milliseconds(200)
    static let pollInterval: Duration = .milliseconds(25)
    static let restartBackoffMax: Duration = .seconds(10)

    /// Name of the cluster's database.
    public static let databaseName = "campanile"
    /// The role that owns the schema and migrates it.
    public static let ownerRole = "campanile_owner"
    /// The server's role, which owns nothing.
    public static let applicationRole = "campanile"

    /// Connection settings of a database, for each role.
    public struct Access: Sendable {
        /// Settings of the role that owns the schema, for migrations.
        public let owner: PostgresConfiguration
        /// Settings of the server's role.
        public let application: PostgresConfiguration
        /// Settings of the superuser, for operations such as creating databases; not for the server.
        public let administrator: PostgresConfiguration
        /// Path of the file with the roles' passwords, in the format of `PGPASSFILE`.
        public let passwordFile: String

        /// Settings of the same roles for another database of the cluster.
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
    ///   - dataDirectory: The server's data directory, created if missing. The cluster is in its subdirectory `postgres`.
    ///   - loop: The loop for the connections that set up roles and the database.
    ///   - workers: Threads for blocking steps.
    ///   - search: Directories to search for PostgreSQL.
    ///   - extensions: Extensions to create in the database if they are installed.
    ///   - logger: Receives starts, stops and crashes.
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

    /// Whether PostgreSQL cannot run because the disk is full. Callable from any thread.
    public nonisolated var isStorageFull: Bool { storageFull.load(ordering: .relaxed) }

    deinit {
        // PostgreSQL keeps running. Releasing the lock lets another owner adopt it.
        watch?.cancel()
        disown()
    }

    /// The postmaster's process ID, or nil if none is running.
    public var processID: Int32? {
        if case .running(let postmaster, _) = state { postmaster.processID } else { nil }
    }

    /// Creates the cluster at its first use, starts or adopts PostgreSQL, and prepares roles, database and extensions.
    /// - Parameter restoresReplacedDatabase: Whether to rename the newest replaced database back if the cluster's database is missing.
    /// - Throws: ``ClusterError``; ``PostgresError`` if the preparation fails; `CancellationError`, after stopping a PostgreSQL
    ///   that this call started. Creating a cluster takes some seconds and is not cancellable.
    public func start(restoresReplacedDatabase: Bool = false) async throws -> Access {
        switch state {
        case .running(_, let access): return access
        case .busy: throw ClusterError.inUse(path: dataDirectory, processID: getpid())
        case .stopped: break
        }
        state = .busy
        do {
            let access = try await begin(restoresReplacedDatabase: restoresReplacedDatabase)
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

    /// Connection settings of a cluster that another server process runs and owns, for commands beside a running server.
    /// ``stop(immediately:)`` does nothing to it.
    /// - Throws: ``ClusterError``: `inUse` while the other process starts or stops the cluster.
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

    /// Waits until the other process has prepared the cluster. On the first start, it creates roles, the database and, last, its
    /// extensions after PostgreSQL accepts connections.
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

    /// Stops PostgreSQL with a fast shutdown, which ends sessions and writes all data. Does nothing if it is not running.
    /// - Parameter immediately: Stops without writing all data, as in a crash, so the next start recovers. For disposable clusters.
    public func stop(immediately: Bool = false) async {
        // Wait for a restart in progress, so that its new postmaster is stopped too.
        let watch = self.watch
        self.watch = nil
        watch?.cancel()
        await watch?.value
        guard case .running(let postmaster, _) = state else { return }
        state = .busy
        if postmaster.isAlive { immediately ? postmaster.requestImmediateStop() : postmaster.requestStop() }
        if await !waitUntilGone(postmaster) {
            logger.warning("PostgreSQL did not stop within \(Self.stopTimeout): stopping it immediately")
            postmaster.requestImmediateStop()
            _ = await waitUntilGone(postmaster)
        }
        // The socket directory is elsewhere if the data directory's path is too long. rmdir removes only an empty directory.
        if let layout, !layout.socketDirectory.hasPrefix(layout.root) { rmdir(layout.socketDirectory) }
        disown()
        state = .stopped
        lock = nil
        logger.info("PostgreSQL stopped")
    }

    /// Gives up ownership and leaves PostgreSQL running for the next server process.
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

    /// Stops PostgreSQL after ``leave()``, unless another process holds the cluster's lock.
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

    // MARK: Start

    private func begin(restoresReplacedDatabase: Bool) async throws -> Access {
        let (dataDirectory, search) = (dataDirectory, search)
        let found = try await workers.run { try PostgresBinaries.find(search) }
        let layout = try await workers.run { try ClusterLayout.prepare(dataDirectory: dataDirectory) }
        lock = try await workers.run { try ClusterLock(layout) }
        let made = try await workers.run { layout.majorVersion() }
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
            try await findDatabase(access, layout, restoresReplacedDatabase: restoresReplacedDatabase)
            try await prepareDatabase(access, Self.databaseName)
            try Task.checkCancellation()
        } catch {
            await abandon(launched)
            throw error
        }
        state = .running(launched.postmaster, access)
        return access
    }

    /// - Throws: ``ClusterError`` if this process does not run the cluster.
    func requireRunning() throws(ClusterError) -> Access {
        guard case .running(_, let access) = state else { throw .inUse(path: dataDirectory, processID: nil) }
        return access
    }

    // MARK: Supervision

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

    /// Creates the roles with their passwords, and switches a cluster of an older release from trust to password authentication.
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
                try await workers.run { try layout.requirePasswords() }
                _ = try await connection.query("SELECT pg_reload_conf()")
            }
        }
    }

    /// If the cluster's database is missing and a replaced one exists, renames that back or throws. An empty database would hide
    /// the data.
    private func findDatabase(_ access: Access, _ layout: ClusterLayout, restoresReplacedDatabase: Bool) async throws {
        var maintenance = access.administrator
        maintenance.database = "postgres"
        try await Self.withConnection(maintenance, loop, logger) { [logger] connection in
            let names = try await connection.query(
                "SELECT datname::text FROM pg_database WHERE datname = $1 OR datname ^@ $2 ORDER BY datname",
                [.text(Self.databaseName), .text(Self.replacedDatabasePrefix)]
            ).map { try $0.text("datname") }
            guard !names.contains(Self.databaseName), let newest = names.last else { return }
            guard restoresReplacedDatabase else { throw ClusterError.databaseMissing(path: layout.root, kept: newest) }
            try await connection.script(
                "ALTER DATABASE \(quotedIdentifier(newest)) RENAME TO \(Self.databaseName)")
            logger.notice("the database \(newest) is \(Self.databaseName) again")
        }
    }

    /// Creates a database if it does not exist, and sets the roles' privileges and the extensions.
    /// - Parameter access: Connection settings of that database.
    func prepareDatabase(_ access: Access, _ database: String) async throws {
        var maintenance = access.administrator
        maintenance.database = "postgres"
        maintenance.queryTimeout = .seconds(120)
        try await Self.withConnection(maintenance, loop, logger) { connection in
            let name = PostgresValue.text(database)
            if try await connection.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]).isEmpty {
                // The simple protocol, because CREATE DATABASE cannot run in a transaction.
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
                        // The session of a killed server process has created the extension meanwhile.
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
