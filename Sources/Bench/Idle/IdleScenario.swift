import Foundation
import WebSocket

/// Measures the memory and CPU cost of thousands of signed-in connections that only answer pings.
struct IdleScenario {
    /// Connections before the measurement, so that one-time costs are not counted.
    private static let warmUp = 200
    /// Pause before each memory reading.
    private static let settleSeconds = 3.0

    private let options: BenchOptions
    private let connections: Int

    init(_ options: BenchOptions) {
        self.options = options
        connections = options.connections ?? 18_000
    }

    func run() async throws -> BenchReport {
        let server = try MeasuredServer(options)
        defer { server.stop() }
        try await Self.makeAccounts(connections + Self.warmUp, dataDirectory: server.directory + "/data")
        let load = LoadLoop()
        var sockets: [LoadSocket] = []
        for index in 0..<Self.warmUp { sockets.append(try connect(index, server, load)) }
        rest(load, Self.settleSeconds)
        let before = server.process.privateBytes
        let connectStart = LoadLoop.now
        for index in Self.warmUp..<Self.warmUp + connections { sockets.append(try connect(index, server, load)) }
        let connectSeconds = Double(LoadLoop.now - connectStart) / 1e9
        rest(load, Self.settleSeconds)
        let loaded = server.process.privateBytes
        let idle = Measurement.around(server.process) { _ in rest(load, options.idleSeconds) }
        let after = server.process.privateBytes
        var report = BenchReport(
            scenario: "idle", conditions: options.conditions("\(connections) signed-in connections"))
        report.add("still open", Double(sockets.count { !$0.hasEnded }), "connections")
        report.add("private memory per connection, just connected", Double(loaded - before) / Double(connections), "B")
        report.add("private memory per connection, after the rest", Double(after - before) / Double(connections), "B")
        report.add("private memory of the server before", Double(before) / 1e6, "MB")
        report.add("private memory of the server after", Double(after) / 1e6, "MB")
        report.add("watched for", idle.seconds, "s")
        report.add("server CPU while idle, pings on", idle.serverUse * 100, "% of a core")
        report.add("connecting and signing in, one after the other", Double(connections) / connectSeconds, "/s")
        if sockets.contains(where: \.hasEnded) { report.remarks.append("connections were lost") }
        return report
    }

    private func connect(_ index: Int, _ server: MeasuredServer, _ load: LoadLoop) throws -> LoadSocket {
        // One source address per 8,000 connections, because the ports of one do not suffice.
        let socket = try LoadSocket(port: server.port, tls: server.tls, source: UInt16(1 + index / 8_000))
        try socket.upgrade(path: "/ws")
        let hello = """
            {"jsonrpc":"2.0","id":1,"method":"hello","params":{"token":"\(Self.token(index))",\
            "client":{"name":"campanile bench","version":"1"}}}
            """
        socket.write(FrameEncoder.text(Array(hello.utf8), mask: FrameEncoder.randomMask()))
        load.add(socket)
        let deadline = LoadLoop.now + 10_000_000_000
        while socket.framesReceived == 0, !socket.hasEnded, LoadLoop.now < deadline {
            load.poll(milliseconds: 1_000) { $0.receive(load.buffer) }
        }
        guard socket.framesReceived == 1 else {
            throw BenchError(description: "connection \(index) got no answer to hello")
        }
        return socket
    }

    private func rest(_ load: LoadLoop, _ seconds: Double) {
        let end = LoadLoop.now + UInt64(seconds * 1e9)
        while LoadLoop.now < end { load.poll(milliseconds: 200) { $0.receive(load.buffer) } }
    }

    /// The token of an account created by ``makeAccounts(_:dataDirectory:)``.
    static func token(_ index: Int) -> String { "campanile-bench-\(index)" }

    /// Creates accounts with one token each, as if they had registered. Passwords, which cost half a second each, are
    /// left out.
    static func makeAccounts(_ count: Int, dataDirectory: String) async throws {
        try await BenchDatabase.with(dataDirectory) { database in
            try await database.script(
                """
                WITH made AS (
                    INSERT INTO accounts (username, username_key, email, email_key, password_hash)
                    SELECT 'bench' || n, 'bench' || n, 'bench' || n || '@example.org', 'bench' || n || '@example.org', '-'
                    FROM generate_series(0, \(count - 1)) AS n RETURNING id, username)
                INSERT INTO tokens (account_id, hash, client)
                SELECT id, sha256(convert_to('campanile-bench-' || substr(username, 6), 'UTF8')), 'bench' FROM made
                """)
        }
    }
}
