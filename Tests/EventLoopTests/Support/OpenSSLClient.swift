import Foundation

/// `openssl s_client`: another implementation's flags, for what our own client never offers.
enum OpenSSLClient {
    /// Connects, says nothing and ends.
    /// - Returns: All that it printed.
    static func run(port: UInt16, _ arguments: [String]) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try blocking(port, arguments) }) }
        }
    }

    private static func blocking(_ port: UInt16, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = ["s_client", "-connect", "127.0.0.1:\(port)"] + arguments
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
