import Campus
import Foundation
import WebSocket
import Wire

private struct Reply<Result: Decodable>: Decodable { let result: Result }

/// Somebody who runs while the server is attacked: each point is committed and then pushed to all bystanders, who time it.
///
/// Used by one thread.
final class AttackRunner {
    /// Between two points. More than the hub's tick, so that each is pushed for itself.
    static let interval: UInt64 = 300_000_000
    /// Within these metres it runs up and down, so as to stay in one zone.
    private static let trackMetres = 10.0
    private static let metresPerPoint = 0.9
    /// Points whose time of sending is kept.
    private static let keptMax = 256

    let socket: LoadSocket
    private var core = WebSocketConnection(role: .client)
    private let start: GeoPoint
    private var session: Int64 = 0
    /// The zone it stays in.
    private(set) var zone: Int64 = 0
    private var number: Int64 = 0
    /// When points were sent, by their own time as it is on the wire, and these in order.
    private var sentAt: [[UInt8]: UInt64] = [:]
    private var sent: [[UInt8]] = []

    /// Signs in and starts, blocking.
    init(port: UInt16, tls: LoadSocket.TLS?, source: UInt16, token: String) throws {
        guard let start = SampleCampus.courses.first?.line.first else {
            throw BenchError(description: "the sample campus has no course")
        }
        self.start = start
        socket = try LoadSocket(port: port, tls: tls, source: source)
        try socket.upgrade(path: "/ws")
        socket.setNonBlocking()
        _ = try ask("hello", #"{"token":"\#(token)"}"#, as: Hello.Result.self)
        let located = try ask(
            "campus.locate", #"{"lat":\#(start.latitude),"lon":\#(start.longitude)}"#, as: CampusLocate.Result.self)
        guard let zone = located.zone?.id else { throw BenchError(description: "the server has no campus") }
        self.zone = zone
        let started = try ask(
            "tracking.start", #"{"activity":"run","clientId":"\#(UUID().uuidString)","audience":"public"}"#,
            as: TrackingStart.Result.self)
        session = started.session.id
    }

    private func ask<Result: Decodable>(_ method: String, _ params: String, as type: Result.Type) throws -> Result {
        socket.write(Attacker.request(method, params))
        var answer: [UInt8]?
        let deadline = LoadLoop.now + 10_000_000_000
        while answer == nil, LoadLoop.now < deadline, !socket.hasEnded {
            receive { answer = $0 }
            if answer == nil { usleep(1_000) }
        }
        guard let answer else { throw BenchError(description: "the runner got no answer to \(method)") }
        return try JSONDecoder().decode(Reply<Result>.self, from: Data(answer)).result
    }

    private func receive(_ body: ([UInt8]) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            socket.receive(buffer) { core.receive($0) }
        }
        while let event = core.nextEvent() {
            if case .text(let text) = event { body(text) }
            if case .ping = event { socket.write(core.takeOutput()) }
        }
    }

    /// Takes the answers, which nobody waits for.
    func listen() { receive { _ in } }

    /// Sends the next point.
    func run() {
        guard !socket.hasEnded else { return }
        number += 1
        let way = Double(number) * Self.metresPerPoint
        let lap = way.truncatingRemainder(dividingBy: 2 * Self.trackMetres)
        let place = start.offset(eastMetres: 0, northMetres: min(lap, 2 * Self.trackMetres - lap))
        let time = Timestamp.now.description
        let point =
            #"{"seq":\#(number),"lat":\#(place.latitude),"lon":\#(place.longitude),"time":"\#(time)","accuracy":5}"#
        let key = Array(time.utf8)
        if sentAt.updateValue(LoadLoop.now, forKey: key) == nil { sent.append(key) }
        if sent.count > Self.keptMax { sentAt[sent.removeFirst()] = nil }
        socket.write(Attacker.request("tracking.points", #"{"session":\#(session),"points":[\#(point)]}"#))
    }

    private static let timeMark = Array(#""at":""#.utf8)
    private static let timeBytes = 24

    /// When the point was sent that a push tells of; nil when it tells of none.
    func sentAt(ofPush text: [UInt8]) -> UInt64? {
        guard let mark = text.firstRange(of: Self.timeMark) else { return nil }
        return sentAt[Array(text[mark.upperBound...].prefix(Self.timeBytes))]
    }
}
