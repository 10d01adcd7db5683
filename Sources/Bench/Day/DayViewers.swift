import Foundation
import WebSocket
import Wire

/// The viewers of the shares of a day. Each subscribes to one share all the time, over its own connection.
///
/// Not thread-safe: used by one thread.
final class DayViewers {
    /// One share in this many has a coarser precision, building and zone alternately.
    private static let coarseEvery = 3

    private final class Viewer {
        let socket: LoadSocket
        var core = WebSocketConnection(role: .client)
        /// Index of the person who shares.
        let person: Int
        init(_ socket: LoadSocket, person: Int) { (self.socket, self.person) = (socket, person) }
    }

    /// A person's last reported position.
    private struct ReportedPosition {
        var latitude = 0.0
        var longitude = 0.0
        var at: UInt64 = 0
    }

    private var viewers: [Int32: Viewer] = [:]
    private var reported: [ReportedPosition] = []
    /// Time from an exact report to its arrival.
    private(set) var delays = LatencyHistogram()
    /// Number of received pushes.
    private(set) var pushes = 0
    private(set) var lost = 0

    /// The precision of a person's share.
    static func precision(of person: Int) -> Precision {
        guard person % coarseEvery == coarseEvery - 1 else { return .exact }
        return person / coarseEvery % 2 == 0 ? .building : .zone
    }

    /// Connects an account as viewer of a share.
    /// - Parameters:
    ///   - account: The account's number.
    ///   - person: Index of the person who shares, from 0.
    func connect(account: Int, person: Int, share: Int64, port: UInt16, source: UInt16, _ load: LoadLoop) throws {
        let socket = try LoadSocket(port: port, source: source)
        try socket.upgrade(path: "/ws")
        let viewer = Viewer(socket, person: person)
        viewers[socket.descriptor] = viewer
        load.add(socket)
        for json in [
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\",\"params\":{\"token\":\"\(IdleScenario.token(account))\"}}",
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscribe\",\"params\":{\"topic\":\"share/\(share)\"}}",
        ] {
            socket.write(viewer.core.textFrame(Array(json.utf8)))
        }
        while reported.count <= person { reported.append(ReportedPosition()) }
    }

    /// Records a person's report, for comparison with the push.
    func record(_ person: Int, latitude: Double, longitude: Double) {
        guard person < reported.count else { return }
        reported[person] = ReportedPosition(latitude: latitude, longitude: longitude, at: LoadLoop.now)
    }

    /// Discards the measurements so far.
    func startAgain() {
        delays = LatencyHistogram()
        pushes = 0
    }

    /// Handles data received on a viewer's socket.
    /// - Returns: False if the socket belongs to no viewer.
    func take(_ socket: LoadSocket, _ load: LoadLoop) -> Bool {
        guard let viewer = viewers[socket.descriptor] else { return false }
        socket.receive(load.buffer) { bytes in
            viewer.core.receive(bytes)
            while let event = viewer.core.nextEvent() {
                if case .text(let message) = event { arrived(message, for: viewer) }
            }
            let output = viewer.core.takeOutput()
            if !output.isEmpty { socket.write(output) }
        }
        if socket.hasEnded { lost += 1 }
        return true
    }

    private func arrived(_ message: [UInt8], for viewer: Viewer) {
        let text = String(decoding: message, as: UTF8.self)
        guard text.contains("\"type\":\"location\"") else { return }
        pushes += 1
        let reported = reported[viewer.person]
        // The digits identify the report. A report that was replaced by a newer one before it arrived is not counted.
        guard reported.at > 0, let latitude = Self.number("\"lat\":", in: text),
            let longitude = Self.number("\"lon\":", in: text),
            abs(latitude - reported.latitude) < 1e-7, abs(longitude - reported.longitude) < 1e-7
        else { return }
        delays.record(nanoseconds: LoadLoop.now - reported.at)
    }

    private static func number(_ key: String, in text: String) -> Double? {
        guard let range = text.range(of: key) else { return nil }
        return Double(text[range.upperBound...].prefix { "-0123456789.eE".contains($0) })
    }
}
