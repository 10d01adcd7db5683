import Bus
import CampanileClient
import Foundation
import Synchronization
import TestSupport
import Wire

@testable import Hub
@testable import Server

/// Two servers over one PostgreSQL, and a NATS of their own between them.
struct TwoNodes: Sendable {
    let nats: TestNATS
    let first: TestServer
    let second: TestServer

    /// - Parameter pollInterval: Between two looks of each at what others did. With a long one, what a node knows sooner it was told, except
    ///   links, tokens and audiences, which each hub confirms every ``Hub/confirmInterval``.
    static func start(pollInterval: Duration = .seconds(3)) async throws -> TwoNodes {
        let nats = try await TestNATS.start()
        @Sendable func configuration(_ name: String) throws -> NodesConfiguration {
            var nodes = NodesConfiguration(nats: try NATSConfiguration(nats.url), name: name)
            nodes.timing.beatInterval = .milliseconds(200)
            nodes.timing.silenceMax = .seconds(2)
            nodes.nats.reconnectDelay = .milliseconds(50)
            nodes.nats.reconnectJitter = .milliseconds(50)
            return nodes
        }
        let first = try await TestServer.start {
            $0.nodes = try configuration("first")
            $0.testEndpoints = true
            $0.rateLimits = .off
            $0.databasePollInterval = pollInterval
        }
        let second = try await first.startBeside { $0.nodes = try configuration("second") }
        let both = TwoNodes(nats: nats, first: first, second: second)
        try await both.waitUntilMet()
        return both
    }

    func waitUntilMet() async throws {
        for server in [first, second] {
            _ = try await eventually("the nodes know each other") { () -> Bool? in
                guard let running = await server.server, running.bus.state == .connected else { return nil }
                return await running.environment.services.hub.isWithOthers ? true : nil
            }
        }
    }

    func stop() async {
        await second.stop()
        await first.stop()
        await nats.kill()
    }
}

extension Hub {
    /// It works with another node, and knows how things stand there.
    var isWithOthers: Bool { link.map { !$0.others.isEmpty && !$0.isInDoubt && !$0.isDisconnected } ?? false }
}

extension SessionFeed {
    /// Another node wants to hear of everything.
    var isAskedForAll: Bool { nodes?.interests.values.contains { $0.hasAll } ?? false }

    func hasCopy(of id: Int64) -> Bool { live[id] != nil }
}

/// What one client of a node sees of a zone, a viewport or a session, all of it kept: whoever tries to see more would.
final class Sight: Sendable {
    private struct State {
        var runners: [String: [Int64: Runner]] = [:]
        var texts: [String] = []
        var updates: [SessionUpdate] = []
        var snapshots: [SessionSnapshot] = []
        var replies: [Int: RawWebSocket.Frame] = [:]
        var closeCode: Int?
        var left: [ZoneUpdate.Left] = []
    }
    private struct Head: Decodable {
        struct Params: Decodable { let topic: String }
        let method: String?
        let params: Params?
    }
    private let state = Mutex(State())
    private let socket: RawWebSocket
    private let number = Atomic<Int>(0)
    private let reading = Mutex<Task<Void, Never>?>(nil)

    init(_ server: TestServer, token: String? = nil) async throws {
        socket = try await RawWebSocket(port: server.port, token: token)
        let task = Task { [weak self, socket] in
            await socket.eachFrame { frame in
                guard let self else { return false }
                self.take(frame)
                return true
            }
        }
        reading.withLock { $0 = task }
    }

    deinit { socket.socket.close() }

    func close() { socket.socket.close() }

