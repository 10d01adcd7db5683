/// Measures broadcasts in one room: each message goes to every subscriber.
///
/// All publishers send `burst` messages each, then the scenario waits until every subscriber has all of them.
struct FanOutScenario {
    private let options: BenchOptions
    private let publishers: Int
    private let subscribers: Int
    private let burst: Int
    private let message: LoadMessage
    private let frame: [UInt8]
    private let replyBytes: Int

    init(_ options: BenchOptions, publishers: Int, subscribers: Int, burst: Int) {
        self.options = options
        self.publishers = publishers
        self.subscribers = options.connections ?? subscribers
        self.burst = burst
        message = LoadMessage(options)
        frame = message.frame
        replyBytes = message.serverFrameBytes
    }

    func run(_ name: String) throws -> BenchReport {
        let server = try MeasuredServer(options)
        defer { server.stop() }
        let floor = try MeasuredFloor(messageBytesIn: frame.count, messageBytesOut: replyBytes)
        defer { floor.stop() }
        let serverSide = try Side(
            publishers: (0..<publishers).map { _ in try connect(to: server, "/test/room?publish") },
            subscribers: (0..<subscribers).map { _ in try connect(to: server, "/test/room") })
        let floorSide = try Side(
            publishers: (0..<publishers).map { _ in try connect(to: floor, "p") },
            subscribers: (0..<subscribers).map { _ in try connect(to: floor, "s") })
        var comparison = Comparison()
        for round in 0...options.rounds {
            let ours = Measurement.around(server.process) { measurement in
                drive(serverSide, &measurement) { $0.receive(serverSide.load.buffer) }
            }
            let plain = Measurement.around(floor.process) { measurement in
                drive(floorSide, &measurement) { $0.receiveRaw(floorSide.load.buffer, messageBytes: replyBytes) }
            }
            if round > 0 { comparison.add(server: ours, floor: plain) }
        }
        guard !serverSide.subscribers.contains(where: \.hasEnded) else {
            throw BenchError(description: "the server closed connections during the measurement")
        }
        let what = "\(publishers) publishing, \(subscribers) subscribed, \(burst) at once each"
        var report = BenchReport(scenario: name, conditions: options.conditions(what))
        comparison.report(into: &report)
        return report
    }

    private struct Side {
        let publishers: [LoadSocket]
        let subscribers: [LoadSocket]
        let load = LoadLoop()

        init(publishers: [LoadSocket], subscribers: [LoadSocket]) {
            self.publishers = publishers
            self.subscribers = subscribers
            for socket in publishers + subscribers { load.add(socket) }
        }
    }

    private func connect(to server: MeasuredServer, _ path: String) throws -> LoadSocket {
        let socket = try LoadSocket(port: server.port, tls: server.tls)
        try socket.upgrade(path: path, extensions: message.offer)
        return socket
    }

    private func connect(to floor: MeasuredFloor, _ kind: String) throws -> LoadSocket {
        let socket = try LoadSocket(port: floor.port)
        socket.write(Array(kind.utf8))
        return socket
    }

    private func drive(_ side: Side, _ measurement: inout Measurement, _ receive: (LoadSocket) -> Void) {
        let end = LoadLoop.now + UInt64(options.seconds * 1e9)
        let frames = [UInt8]([[UInt8]](repeating: frame, count: burst).joined())
        while LoadLoop.now < end {
            let sentAt = LoadLoop.now
            for publisher in side.publishers { publisher.write(frames) }
            var missing = publishers * burst * subscribers
            while missing > 0 {
                var received = 0
                side.load.poll(milliseconds: 2_000) { socket in
                    let seen = socket.framesReceived
                    receive(socket)
                    received += socket.framesReceived - seen
                }
                guard received > 0 || LoadLoop.now < end + 10_000_000_000 else { return }
                missing -= received
                measurement.delivered += received
            }
            // The latency of the last message; earlier ones are faster.
            measurement.latency.record(nanoseconds: LoadLoop.now - sentAt)
        }
    }
}
