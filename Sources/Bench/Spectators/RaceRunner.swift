import Campus
import Foundation
import WebSocket
import Wire

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
