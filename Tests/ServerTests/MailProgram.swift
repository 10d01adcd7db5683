import EventLoop
import Foundation
import TestSupport

/// A `campanile serve` of one's own over a test's database, with a mail server.
struct MailProgram {
    let process: RunningProgram

    init(_ server: TestServer, mail: TestPython) async throws {
        // SwiftPM builds it beside the tests.
        let program = TestServer.root.appendingPathComponent(".build/debug/campanile")
        process = try await Spawner.shared.start(
            [
                program.path, "serve", "--data", try TestDirectory.make("program"), "--port", "0",
                "--mail-url", "smtp+plain://localhost:\(mail.port)", "--mail-from", "campus@example.org",
                "--public-url", "https://campus.example",
            ],
            environment: [
                "DATABASE_URL": server.databaseURL, "CAMPANILE_OWNER_DATABASE_URL": server.ownerDatabaseURL,
            ])
    }

    func kill() async {
        process.signal(SIGKILL)
        _ = try? await eventually("it is gone") { process.isRunning ? nil : true }
    }
}
