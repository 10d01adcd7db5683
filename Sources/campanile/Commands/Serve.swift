import ArgumentParser
import Dispatch
import Foundation
import Server

/// `campanile serve`.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server until it is told to stop (Ctrl-C, SIGTERM).",
        discussion: """
            Without DATABASE_URL a private PostgreSQL is started in the data directory. The schema is brought up to date
            first. The web app is at /, the WebSocket at /ws, POST /rpc takes the same requests, /healthz and /readyz
            tell a supervisor how it is.
            """)

    @OptionGroup var data: DataOptions
    @OptionGroup var listen: ListenOptions

    func run() async throws {
        do {
            var configuration = try data.configuration()
            try listen.apply(to: &configuration)
            let server = try await CampanileServer.start(configuration)
            Terminal.say("Campanile listens on \(server.url)")
            if try await server.campusStore.version() == 0 {
                Terminal.say("No campus yet: campanile import FILE (OpenStreetMap extract or GeoJSON zones)")
            }
            await StopSignal.wait()
            Terminal.say("Stopping")
            await server.stop()
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CampanileServer {
    /// What to open in a browser.
    var url: String {
        let host = ["0.0.0.0", "::"].contains(address.host) ? "localhost" : address.host
        return "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(address.port)/"
    }
}

/// SIGINT and SIGTERM as something to wait for.
enum StopSignal {
    /// Returns at the first of the two. A second one ends the process at once.
    static func wait() async {
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: .global())
        }
        await withCheckedContinuation { continuation in
            let once = Once { continuation.resume() }
            for source in sources {
                // The handler holds the sources: nothing else does, and an optimised build would let go of them here.
                source.setEventHandler { withExtendedLifetime(sources) { once.run(orElse: { _exit(130) }) } }
                source.activate()
            }
        }
    }

    private final class Once: @unchecked Sendable {
        // Only the first run takes the body out, under the lock.
        private let lock = NSLock()
        private var body: (() -> Void)?

        init(_ body: @escaping () -> Void) { self.body = body }

        func run(orElse other: () -> Void) {
            lock.lock()
            let first = body
            body = nil
            lock.unlock()
            if let first { first() } else { other() }
        }
    }
}
