import EventLoop
import Foundation
import Glibc
import Postgres
import TestSupport
import Testing

/// `campanile serve` where something is in its way.
@Suite("A start that cannot go on")
struct StartFaultTests {
    /// A program that runs, and what it prints.
    private final class Program: Sendable {
        let processID: pid_t
        private let output: String

        init(_ arguments: [String], _ environment: [String: String], limits: [String] = []) throws {
            output = try TestDirectory.make("output") + "/log"
            let descriptor = open(output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            defer { close(descriptor) }
            let program = TestServer.root.appendingPathComponent(".build/debug/campanile").path
            let all = ["CAMPANILE_RESOURCES": TestServer.root.path, "HOME": "/nonexistent"].merging(environment) { $1 }
            processID = try ChildProcess.spawn(limits + [program] + arguments, output: descriptor, environment: all)
        }

        deinit { kill(processID, SIGKILL) }

        var text: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }

        func waitFor(_ words: String) async throws {
            _ = try await eventually(words) { self.text.contains(words) ? true : nil }
        }

        /// Its exit code.
        func end() async throws -> Int32 {
            var status: Int32 = 0
            _ = try await eventually("the end of \(text)") {
                waitpid(self.processID, &status, WNOHANG) == self.processID ? true : nil
            }
            return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
        }
    }

    private func serve(
        _ access: PrivateCluster.Access, _ options: [String] = [], limits: [String] = []
    ) throws -> Program {
        try Program(
            ["serve", "--port", "0", "--data", try TestDirectory.make("serve")] + options,
            ["DATABASE_URL": access.databaseURL, "CAMPANILE_OWNER_DATABASE_URL": access.ownerDatabaseURL],
            limits: limits)
    }

    @Test("Told to stop while it waits for a lock, it has said what it waits for, and ends in order")
    func lock() async throws {
        let access = try await TestDatabase.shared.makeDatabase()
        let holder = try await PostgresConnection.connect(
            configuration: access.owner, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
        defer { holder.close() }
        try await holder.script(
            "CREATE TABLE schema_migrations (version bigint, name text, checksum text, applied_at timestamptz)")
        _ = try await holder.query("BEGIN")
        _ = try await holder.query("LOCK TABLE schema_migrations")
        let program = try serve(access)
        try await program.waitFor("still waiting for")
        kill(program.processID, SIGTERM)
        #expect(try await program.end() == 0)
        #expect(program.text.contains("Stopping"))
        #expect(!program.text.contains("campanile: "), "no failure: \(program.text)")
    }

    @Test("Told to stop as soon as it listens, it stops without a warning")
    func shortLife() async throws {
        let program = try serve(try await TestDatabase.shared.makeDatabase())
        try await program.waitFor("Campanile listens on")
        kill(program.processID, SIGTERM)
        #expect(try await program.end() == 0)
        #expect(!program.text.contains(" warning ") && !program.text.contains(" error "), "\(program.text)")
    }

    @Test("Without memory for its threads, it says so and ends")
    func threads() async throws {
        let program = try serve(
            try await TestDatabase.shared.makeDatabase(), limits: ["/usr/bin/prlimit", "--as=307200000", "--"])
        #expect(try await program.end() != 0)
        #expect(program.text.contains("threads could be started"), "\(program.text)")
    }

    @Test("Many loops need more threads than a few do: without memory for them it says so and ends")
    func threadsOfLoops() async throws {
        let limits = ["/usr/bin/prlimit", "--as=1000000000", "--"]
        let program = try serve(try await TestDatabase.shared.makeDatabase(), ["--loops", "64"], limits: limits)
        #expect(try await program.end() == 69)
        #expect(program.text.contains("threads could be started"), "\(program.text)")
    }

    @Test("A backup that is told to stop ends pg_dump with it, and leaves no file", arguments: [SIGINT, SIGTERM])
    func backup(signal: Int32) async throws {
        let server = try await TestServer.start()
        let access = server.access
        await server.stop()
        let holder = try await server.database()
        defer { holder.close() }
        _ = try await holder.query("BEGIN")
        _ = try await holder.query("LOCK TABLE accounts")
        let directory = try TestDirectory.make("stopped")
        let program = try Program(
            ["backup", "\(directory)/campanile.dump"],
            ["DATABASE_URL": access.databaseURL, "CAMPANILE_OWNER_DATABASE_URL": access.ownerDatabaseURL])
        let watcher = try await server.database()
        defer { watcher.close() }
        func dumps(_ condition: String) async throws -> Int64 {
            try await watcher.query(
                """
                SELECT count(*) AS n FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'pg_dump' \(condition)
                """
            ).first?.int("n") ?? 0
        }
        _ = try await eventually("pg_dump waits for the table") {
            try await dumps("AND wait_event_type = 'Lock'") == 1 ? true : nil
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 1)
        kill(program.processID, signal)
        #expect(try await program.end() == 75)
        #expect(program.text.contains("backup was interrupted"), "\(program.text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
        // Its session is gone although the table is still locked.
        _ = try await eventually("no pg_dump is left") { try await dumps("") == 0 ? true : nil }
    }

    @Test("Without PostGIS in its database, it names the extension and the command that adds it, at once")
    func postgis() async throws {
        let access = try await TestDatabase.shared.makeDatabase()
        let administrator = try await PostgresConnection.connect(
            configuration: access.administrator, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
        try await administrator.script("DROP EXTENSION postgis CASCADE")
        administrator.close()
        let program = try serve(access)
        #expect(try await program.end() == 69)
        let name = access.owner.database ?? ""
        #expect(
            program.text.contains(
                "the database \(name) lacks the extension postgis: as a superuser, run: psql -d \(name) -c 'CREATE EXTENSION postgis'"
            ),
            "\(program.text)")
    }
}
