import EventLoop
import Foundation
import Metrics
import TestSupport
import Testing

@testable import Bus

/// Somebody who reaches NATS, and is no node of the campus.
@Suite("Attacks on the bus")
struct BusAttackTests {
    private func bus(
        _ name: String, _ nats: TestNATS, timing: BusTiming = quickTiming, keys: BusKeyring = testKeys,
        metrics: BusMetrics = BusMetrics()
    ) throws -> NATSBus {
        try NATSBus(
            try NATSConfiguration(nats.url), keys: keys, campus: "test", node: try BusNode(name: name),
            loop: Loops.home, timing: timing, metrics: metrics, logger: TestDatabase.logger)
    }

    private func counted(_ registry: MetricRegistry, _ reason: String) throws -> Double {
        try Exposition(String(decoding: registry.exposition(), as: UTF8.self))
            .value("campanile_bus_messages_dropped_total", ["reason": reason]) ?? 0
    }

    @Test("What nodes say cannot be read, made, changed, shortened, given out as another's or repeated")
    func messages() async throws {
        let nats = try await TestNATS.start()
        let attacker = try await RawNATS(port: nats.port)
        let registry = MetricRegistry()
        let (a, b) = (try bus("a", nats), try bus("b", nats, metrics: BusMetrics(registry)))
        try await acquainted([a, b])
        let atB = try await Listener(b, "shares/*").live()
        let other = try await Listener(b, "shares/8").live()
        let subject = try Subject(topic: "shares/7")
        try a.publish([UInt8]("where she is"), to: subject)
        try await atB.received(1)
        let real = try await eventually("it passed") { attacker.messages.first { $0.subject.hasSuffix(".shares.7") } }
        // Neither its words nor anything of a frame.
        for message in attacker.messages {
            #expect(!String(decoding: message.payload, as: UTF8.self).contains("where she is"))
            #expect(message.payload.withUnsafeBytes { BusFrame.read($0) } == nil)
        }
        let prefix = String(real.subject.dropLast("shares.7".count))
        let plain = BusFrame(
            kind: .message, isFlagged: true, node: a.node.id, sequence: 9, request: nil
        ).encoded([UInt8]("forged"))
        let stranger = BusSeal(BusKeyring(.random()), node: a.node.id, campus: "test")
        let elsewhere = BusSeal(testKeys, node: a.node.id, campus: "another")
        var forgeries = [
            plain, stranger.seal(plain, subject: "shares.7"), elsewhere.seal(plain, subject: "shares.7"), [],
            [UInt8](repeating: 2, count: 39), Array(real.payload.dropLast()), real.payload + [0],
        ]
        forgeries += real.payload.indices.map { index in
            var changed = real.payload
            changed[index] ^= 1
            return changed
        }
        let started = ContinuousClock.now
        for forgery in forgeries { try await attacker.publish(forgery, to: real.subject) }
        // As another subject's, to everybody's control subject, and as an answer.
        for subject in ["shares.8", "$bus.beat", "$bus.answer.\(b.node.id)"] {
            try await attacker.publish(real.payload, to: prefix + subject)
        }
        try await attacker.publish(real.payload, to: real.subject)
        try a.publish([UInt8]("next"), to: subject)
        try await atB.received(2)
        #expect(atB.texts == ["where she is", "next"] && other.texts == [])
        #expect(b.nodes == [a.node])
        #expect(try counted(registry, "replayed") == 1)
        #expect(try counted(registry, "forged") + counted(registry, "unreadable") == Double(forgeries.count + 4))
        // One report at most every 5 s, however many came.
        #expect(
            (1...1 + Int(started.duration(to: .now) / .seconds(5))).contains(atB.losses.count { $0 == .unreadable }))
        await a.close()
        await b.close()
    }

    @Test(
        "What a node said that is gone does not bring it back: not to who heard it, and not to a node that comes later")
    func recordings() async throws {
        let nats = try await TestNATS.start()
        let attacker = try await RawNATS(port: nats.port)
        let (a, b) = (try bus("a", nats), try bus("b", nats))
        try await acquainted([a, b])
        let atB = try await Listener(b, "shares/7").live()
        for number in 0..<3 { try a.publish([UInt8]("old \(number)"), to: Subject(topic: "shares/7")) }
        try await atB.received(3)
        await a.close()
        try await until("a has left") { b.nodes.isEmpty }
        let late = try bus("c", nats)
        try await acquainted([b, late])
        let atLate = try await Listener(late, "shares/7").live()
        let recorded = attacker.messages.filter {
            $0.payload.count > 12 && Array($0.payload[4..<12]) == bytes(of: a.node.id)
        }
        #expect(recorded.count > 3)
        for message in recorded { try await attacker.publish(message.payload, to: message.subject) }
        try b.publish([UInt8]("now"), to: Subject(topic: "shares/7"))
        try await atLate.received(1)
        #expect(atLate.texts == ["now"] && late.nodes == [b.node])
        #expect(b.nodes == [late.node] && atB.texts.count == 3)
        await b.close()
        await late.close()
    }

    private func bytes(of id: NodeID) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: id.bits)
        return bytes
    }

    @Test("A key is replaced while nodes talk; one that only has the old key is not heard any more")
    func rotation() async throws {
        let nats = try await TestNATS.start()
        let (old, new) = (BusKey.random(number: 255), BusKey.random(number: 0))
        let rings = [BusKeyring(old), BusKeyring(old), BusKeyring(old)]
        let buses = try zip(["a", "b", "thief"], rings).map { try bus($0, nats, timing: impatientTiming, keys: $1) }
        try await acquainted(buses)
        let atB = try await Listener(buses[1], "shares/7").live()
        let subject = try Subject(topic: "shares/7")
        try buses[0].publish([UInt8]("1"), to: subject)
        for ring in rings.prefix(2) { ring.replace(old, others: [new]) }
        rings[0].replace(new, others: [old])
        try buses[0].publish([UInt8]("2"), to: subject)
        rings[1].replace(new, others: [old])
        try await atB.received(2)
        for ring in rings.prefix(2) { ring.replace(new, others: []) }
        try buses[2].publish([UInt8]("stolen"), to: subject)
        try buses[0].publish([UInt8]("3"), to: subject)
        try await atB.received(3)
        #expect(atB.texts == ["1", "2", "3"])
        try await until("the thief is lost") { buses[1].nodes == [buses[0].node] }
        for bus in buses { await bus.close() }
    }
}
