import Bus
import EventLoop
import Foundation
import Metrics
import TestSupport
import Testing

/// The same over a real nats-server.
@Suite struct NATSBusTests {
    private func bus(
        _ name: String, _ nats: TestNATS, timing: BusTiming = quickTiming, metrics: BusMetrics = BusMetrics(),
        campus: String = "test", pingInterval: Duration = .seconds(2),
        _ change: (inout NATSConfiguration) -> Void = { _ in }
    ) throws -> NATSBus {
        var configuration = try NATSConfiguration(nats.url)
        configuration.reconnectDelay = .milliseconds(50)
        configuration.reconnectJitter = .milliseconds(20)
        configuration.pingInterval = pingInterval
        change(&configuration)
        return try NATSBus(
            configuration, keys: testKeys, campus: campus, node: try BusNode(name: name), loop: Loops.home,
            timing: timing,
            metrics: metrics, logger: TestDatabase.logger)
    }

    private func isDisconnected(_ notice: BusObserverEvent) -> Bool {
        if case .state(.disconnected(_, let reason)) = notice { reason != "not connected yet" } else { false }
    }

    @Test("Two nodes exchange messages, in order, and do not hear their own; another campus hears nothing")
    func exchange() async throws {
        let nats = try await TestNATS.start()
        let (a, b) = (try bus("a", nats), try bus("b", nats))
        let stranger = try bus("c", nats, campus: "other campus")
        try await acquainted([a, b])
        let atA = try await Listener(a, "session/*").live()
        let atB = try await Listener(b, "session/42").live()
        let elsewhere = try await Listener(stranger, ">").live()
        let subject = try Subject(topic: "session/42")
        for number in 0..<2_000 { #expect(try a.publish([UInt8]("a\(number)"), to: subject)) }
        try b.publish([UInt8]("b"), to: subject)
        try await atB.received(2_000)
        try await atA.received(1)
        #expect(atB.texts == (0..<2_000).map { "a\($0)" })
        #expect(atA.texts == ["b"] && atA.messages.first?.node == b.node.id)
        #expect(atA.messages.first?.subject == subject)
        #expect(atA.losses.isEmpty && atB.losses.isEmpty && elsewhere.lines == ["live"])
        #expect(stranger.nodes.isEmpty)
        await b.close()
        try await until("b has left") { a.nodes.isEmpty }
        #expect(atA.losses.isEmpty)
        await a.close()
        await stranger.close()
    }

    @Test(
        "When NATS is killed and comes back, both nodes are connected again and are told that messages may be missing")
    func restart() async throws {
        let nats = try await TestNATS.start()
        let registry = MetricRegistry()
        let (a, b) = (try bus("a", nats, metrics: BusMetrics(registry)), try bus("b", nats))
        try await acquainted([a, b])
        let witness = Witness(a)
        let atA = try await Listener(a, "chat/1").live()
        let atB = try await Listener(b, "chat/1").live()
        await nats.kill()
        try await witness.saw("disconnected", isDisconnected)
        try await until("b is disconnected") { b.state != .connected }
        #expect(try !a.publish([UInt8]("to nobody"), to: Subject(topic: "chat/1")))
        try await nats.startAgain()
        try await atA.missed("its absence") { $0 == .disconnected }
        try await atB.missed("its absence") { $0 == .disconnected }
        try a.publish([UInt8]("hello"), to: Subject(topic: "chat/1"))
        try b.publish([UInt8]("hello"), to: Subject(topic: "chat/1"))
        try await atA.received(1)
        try await atB.received(1)
        #expect(atB.texts == ["hello"])
        let counted = try Exposition(String(decoding: registry.exposition(), as: UTF8.self))
        #expect(counted.value("campanile_bus_reconnects_total") == 1)
        #expect(counted.value("campanile_bus_connected") == 1)
        // A beat may have been on its way.
        #expect((counted.value("campanile_bus_messages_dropped_total", ["reason": "disconnected"]) ?? 0) >= 1)
        #expect(counted.value("campanile_bus_missed_total", ["reason": "disconnected"]) == 1)
        await a.close()
        await b.close()
    }

    @Test("A node may start before NATS does")
    func early() async throws {
        let nats = try await TestNATS.start()
        await nats.kill()
        let (a, b) = (try bus("a", nats), try bus("b", nats))
        let witness = Witness(a)
        let atB = try Listener(b, "chat/1")
        try await witness.saw("why it is not connected", isDisconnected)
        try await nats.startAgain()
        try await atB.live()
        try await acquainted([a, b])
        try a.publish([UInt8]("hello"), to: Subject(topic: "chat/1"))
        try await atB.received(1)
        // On a slow machine a gap may be reported where nothing is missing, which is allowed.
        #expect(atB.lines.filter { !$0.hasPrefix("missed gap") } == ["live", "hello"])
        await a.close()
        await b.close()
    }

    @Test("A NATS that answers nothing any more is noticed, nothing blocks meanwhile, and all is told afterwards")
    func frozen() async throws {
        let nats = try await TestNATS.start()
        let (a, b) = (
            try bus("a", nats, pingInterval: .milliseconds(300)), try bus("b", nats, pingInterval: .milliseconds(300))
        )
        try await acquainted([a, b])
        let witness = Witness(a)
        let atA = try await Listener(a, "chat/1").live()
        let atB = try await Listener(b, "chat/1").live()
        nats.setFrozen(true)
        // More than sockets and queues take: the writer is stuck, the caller is not.
        let large = [UInt8](repeating: 1, count: BusLimits.messageBytesMax)
        for _ in 0..<120 { try a.publish(large, to: Subject(topic: "chat/1")) }
        try await witness.saw("disconnected", isDisconnected)
        #expect(try !a.publish([1], to: Subject(topic: "chat/1")))
        nats.setFrozen(false)
        try await atA.missed("its absence") { $0 == .disconnected }
        do {
            try await until("b is told") { !atB.losses.isEmpty }
        } catch {
            Issue.record(
                "a \(a.state) with \(a.nodes.count), b \(b.state) with \(b.nodes.count), \(atB.lines.count) lines")
            throw error
        }
        try a.publish([UInt8]("again"), to: Subject(topic: "chat/1"))
        try await until("the next one") { atB.texts.last == "again" }
        await a.close()
        await b.close()
    }

    @Test(
        "A loop that does not take its messages is told that it missed some, and gets those that follow"
    )
    func slow() async throws {
        let nats = try await TestNATS.start()
        let slow = try EventLoop(label: "bus-slow-nats")
        let (a, b) = (try bus("a", nats), try bus("b", nats))
        try await acquainted([a, b])
        let listener = try await Listener(b, "chat/1", on: slow).live()
        let quick = try await Listener(b, "chat/1").live()
        let block = DispatchSemaphore(value: 0)
        slow.execute { block.wait() }
        let large = [UInt8](repeating: 120, count: BusLimits.messageBytesMax)
        let count = BusLimits.loopQueueBytesMax / large.count + 10
        let subject = try Subject(topic: "chat/1")
        for number in 1...count {
            // The sender's queue is not what is slow here.
            try await quick.received(number - 20)
            #expect(try a.publish(large, to: subject))
        }
        try await quick.received(count)
        block.signal()
        try await listener.missed("its slowness") { $0 == .slowConsumer }
        try await until("the next one") {
            try a.publish([UInt8]("next"), to: subject)
            return listener.texts.last == "next"
        }
        #expect(quick.losses.isEmpty)
        await a.close()
        await b.close()
    }

    @Test("A message that is too large is refused, and the largest one arrives")
    func large() async throws {
        let nats = try await TestNATS.start()
        let (a, b) = (try bus("a", nats), try bus("b", nats))
        try await acquainted([a, b])
        let listener = try await Listener(b, "chat/1").live()
        let largest = [UInt8](repeating: 7, count: BusLimits.messageBytesMax)
        #expect(throws: BusError.messageTooLarge) { try a.publish(largest + [7], to: Subject(topic: "chat/1")) }
        try a.publish(largest, to: Subject(topic: "chat/1"))
        try await listener.received(1)
        #expect(listener.messages.first?.bytes == largest)
        await a.close()
        await b.close()
    }

    @Test("A NATS that takes only smaller messages refuses them, and those who should have got them are told")
    func refused() async throws {
        let nats = try await TestNATS.start(["-c", try config("max_payload: 8192")])
        let (a, b) = (try bus("a", nats), try bus("b", nats))
        try await acquainted([a, b])
        let listener = try await Listener(b, "chat/1").live()
        try a.publish([UInt8](repeating: 7, count: 10_000), to: Subject(topic: "chat/1"))
        try await listener.missed("the refused message") { $0 == .gap(a.node.id) }
        await a.close()
        await b.close()
    }

    private func config(_ text: String) throws -> String {
        let path = "\(try TestDirectory.make("nats-config"))/nats.conf"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test("A wrong token is told as the reason, and the right one gets in")
    func token() async throws {
        let nats = try await TestNATS.start(["--auth", "s3cret"])
        let wrong = try bus("a", nats) { $0.credentials = .token("guess") }
        let witness = Witness(wrong)
        try await witness.saw("the refusal") {
            if case .state(.disconnected(_, let reason)) = $0 { reason.contains("Authorization") } else { false }
        }
        let right = try bus("b", nats) { $0.credentials = .token("s3cret") }
        try await Listener(right, "chat/1").live()
        #expect(wrong.state != .connected)
        await wrong.close()
        await right.close()
    }

    @Test("Over TLS a server is believed that has the right name and is of a known authority, and no other")
    func secure() async throws {
        let certificate = try SelfSignedCertificate.findOrMake(in: try TestDirectory.make("nats-tls"))
        let stranger = try SelfSignedCertificate.findOrMake(in: try TestDirectory.make("nats-stranger"))
        let nats = try await TestNATS.start([
            "--tls", "--tlscert", certificate.certificateFile, "--tlskey", certificate.keyFile,
        ])
        func bus(_ name: String, _ authority: String, serverName: String? = nil) throws -> NATSBus {
            var configuration = try NATSConfiguration("tls://localhost:\(nats.port)")
            configuration.authorityFile = authority
            configuration.serverName = serverName
            return try NATSBus(
                configuration, keys: testKeys, campus: "test", node: try BusNode(name: name), loop: Loops.home,
                timing: quickTiming,
                logger: TestDatabase.logger)
        }
        let (a, b) = (try bus("a", certificate.certificateFile), try bus("b", certificate.certificateFile))
        let unknown = try bus("c", stranger.certificateFile)
        let misnamed = try bus("d", certificate.certificateFile, serverName: "nats.example")
        let witnesses = [Witness(unknown), Witness(misnamed)]
        let listener = try await Listener(b, "chat/1").live()
        try await acquainted([a, b])
        try a.publish([UInt8]("secret"), to: Subject(topic: "chat/1"))
        try await listener.received(1)
        for witness in witnesses {
            try await witness.saw("the refusal", isDisconnected)
            #expect(!witness.all.contains(.state(.connected)))
        }
        for bus in [a, b, unknown, misnamed] { await bus.close() }
    }

    @Test("Nodes ask and answer across NATS")
    func answers() async throws {
        let nats = try await TestNATS.start()
        let (a, b) = (try bus("a", nats), try bus("b", nats))
        try await acquainted([a, b])
        let subscription = try b.subscribe(to: SubjectPattern(topic: "who"), on: Loops.other) { event in
            if case .message(let message) = event { try? b.reply(to: message, with: message.bytes + message.bytes) }
        }
        try await Listener(b, "who").live()
        let subject = try Subject(topic: "who")
        let answers = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<BusReplies, any Error>) in
            do {
                try a.request([1, 2], of: subject, within: .seconds(10), on: Loops.one) {
                    continuation.resume(returning: $0)
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(answers.messages.map(\.bytes) == [[1, 2, 1, 2]] && answers.silent.isEmpty)
        subscription.cancel()
        await a.close()
        await b.close()
    }

    @Test("A node that dies without farewell is lost, and the others are told that it may have had something to tell")
    func died() async throws {
        let nats = try await TestNATS.start()
        let b = try bus("b", nats, timing: impatientTiming)
        let listener: Listener
        do {
            var slowTiming = impatientTiming
            // It beats when it connects and then no more, as one that hangs.
            slowTiming.beatInterval = .seconds(60)
            let a = try bus("a", nats, timing: slowTiming)
            try await acquainted([a, b])
            listener = try await Listener(b, "chat/1").live()
            try await listener.missed("the lost node") { $0 == .nodeLost(a.node.id) }
        }
        try await until("it is gone") { b.nodes.isEmpty }
        await b.close()
    }
}
