import Campus
import Foundation
import WebSocket
import Wire

private struct Reply<Result: Decodable>: Decodable { let result: Result }

/// A runner who tracks during the attack, so that the bystanders receive pushes.
///
/// Used by one thread.
final class AttackRunner {
    /// Interval between two points. Longer than the hub's tick, so that each point is pushed separately.
    static let interval: UInt64 = 300_000_000
    /// Length of the straight on which the runner runs back and forth, so as to stay in one zone.
    private static let trackMetres = 10.0
    private static let metresPerPoint = 0.9

    let socket: LoadSocket
    private var core = WebSocketConnection(role: .client)
    private let start: GeoPoint
    private var session: Int64 = 0
    /// The zone in which the runner stays.
    private(set) var zone: Int64 = 0
    private var number: Int64 = 0

    /// Signs in and starts a session; blocks.
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

    /// Discards the answers.
    func listen() { receive { _ in } }

    /// Sends the next point.
    func run() {
        guard !socket.hasEnded else { return }
        number += 1
        let way = Double(number) * Self.metresPerPoint
        let lap = way.truncatingRemainder(dividingBy: 2 * Self.trackMetres)
        let place = start.offset(eastMetres: 0, northMetres: min(lap, 2 * Self.trackMetres - lap))
        let (latitude, longitude, time) = (place.latitude, place.longitude, Timestamp.now)
        let point = #"{"seq":\#(number),"lat":\#(latitude),"lon":\#(longitude),"time":"\#(time)","accuracy":5}"#
        socket.write(Attacker.request("tracking.points", #"{"session":\#(session),"points":[\#(point)]}"#))
    }
}

/// The age of a push, from the server time that it contains. This excludes the time until the point was committed.
struct PushAge {
    private static let mark = Array(#""serverTime":""#.utf8)
    private static let timeBytes = 24
    /// The last parsed time; a hundred bystanders receive the same push.
    private var last: (text: [UInt8], madeAt: Timestamp)?

    /// - Returns: Nanoseconds, accurate to a millisecond; nil if the push contains no time.
    mutating func nanoseconds(of push: [UInt8]) -> UInt64? {
        guard let found = push.firstRange(of: Self.mark) else { return nil }
        let text = Array(push[found.upperBound...].prefix(Self.timeBytes))
        if last?.text != text {
            last = Timestamp(String(decoding: text, as: UTF8.self)).map { (text, $0) }
        }
        return last.map { UInt64(max(0, Timestamp.now.milliseconds - $0.madeAt.milliseconds)) * 1_000_000 }
    }
}
