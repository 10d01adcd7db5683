import CampanileClient
import Foundation
import Synchronization
import Wire

/// The clients of a loss run. Writers resend until they are acknowledged. Subscribers disconnect at random and resume
/// from their last position.
final class LossFleet: Sendable {
    /// Mean time until a subscriber disconnects.
    private static let staySecondsMean = 12.0
    /// Maximum time until it reconnects, except for one in `longAwayOneOf`, which stays away longer.
    private static let awaySecondsMax = 1.5
    private static let longAwayOneOf = 12
    private static let longAwaySecondsMax = 40.0
    /// Maximum wait between two attempts to connect.
    private static let attemptSecondsMax = 0.5
    /// One subscription in this many first sends an impossible position.
    private static let probeOneOf = 50
    /// One acknowledged write in this many is sent again.
    private static let resendOneOf = 20
    /// Maximum time for which a writer retries after the end of the run.
    private static let lastAcknowledgementSecondsMax = 60.0

    let tally = LossTally()
    let traffic: any LossTraffic
    /// The ledgers of all devices.
    var ledgers: [LossLedger] { traffic.devices.flatMap(\.ledgers) }
    /// The addresses of the nodes.
    private let addresses: [ServerAddress]
    private let loops: ClientLoops
    private let writesPerSecond: Double
    private let isWriting = Atomic<Bool>(true)
    /// True while subscribers disconnect at random.
    private let isRestless = Atomic<Bool>(true)
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let writing = Mutex<[Task<Void, Never>]>([])

    /// - Parameter writesPerSecond: Rate of all writers together, without the writes that follow from another.
    init(_ traffic: any LossTraffic, addresses: [ServerAddress], loops: ClientLoops, writesPerSecond: Double) {
        (self.traffic, self.addresses, self.loops) = (traffic, addresses, loops)
        self.writesPerSecond = writesPerSecond
    }

    // MARK: Life cycle

    /// Starts all clients.
    /// - Parameter seconds: How long the writers will write.
    func start(seconds: Double) {
        tasks.withLock { tasks in
            tasks = traffic.devices.map { device in Task { await follow(device) } }
        }
        writing.withLock { tasks in
            tasks = traffic.writers.indices.map { index in Task { await write(index) } }
            tasks += traffic.interlude.map { token, write in
                Task {
                    await Self.sleep(seconds / 2)
                    await send([write], of: 0, token: token)
                }
            }
        }
    }

    /// Lets writers finish their current write. Returns when each is acknowledged or given up.
    func stopWriting() async {
        isWriting.store(false, ordering: .relaxed)
        for task in writing.withLock({ $0 }) { await task.value }
    }

    /// Makes subscribers stay connected from now on.
    func settle() { isRestless.store(false, ordering: .relaxed) }

    func stop() async {
        for task in tasks.withLock({ $0 }) {
            task.cancel()
            await task.value
        }
    }

    private static func sleep(_ seconds: Double) async { try? await Task.sleep(for: .seconds(seconds)) }

    // MARK: Writers

    private func write(_ index: Int) async {
        var connection: CampanileConnection?
        let token = traffic.writers[index]
        let interval = Double(traffic.writers.count) / writesPerSecond
        await Self.sleep(interval * Double(index) / Double(traffic.writers.count))
        while isWriting.load(ordering: .relaxed) {
            let started = LoadLoop.now
            let write = traffic.next(of: index, stamp: LossStamp(node: index % addresses.count, sentAt: started))
            guard let position = await acknowledge(write, of: index, token: token, on: &connection) else { break }
            tally.change { $0.latency.record(nanoseconds: LoadLoop.now - started) }
            if Int.random(in: 0..<Self.resendOneOf) == 0,
                let again = await acknowledge(write, of: index, token: token, on: &connection, isRepeated: true)
            {
                tally.change {
                    $0.resends += 1
                    if again != position { $0.movedResends += 1 }
                }
            }
            for write in traffic.sequel(to: write, at: position, of: index) {
                guard await acknowledge(write, of: index, token: token, on: &connection) != nil else { break }
            }
            await Self.sleep(max(0, interval - Double(LoadLoop.now - started) / 1e9))
        }
        await connection?.close()
    }

