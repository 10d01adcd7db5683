import COpenSSL
import Foundation
import WebSocket

/// A Campanile of its own for a measurement: its own port, database and, if asked for, certificate.
final class MeasuredServer {
    let process: MeasuredProcess
    let port: UInt16
    let directory: String
    private(set) var tls: LoadSocket.TLS?

    /// - Parameters:
    ///   - arguments: More options for `campanile serve`.
    ///   - descriptorsMax: Its limit of open files; nil for this process's own.
    init(_ options: BenchOptions, arguments: [String] = [], descriptorsMax: Int? = nil) throws {
        directory = NSTemporaryDirectory() + "campanile-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        // PostgreSQL, which does not run as root, must reach its files below.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
        var all = [
            "serve", "--port", "0", "--data", directory + "/data", "--loops", "\(options.loops)", "--test-endpoints",
        ]
        if options.tls {
            let files = try Self.makeCertificate(in: directory)
            all += ["--tls-certificate", files.certificate, "--tls-key", files.key]
            tls = try Self.clientTLS()
        }
        process = try MeasuredProcess(
            all + arguments, environment: ["CAMPANILE_LOG_LEVEL": "error"], isPinned: options.loops == 1,
            descriptorsMax: descriptorsMax)
        port = try process.readPort()
    }

    /// Ends the server and removes its data.
    func stop() {
        process.stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The server's certificate is its own, for this run only: it is not verified.
    static func clientTLS() throws -> LoadSocket.TLS {
        guard let context = SSL_CTX_new(TLS_client_method()) else {
            throw BenchError(description: "OpenSSL makes no context")
        }
        SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
        return LoadSocket.TLS(context: context)
    }

    private static func makeCertificate(in directory: String) throws -> (certificate: String, key: String) {
        let (certificate, key) = (directory + "/cert.pem", directory + "/key.pem")
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        return (certificate, key)
    }
}

/// The floor in a process of its own.
final class MeasuredFloor {
    let process: MeasuredProcess
    let port: UInt16

    init(messageBytesIn: Int, messageBytesOut: Int) throws {
        process = try MeasuredProcess(["bench-floor", "\(messageBytesIn)", "\(messageBytesOut)"], isPinned: true)
        port = try process.readPort()
    }

    func stop() { process.stop() }
}

/// What the client sends: the same message again and again.
enum LoadMessage {
    /// A masked text frame of printable characters.
    static func frame(payloadBytes: Int) -> [UInt8] {
        let payload = (0..<payloadBytes).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        return FrameEncoder.text(payload, mask: 0x5A17_C3E4)
    }

    /// Bytes of the same message from a server.
    static func serverFrameBytes(payloadBytes: Int) -> Int {
        FrameEncoder.text([UInt8](repeating: 0, count: payloadBytes)).count
    }
}
