import CampanileClient
import Foundation
import Synchronization
import Wire

typealias LossEvent = LogEvent<TestPublication>

/// The clients of a loss run: publishers that send again until they are acknowledged, and subscribers that vanish at random
/// and come back with what they saw last.
final class LossFleet: Sendable {
    /// Topics that each subscriber follows.
    private static let followedTopics = 3
    /// A subscriber stays for so long on average before it vanishes.
    private static let staySecondsMean = 12.0
    /// It then comes back within this; one of `longAwayOneOf` stays away for longer.
    private static let awaySecondsMax = 1.5
    private static let longAwayOneOf = 12
    private static let longAwaySecondsMax = 40.0
    /// Between two attempts to connect.
    private static let attemptSecondsMax = 0.5
    /// One of so many subscriptions first gives a position that cannot be.
    private static let probeOneOf = 50
    /// One of so many acknowledged publications is sent again.
    private static let resendOneOf = 20
    /// How long a publisher goes on trying at the end.
    private static let lastAcknowledgementSecondsMax = 60.0

    let tally = LossTally()
    /// By subscriber.
    let ledgers: [[LossLedger]]
    /// Of each node.
    private let addresses: [ServerAddress]
    private let loops: ClientLoops
    private let topics: [String]
    private let publishers: Int
    private let publicationsPerSecond: Double
    private let isPublishing = Atomic<Bool>(true)
    /// Subscribers vanish.
    private let isRestless = Atomic<Bool>(true)
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let publishing = Mutex<[Task<Void, Never>]>([])

    init(
        addresses: [ServerAddress], loops: ClientLoops, subscribers: Int, publishers: Int, topics: Int,
        publicationsPerSecond: Double
    ) {
        let names = (1...topics).map { "test/\($0)" }
        (self.addresses, self.loops, self.topics) = (addresses, loops, names)
        (self.publishers, self.publicationsPerSecond) = (publishers, publicationsPerSecond)
        ledgers = (0..<subscribers).map { index in
            (0..<min(Self.followedTopics, topics)).map { LossLedger(topic: names[(index + $0) % topics]) }
        }
    }

    // MARK: Life

    func start() {
        tasks.withLock { tasks in
            tasks = ledgers.map { ledgers in Task { await follow(ledgers) } }
        }
        publishing.withLock { tasks in
            tasks = (0..<publishers).map { index in Task { await publish(index) } }
        }
    }

    /// Lets publishers finish what they have begun; returns when all is acknowledged or given up.
    func stopPublishing() async {
        isPublishing.store(false, ordering: .relaxed)
        for task in publishing.withLock({ $0 }) { await task.value }
    }

    /// From now on subscribers stay.
    func settle() { isRestless.store(false, ordering: .relaxed) }

    func stop() async {
        for task in tasks.withLock({ $0 }) {
            task.cancel()
            await task.value
        }
    }

    private static func sleep(_ seconds: Double) async { try? await Task.sleep(for: .seconds(seconds)) }

    // MARK: Publishers

    private func publish(_ index: Int) async {
        var connection: CampanileConnection?
        let interval = Double(publishers) / publicationsPerSecond
        await Self.sleep(interval * Double(index) / Double(publishers))
        while isPublishing.load(ordering: .relaxed) {
            let started = LoadLoop.now
            let params = TestPublish.Params(
                topic: topics.randomElement() ?? "test/1", id: UUID().uuidString.lowercased(),
                data: LossStamp(node: index % addresses.count, sentAt: started).text)
            guard let place = await acknowledge(params, of: index, on: &connection) else { break }
            tally.change {
                $0.latency.record(nanoseconds: LoadLoop.now - started)
                $0.acknowledged.append(.init(id: params.id, place: place))
            }
            if Int.random(in: 0..<Self.resendOneOf) == 0,
                let again = await acknowledge(params, of: index, on: &connection)
            {
                tally.change {
                    $0.resends += 1
                    if again != place { $0.movedResends += 1 }
                }
            }
            await Self.sleep(max(0, interval - Double(LoadLoop.now - started) / 1e9))
        }
        await connection?.close()
    }

