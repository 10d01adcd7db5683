import COpenSSL
import Foundation
import WebSocket

/// A Campanile of its own for a measurement: its own port, database and, if asked for, certificate.
final class MeasuredServer {
    /// The one that was started last.
    private(set) var process: MeasuredProcess
    let port: UInt16
    let directory: String
    private(set) var tls: LoadSocket.TLS?
    /// Those before it, which should have ended.
    private var earlier: [MeasuredProcess] = []
    /// Of every start but for the port.
    private let arguments: [String]
    private let environment: [String: String]
    private let launcher: [String]

    /// - Parameters:
    ///   - arguments: More options for `campanile serve`.
    ///   - environment: Variables that it gets besides this process's own.
    ///   - descriptorsMax: Its limit of open files; nil for this process's own.
    ///   - isPinned: Whether it has a core of its own, and its PostgreSQL with it; by default when it has one loop.
    ///   - launcher: A command that becomes the server, as for ``MeasuredProcess``.
    ///   - directory: Where its files are made; nil makes a directory for them.
    init(
        _ options: BenchOptions, arguments: [String] = [], environment: [String: String] = [:],
        descriptorsMax: Int? = nil, isPinned: Bool? = nil, launcher: [String] = [], directory: String? = nil
    ) throws {
        self.launcher = launcher
        let directory = directory ?? NSTemporaryDirectory() + "campanile-bench-\(UUID().uuidString)"
        self.directory = directory
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        // PostgreSQL, which does not run as root, must reach its files below.
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

    /// Starts the server once more with the same data, on the same port. Blocks only to start the process: call
    /// ``MeasuredProcess/readPort()`` to wait until it listens.
    /// - Parameter arguments: More options, such as `--take-over`.
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

    /// Ends the server and removes its data.
    func stop() {
        process.stop()
        for process in earlier where process.isRunning { process.stop() }
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
        process = try MeasuredProcess(["floor", "\(messageBytesIn)", "\(messageBytesOut)"], of: .floor, isPinned: true)
        port = try process.readPort()
    }

    func stop() { process.stop() }
}

/// What the client sends: the same message again and again.
struct LoadMessage {
    /// The value of Sec-WebSocket-Extensions to offer; nil for none. Without context each message is the same on the wire.
    let offer: String?
    /// One masked text frame.
    let frame: [UInt8]
    /// Bytes of the same message from a server that does not compress.
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

    /// Text like that of the product: positions as JSON, with numbers that differ.
    private static func payload(bytes: Int) -> [UInt8] {
        var text = "["
        var number: UInt32 = 12_345
        while text.utf8.count < bytes {
            number = number &* 1_664_525 &+ 1_013_904_223
            text += "{\"session\":\(number >> 12),\"lat\":-8.05\(number >> 16),\"lon\":-34.95\(number & 0xFFFF)},"
        }
        return Array(text.utf8.prefix(bytes))
    }

    /// As a client would that agreed on the offer.
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
        // Without context both sides' agreements are the same.
        var client = WebSocketConnection(role: .client, deflate: deflate)
        return client.textFrame(payload)
    }
}
