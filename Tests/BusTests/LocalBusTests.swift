import Bus
import EventLoop
import Foundation
import Metrics
import Synchronization
import TestSupport
import Testing

/// What every bus does, over a network that does what it is told.
@Suite struct LocalBusTests {
    private let network = LocalNetwork()

    private func bus(_ name: String, _ timing: BusTiming = quickTiming, metrics: BusMetrics = BusMetrics()) throws
        -> LocalBus
    {
        LocalBus(
            node: try BusNode(name: name), loop: Loops.home, network: network, timing: timing, metrics: metrics,
            logger: TestDatabase.logger)
    }

    private func pair(_ timing: BusTiming = quickTiming) async throws -> (LocalBus, LocalBus) {
        let (a, b) = (try bus("a", timing), try bus("b", timing))
        try await acquainted([a, b])
        return (a, b)
    }

    @Test(
        "A node that is alone is connected and live, hears nothing, has nobody to wait for, and refuses what is too large"
    )
    func alone() async throws {
        let bus = LocalBus(node: try BusNode(name: "alone"), loop: Loops.home)
        #expect(bus.state == .connected)
        let listener = try await Listener(bus, "session/*").live()
        #expect(try bus.publish([1], to: Subject(topic: "session/1")))
        #expect(throws: BusError.messageTooLarge) {
            try bus.publish(
                [UInt8](repeating: 0, count: BusLimits.messageBytesMax + 1), to: Subject(topic: "session/1"))
        }
        let answers = try await ask(bus, "session/1", within: .seconds(60))
        #expect(answers.messages.isEmpty && answers.silent.isEmpty)
        await bus.close()
        #expect(listener.lines == ["live"])
    }

    @Test("Messages of one node about one subject come in order, to all who subscribed, and not to who published them")
    func order() async throws {
        let (a, b) = try await pair()
        let own = try await Listener(a, ">").live()
        let exact = try await Listener(b, "session/42").live()
        let pattern = try await Listener(b, "session/*", on: Loops.other).live()
        let elsewhere = try await Listener(b, "session/43").live()
        for number in 0..<500 { try a.publish([UInt8]("\(number)"), to: Subject(topic: "session/42")) }
        try await exact.received(500)
        try await pattern.received(500)
        #expect(exact.texts == (0..<500).map(\.description))
        #expect(pattern.texts == exact.texts)
        #expect(exact.messages.allSatisfy { $0.node == a.node.id && $0.subject.topic == "session/42" })
        #expect(elsewhere.lines == ["live"] && own.lines == ["live"])
        #expect(exact.losses.isEmpty && pattern.losses.isEmpty)
    }

    @Test("A message that is lost is told before the next one of its subject")
    func gap() async throws {
        let (a, b) = try await pair()
        let listener = try await Listener(b, "chat/1").live()
        let other = try await Listener(b, "chat/2").live()
        try a.publish([UInt8]("1"), to: Subject(topic: "chat/1"))
        try await listener.received(1)
        network.setFault(.drop, from: a, to: b)
        try a.publish([UInt8]("2"), to: Subject(topic: "chat/1"))
        await network.settle()
        network.heal()
        try a.publish([UInt8]("3"), to: Subject(topic: "chat/1"))
        try a.publish([UInt8]("4"), to: Subject(topic: "chat/2"))
        try await listener.received(2)
        try await other.received(1)
        #expect(listener.lines.prefix(4) == ["live", "1", "missed gap(\(a.node.id))", "3"])
    }

    @Test("A last message that is lost is told by the sender's beat, to those it concerns")
    func tail() async throws {
        var timing = quickTiming
        timing.beatInterval = .milliseconds(400)
        let (a, b) = try await pair(timing)
        let exact = try await Listener(b, "chat/1").live()
        let pattern = try await Listener(b, "chat/*").live()
        let other = try await Listener(b, "event/1").live()
        // A beat that is lost as well tells everybody; so it is tried until none was.
        for attempt in 1...20 {
            network.setFault(.drop, from: a, to: b)
            try a.publish([1], to: Subject(topic: "chat/1"))
            await network.settle()
            network.heal()
            let received = { exact.losses.count >= attempt && pattern.losses.count >= attempt }
            try await until("told of the loss") { received() }
            if other.losses.count < attempt { break }
        }
        #expect(exact.losses.last == .gap(a.node.id) && pattern.losses.last == .gap(a.node.id))
        #expect(exact.messages.isEmpty && other.losses.count < exact.losses.count)
    }

    @Test("What is published before a subscription is live is no loss, however active the subject is")
    func joiningActive() async throws {
        let (a, b) = try await pair()
        let subject = try Subject(topic: "zone/1/positions")
        let publishing = Task {
            while !Task.isCancelled {
                try a.publish([1], to: subject)
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        defer { publishing.cancel() }
        for _ in 0..<20 {
            let listener = try await Listener(b, "zone/1/positions").live()
            try await listener.received(30)
            #expect(listener.losses.isEmpty)
            listener.cancel()
        }
    }

    @Test("The first message that a new subscription gets is no loss, however long the subject was quiet")
    func joiningQuiet() async throws {
        let (a, b) = try await pair()
        let subjects = try ["chat/1", "chat/2"].map { try Subject(topic: $0) }
        for number in 1...3 { for subject in subjects { try a.publish([UInt8]("\(number)"), to: subject) } }
        // Two beats have told of it, and later ones do not.
        let witness = try await Listener(b, "beats").live()
        for number in 1...5 {
            try a.publish([UInt8]("\(number)"), to: Subject(topic: "beats"))
            try await witness.received(number)
            try await Listener(b, "beats").live()
        }
        let exact = try await Listener(b, "chat/1").live()
        let pattern = try await Listener(b, "chat/*").live()
        for subject in subjects { try a.publish([UInt8]("next"), to: subject) }
        try await pattern.received(2)
        try await exact.received(1)
        #expect(exact.lines == ["live", "next"] && pattern.lines == ["live", "next", "next"])
    }

    @Test("Parted nodes lose each other, are told, and are told again when they meet")
    func partition() async throws {
        let (a, b) = try await pair(impatientTiming)
        let c = try bus("c", impatientTiming)
        try await acquainted([a, b, c])
        let witness = Witness(b)
        let listener = try await Listener(b, "chat/1").live()
        network.part([a], from: [b])
        try a.publish([UInt8]("unheard"), to: Subject(topic: "chat/1"))
        try await listener.missed("a lost node") { $0 == .nodeLost(a.node.id) }
        try await witness.saw("a lost") { $0 == .lost(a.node) }
        #expect(b.nodes == [c.node])
        try c.publish([UInt8]("heard"), to: Subject(topic: "chat/1"))
        try await listener.received(1)
        network.heal()
        try await listener.missed("what was said meanwhile") { $0 == .gap(a.node.id) }
        try a.publish([UInt8]("again"), to: Subject(topic: "chat/1"))
        try await listener.received(2)
        #expect(listener.texts == ["heard", "again"])
        #expect(!witness.all.contains(.lost(c.node)))
    }

    @Test("A node that was not heard for a while is told to read again, though it has missed nothing itself")
    func unheard() async throws {
        let (a, b) = try await pair(impatientTiming)
        let witness = Witness(a)
        let listener = try await Listener(b, "chat/1").live()
        network.setFault(.drop, from: b, to: a)
        try await witness.saw("b lost") { $0 == .lost(b.node) }
        #expect(listener.losses.isEmpty && b.nodes == [a.node])
        network.heal()
        try await listener.missed("what was not said") { $0 == .gap(a.node.id) }
    }

    @Test("A node that was disconnected is told when it is back, and the others are told of what it said meanwhile")
    func disconnected() async throws {
        let (a, b) = try await pair()
        let witness = Witness(a)
        let mine = try await Listener(a, "chat/1").live()
        let others = try await Listener(b, "chat/1").live()
        network.setConnected(false, a)
        try await witness.saw("disconnected") { if case .state(.disconnected) = $0 { true } else { false } }
        #expect(try !a.publish([UInt8]("to nobody"), to: Subject(topic: "chat/1")))
        try b.publish([UInt8]("to nobody either"), to: Subject(topic: "chat/1"))
        await network.settle()
        network.setConnected(true, a)
        try await mine.missed("its absence") { $0 == .disconnected }
        try await others.missed("what it could not say") { $0 == .gap(a.node.id) }
        try b.publish([UInt8]("welcome"), to: Subject(topic: "chat/1"))
        try await mine.received(1)
        #expect(mine.lines == ["live", "missed disconnected", "welcome"])
    }

    @Test("A node that says farewell is gone at once, and nothing of it is missing")
    func farewell() async throws {
        let (a, b) = try await pair()
        let witness = Witness(b)
        let listener = try await Listener(b, "chat/1").live()
        try a.publish([UInt8]("bye"), to: Subject(topic: "chat/1"))
        await a.close()
        try await witness.saw("a left") { $0 == .left(a.node) }
        try await listener.received(1)
        #expect(listener.lines == ["live", "bye"])
        #expect(try !a.publish([1], to: Subject(topic: "chat/1")))
    }

    @Test("A node that was started again is another one, and nothing of it is missing")
    func startedAgain() async throws {
        let (a, b) = try await pair()
        let listener = try await Listener(b, "chat/1").live()
        try a.publish([UInt8]("1"), to: Subject(topic: "chat/1"))
        try await listener.received(1)
        await a.close()
        let again = try bus("a")
        try await acquainted([b, again])
        try again.publish([UInt8]("2"), to: Subject(topic: "chat/1"))
        try await listener.received(2)
        #expect(listener.lines == ["live", "1", "2"])
    }

    @Test("Delayed messages come later, in order, and are no loss")
    func delay() async throws {
        let (a, b) = try await pair()
        let listener = try await Listener(b, "chat/1").live()
        network.setFault(.delay(.milliseconds(50)), from: a, to: b)
        for number in 0..<100 { try a.publish([UInt8]("\(number)"), to: Subject(topic: "chat/1")) }
        try await listener.received(100)
        #expect(listener.texts == (0..<100).map(\.description))
        #expect(listener.losses.isEmpty)
    }

    @Test("A loop that does not take its messages is told that it missed some, and gets those that follow")
    func slowLoop() async throws {
        let registry = MetricRegistry()
        let slow = try EventLoop(label: "bus-slow")
        let a = try bus("a")
        let b = try bus("b", metrics: BusMetrics(registry))
        try await acquainted([a, b])
        let listener = try await Listener(b, "chat/1", on: slow).live()
        let quick = try await Listener(b, "chat/1").live()
        let block = DispatchSemaphore(value: 0)
        slow.execute { block.wait() }
        let large = [UInt8](repeating: 120, count: BusLimits.messageBytesMax)
        let count = BusLimits.loopQueueBytesMax / large.count + 10
        for _ in 0..<count { try a.publish(large, to: Subject(topic: "chat/1")) }
        try await quick.received(count)
        block.signal()
        try await listener.missed("its slowness") { $0 == .slowConsumer }
        #expect(listener.losses.count == 1)
        #expect(listener.messages.count < count)
        try a.publish([UInt8]("next"), to: Subject(topic: "chat/1"))
        try await until("the next one") { listener.texts.last == "next" }
        #expect(quick.losses.isEmpty && quick.messages.count >= count)
        let text = String(decoding: registry.exposition(), as: UTF8.self)
        let dropped = try Exposition(text).value("campanile_bus_messages_dropped_total", ["reason": "slow_consumer"])
        #expect(dropped == Double(count - listener.messages.count + 1))
    }

    @Test("A subscription that is cancelled on its loop is told nothing more")
    func cancelling() async throws {
        let (a, b) = try await pair()
        let subject = try Subject(topic: "chat/1")
        let count = Mutex(0)
        let subscription = Mutex<BusSubscription?>(nil)
        let made = try b.subscribe(to: SubjectPattern(subject), on: Loops.one) { event in
            guard case .message = event else { return }
            count.withLock { $0 += 1 }
            subscription.withLock { $0 }?.cancel()
        }
        subscription.withLock { $0 = made }
        let other = try await Listener(b, "chat/1").live()
        for _ in 0..<50 { try a.publish([1], to: subject) }
        try await other.received(50)
        #expect(count.withLock { $0 } == 1)
    }

    // MARK: Questions

    private func ask(
        _ bus: any Bus, _ topic: String, within limit: Duration
    ) async throws -> BusReplies {
        let subject = try Subject(topic: topic)
        return try await withCheckedThrowingContinuation { continuation in
            do {
                try bus.request([UInt8]("who?"), of: subject, within: limit, on: Loops.one) {
                    continuation.resume(returning: $0)
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    private func answering(_ bus: LocalBus, _ topic: String) throws -> BusSubscription {
        try bus.subscribe(to: SubjectPattern(topic: topic), on: Loops.other) { event in
            guard case .message(let message) = event, message.request != nil else { return }
            try? bus.reply(to: message, with: [UInt8](bus.node.name))
            // Only the first counts.
            try? bus.reply(to: message, with: [UInt8]("again"))
        }
    }

    @Test("A request is over when every other node has answered, each once")
    func answers() async throws {
        let (a, b) = try await pair()
        let c = try bus("c")
        try await acquainted([a, b, c])
        let subscriptions = [try answering(b, "who"), try answering(c, "who")]
        try await Listener(b, "who").live()
        try await Listener(c, "who").live()
        let answers = try await ask(a, "who", within: .seconds(60))
        #expect(Set(answers.messages.map { String(decoding: $0.bytes, as: UTF8.self) }) == ["b", "c"])
        #expect(answers.messages.count == 2 && answers.silent.isEmpty)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("Nodes that do not answer in time, or are lost meanwhile, are named")
    func silence() async throws {
        let (a, b) = try await pair(impatientTiming)
        let c = try bus("c", impatientTiming)
        try await acquainted([a, b, c])
        let subscription = try answering(b, "who")
        try await Listener(b, "who").live()
        let late = try await ask(a, "who", within: .milliseconds(200))
        #expect(late.messages.map(\.node) == [b.node.id] && late.silent == [c.node.id])
        network.part([c], from: [a, b])
        let lost = try await ask(a, "who", within: .seconds(60))
        #expect(lost.messages.map(\.node) == [b.node.id] && lost.silent == [c.node.id])
        subscription.cancel()
    }
}
