import Campus
import Foundation
import WebSocket
import Wire

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
    private var decoders: [PositionFrame.Area: AreaDecoder] = [:]

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
        var kept: [PositionFrame.Area: AreaDecoder] = [:]
        for topic in topics {
            let parts = topic.split(separator: "/")
            guard parts.count == 4, let zoom = UInt8(parts[1]), let x = UInt32(parts[2]), let y = UInt32(parts[3])
            else { continue }
            let area = PositionFrame.Area.cell(zoom: zoom, x: x, y: y)
            kept[area] = decoders[area] ?? AreaDecoder()
        }
        decoders = kept
        gaps = gaps.filter { kept[$0.key] != nil }
    }

    /// Decodes a frame.
    /// - Throws: An error if the frame belongs to no visible cell or cannot be decoded.
    func apply(_ frame: [UInt8], _ now: UInt64) throws -> AreaUpdate? {
        let decoded = try AreaFrame(decoding: frame)
        guard var decoder = decoders[decoded.area] else { throw BenchError(description: "a cell not in view") }
        let update = try decoder.apply(decoded)
        decoders[decoded.area] = decoder
        if update == nil { gaps[decoded.area] = gaps[decoded.area] ?? now } else { gaps[decoded.area] = nil }
        return update
    }

    /// By area feed, the time since which frames cannot be decoded because one is missing. A snapshot must follow.
    private var gaps: [PositionFrame.Area: UInt64] = [:]

    /// Number of area feeds without a snapshot after a gap.
    func brokenFeeds(_ now: UInt64) -> Int { gaps.values.count { now > $0 + Self.gapNanosecondsMax } }
    private static let gapNanosecondsMax: UInt64 = 2_000_000_000

    /// Number of runners on the map, including those in aggregated counts.
    var visible: Int { decoders.values.reduce(0) { $0 + $1.count } }
}