    /// Everyone on the map, each once.
    var runners: [Int64: Runner] {
        state.withLock { $0.runners.values.reduce(into: [:]) { $0.merge($1) { first, _ in first } } }
    }
    /// Updates of sessions, without those that only say who watches: they come up to a second late, so they may be the last.
    var updates: [SessionUpdate] { state.withLock { $0.updates.filter { $0.type != .presence } } }
    var snapshots: [SessionSnapshot] { state.withLock { $0.snapshots } }
    var closeCode: Int? { state.withLock { $0.closeCode } }
    var left: [ZoneUpdate.Left] { state.withLock { $0.left } }
    /// All that came since the last ``takeMentions(of:)``, as text.
    var everything: [String] { state.withLock { $0.texts } }
    /// Waits for an update of a session.
    func receives(_ what: String, _ body: @Sendable (SessionUpdate) -> Bool) async throws {
        _ = try await eventually(what) { self.updates.contains(where: body) ? true : nil }
    }
    /// Pushes that name a session's position since the last call.
    func takeMentions(of session: Int64) -> Int {
        state.withLock { state in
            defer { state.texts = [] }
            return state.texts.count { $0.contains("\"session\":\(session),") && $0.contains("\"lat\"") }
        }
    }

    @discardableResult
    func ask(_ method: String, _ params: String = "{}") async throws -> RawWebSocket.Frame {
        let id = number.wrappingAdd(1, ordering: .relaxed).newValue
        try socket.socket.sendNow(
            RawWebSocket.text(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#))
        return try await eventually("an answer to \(method)") { self.state.withLock { $0.replies[id] } }
    }

    func watch(zone: Int64) async throws {
        let topic = "zone/\(zone)/positions"
        let reply = try await ask("subscribe", #"{"topic":"\#(topic)"}"#)
        let snapshot = try WireJSON.decode(Success<Subscribed<ZoneSnapshot>>.self, from: reply.payload).result.snapshot
        state.withLock { state in
            // A push may have come before this is done; what it says is newer.
            for one in snapshot.runners where state.runners[topic]?[one.session] == nil {
                state.runners[topic, default: [:]][one.session] = one
            }
        }
    }

    func view(_ box: [Double], zoom: Double) async throws {
        let numbers = box.map { "\($0)" }.joined(separator: ",")
        let reply = try await ask("positions.view", #"{"box":[\#(numbers)],"zoom":\#(zoom)}"#)
        let topics = try WireJSON.decode(Success<PositionsView.Result>.self, from: reply.payload).result.topics
        state.withLock { state in state.runners = state.runners.filter { topics.contains($0.key) } }
    }

    /// - Returns: The error's code, if it was refused.
    func watch(session: Int64, share: String? = nil) async throws -> Int? {
        let link = share.map { ",\"share\":\"\($0)\"" } ?? ""
        let reply = try await ask("subscribe", #"{"topic":"session/\#(session)"\#(link)}"#)
        if let code = reply.errorCode { return code }
        let snapshot = try WireJSON.decode(Success<Subscribed<SessionSnapshot>>.self, from: reply.payload)
        state.withLock { $0.snapshots.append(snapshot.result.snapshot) }
        return nil
    }

    private func take(_ frame: RawWebSocket.Frame) {
        if frame.opcode == 8 { state.withLock { $0.closeCode = frame.closeCode ?? 0 } }
        guard frame.opcode == 1 else { return }
        let head = try? WireJSON.decode(Head.self, from: frame.payload)
        state.withLock { state in
            state.texts.append(frame.text)
            guard head?.method == "push", let topic = head?.params?.topic else {
                if let id = frame.id { state.replies[id] = frame }
                return
            }
            if topic.hasPrefix("session/") {
                if let push = try? WireJSON.decode(Push<SessionUpdate>.self, from: frame.payload) {
                    state.updates.append(push.params.data)
                }
                return
            }
            guard let update = try? WireJSON.decode(Push<ZoneUpdate>.self, from: frame.payload).params.data else {
                return
            }
            if update.full == true { state.runners[topic] = [:] }
            state.left += update.left
            for one in update.left { state.runners[topic]?[one.session] = nil }
            for one in update.runners { state.runners[topic, default: [:]][one.session] = one }
        }
    }
}
