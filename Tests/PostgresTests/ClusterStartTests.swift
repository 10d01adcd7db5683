import EventLoop
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Postgres

@Suite("The start of the private cluster", .serialized)
struct ClusterStartTests {
    /// A PostgreSQL whose server is a script.
    /// - Parameter script: What `postgres` does, but tell its version.
    private func binaries(_ script: String) throws -> PostgresBinaries.Search {
        let real = try #require(try PostgresBinaries.find(.environment).first)
        let directory = try TestDirectory.make("binaries")
        for (name, text) in [
            ("initdb", "exec \(real.initdb) \"$@\""),
            ("postgres", "[ \"$1\" = --version ] && exec \(real.postgres) --version\n\(script)"),
        ] {
            // Written by another program: a test that starts one meanwhile would keep the file open, and Linux runs no open file.
            let made = try ChildProcess.run([
                "/bin/sh", "-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$2\" && chmod 755 \"$2\"", "sh", text,
                "\(directory)/\(name)",
            ])
            #expect(made.status == 0, "\(made.output)")
        }
        #expect(chmod(directory, 0o755) == 0)
        return .init(override: directory)
    }

    @Test(
        "a start that does not get on says within seconds what PostgreSQL says, and ends when it is cancelled",
        arguments: [
            #"echo 'FATAL:  lock file "postmaster.pid" is empty' >&2; exit 1"#,
            #"echo 'LOG:  could not open the lock file of the recovery' >&2; exec sleep 1000"#,
        ])
    func cancelled(script: String) async throws {
        let directory = try TestDirectory.make("waiting")
        let first = PrivateCluster.test(directory)
        _ = try await first.start()
        await first.stop()
        let log = RecordedLog()
        let second = PrivateCluster.test(directory, search: try binaries(script), logger: log.logger)
        let ended = Mutex<(any Error)?>(nil)
        let start = Task {
            do {
                return try await second.start()
            } catch {
                ended.withLock { $0 = error }
                throw error
            }
        }
        // The tests share two workers, and others make clusters meanwhile.
        _ = try await eventually("PostgreSQL's words", within: .seconds(240)) {
            if let error = ended.withLock({ $0 }) { throw error }
            return log.lines.contains { $0.contains("waiting for PostgreSQL for") && $0.contains("lock file") }
                ? true : nil
        }
        start.cancel()
        await #expect(throws: CancellationError.self) { _ = try await start.value }
        // Nothing is left behind: the directory can be used at once.
        let third = PrivateCluster.test(directory)
        _ = try await third.start()
        await third.stop()
    }

    @Test("the lock is free at once although a program that is being started has a copy of its descriptor")
    func copiedLock() throws {
        let layout = try ClusterLayout.prepare(dataDirectory: TestDirectory.make("lock"))
        var lock: ClusterLock? = try ClusterLock(layout)
        let copy = dup(try #require(lock?.descriptor))
        defer { close(copy) }
        #expect(throws: ClusterError.self) { try ClusterLock(layout) }
        lock = nil
        lock = try ClusterLock(layout)
    }
}
