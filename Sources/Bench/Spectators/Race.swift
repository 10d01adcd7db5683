import Campus
import Foundation
import WebSocket
import Wire

/// The runners and spectators of ``SpectatorScenario``, and their results. Not thread-safe: one thread drives it.
final class Race {
    /// Numbers since ``beginCounting()``.
    struct Counts {
        var sent = 0
        var acknowledged = 0
        /// Positions in frames other than snapshots.
        var updates = 0
        var snapshotRunners = 0
        var moves = 0
        var frames = 0
        /// Reads that returned data; usually one per tick.
        var reads = 0
        /// Positions that match none of the runner's last fixes.
        var unmatched = 0
        var updateBytes = 0
        /// Numbers of the frames sampled for the JSON comparison.
        var sampledUpdates = 0
        var sampledJSONBytes = 0
        var views = 0
        var visibleRunners = 0

        var bytesPerUpdate: Double { Double(updateBytes) / Double(max(1, updates)) }
        var jsonBytesPerUpdate: Double { Double(sampledJSONBytes) / Double(max(1, sampledUpdates)) }
        var visible: Double { Double(visibleRunners) / Double(max(1, views)) }
    }

    /// One decoded frame in this many is also encoded as JSON to compare the lengths.
    private static let jsonSampledEvery = 100
    /// Pause between two polls of the sockets.
    static let pauseMicroseconds: UInt32 = 1_000

    let load = LoadLoop()
    private var audits = 0
    private var runners: [RaceRunner] = []
    private var spectators: [RaceSpectator] = []
    private var bySocket: [Int32: Member] = [:]
    private var bySession: [Int64: RaceRunner] = [:]
    private(set) var counts = Counts()
    private(set) var latency = LatencyHistogram()
    private(set) var acknowledgement = LatencyHistogram()
    private(set) var errors = 0
    /// Fixes that the server refused.
    private(set) var refused = 0
    private var isCounting = false
    /// Further load that the same thread drives.
    var alongside: ((_ now: UInt64) -> Void)?
    /// Positions per frame, cached because most frames go to many spectators.
    private var known: [FrameName: (updates: Int, snapshot: Int)] = [:]

    /// The identity of a frame: its head, with cell, sequence number and time, and its last bytes.
    private struct FrameName: Hashable {
        let bytes: Int
        let head: (UInt64, UInt64)
        let last: UInt64

        init?(_ frame: UnsafeRawBufferPointer) {
            guard frame.count >= 16 else { return nil }
            bytes = frame.count
            head = (
                frame.loadUnaligned(as: UInt64.self), frame.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
            last = frame.loadUnaligned(fromByteOffset: frame.count - 8, as: UInt64.self)
        }

        static func == (one: FrameName, other: FrameName) -> Bool {
            one.bytes == other.bytes && one.head == other.head && one.last == other.last
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(head.0)
            hasher.combine(head.1)
            hasher.combine(last)
        }
    }

    private enum Member {
        case runner(RaceRunner), spectator(RaceSpectator)
    }

    func add(_ runner: RaceRunner, _ load: LoadLoop) throws {
        try runner.start(load)
        runners.append(runner)
        bySocket[runner.client.socket.descriptor] = .runner(runner)
        bySession[runner.session] = runner
    }

    func add(_ spectator: RaceSpectator) {
        spectators.append(spectator)
        // A slow spectator is not polled for readability.
        if spectator.kind == .slow { load.remove(spectator.client.socket) }
        bySocket[spectator.client.socket.descriptor] = .spectator(spectator)
    }

    /// Area feeds of audited spectators that stopped after a gap.
    var brokenFeeds: Int { spectators.reduce(0) { $0 + $1.brokenFeeds(LoadLoop.now) } }

    /// The server-side endings of spectators' connections, with their numbers.
    var endings: [String: Int] {
        var endings: [String: Int] = [:]
        for spectator in spectators where spectator.client.hasEnded || spectator.client.socket.hasEnded {
            let how = spectator.client.ending ?? (spectator.client.socket.wasReset ? "reset" : "end of stream")
            endings["\(spectator.kind): \(how)", default: 0] += 1
        }
        return endings
    }

    /// Number of connections that the server ended.
    var lost: Int {
        spectators.count { $0.client.hasEnded || $0.client.socket.hasEnded }
            + runners.count { $0.client.hasEnded || $0.client.socket.hasEnded }
    }

    /// Mean number of frames per slow spectator.
    var framesOfSlow: Double {
        let slow = spectators.filter { $0.kind == .slow }
        return Double(slow.reduce(0) { $0 + $1.frames }) / Double(max(1, slow.count))
    }

    func beginCounting() {
        isCounting = true
        counts = Counts()
        latency = LatencyHistogram()
        acknowledgement = LatencyHistogram()
        for spectator in spectators { spectator.frames = 0 }
    }

