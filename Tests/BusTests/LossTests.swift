import Bus
import EventLoop
import Synchronization
import TestSupport
import Testing

/// The one promise that counts: nothing is lost silently.
@Suite struct LossTests {
    /// What one node was told about one subject, and when.
    private final class Account: Sendable {
        private struct State {
            var came: [NodeID: Set<Int>] = [:]
            var lastMissed: UInt64 = 0
            var isInOrder = true
            var last: [NodeID: Int] = [:]
        }
        private let state = Mutex(State())

        func take(_ event: BusEvent) {
            state.withLock { state in
                switch event {
                case .live: break
                case .missed: state.lastMissed = EventLoop.nowNanoseconds
                case .message(let message):
                    let number = message.bytes.reduce(0) { $0 << 8 | Int($1) }
                    if number <= state.last[message.node] ?? -1 { state.isInOrder = false }
                    state.last[message.node] = number
                    state.came[message.node, default: []].insert(number)
                }
            }
        }

        var isInOrder: Bool { state.withLock { $0.isInOrder } }

        /// Messages that did not come and that nothing was told about since they were published.
        func silentlyLost(_ published: [(number: Int, at: UInt64)], of node: NodeID) -> [Int] {
            state.withLock { state in
                published.filter { state.came[node]?.contains($0.number) != true && $0.at > state.lastMissed }.map(
                    \.number)
            }
        }

        func lost(_ published: [(number: Int, at: UInt64)], of node: NodeID) -> Int {
            state.withLock { state in published.count { state.came[node]?.contains($0.number) != true } }
        }
    }

    @Test(
        "Whatever a network loses, in whatever order it fails: what did not come has been told", arguments: [1, 2, 3])
    func checker(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let network = LocalNetwork()
        let buses = try ["a", "b", "c"].map {
            LocalBus(
                node: try BusNode(name: $0), loop: Loops.home, network: network, timing: impatientTiming,
                logger: TestDatabase.logger)
        }
        try await acquainted(buses)
        let subjects = try (0..<4).map { try Subject(topic: "chat/\($0)") }
        // Each node hears each subject by its name, and by a pattern.
        var accounts: [(bus: Int, subject: Int, account: Account)] = []
        for bus in buses.indices {
            for subject in subjects.indices {
                let exact = Account()
                _ = try buses[bus].subscribe(to: SubjectPattern(subjects[subject]), on: Loops.one) { exact.take($0) }
                let pattern = Account()
                let wanted = subjects[subject]
                _ = try buses[bus].subscribe(to: SubjectPattern(topic: "chat/*"), on: Loops.other) { event in
                    if case .message(let message) = event, message.subject != wanted { return }
                    pattern.take(event)
                }
                accounts += [(bus, subject, exact), (bus, subject, pattern)]
            }
            try await Listener(buses[bus], "chat/*").live()
            try await Listener(buses[bus], "chat/3").live()
        }

        var published: [[[(number: Int, at: UInt64)]]] = Array(
            repeating: Array(repeating: [], count: subjects.count), count: buses.count)
        for step in 0..<1_500 {
            let bus = Int.random(in: 0..<3, using: &random)
            let other = (bus + Int.random(in: 1...2, using: &random)) % 3
            switch Int.random(in: 0..<100, using: &random) {
            case 0: network.setFault(.drop, from: buses[bus], to: buses[other])
            case 1: network.setFault(nil, from: buses[bus], to: buses[other])
            case 2: network.setConnected(false, buses[bus])
            case 3...5: network.setConnected(true, buses[bus])
            case 6: network.heal()
            default:
                let subject = Int.random(in: 0..<subjects.count, using: &random)
                published[bus][subject].append((step, EventLoop.nowNanoseconds))
                try buses[bus].publish([UInt8(step >> 8), UInt8(step & 255)], to: subjects[subject])
            }
            if step % 10 == 0 { try await Task.sleep(for: .milliseconds(2)) }
        }
        network.heal()
        for bus in buses { network.setConnected(true, bus) }
        try await acquainted(buses)

        func silentlyLost() -> [String] {
            accounts.flatMap { bus, subject, account in
                buses.indices.filter { $0 != bus }.flatMap { sender in
                    account.silentlyLost(published[sender][subject], of: buses[sender].node.id).map {
                        "seed \(seed): \(buses[bus].node.name) misses \($0) of \(buses[sender].node.name)"
                    }
                }
            }
        }
        do {
            try await until("all is told") { silentlyLost().isEmpty }
        } catch {
            Issue.record("\(silentlyLost())")
        }
        #expect(accounts.allSatisfy { $0.account.isInOrder })
        let lost = accounts.reduce(0) { sum, entry in
            buses.indices.filter { $0 != entry.bus }.reduce(sum) {
                $0 + entry.account.lost(published[$1][entry.subject], of: buses[$1].node.id)
            }
        }
        #expect(lost > 100, "the network loses enough for this to mean something")
        for bus in buses { await bus.close() }
    }
}
