import EventLoop
import Foundation
import Logging
import TestSupport
import Testing

@testable import Postgres

@Suite("The private cluster", .serialized)
struct PrivateClusterTests {
    private let loop = TestDatabase.shared.loop

    @Test(
        "an unreadable process number, as a crash of the machine leaves it, does not hinder a start",
        arguments: ["", "?\n"])
    func unreadableProcessNumber(text: String) async throws {
        let directory = try TestDirectory.make("unreadable")
        let first = PrivateCluster.test(directory)
        _ = try await first.start()
        await first.stop()
        let path = "\(directory)/postgres/data/postmaster.pid"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let log = RecordedLog()
        let second = PrivateCluster.test(directory, logger: log.logger)
        _ = try await second.start()
        #expect(log.lines.contains { $0.contains("removed \(path), which named no process") })
        await second.stop()
    }

    @Test("files without a version are a damaged cluster: nothing is changed, and the message points to the backup")
    func damaged() async throws {
        let directory = try TestDirectory.make("damaged")
        let first = PrivateCluster.test(directory)
        _ = try await first.start()
        await first.stop()
        let data = "\(directory)/postgres/data"
        try "".write(toFile: "\(data)/PG_VERSION", atomically: true, encoding: .utf8)
        // New passwords would lock out whoever mends the cluster.
        try FileManager.default.removeItem(atPath: "\(directory)/postgres/pgpass")
        let before = try FileManager.default.contentsOfDirectory(atPath: data).sorted()
        let error = await #expect(throws: ClusterError.damaged(path: data)) {
            _ = try await PrivateCluster.test(directory).start()
        }
        #expect(error?.description.contains("campanile restore FILE") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: data).sorted() == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(directory)/postgres").allSatisfy {
                !$0.hasPrefix("data.") && $0 != "pgpass"
            })
    }

    @Test("when PostgreSQL is not installed, the message says what to install")
    func binariesMissing() async throws {
        let cluster = PrivateCluster.test(
            try TestDirectory.make("missing"), search: .init(path: ["/nowhere"], distribution: "/nowhere"))
        let error = await #expect(throws: ClusterError.binariesMissing) { _ = try await cluster.start() }
        #expect(
            error?.description
                == "PostgreSQL 15 or newer was not found: install it with apt-get install postgresql-15 "
                + "postgresql-15-postgis-3, or set DATABASE_URL")
        let overridden = PrivateCluster.test(try TestDirectory.make("missing"), search: .init(override: "/nowhere"))
        await #expect(throws: ClusterError.binariesNotThere(directory: "/nowhere")) { _ = try await overridden.start() }
    }

    @Test("a file where the data directory should be is named")
    func notADirectory() async throws {
        let file = try TestDirectory.make("file") + "/data"
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        let error = await #expect(throws: ClusterError.self) {
            _ = try await PrivateCluster.test("\(file)/below").start()
        }
        guard case .notWritable(let path, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(path == "\(file)/below")
    }

    @Test(
        "of what PostgreSQL prints, the reason is told, and a full disk by its name, also when there was no room to print it"
    )
    func diagnosis() {
        func diagnose(_ output: String, roomBytes: UInt64?) -> ClusterError {
            ClusterLayout.diagnose(output, root: "/data", log: "/data/log", roomBytes: roomBytes)
        }
        let full = ClusterError.storageFull(path: "/data")
        let said = "LOG:  starting\nFATAL:  could not write lock file \"postmaster.pid\": No space left on device\n"
        #expect(diagnose(said, roomBytes: 1 << 30) == full)
        #expect(diagnose("", roomBytes: 0) == full)
        #expect(diagnose("LOG:  starting\n", roomBytes: 4_096) == full)
        #expect(diagnose("FATAL:  could not writ", roomBytes: 0) == full)
        let ownership = "LOG:  starting\nFATAL:  data directory has wrong ownership\nHINT:  ask\n"
        for roomBytes in [nil, 0, 1 << 30] as [UInt64?] {
            #expect(
                diagnose(ownership, roomBytes: roomBytes)
                    == .notStarted(reason: "FATAL:  data directory has wrong ownership", log: "/data/log"))
        }
        #expect(diagnose("", roomBytes: 1 << 30) == .notStarted(reason: "it printed no message", log: "/data/log"))
    }

    @Test("a directory that PostgreSQL's user cannot reach is named", .enabled(if: geteuid() == 0))
    func notTraversable() async throws {
        let closed = try TestDirectory.make("closed")
        #expect(chmod(closed, 0o700) == 0)
        let error = await #expect(throws: ClusterError.self) {
            _ = try await PrivateCluster.test("\(closed)/data").start()
        }
        guard case .notTraversable(_, let parent, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(parent == closed)
    }

    @Test("a cluster of another major version is left alone")
    func otherVersion() async throws {
        let directory = try TestDirectory.make("version")
        let data = "\(directory)/postgres/data"
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try "12\n".write(toFile: "\(data)/PG_VERSION", atomically: true, encoding: .utf8)
        let error = await #expect(throws: ClusterError.self) { _ = try await PrivateCluster.test(directory).start() }
        guard case .otherVersion(_, made: 12, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("what is left of an interrupted start does not hinder the next, even in a path too long for a socket")
    func interruptedStart() async throws {
        let directory = try TestDirectory.make("long") + "/" + String(repeating: "long-name", count: 10)
        let unfinished = "\(directory)/postgres/data.new"
        try FileManager.default.createDirectory(atPath: unfinished, withIntermediateDirectories: true)
        try "15\n".write(toFile: "\(unfinished)/PG_VERSION", atomically: true, encoding: .utf8)
        if geteuid() == 0, let user = getpwnam("postgres") {
            #expect(chown(unfinished, user.pointee.pw_uid, user.pointee.pw_gid) == 0)
        }
        let cluster = PrivateCluster.test(directory)
        let access = try await cluster.start()
        #expect((access.owner.host ?? "").utf8.count < 90)
        let pool = PostgresPool(configuration: access.application, loop: loop, logger: TestDatabase.logger)
        let row = try #require(
            try await pool.query(
                """
                SELECT current_user AS role, current_setting('fsync') AS fsync, current_setting('listen_addresses') AS a,
                       current_setting('server_encoding') AS encoding, current_setting('data_checksums') AS checksums
                """
            ).first)
        #expect(try row.text("role") == "campanile")
        #expect(try row.text("fsync") == "on")
        #expect(try row.text("a") == "")
        #expect(try row.text("encoding") == "UTF8")
        #expect(try row.text("checksums") == "on")
        await pool.close()
        await cluster.stop()
        #expect(!FileManager.default.fileExists(atPath: "\(directory)/postgres/data/postmaster.pid"))
        // The socket's directory was outside, and nothing of it remains.
        #expect(!FileManager.default.fileExists(atPath: try #require(access.owner.host)))
    }

    @Test("its owner gone, it goes on and is adopted; two owners at once are refused; gone, it is started again")
    func adoption() async throws {
        let directory = try TestDirectory.make("adopted")
        var first: PrivateCluster? = PrivateCluster.test(directory)
        _ = try await first?.start()
        let processID = try #require(await first?.processID)
        await #expect(throws: ClusterError.inUse(path: "\(directory)/postgres", processID: getpid())) {
            _ = try await PrivateCluster.test(directory).start()
        }
        first = nil

        let second = PrivateCluster.test(directory)
        var access: PrivateCluster.Access?
        // The first owner's watch may hold it for a moment more; the lock tells.
        while access == nil {
            do {
                access = try await second.start()
            } catch ClusterError.inUse {
                await loop.sleep(for: .milliseconds(10))
            }
        }
        #expect(await second.processID == processID)
        // Ctrl-C in the hub's terminal goes to the terminal's session, which this is not.
        #expect(getsid(processID) == processID)

        // Left on purpose, it can be adopted at once.
        await second.leave()
        let third = PrivateCluster.test(directory)
        _ = try await third.start()
        #expect(await third.processID == processID)
        // And is the new one's from then on.
        await second.stopUnlessAdopted()
        second.requestStop()
        #expect(Postmaster(processID: processID).isAlive)

        kill(processID, SIGKILL)
        while await third.processID == processID { await loop.sleep(for: .milliseconds(10)) }
        let pool = PostgresPool(
            configuration: try #require(access).application, loop: loop, logger: TestDatabase.logger)
        try await pool.ping()
        await pool.close()

        // Asked to stop, in order, by one that does not go through the actor; this process has not ended, and misses it.
        let restarted = try #require(await third.processID)
        third.requestStop()
        while await third.processID == restarted { await loop.sleep(for: .milliseconds(10)) }
        let log = try String(contentsOfFile: "\(directory)/postgres/postgres.log", encoding: .utf8)
        #expect(log.contains("received fast shutdown request"))

        // Left, and adopted by nobody.
        let last = try #require(await third.processID)
        await third.leave()
        #expect(Postmaster(processID: last).isAlive)
        await third.stopUnlessAdopted()
        #expect(!Postmaster(processID: last).isAlive)
        #expect(await third.processID == nil)
    }

    @Test("its database gives way to another one at once; without either it does not start")
    func replaced() async throws {
        let directory = try TestDirectory.make("replaced")
        let cluster = PrivateCluster.test(directory)
        let access = try await cluster.start()
        func run(_ sql: String, _ configuration: PostgresConfiguration) async throws -> PostgresRows {
            let connection = try await PostgresConnection.connect(
                configuration: configuration, loop: loop, logger: TestDatabase.logger)
            defer { connection.close() }
            return try await connection.query(sql)
        }
        func tables(_ configuration: PostgresConfiguration) async throws -> [String] {
            try await run(
                "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
                configuration
            ).map { try $0.text("relname") }
        }
        _ = try await run("CREATE TABLE first (id bigint)", access.owner)
        // Of the first one nothing is left when a second one is begun.
        for name in ["interrupted", "second"] {
            _ = try await run("CREATE TABLE \(name) (id bigint)", try await cluster.makeReplacement().owner)
        }
        #expect(try await tables(access.application) == ["first"])
        let kept = cluster.nameForReplacedDatabase()
        try await cluster.putReplacementInPlace(keeping: kept)
        #expect(try await tables(access.application) == ["second"])
        #expect(try await tables(access.database(kept).owner) == ["first"])
        // Without a replacement nothing is renamed.
        await #expect(throws: PostgresError.self) { try await cluster.putReplacementInPlace(keeping: "\(kept)_2") }
        #expect(try await tables(access.application) == ["second"])

        // As a restore of an earlier release left it that was killed between its two steps.
        var maintenance = access.administrator
        maintenance.database = "postgres"
        _ = try await run("DROP DATABASE campanile", maintenance)
        await cluster.stop()
        let next = PrivateCluster.test(directory)
        let error = await #expect(throws: ClusterError.self) { _ = try await next.start() }
        #expect(error?.description.contains("has no database campanile, but \(kept)") == true)
        #expect(error?.description.contains("run campanile restore --replace FILE again") == true)
        let again = try await next.start(restoresReplacedDatabase: true)
        #expect(try await tables(again.application) == ["first"])
        await next.stop()
    }

    @Test("a stale process number, even of a living stranger, does not hinder a start")
    func staleProcessNumber() async throws {
        let directory = try TestDirectory.make("stale")
        let first = PrivateCluster.test(directory)
        _ = try await first.start()
        await first.stop()
        try "\(getppid())\n\(directory)/postgres/data\n0\n5432\n\n\n\nready\n".write(
            toFile: "\(directory)/postgres/data/postmaster.pid", atomically: true, encoding: .utf8)
        let second = PrivateCluster.test(directory)
        _ = try await second.start()
        #expect(await second.processID != getppid())
        await second.stop()
    }

    @Test("killed under a stream of grouped writes, it loses nothing acknowledged, doubles nothing, and comes back")
    func killedUnderWrites() async throws {
        let cluster = PrivateCluster.test(try TestDirectory.make("killed"))
        let access = try await cluster.start()
        let pool = PostgresPool(configuration: access.owner, loop: loop, logger: TestDatabase.logger)
        // No key: a write that happened twice would show.
        _ = try await pool.query("CREATE TABLE points (writer bigint, sequence bigint)")
        let writer = GroupWriter(configuration: access.owner, loop: loop, logger: TestDatabase.logger)
        let log = Shared<(sent: Set<[Int64]>, acknowledged: Set<[Int64]>)>(([], []))
        let killed = Shared(0)
        let outages = Shared(0)

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 as Range<Int64> {
                group.addTask {
                    var sequence: Int64 = 0
                    var acknowledgedAfterLastKill = 0
                    while acknowledgedAfterLastKill < 20 {
                        sequence += 1
                        let point = [number, sequence]
                        log.withLock { _ = $0.sent.insert(point) }
                        do {
                            _ = try await writer.write([
                                PostgresStatement("INSERT INTO points VALUES ($1, $2)", point.map { .int($0) })
                            ])
                            log.withLock { _ = $0.acknowledged.insert(point) }
                            if killed.withLock({ $0 }) == 3 { acknowledgedAfterLastKill += 1 }
                        } catch {
                            guard case PostgresError.unavailable = error else {
                                Issue.record("\(error)")
                                return
                            }
                            outages.withLock { $0 += 1 }
                        }
                    }
                }
            }
            group.addTask {
                while killed.withLock({ $0 }) < 3 {
                    let before = log.withLock { $0.acknowledged.count }
                    while log.withLock({ $0.acknowledged.count }) < before + 500 {
                        await loop.sleep(for: .milliseconds(5))
                    }
                    guard let processID = await cluster.processID else { continue }
                    kill(processID, SIGKILL)
                    while await cluster.processID == processID { await loop.sleep(for: .milliseconds(5)) }
                    killed.withLock { $0 += 1 }
                }
            }
        }

        let rows = try await pool.query("SELECT writer, sequence, count(*) AS n FROM points GROUP BY 1, 2")
        var stored: Set<[Int64]> = []
        for row in rows {
            stored.insert([try row.int("writer"), try row.int("sequence")])
            #expect(try row.int("n") == 1)
        }
        let (sent, acknowledged) = log.withLock { $0 }
        #expect(acknowledged.subtracting(stored).isEmpty)
        #expect(stored.subtracting(sent).isEmpty)
        #expect(acknowledged.count > 1500)
        #expect(outages.withLock { $0 } > 0)
        await writer.close()
        await pool.close()
        await cluster.stop()
    }
}
