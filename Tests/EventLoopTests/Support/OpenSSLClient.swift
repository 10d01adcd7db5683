import EventLoop
import TestSupport

/// `openssl s_client`: another implementation's flags, for what our own client never offers.
enum OpenSSLClient {
    /// Connects, says nothing and ends.
    /// - Returns: All that it printed.
    static func run(port: UInt16, _ arguments: [String]) async throws -> String {
        try await longWork {
            try ChildProcess.run(["/usr/bin/openssl", "s_client", "-connect", "127.0.0.1:\(port)"] + arguments).output
        }
    }
}
