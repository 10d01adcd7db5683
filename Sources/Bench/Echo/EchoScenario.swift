/// Echoes messages with one message in flight per connection, and compares the rate with that of a server without a
/// protocol.
struct EchoScenario {
    private let options: BenchOptions
    private let message: LoadMessage
    private let frame: [UInt8]
    private let connections: Int

    init(_ options: BenchOptions) {
        self.options = options
        connections = options.connections ?? 1_000
        message = LoadMessage(options)
        frame = message.frame
    }

    func run() throws -> BenchReport {
        let server = try MeasuredServer(options)
        defer { server.stop() }
        let floor = try MeasuredFloor(messageBytesIn: frame.count, messageBytesOut: frame.count)
        defer { floor.stop() }
        let serverLoad = LoadLoop()
        let serverSockets = try (0..<connections).map { _ in
            let socket = try LoadSocket(port: server.port, tls: server.tls)
            try socket.upgrade(path: "/test/echo", extensions: message.offer)
            serverLoad.add(socket)
            return socket
        }
        let floorLoad = LoadLoop()
        let floorSockets = try (0..<connections).map { _ in
            let socket = try LoadSocket(port: floor.port)
            socket.write([UInt8(ascii: "e")])
            floorLoad.add(socket)
            return socket
        }
        var comparison = Comparison()
        for round in 0...options.rounds {
            let ours = Measurement.around(server.process) { measurement in
                drive(serverSockets, serverLoad, &measurement) { $0.receive(serverLoad.buffer) }
            }
            let plain = Measurement.around(floor.process) { measurement in
                drive(floorSockets, floorLoad, &measurement) {
                    $0.receiveRaw(floorLoad.buffer, messageBytes: frame.count)
                }
            }
            // The first round warms up both servers.
            if round > 0 { comparison.add(server: ours, floor: plain) }
        }
        guard !serverSockets.contains(where: \.hasEnded) else {
            throw BenchError(description: "the server closed connections during the measurement")
        }
        var report = BenchReport(scenario: "echo", conditions: options.conditions("\(connections) connections"))
        comparison.report(into: &report)
        return report
    }

    private func drive(
        _ sockets: [LoadSocket], _ load: LoadLoop, _ measurement: inout Measurement, _ receive: (LoadSocket) -> Void
    ) {
        let end = LoadLoop.now + UInt64(options.seconds * 1e9)
        for socket in sockets {
            socket.sentAt = LoadLoop.now
            socket.write(frame)
        }
        var active = sockets.count
        while active > 0 {
            let before = active
            load.poll(milliseconds: 2_000) { socket in
                let seen = socket.framesReceived
                receive(socket)
                guard socket.framesReceived > seen else { return }
                let now = LoadLoop.now
                measurement.latency.record(nanoseconds: now - socket.sentAt)
                measurement.delivered += 1
                // Wait for every answer, so that the next round begins with nothing in flight.
                guard now < end, !socket.hasEnded else { return active -= 1 }
                socket.sentAt = now
                socket.write(frame)
            }
            if before == active, LoadLoop.now > end + 10_000_000_000 { return }
        }
    }
}