    /// Sends writes over a connection of their own.
    private func send(_ writes: [LossWrite], of writer: Int, token: String) async {
        var connection: CampanileConnection?
        for write in writes { _ = await acknowledge(write, of: writer, token: token, on: &connection) }
        await connection?.close()
    }

    /// Sends a write until it is acknowledged, over as many connections as necessary.
    private func acknowledge(
        _ write: LossWrite, of writer: Int, token: String?, on connection: inout CampanileConnection?,
        isRepeated: Bool = false
    ) async -> LossPosition? {
        var isFirst = true
        let patience = UInt64(Self.lastAcknowledgementSecondsMax * 1e9)
        let began = LoadLoop.now
        while isWriting.load(ordering: .relaxed) || LoadLoop.now - began < patience {
            do {
                let open: CampanileConnection
                if let connection {
                    open = connection
                } else {
                    open = try await connect(to: writer % addresses.count, token: token)
                }
                connection = open
                if !isFirst { tally.change { $0.resends += 1 } }
                isFirst = false
                let position = try await write.send(open)
                if !isRepeated {
                    tally.change {
                        $0.acknowledged.append(
                            .init(id: write.id, author: write.author, effect: write.effect, position: position))
                    }
                }
                return position
            } catch let error as RPCError {
                tally.refused(error)
                guard error.registered?.isRetryable == true else {
                    tally.trouble("a write was refused: \(error)")
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

    /// - Parameter token: Nil for a guest.
    func connect(to node: Int, token: String?) async throws -> CampanileConnection {
        try await Self.connect(to: addresses[node], loops: loops, token: token)
    }

    static func connect(
        to address: ServerAddress, loops: ClientLoops, token: String?
    ) async throws -> CampanileConnection {
        let connection = try await CampanileConnection.connect(to: address, loops: loops)
        do {
            try await connection.hello(token: token, client: .init(name: "campanile bench", version: "1"))
            return connection
        } catch {
            await connection.drop()
            throw error
        }
    }

    // MARK: Subscribers

    private func follow(_ device: LossDevice) async {
        while !Task.isCancelled {
            // A random node each time: each must resume from positions of the others.
            let node = Int.random(in: addresses.indices)
            guard let connection = try? await connect(to: node, token: device.token) else {
                await Self.sleep(Double.random(in: 0.02...Self.attemptSecondsMax))
                continue
            }
            tally.change { $0.connections += 1 }
            do {
                try await traffic.greet(device, on: connection, tally: tally)
                for ledger in device.ledgers where !ledger.isEnded {
                    try await follow(ledger, on: connection, at: node)
                }
            } catch {
                if let error = error as? RPCError { tally.refused(error) }
                // The server or its database was killed in the meantime.
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

    /// Waits until the connection ends by itself, or drops it after a random time.
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
        let tally = tally
        let more = Mutex(false)
        do {
            if let position = ledger.position, Int.random(in: 0..<Self.probeOneOf) == 0 {
                try await probe(ledger, position, on: connection)
            }
            repeat {
                let since = ledger.position
                try await traffic.follow(ledger.topic, since: since, on: connection) { event in
                    ledger.take(event, since: since, tally: tally)
                    tally.arrived(event, at: node)
                    if case .resumed(let reply) = event { more.withLock { $0 = reply.hasMore } }
                }
            } while more.withLock { $0 }
        } catch let error as RPCError where error.registered == .notFound && traffic.hasLeft(ledger) {
            ledger.end()
        }
    }

    /// Subscribes with an impossible position, which the server must not report as recovered.
    private func probe(
        _ ledger: LossLedger, _ position: TopicPosition, on connection: CampanileConnection
    ) async throws {
        let isFuture = Bool.random()
        let since = TopicPosition(
            epoch: position.epoch - (isFuture ? 0 : 1), offset: position.offset + (isFuture ? 1_000_000 : 0))
        let tally = tally
        try await traffic.follow(ledger.topic, since: since, on: connection) { event in
            guard case .resumed(let reply) = event else { return }
            let isTruthful = !reply.isRecovered && reply.reason == (isFuture ? .future : .epochChanged)
            tally.change {
                $0.probes += 1
                if !isTruthful { $0.falseProbes += 1 }
            }
        }
    }
}