    /// Sends until it is acknowledged, over as many connections as that takes.
    private func acknowledge(
        _ params: TestPublish.Params, of publisher: Int, on connection: inout CampanileConnection?
    ) async -> Published? {
        var isFirst = true
        let patience = UInt64(Self.lastAcknowledgementSecondsMax * 1e9)
        let began = LoadLoop.now
        while isPublishing.load(ordering: .relaxed) || LoadLoop.now - began < patience {
            do {
                let open: CampanileConnection
                if let connection {
                    open = connection
                } else {
                    open = try await connect(to: publisher % addresses.count)
                }
                connection = open
                if !isFirst { tally.change { $0.resends += 1 } }
                isFirst = false
                return try await open.call(TestPublish.self, params)
            } catch let error as RPCError {
                guard error.registered?.isRetryable == true else {
                    tally.trouble("a publication was refused: \(error)")
                    break
                }
                await Self.sleep(Double.random(in: 0.02...0.2))
            } catch {
                await connection?.drop()
                connection = nil
                await Self.sleep(Double.random(in: 0.02...Self.attemptSecondsMax))
            }
        }
        tally.change { $0.unacknowledged += 1 }
        return nil
    }

    private func connect(to node: Int) async throws -> CampanileConnection {
        let connection = try await CampanileConnection.connect(to: addresses[node], loops: loops)
        do {
            try await connection.hello(client: .init(name: "campanile bench", version: "1"))
            return connection
        } catch {
            await connection.drop()
            throw error
        }
    }

    // MARK: Subscribers

    private func follow(_ ledgers: [LossLedger]) async {
        while !Task.isCancelled {
            // Another node each time: what one has given, the other must go on from.
            let node = Int.random(in: addresses.indices)
            guard let connection = try? await connect(to: node) else {
                await Self.sleep(Double.random(in: 0.02...Self.attemptSecondsMax))
                continue
            }
            tally.change { $0.connections += 1 }
            do {
                for ledger in ledgers { try await follow(ledger, on: connection, at: node) }
            } catch {
                // The server was killed meanwhile, or its database.
                await connection.drop()
                await Self.sleep(Double.random(in: 0.02...Self.attemptSecondsMax))
                continue
            }
            await stay(on: connection)
            let ending = await connection.untilEnded()
            if case .disconnected(_, let code?) = ending { tally.change { $0.closeCodes["\(code)", default: 0] += 1 } }
            guard isRestless.load(ordering: .relaxed) else { continue }
            let isLong = Int.random(in: 0..<Self.longAwayOneOf) == 0
            await Self.sleep(Double.random(in: 0...(isLong ? Self.longAwaySecondsMax : Self.awaySecondsMax)))
        }
    }

    /// Until the connection ends by itself, or this client drops it.
    private func stay(on connection: CampanileConnection) async {
        let seconds = -log(Double.random(in: 0.000_001...1)) * Self.staySecondsMean
        let end = LoadLoop.now + UInt64(seconds * 1e9)
        while await connection.isOpen, !Task.isCancelled {
            if LoadLoop.now > end, isRestless.load(ordering: .relaxed) {
                tally.change { $0.drops += 1 }
                return await connection.drop()
            }
            await Self.sleep(0.05)
        }
        if Task.isCancelled { await connection.drop() }
    }

    private func follow(_ ledger: LossLedger, on connection: CampanileConnection, at node: Int) async throws {
        if let position = ledger.position, Int.random(in: 0..<Self.probeOneOf) == 0 {
            try await probe(ledger.topic, position, on: connection)
        }
        let tally = tally
        let more = Mutex(false)
        repeat {
            let since = ledger.position
            try await connection.follow(log: ledger.topic, of: TestPublication.self, since: since) { event in
                ledger.take(event, since: since, tally: tally)
                tally.arrived(event, at: node)
                if case .resumed(let reply) = event { more.withLock { $0 = reply.more == true } }
            }
        } while more.withLock { $0 }
    }

    /// Asks with a position that cannot be: the server must not call that recovered.
    private func probe(_ topic: String, _ position: TopicPosition, on connection: CampanileConnection) async throws {
        let isFuture = Bool.random()
        let since = TopicPosition(
            epoch: position.epoch - (isFuture ? 0 : 1), offset: position.offset + (isFuture ? 1_000_000 : 0))
        let tally = tally
        try await connection.follow(log: topic, of: TestPublication.self, since: since) { event in
            guard case .resumed(let reply) = event else { return }
            let isTruthful = !reply.recovered && reply.reason == (isFuture ? .future : .epochChanged)
            tally.change {
                $0.probes += 1
                if !isTruthful { $0.falseProbes += 1 }
            }
        }
    }
}
