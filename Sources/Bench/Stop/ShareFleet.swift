import Foundation
import WebSocket

/// A connection that watches a share or reports a position. Not thread-safe: used by the fleet's thread.
final class ShareWatcher {
    private let socket: LoadSocket
    private var core = WebSocketConnection(role: .client)
    private var topic = ""
    /// Time of the last position of the share, and of its `closed` event; 0 for never. Monotonic nanoseconds.
    private(set) var lastLocation: UInt64 = 0
    private(set) var closedAt: UInt64 = 0
    /// The last error answer.
    private(set) var trouble: String?
    var reportAt: UInt64 = .max
    private var step = 0.0

    var descriptor: Int { Int(socket.descriptor) }
    var hasEnded: Bool { socket.hasEnded }

    init(_ index: Int, port: UInt16, _ load: LoadLoop) throws {
        // One source address per 4,000 connections, because the ports of one do not suffice.
        socket = try LoadSocket(port: port, source: UInt16(1 + index / 4_000))
        try socket.upgrade(path: "/ws")
        load.add(socket)
        send(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\",\"params\":{\"token\":\"\(IdleScenario.token(index))\"}}"
        )
    }

    private func send(_ json: String) { socket.write(core.textFrame(Array(json.utf8))) }

    func watch(_ share: Int64) {
        (topic, lastLocation, closedAt) = ("\"share/\(share)\"", 0, 0)
        send("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscribe\",\"params\":{\"topic\":\(topic)}}")
    }

    func report() {
        step += 1
        let place = "\"lat\":42.01,\"lon\":\(step / 1_000),\"accuracy\":5,\"source\":\"gps\""
        send("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"location.report\",\"params\":{\(place)}}")
    }

    /// Handles a readable socket.
    func ready(_ load: LoadLoop) {
        socket.receive(load.buffer) { bytes in
            core.receive(bytes)
            while let event = core.nextEvent() {
                if case .text(let message) = event { take(message) }
            }
            let output = core.takeOutput()
            if !output.isEmpty { socket.write(output) }
        }
    }

    private func take(_ message: [UInt8]) {
        let text = String(decoding: message, as: UTF8.self)
        if text.contains("\"error\":") { trouble = text }
        guard !topic.isEmpty, text.contains(topic) else { return }
        if text.contains("\"type\":\"closed\"") { closedAt = LoadLoop.now }
        if text.contains("\"lat\":") { lastLocation = LoadLoop.now }
    }
}

/// All clients of the scenario, and the thread that drives them.
///
/// `@unchecked Sendable`: one thread drives it at a time, and its caller waits for it.
final class ShareFleet: @unchecked Sendable {
    private static let checkMilliseconds: Int32 = 4

    private let load: LoadLoop
    let viewers: [ShareWatcher]
    private let others: [ShareWatcher]
    private var byDescriptor: [Int: ShareWatcher] = [:]

    /// Connects all clients one after the other, to the nodes in rotation.
    init(ports: [UInt16], viewers: Int, others: Int) throws {
        let load = LoadLoop()
        self.load = load
        let all = try (0..<(viewers + others)).map {
            try ShareWatcher($0, port: ports[$0 % ports.count], load)
        }
        self.viewers = Array(all.prefix(viewers))
        self.others = Array(all.dropFirst(viewers))
        for one in all { byDescriptor[one.descriptor] = one }
        // Spread the reports over the second.
        for (index, one) in self.others.enumerated() {
            one.reportAt = LoadLoop.now + 1_000_000_000 + UInt64(index) * 1_000_000_000 / UInt64(max(1, others))
        }
        try drive(seconds: 1)
    }

    var haveLocation: Int { viewers.count { $0.lastLocation > 0 } }
    var haveClosed: Int { viewers.count { $0.closedAt > 0 } }
    var lost: Int { (viewers + others).count(where: \.hasEnded) }
    var trouble: String { (viewers + others).lazy.compactMap(\.trouble).first ?? "no answer in time" }

    func watch(_ share: Int64) { for viewer in viewers { viewer.watch(share) } }

    /// Drives all clients until `isDone` or the time is up.
    func drive(seconds: Double, until isDone: () -> Bool = { false }) throws {
        let end = LoadLoop.now + UInt64(seconds * 1e9)
        var nextCheck: UInt64 = 0
        while true {
            load.poll(milliseconds: Self.checkMilliseconds) { byDescriptor[Int($0.descriptor)]?.ready(load) }
            let now = LoadLoop.now
            guard now >= nextCheck else { continue }
            nextCheck = now + UInt64(Self.checkMilliseconds) * 1_000_000
            for one in others where one.reportAt <= now {
                one.report()
                one.reportAt += 1_000_000_000
            }
            if isDone() || now >= end { return }
        }
    }
}
