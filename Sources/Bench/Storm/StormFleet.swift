import CampanileClient
import Foundation
import Wire

/// The storm's clients and the thread that drives them.
///
/// Not thread-safe: used by one thread.
final class StormFleet {
    /// Interval between two checks for due clients.
    private static let checkNanoseconds: UInt64 = 4_000_000
    /// A viewport on the sample field.
    private static let view = Array("{\"box\":[51.498,7.997,51.503,8.003],\"zoom\":17,\"encoding\":\"binary\"}".utf8)

    /// Numbers since the storm began.
    struct Tally {
        var refused: [String: Int] = [:]
        var failed: [String: Int] = [:]
        var recovered = 0
        var recoveredPublications = 0
        var pages = 0
        var unrecovered: [String: Int] = [:]
    }

    let load = LoadLoop()
    let book = StormLedger.Book()
    private(set) var clients: [StormClient] = []
    private(set) var tally = Tally()
    private var byDescriptor: [StormClient?] = []
    private var nextCheck: UInt64 = 0

    /// - Parameters:
    ///   - views: Number of clients that also view a map.
    ///   - spreadSeconds: Period over which the first connections are spread.
    init(count: Int, views: Int, port: UInt16, topic: String, isBehindOneAddress: Bool, spreadSeconds: Double) {
        // 2,000 clients per source address, because the ports of one do not suffice for all simultaneous attempts.
        let setting = StormClient.Setting(
            port: port, topic: topic, clientsPerAddress: isBehindOneAddress ? count : 2_000)
        let start = LoadLoop.now
        for index in 0..<count {
            let at = start + UInt64(spreadSeconds * 1e9 * Double(index) / Double(count))
            let client = StormClient(
                index: index, setting: setting, view: index < views ? Self.view : nil, ledger: StormLedger(book),
                startAt: at
            ) { [unowned self] in record($0) }
            clients.append(client)
        }
    }

    /// Resets the counters.
    func beginCounting() { tally = Tally() }

    func dropAll() { for client in clients { client.drop(load) } }

    /// Number of resumed clients.
    var resumedCount: Int { clients.count { $0.phase == .resumed } }

    /// Nanoseconds from `moment` until this fraction of the clients had resumed; nil if they have not.
    func nanoseconds(from moment: UInt64, untilResumed part: Double) -> UInt64? {
        let times = clients.filter { $0.phase == .resumed && $0.resumedAt >= moment }.map(\.resumedAt).sorted()
        let needed = max(1, Int((Double(clients.count) * part).rounded(.up)))
        return times.count >= needed ? times[needed - 1] - moment : nil
    }

    /// Maximum number of clients that resumed within one second.
    var resumedPerSecondPeak: Double {
        RestartTally.Restart.peak(clients.map(\.resumedAt), milliseconds: 1_000)
    }

    /// Drives the clients until the time is up or `isDone`, which is checked a few hundred times per second.
    func drive(seconds: Double, until isDone: () -> Bool = { false }, onCheck: () -> Void = {}) {
        let end = LoadLoop.now + UInt64(seconds * 1e9)
        while true {
            load.poll(milliseconds: Int32(Self.checkNanoseconds / 1_000_000)) { socket in
                let descriptor = Int(socket.descriptor)
                if byDescriptor.indices.contains(descriptor) { byDescriptor[descriptor]?.ready(load) }
            }
            let now = LoadLoop.now
            guard now >= nextCheck else { continue }
            nextCheck = now + Self.checkNanoseconds
            for client in clients where client.wakeAt <= now { wake(client) }
            onCheck()
            if now >= end || isDone() { return }
        }
    }

    private func wake(_ client: StormClient) {
        client.wake(load)
        guard let descriptor = client.descriptor.map(Int.init) else { return }
        while byDescriptor.count <= descriptor { byDescriptor.append(nil) }
        byDescriptor[descriptor] = client
    }

    private func record(_ event: StormClient.Event) {
        switch event {
        case .refused(let why): tally.refused[why, default: 0] += 1
        case .failed(let why): tally.failed[why, default: 0] += 1
        case .recovered(let publications, let hasMore):
            if hasMore { tally.pages += 1 } else { tally.recovered += 1 }
            tally.recoveredPublications += publications
        case .unrecovered(let reason): tally.unrecovered[reason?.rawValue ?? "no reason", default: 0] += 1
        }
    }
}

/// CPU time of the server's processes, sampled by the fleet's thread.
struct StormCPU {
    private static let sampleNanoseconds: UInt64 = 250_000_000
    private var clocks: [(clock: CPUClock, last: Double)]
    private var lastSample = LoadLoop.now
    /// CPU seconds since the last sample.
    private var used = 0.0
    private(set) var seconds = 0.0
    /// Cores used in the busiest sample.
    private(set) var peak = 0.0

    init(_ clock: CPUClock) { clocks = [(clock, clock.seconds ?? 0)] }

    /// Adds a newly started server.
    mutating func add(_ clock: CPUClock) { clocks.append((clock, 0)) }

    mutating func sample(force: Bool = false) {
        // The clock of a process vanishes when it ends, so the clocks are read continuously.
        for index in clocks.indices {
            guard let now = clocks[index].clock.seconds else { continue }
            used += now - clocks[index].last
            clocks[index].last = now
        }
        let now = LoadLoop.now
        guard now - lastSample >= Self.sampleNanoseconds || (force && now > lastSample) else { return }
        seconds += used
        peak = max(peak, used / (Double(now - lastSample) / 1e9))
        (used, lastSample) = (0, now)
    }
}
