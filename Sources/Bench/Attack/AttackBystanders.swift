import Foundation
import Synchronization
import WebSocket

/// Well-behaved, signed-in clients that watch a runner and send `ping` five times per second, to measure the service
/// during an attack.
///
/// They have a thread of their own. `@unchecked Sendable`: the sockets belong to that thread once it runs; a mutex
/// protects the state that others read.
final class Bystanders: @unchecked Sendable {
    static let count = 100
    /// Interval between two requests of one client.
    static let interval: UInt64 = 200_000_000
    /// Time after which an unanswered request is already recorded with its current age.
    private static let overdue: UInt64 = 200_000_000
    private static let source: UInt16 = 1
    private static let pushMark = Array(#""method":"push""#.utf8)

    /// Measurements of a period.
    struct Sight {
        /// Time from requests to answers.
        var latency = LatencyHistogram()
        /// Age of pushes, from their creation at the server.
        var pushes = LatencyHistogram()
        /// Number of connections that the server ended.
        var lost = 0
    }

    private final class Client {
        let socket: LoadSocket
        var core: WebSocketConnection
        /// Times at which the unanswered requests were sent, oldest first.
        var asked: [UInt64] = []

        init(_ socket: LoadSocket) {
            self.socket = socket
            core = WebSocketConnection(role: .client)
        }
    }

    private struct State {
        var sight = Sight()
        var isStopped = false
        var hasEnded = false
        /// True while a caller waits for the thread to add overdue requests.
        var wantsSight = false
    }

    private var clients: [Client] = []
    private var byDescriptor: [Int32: Client] = [:]
    private let load = LoadLoop()
    private let state = Mutex(State())
    private let request = Attacker.request("ping")
    private let runner: AttackRunner
    private var pushAge = PushAge()
    /// Ids of the campus's zones, from the first answer to hello.
    private(set) var zones: [Int64] = []

    /// Connects and signs in; blocks.
    /// - Parameter runnersToken: Token of the runner's account.
    init(port: UInt16, tls: LoadSocket.TLS?, tokens: [String], runnersToken: String) throws {
        runner = try AttackRunner(port: port, tls: tls, source: Self.source, token: runnersToken)
        load.add(runner.socket)
        for token in tokens {
            let socket = try LoadSocket(port: port, tls: tls, source: Self.source)
            try socket.upgrade(path: "/ws")
            socket.setNonBlocking()
            let client = Client(socket)
            socket.write(Attacker.request("hello", #"{"token":"\#(token)"}"#))
            let hello = try ask(client)
            if zones.isEmpty { zones = try Self.zones(in: hello) }
            socket.write(Attacker.request("subscribe", #"{"topic":"zone/\#(runner.zone)/positions"}"#))
            let subscribed = try ask(client)
            guard String(decoding: subscribed, as: UTF8.self).contains("snapshot") else {
                throw BenchError(description: "a bystander could not subscribe")
            }
            clients.append(client)
            byDescriptor[socket.descriptor] = client
            load.add(socket)
        }
    }

    private func ask(_ client: Client) throws -> [UInt8] {
        let deadline = LoadLoop.now + 10_000_000_000
        var answer: [UInt8]?
        while answer == nil, LoadLoop.now < deadline, !client.socket.hasEnded {
            client.socket.receive(load.buffer) { client.core.receive($0) }
            while let event = client.core.nextEvent() { if case .text(let text) = event { answer = text } }
            if answer == nil { usleep(1_000) }
        }
        guard let answer else { throw BenchError(description: "a bystander got no answer") }
        return answer
    }

    private static func zones(in hello: [UInt8]) throws -> [Int64] {
        struct Reply: Decodable {
            struct Result: Decodable { let campus: Campus }
            struct Campus: Decodable { let zones: [Zone] }
            struct Zone: Decodable { let id: Int64 }
            let result: Result
        }
        return try JSONDecoder().decode(Reply.self, from: Data(hello)).result.campus.zones.map(\.id)
    }

    func start() {
        let thread = Thread {
            Niceness.set(Niceness.own)
            self.run()
        }
        thread.name = "bystanders"
        thread.start()
    }

    /// Returns the measurements since the last call.
    func takeSight() -> Sight {
        state.withLock { $0.wantsSight = true }
        while true {
            let taken = state.withLock { state -> Sight? in
                guard !state.wantsSight || state.hasEnded else { return nil }
                var sight = Sight()
                swap(&sight, &state.sight)
                return sight
            }
            if let taken { return taken }
            usleep(1_000)
        }
    }

    /// Ends the thread.
    func stop() {
        state.withLock { $0.isStopped = true }
        while !state.withLock({ $0.hasEnded }) { usleep(1_000) }
    }

    private func run() {
        let step = Self.interval / UInt64(clients.count)
        var next = LoadLoop.now
        var nextPoint = next
        var round = 0
        var sight = Sight()
        while true {
            while next <= LoadLoop.now {
                ask(in: clients[round % clients.count])
                round += 1
                next += step
            }
            let now = LoadLoop.now
            if nextPoint <= now {
                runner.run()
                nextPoint += AttackRunner.interval
            }
            load.poll(milliseconds: next > now ? Int32((next - now + 999_999) / 1_000_000) : 0) { socket in
                if let client = byDescriptor[socket.descriptor] { listen(client, &sight) } else { runner.listen() }
            }
            let isStopped = state.withLock { state in
                if state.wantsSight {
                    for client in clients { addOverdue(client, &sight) }
                    state.sight = sight
                    sight = Sight()
                    state.wantsSight = false
                }
                return state.isStopped
            }
            if isStopped { break }
        }
        state.withLock { $0.hasEnded = true }
    }

    private func ask(in client: Client) {
        guard !client.socket.hasEnded else { return }
        client.asked.append(LoadLoop.now)
        client.socket.write(request)
    }

    private func listen(_ client: Client, _ sight: inout Sight) {
        client.socket.receive(load.buffer) { client.core.receive($0) }
        let now = LoadLoop.now
        while let event = client.core.nextEvent() {
            switch event {
            case .text(let text):
                if text.firstRange(of: Self.pushMark) != nil {
                    if let age = pushAge.nanoseconds(of: text) { sight.pushes.record(nanoseconds: age) }
                } else if !client.asked.isEmpty {
                    sight.latency.record(nanoseconds: now - client.asked.removeFirst())
                }
            case .ping: client.socket.write(client.core.takeOutput())
            case .binary, .pong, .closed, .failed: break
            }
        }
        if client.socket.hasEnded { sight.lost += 1 }
    }

    private func addOverdue(_ client: Client, _ sight: inout Sight) {
        let now = LoadLoop.now
        for asked in client.asked where now - asked > Self.overdue { sight.latency.record(nanoseconds: now - asked) }
    }
}
