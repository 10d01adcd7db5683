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
    /// Longest delay between two launches of a postmaster that died. `launch` itself repeats attempts that fail for a transient reason,
    /// after `retryDelay`.
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
    let extensions: [String]
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
        logger.info("PostgreSQL is left to the next server")
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
        logger.error("PostgreSQL, process \(postmaster.processID), died and is started again")
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
}
