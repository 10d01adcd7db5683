import Campus
import Foundation
import WebSocket
import Wire

/// The runners and spectators of ``SpectatorScenario``, and what they saw. Not thread-safe: one thread drives it.
final class Race {
    /// What came while counting.
    struct Counts {
        var sent = 0
        var acknowledged = 0
        /// Positions in frames that were not snapshots.
        var updates = 0
        var snapshotRunners = 0
        var moves = 0
        var frames = 0
        /// Reads that gave something, mostly one of all that a tick told.
        var reads = 0
        /// Positions that none of the last fixes explains.
        var unmatched = 0
        var updateBytes = 0
        /// Of the sampled frames.
        var sampledUpdates = 0
        var sampledJSONBytes = 0
        var views = 0
        var visibleRunners = 0

        var bytesPerUpdate: Double { Double(updateBytes) / Double(max(1, updates)) }
        var jsonBytesPerUpdate: Double { Double(sampledJSONBytes) / Double(max(1, sampledUpdates)) }
        var visible: Double { Double(visibleRunners) / Double(max(1, views)) }
    }

    /// Of so many frames that are followed, one is encoded as JSON to see how long that is.
    private static let jsonSampledEvery = 100
    /// Between two looks at the sockets.
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
    /// Fixes that were not stored.
    private(set) var refused = 0
    private var isCounting = false
    /// How many positions a frame holds: most frames come to many.
    private var known: [FrameName: (updates: Int, snapshot: Int)] = [:]

    /// What tells a frame from another: its head, which has its cell, sequence number and time, and its last bytes.
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
        // Who reads slowly is not asked when there is something to read.
        if spectator.kind == .slow { load.remove(spectator.client.socket) }
        bySocket[spectator.client.socket.descriptor] = .spectator(spectator)
    }

    /// Pictures of audited spectators that cannot be followed any more.
    var brokenPictures: Int { spectators.reduce(0) { $0 + $1.brokenPictures(LoadLoop.now) } }

    /// How connections ended that the server ended: how many of each.
    var endings: [String: Int] {
        var endings: [String: Int] = [:]
        for spectator in spectators where spectator.client.hasEnded || spectator.client.socket.hasEnded {
            let how = spectator.client.ending ?? (spectator.client.socket.wasReset ? "reset" : "end of stream")
            endings["\(spectator.kind): \(how)", default: 0] += 1
        }
        return endings
    }

    /// Connections that the server ended.
    var lost: Int {
        spectators.count { $0.client.hasEnded || $0.client.socket.hasEnded }
            + runners.count { $0.client.hasEnded || $0.client.socket.hasEnded }
    }

    /// Of one slow spectator, on average.
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

    /// From here on the fixes of a second come evenly within so many milliseconds of it.
    func spreadRunners(milliseconds: Int) {
        let now = LoadLoop.now
        for (index, runner) in runners.enumerated() {
            runner.due = now + UInt64(index) * UInt64(milliseconds) * 1_000_000 / UInt64(runners.count)
        }
    }

    /// Lets everybody do what is due for so long.
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
            // Not in `epoll_wait`: the server would pay for waking up its clients, which are on its machine only here.
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
            // To encode as JSON takes longer than all the rest.
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
        // Of a crowd no single positions come.
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

/// Runs in circles.
final class RaceRunner {
    /// Metres a second.
    private static let speed = 3.0
    static let metresPerDegree = 111_195.0
    /// Where the race is.
    static let centre = LatLon(47.3769, 8.5417)
    /// From the centre to the edges of where circles have their centres, metres.
    static let spreadMetres = (north: 450.0, east: 600.0)

    let client: RaceClient
    private(set) var session: Int64 = 0
    /// When it sends next.
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

    /// The next fix; one that is late does not put off those behind it.
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

    /// Answers come in order.
    /// - Returns: When the fix that is answered now was sent.
    func takeUnacknowledged() -> UInt64? { unacknowledged.isEmpty ? nil : unacknowledged.removeFirst() }

    /// When the fix at a position was sent; nil when it is none of the last.
    func sentAt(_ lat: Double, _ lon: Double) -> UInt64? {
        let near = sent.last { abs($0.lat - lat) < 1e-5 && abs($0.lon - lon) < 1.4e-5 }
        return near?.at
    }
}

/// Looks at a part of the race, and soon at another one.
final class RaceSpectator {
    enum Kind {
        /// Counts what it gets.
        case counted
        /// Keeps a map as a client does.
        case audited
        /// Reads slowly.
        case slow
    }

    /// Between two moves of a map.
    private static let moveNanoseconds: ClosedRange<UInt64> = 2_000_000_000...6_000_000_000

    let client: RaceClient
    let kind: Kind
    var frames = 0
    /// When it moves its map next.
    private(set) var due: UInt64
    /// Width and height, metres, and zoom: a phone near by, a phone, a large screen.
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

    /// A drag of the map: up to half a screen, and not away from the race.
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

    /// Forgets the cells that went out of view.
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

    /// - Throws: When the frame is not of a cell in view, or cannot be followed.
    func apply(_ frame: [UInt8], _ now: UInt64) throws -> AreaUpdate? {
        let decoded = try AreaFrame(decoding: frame)
        guard var decoder = decoders[decoded.picture] else { throw BenchError(description: "a cell not in view") }
        let update = try decoder.apply(decoded)
        decoders[decoded.picture] = decoder
        if update == nil { gaps[decoded.picture] = gaps[decoded.picture] ?? now } else { gaps[decoded.picture] = nil }
        return update
    }

    /// Since when frames of a picture cannot be followed because one is missing: a snapshot must come.
    private var gaps: [PositionFrame.Picture: UInt64] = [:]

    /// Pictures for which none came.
    func brokenPictures(_ now: UInt64) -> Int { gaps.values.count { now > $0 + Self.gapNanosecondsMax } }
    private static let gapNanosecondsMax: UInt64 = 2_000_000_000

    /// Runners on its map, counted ones too.
    var visible: Int { decoders.values.reduce(0) { $0 + $1.count } }
}
