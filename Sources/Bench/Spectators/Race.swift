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
    var brokenPictures: Int { spectators.reduce(0) { $0 + $1.brokenPictures(LoadLoop.now) } }

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

/// A runner who runs in circles.
final class RaceRunner {
    /// Metres per second.
    private static let speed = 3.0
    static let metresPerDegree = 111_195.0
    /// The centre of the race.
    static let centre = LatLon(47.3769, 8.5417)
    /// Maximum distance of the circles' centres from the race's centre, in metres.
    static let spreadMetres = (north: 450.0, east: 600.0)

    let client: RaceClient
    private(set) var session: Int64 = 0
    /// Time of the next fix.
    var due: UInt64
    private let middle: LatLon
    private let radius: Double
    private var angle: Double
    private var sequence: Int64 = 0
    private var sent: [(lat: Double, lon: Double, at: UInt64)] = []
    private var unacknowledged: [UInt64] = []

    init(client: RaceClient) {
        self.client = client
        var generator = SystemRandomNumberGenerator()
        middle = Self.moved(
            Self.centre, north: .random(in: -Self.spreadMetres.north...Self.spreadMetres.north, using: &generator),
            east: .random(in: -Self.spreadMetres.east...Self.spreadMetres.east, using: &generator))
        radius = .random(in: 30...150, using: &generator)
        angle = .random(in: 0..<2 * .pi, using: &generator)
        due = LoadLoop.now
    }

    static func moved(_ position: LatLon, north: Double, east: Double) -> LatLon {
        LatLon(
            position.latitude + north / metresPerDegree,
            position.longitude + east / (metresPerDegree * cos(position.latitude * .pi / 180)))
    }

    func start(_ load: LoadLoop) throws {
        client.send(
            request: TrackingStart.self,
            .init(activity: .run, clientId: UUID().uuidString, title: "Race", audience: .public))
        session = try client.awaitReply(to: TrackingStart.self, load).session.id
    }

    /// Sends the next fix. A late fix does not delay the following ones.
    func sendFix(_ now: UInt64) {
        due += 1_000_000_000
        sequence += 1
        angle += Self.speed / radius
        let position = Self.moved(middle, north: sin(angle) * radius, east: cos(angle) * radius)
        sent.append((position.latitude, position.longitude, now))
        // The smallest circle takes a minute.
        if sent.count > 40 { sent.removeFirst() }
        unacknowledged.append(now)
        let point = TrackPoint(
            seq: sequence, lat: position.latitude, lon: position.longitude, time: .now, accuracy: 4)
        let frame = TrackFrame(id: UInt32(truncatingIfNeeded: sequence), session: session, points: [point])
        if let bytes = try? frame.encoded() { client.send(binary: bytes) }
    }

    /// Removes the oldest unacknowledged fix; answers arrive in order.
    /// - Returns: The time at which it was sent.
    func takeUnacknowledged() -> UInt64? { unacknowledged.isEmpty ? nil : unacknowledged.removeFirst() }

    /// The time at which the fix at a position was sent; nil if it is none of the last fixes.
    func sentAt(_ lat: Double, _ lon: Double) -> UInt64? {
        let near = sent.last { abs($0.lat - lat) < 1e-5 && abs($0.lon - lon) < 1.4e-5 }
        return near?.at
    }
}

/// A spectator that views a part of the race and moves the map every few seconds.
final class RaceSpectator {
    enum Kind {
        /// Only counts the received frames.
        case counted
        /// Decodes the frames like a real client.
        case audited
        /// Reads slowly.
        case slow
    }

    /// Time between two moves of a map.
    private static let moveNanoseconds: ClosedRange<UInt64> = 2_000_000_000...6_000_000_000

    let client: RaceClient
    let kind: Kind
    var frames = 0
    /// Time of the next move.
    private(set) var due: UInt64
    /// Width and height in metres, and zoom: a phone zoomed in, a phone, a large screen.
    private let screen: (east: Double, north: Double, zoom: Double)
    private var at: LatLon
    private var decoders: [PositionFrame.Picture: AreaDecoder] = [:]

    init(index: Int, kind: Kind, client: RaceClient) {
        self.client = client
        self.kind = kind
        screen = [(420, 900, 16.5), (840, 1_800, 15.5), (2_000, 1_300, 15.8)][index % 3]
        at = RaceRunner.centre
        due = LoadLoop.now + UInt64.random(in: 0...Self.moveNanoseconds.lowerBound)
    }

    /// Moves the map by up to 30 % of the screen, within the race.
    func moveMap(_ now: UInt64) {
        due = now + .random(in: Self.moveNanoseconds)
        let moved = RaceRunner.moved(
            at, north: screen.north * .random(in: -0.3...0.3), east: screen.east * .random(in: -0.3...0.3))
        let (north, east) = (RaceRunner.spreadMetres.north / 2, RaceRunner.spreadMetres.east / 2)
        let low = RaceRunner.moved(RaceRunner.centre, north: -north, east: -east)
        let high = RaceRunner.moved(RaceRunner.centre, north: north, east: east)
        at = LatLon(
            min(max(moved.latitude, low.latitude), high.latitude),
            min(max(moved.longitude, low.longitude), high.longitude))
        let south = RaceRunner.moved(at, north: -screen.north / 2, east: -screen.east / 2)
        let end = RaceRunner.moved(at, north: screen.north / 2, east: screen.east / 2)
        client.send(
            request: PositionsView.self,
            .init(
                box: [south.latitude, south.longitude, end.latitude, end.longitude], zoom: screen.zoom,
                encoding: .binary))
    }

    /// Drops the decoders of cells that left the viewport.
    func takeReply(_ json: [UInt8]) {
        guard kind == .audited,
            let topics = try? WireJSON.decode(Success<PositionsView.Result>.self, from: json).result.topics
        else { return }
        var kept: [PositionFrame.Picture: AreaDecoder] = [:]
        for topic in topics {
            let parts = topic.split(separator: "/")
            guard parts.count == 4, let zoom = UInt8(parts[1]), let x = UInt32(parts[2]), let y = UInt32(parts[3])
            else { continue }
            let picture = PositionFrame.Picture.cell(zoom: zoom, x: x, y: y)
            kept[picture] = decoders[picture] ?? AreaDecoder()
        }
        decoders = kept
        gaps = gaps.filter { kept[$0.key] != nil }
    }

    /// Decodes a frame.
    /// - Throws: An error if the frame belongs to no visible cell or cannot be decoded.
    func apply(_ frame: [UInt8], _ now: UInt64) throws -> AreaUpdate? {
        let decoded = try AreaFrame(decoding: frame)
        guard var decoder = decoders[decoded.picture] else { throw BenchError(description: "a cell not in view") }
        let update = try decoder.apply(decoded)
        decoders[decoded.picture] = decoder
        if update == nil { gaps[decoded.picture] = gaps[decoded.picture] ?? now } else { gaps[decoded.picture] = nil }
        return update
    }

    /// By area feed, the time since which frames cannot be decoded because one is missing. A snapshot must follow.
    private var gaps: [PositionFrame.Picture: UInt64] = [:]

    /// Number of area feeds without a snapshot after a gap.
    func brokenPictures(_ now: UInt64) -> Int { gaps.values.count { now > $0 + Self.gapNanosecondsMax } }
    private static let gapNanosecondsMax: UInt64 = 2_000_000_000

    /// Number of runners on the map, including those in aggregated counts.
    var visible: Int { decoders.values.reduce(0) { $0 + $1.count } }
}