    /// Spreads the runners' fixes evenly over this many milliseconds of each second.
    func spreadRunners(milliseconds: Int) {
        let now = LoadLoop.now
        for (index, runner) in runners.enumerated() {
            runner.due = now + UInt64(index) * UInt64(milliseconds) * 1_000_000 / UInt64(runners.count)
        }
    }

    /// Drives all clients for this many seconds.
    func drive(seconds: Double) {
        let end = LoadLoop.now + UInt64(seconds * 1e9)
        var nextSlow = LoadLoop.now
        while LoadLoop.now < end {
            let now = LoadLoop.now
            for runner in runners where runner.due <= now {
                runner.sendFix(now)
                if isCounting { counts.sent += 1 }
            }
            for spectator in spectators where spectator.due <= now {
                spectator.moveMap(now)
                if isCounting { counts.moves += 1 }
            }
            alongside?(now)
            if nextSlow <= now {
                nextSlow = now + 1_000_000_000
                for spectator in spectators where spectator.kind == .slow {
                    spectator.client.receive(upTo: SpectatorScenario.slowBytesPerSecond, load.buffer) {
                        take($0, by: spectator)
                    }
                }
            }
            // Sleep here and not in `epoll_wait`: the server would pay for waking up clients that are only here on its
            // own machine.
            usleep(Self.pauseMicroseconds)
            load.pollAll { socket in
                switch bySocket[socket.descriptor] {
                case .runner(let runner): runner.client.receive(load.buffer) { take($0, by: runner) }
                case .spectator(let spectator) where spectator.kind == .audited || socket.isSecure:
                    if isCounting { counts.reads += 1 }
                    spectator.client.receive(load.buffer) { take($0, by: spectator) }
                case .spectator(let spectator):
                    if isCounting { counts.reads += 1 }
                    spectator.client.count(load.buffer) {
                        tally($0, of: spectator)
                    } _: {
                        take($0, by: spectator)
                    }
                case nil: break
                }
            }
        }
        if isCounting { countVisible() }
    }

    private func countVisible() {
        for spectator in spectators where spectator.kind == .audited {
            counts.views += 1
            counts.visibleRunners += spectator.visible
        }
    }

    private func take(_ event: WebSocketEvent, by runner: RaceRunner) {
        guard case .binary(let bytes) = event, let sentAt = runner.takeUnacknowledged(), isCounting else { return }
        guard let reply = try? TrackReply(decoding: bytes), case .taken(let taken) = reply.outcome, taken.stored == 1
        else { return refused += 1 }
        counts.acknowledged += 1
        acknowledgement.record(nanoseconds: LoadLoop.now - sentAt)
    }

    private func take(_ event: WebSocketEvent, by spectator: RaceSpectator) {
        guard case .binary(let frame) = event else {
            if case .text(let json) = event { spectator.takeReply(json) }
            return
        }
        frame.withUnsafeBytes { tally($0, of: spectator) }
        guard spectator.kind == .audited else { return }
        do {
            let now = LoadLoop.now
            guard case .runners(let update) = try spectator.apply(frame, now), update.full != true, isCounting else {
                return
            }
            for runner in update.runners {
                guard let sentAt = bySession[runner.session]?.sentAt(runner.lat, runner.lon) else {
                    counts.unmatched += 1
                    continue
                }
                latency.record(nanoseconds: now - sentAt)
            }
            // Sampled, because encoding as JSON takes longer than everything else.
            audits += 1
            guard audits % Self.jsonSampledEvery == 0 else { return }
            counts.sampledUpdates += update.runners.count
            let push = Push(topic: "cell/17/70000/45000", data: update)
            counts.sampledJSONBytes += (try? WireJSON.encode(push))?.count ?? 0
        } catch {
            errors += 1
        }
    }

    private func tally(_ frame: UnsafeRawBufferPointer, of spectator: RaceSpectator) {
        spectator.frames += 1
        let count = count(frame)
        guard isCounting else { return }
        counts.frames += 1
        counts.updates += count.updates
        counts.snapshotRunners += count.snapshot
        if count.updates > 0 { counts.updateBytes += frame.count }
    }

    private func count(_ frame: UnsafeRawBufferPointer) -> (updates: Int, snapshot: Int) {
        let name = FrameName(frame)
        if let name, let count = known[name] { return count }
        guard let name else {
            errors += 1
            return (0, 0)
        }
        let count: (updates: Int, snapshot: Int)
        switch try? AreaFrame(decoding: Array(frame)) {
        case .positions(let decoded):
            let runners = decoded.entered.count + decoded.moved.count
            count = decoded.grid == nil ? (runners, 0) : (0, runners)
        // Aggregated feeds of a crowd contain no individual positions.
        case .counts: count = (0, 0)
        case nil:
            errors += 1
            return (0, 0)
        }
        if known.count > 4_096 { known.removeAll(keepingCapacity: true) }
        known[name] = count
        return count
    }
}
