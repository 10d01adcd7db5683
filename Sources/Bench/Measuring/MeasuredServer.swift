import COpenSSL
import EventLoop
import Foundation
import WebSocket

/// A Campanile server for a measurement, with its own port, database and, on request, certificate.
final class MeasuredServer {
    /// The process that was started last.
    private(set) var process: MeasuredProcess
    let port: UInt16
    let directory: String
    private(set) var tls: LoadSocket.TLS?
    /// Earlier processes, which should have ended.
    private var earlier: [MeasuredProcess] = []
    /// Arguments of every start, without the port.
    private let arguments: [String]
    private let environment: [String: String]
    private let launcher: [String]

    /// - Parameters:
    ///   - arguments: Further options for `campanile serve`.
    ///   - environment: Variables in addition to this process's own.
    ///   - descriptorsMax: Its limit of open files; nil for this process's own.
    ///   - isPinned: Whether the server and its PostgreSQL have a core of their own; by default with one loop only.
    ///   - launcher: A command that executes the server, as for ``MeasuredProcess``.
    ///   - directory: Directory for its files; nil creates one.
    init(
        _ options: BenchOptions, arguments: [String] = [], environment: [String: String] = [:],
        descriptorsMax: Int? = nil, isPinned: Bool? = nil, launcher: [String] = [], directory: String? = nil
    ) throws {
        self.launcher = launcher
        let directory = directory ?? NSTemporaryDirectory() + "campanile-bench-\(UUID().uuidString)"
        self.directory = directory
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        // PostgreSQL does not run as root and must reach its files below.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
        var all = ["serve", "--data", directory + "/data", "--loops", "\(options.loops)", "--test-endpoints"]
        if options.tls {
            let files = try Self.makeCertificate(in: directory)
            all += ["--tls-certificate", files.certificate, "--tls-key", files.key]
            tls = try Self.clientTLS()
        }
        self.arguments = all + arguments
        self.environment = environment
        process = try Self.launch(
            self.arguments + ["--port", "0"], environment, isPinned: isPinned ?? (options.loops == 1),
            descriptorsMax: descriptorsMax, launcher: launcher)
        port = try process.readPort()
    }

    /// Starts the server again with the same data and port. Blocks only until the process has started. To wait until it
    /// listens, call ``MeasuredProcess/readPort()``.
    /// - Parameter arguments: Further options, such as `--take-over`.
    func startAgain(_ arguments: [String] = []) throws {
        earlier.append(process)
        process = try Self.launch(
            self.arguments + ["--port", "\(port)"] + arguments, environment, isPinned: false, launcher: launcher)
    }

    private static func launch(
        _ arguments: [String], _ environment: [String: String], isPinned: Bool, descriptorsMax: Int? = nil,
        launcher: [String] = []
    ) throws -> MeasuredProcess {
        try MeasuredProcess(
            arguments, environment: environment.merging(["CAMPANILE_LOG_LEVEL": "error"]) { $1 }, isPinned: isPinned,
            descriptorsMax: descriptorsMax, launcher: launcher)
    }

    func stop() {
        process.stop()
        for process in earlier where process.isRunning { process.stop() }
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// A client context without verification, because the server's certificate is self-signed for this run.
    static func clientTLS() throws -> LoadSocket.TLS {
        guard let context = SSL_CTX_new(TLS_client_method()) else {
            throw BenchError(description: "OpenSSL makes no context")
        }
        SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
        return LoadSocket.TLS(context: context)
    }

    private static func makeCertificate(in directory: String) throws -> (certificate: String, key: String) {
        let (certificate, key) = (directory + "/cert.pem", directory + "/key.pem")
        _ = try ChildProcess.run([
            "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
        ])
        return (certificate, key)
    }
}

/// The baseline server in a process of its own.
final class MeasuredFloor {
    let process: MeasuredProcess
    let port: UInt16

    init(messageBytesIn: Int, messageBytesOut: Int) throws {
        process = try MeasuredProcess(["floor", "\(messageBytesIn)", "\(messageBytesOut)"], of: .floor, isPinned: true)
        port = try process.readPort()
    }

    func stop() { process.stop() }
}

/// The message that the client sends repeatedly.
struct LoadMessage {
    /// The value of Sec-WebSocket-Extensions to offer; nil for none. Without context takeover, each message is
    /// identical on the wire.
    let offer: String?
    /// One masked text frame.
    let frame: [UInt8]
    /// Length of the same message from a server that does not compress.
    let serverFrameBytes: Int

    init(_ options: BenchOptions) {
        let payload = Self.payload(bytes: options.messageBytes)
        serverFrameBytes = FrameEncoder.text(payload).count
        guard options.deflate else {
            offer = nil
            frame = FrameEncoder.text(payload, mask: 0x5A17_C3E4)
            return
        }
        let offered = "permessage-deflate; client_no_context_takeover; server_no_context_takeover"
        offer = offered
        frame = Self.compressed(payload, offer: offered)
    }

    /// Text that resembles the product's data: positions as JSON, with varying numbers.
    private static func payload(bytes: Int) -> [UInt8] {
        var text = "["
        var number: UInt32 = 12_345
        while text.utf8.count < bytes {
            number = number &* 1_664_525 &+ 1_013_904_223
            text += "{\"session\":\(number >> 12),\"lat\":-8.05\(number >> 16),\"lon\":-34.95\(number & 0xFFFF)},"
        }
        return Array(text.utf8.prefix(bytes))
    }

    /// The frame of a client after the negotiation of the offer.
    private static func compressed(_ payload: [UInt8], offer: String) -> [UInt8] {
        var request = HTTPRequest(method: "GET", target: "/", path: "/")
        request.headers = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Extensions": offer,
        ]
        request.isWebSocketUpgrade = true
        let plain = FrameEncoder.text(payload, mask: 0x5A17_C3E4)
        guard
            case .accept(_, _, let deflate) = ServerHandshake.respond(
                to: request, subprotocols: [], deflate: DeflateConfiguration())
        else { return plain }
        // Without context takeover both sides' agreements are the same.
        var client = WebSocketConnection(role: .client, deflate: deflate)
        return client.textFrame(payload)
    }
}
