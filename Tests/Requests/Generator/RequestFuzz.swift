import APIDescription
import Foundation
import Server
import Synchronization
import TestSupport
import Wire

/// A long run of generated requests: valid ones, ones with extreme values, batches, garbled bytes, frames of points, pages.
///
/// One seed gives each worker the same choices; which objects they refer to also depends on what the server made in which order, so a
/// run is exactly the same with one worker only.
public struct RequestFuzz: Sendable {
    /// Requests that are sent.
    public var requests = 1_000_000
    /// Of all choices.
    public var seed: UInt64 = 1
    /// Connections, each on a thread of its own.
    public var workers = 10
    /// Requests between two looks at the log.
    static let requestsPerCheck = 50
    /// Requests of one connection: a batch may have signed it in as somebody else.
    static let requestsPerConnection = 500
    /// Requests of one account before it makes room for another, so that none runs into the limits of what one may have.
    static let requestsPerAccount = 5_000

    /// Makes an empty one.
    public init() {}

    /// Sends them all.
    /// - Throws: ``BrokenServer`` with the requests that did it.
    public func run(
        on host: RequestServer, tally: RequestTally, journal: RequestJournal?,
        progress: @escaping @Sendable (Int) -> Void
    ) async throws {
        let left = Left(requests)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<workers {
                group.addTask {
                    try await onThread { try work(number, on: host, tally, journal, left, progress) }
                }
            }
            for _ in 0..<workers {
                do { try await group.next() } catch {
                    left.stop()
                    throw error
                }
            }
        }
    }

    /// How many requests there are still to be sent.
    final class Left: Sendable {
        private let count: Atomic<Int>
        init(_ count: Int) { self.count = Atomic(count) }
        func take() -> Int { count.subtract(1, ordering: .relaxed).newValue }
        func stop() { count.store(0, ordering: .relaxed) }
    }

    private func work(
        _ number: Int, on host: RequestServer, _ tally: RequestTally, _ journal: RequestJournal?, _ left: Left,
        _ progress: @Sendable (Int) -> Void
    ) throws {
        let role = RequestServer.roles[number % RequestServer.roles.count]
        let isWebSocket = number / RequestServer.roles.count % 2 == 0
        var first = host.resident(role)
        let worker = try RequestWorker(
            host, role: role, isWebSocket: isWebSocket, number: number, tally: tally, journal: journal
        ) {
            defer { first = nil }
            return try first ?? wait { try await host.makeCaller(role) }
        }
        var choices = Choices(role: role, isWebSocket: isWebSocket, seed: seed &* 1_000_003 &+ UInt64(number))
        var sent = 0
        while true {
            let rest = left.take()
            guard rest >= 0 else { return try worker.ping() }
            if rest % 10_000 == 0 { progress(requests - rest) }
            try choices.send(by: worker)
            sent += 1
            if sent % Self.requestsPerCheck == 0 { try worker.ping() }
            if sent % Self.requestsPerConnection == 0 { try worker.reconnect() }
            if sent % Self.requestsPerAccount == 0, role != nil { try worker.changeAccount() }
        }
    }
}

/// What one worker sends next.
struct Choices {
    private var generator: SeededGenerator
    private let admitted: [MethodCatalogue.Method]
    private let all: [MethodCatalogue.Method]
    private let parameters: [String: [Parameter]]
    private let isWebSocket: Bool

    init(role: Role?, isWebSocket: Bool, seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        self.isWebSocket = isWebSocket
        all = ExtremeRequests.methods
        admitted = all.filter { $0.access.admits(role) }
        parameters = Dictionary(uniqueKeysWithValues: all.map { ($0.name, Parameter.all(of: $0)) })
    }

    private mutating func random(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func send(by worker: RequestWorker) throws {
        let valid = worker.caller.valid
        switch random(0..<100) {
        case ..<45:
            let method = method()
            try worker.send(method.name, valid.make(method, using: &generator).text, kind: "valid")
        case ..<75:
            let method = method()
            try worker.send(method.name, mutated(method, valid, values: 1), kind: "one extreme value")
        case ..<83:
            let method = method()
            try worker.send(method.name, mutated(method, valid, values: random(2..<5)), kind: "several extreme values")
        case ..<88: try worker.sendAnything(batch(valid), kind: "batch")
        case ..<95: try worker.sendAnything(garbled(Array(request(valid).utf8)), kind: "garbled bytes")
        case ..<97: try worker.sendAnything(Array(head(valid).utf8), kind: "head")
        default:
            if isWebSocket {
                try worker.sendAnything(frame(valid), isBinary: true, kind: "frame of points")
            } else {
                try worker.get(path(valid), header: header(), kind: "page")
            }
        }
    }

    private mutating func method() -> MethodCatalogue.Method {
        // Some methods end the account, and it takes a while to make another.
        while true {
            let methods = random(0..<20) == 0 ? all : admitted
            let method = methods[random(0..<methods.count)]
            let isRare = Self.rare.contains(method.name)
            if !isRare || random(0..<50) == 0 { return method }
        }
    }

    private static let rare: Set<String> = [
        "account.logout", "account.logoutEverywhere", "account.changePassword", "account.delete", "account.register",
        "admin.addUser",
        "admin.deleteZone", "admin.deleteUser", "admin.disableUser", "tracking.delete", "safety.block",
        "buddies.remove",
        "group.remove",
    ]

    private mutating func mutated(_ method: MethodCatalogue.Method, _ valid: ValidParams, values: Int) -> String {
        var params = valid.make(method, using: &generator)
        let known = parameters[method.name] ?? []
        guard !known.isEmpty else {
            return ExtremeValues.others[random(0..<6)].change.text ?? "{}"
        }
        for _ in 0..<values {
            let parameter = known[random(0..<known.count)]
            let values = ExtremeValues.of(parameter.shape)
            params = params.changed(values[random(0..<values.count)].change, at: parameter.path[...])
        }
        return params.text
    }

    private mutating func request(_ valid: ValidParams) -> String {
        let method = method()
        let params = random(0..<2) == 0 ? mutated(method, valid, values: 1) : valid.make(method, using: &generator).text
        return #"{"jsonrpc":"2.0","id":\#(random(1..<1_000)),"method":"\#(method.name)","params":\#(params)}"#
    }

    private mutating func batch(_ valid: ValidParams) -> [UInt8] {
        let count = random(0..<20) == 0 ? 60 : random(1..<8)
        return Array(("[" + (0..<count).map { _ in request(valid) }.joined(separator: ",") + "]").utf8)
    }

    private mutating func garbled(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<random(1..<6) where !bytes.isEmpty {
            let index = random(0..<bytes.count)
            switch random(0..<6) {
            case 0: bytes[index] = UInt8(random(0..<256))
            // Often ASCII, as other bytes are no UTF-8 and end a WebSocket.
            case 1, 2: bytes[index] = UInt8(random(32..<127))
            case 3: bytes.insert(UInt8(random(32..<127)), at: index)
            case 4: bytes.removeSubrange(index..<min(bytes.count, index + random(1..<9)))
            default: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + random(1..<30))], at: index)
            }
        }
        return bytes
    }

    private mutating func head(_ valid: ValidParams) -> String {
        let ids = [
            "null", "9223372036854775807", "9007199254740991", "-1", "1e400", "1.5", "\"\"", "\"a\\u0000\"", "[]", "{}",
            "true",
            "\"" + String(repeating: "i", count: 70_000) + "\"",
        ]
        let versions = ["\"2.0\"", "2.0", "\"1.0\"", "null", "\"2.0\",\"jsonrpc\":\"2.0\""]
        let method = method()
        let names = [
            "\"\(method.name)\"", "\"\(method.name)\\u0000\"", "\"\(method.name.uppercased())\"", "null", "1",
            "\"rpc.x\"",
        ]
        return
            #"{"jsonrpc":\#(versions[random(0..<versions.count)]),"id":\#(ids[random(0..<ids.count)]),"method":\#(names[random(0..<names.count)]),"params":\#(valid.make(method, using: &generator).text)}"#
    }

    private mutating func frame(_ valid: ValidParams) -> [UInt8] {
        let session = Int64(valid.pool.one("session", using: &generator) ?? "1") ?? 1
        let start = Int64(random(1..<1_000_000))
        let points = (0..<Int64(random(0..<5))).map { index in
            TrackPoint(
                seq: start + index, lat: Double.random(in: 51.49...51.51, using: &generator),
                lon: Double.random(in: 7.98...8.02, using: &generator), time: Timestamp.now, accuracy: 5, altitude: 20,
                speed: 3,
                heading: 90)
        }
        let frame = (try? TrackFrame(id: UInt32(random(1..<1_000)), session: session, points: points).encoded()) ?? []
        return random(0..<3) == 0 ? frame : garbled(frame)
    }

    private mutating func path(_ valid: ValidParams) -> String {
        let token = (valid.pool.one("linkToken", using: &generator) ?? "x").replacing("\"", with: "")
        let paths = [
            "/", "/healthz", "/readyz", "/config.json", "/campus/map.geojson", "/metrics", "/ws",
            "/pictures/\(ValidParams.uuid(using: &generator))",
            "/pictures/x/thumb", "/account/data.json?after=sessions.9223372036854775807",
            "/account/data.json?after=a.b.c",
            "/account/tracks.gpx?after=9223372036854775807.9223372036854775807", "/account/tracks.gpx?after=-1",
            "/calendar/\(token).ics", "/unsubscribe/\(token)", "/s/\(token)", "/l/\(token)", "/welcome/\(token)",
            "/app/app.js",
            "/%00", "/%ff", "/../../etc/passwd", "/?a=%00", "//", "/" + String(repeating: "a", count: 3_000),
        ]
        let path = paths[random(0..<paths.count)]
        guard random(0..<3) == 0 else { return path }
        let noise = [
            "%00", "%ED%A0%80", "?after=18446744073709551616", "&x", "/..", "\u{7F}", "%", "%zz", "#", ";", "é",
        ]
        return path + noise[random(0..<noise.count)]
    }

    private mutating func header() -> String {
        let headers = [
            "", "Range: bytes=0-18446744073709551615\r\n", "Range: bytes=-1\r\n", "If-None-Match: \"x\", W/\"y\"\r\n",
            "If-Modified-Since: Mon, 99 Foo 99999 99:99:99 GMT\r\n", "Accept-Encoding: gzip;q=1e400, *;q=0\r\n",
            "Authorization: Bearer \(String(repeating: "a", count: 2_000))\r\n",
            "X-Forwarded-For: 999.1.1.1, ::ffff:1\r\n",
            "Content-Length: 18446744073709551616\r\n", "Origin: null\r\n",
            "Sec-WebSocket-Version: 99999999999999999999\r\n",
            "Accept-Language: \(String(repeating: "x-", count: 500))\r\n", "Cookie: \u{1}\r\n",
            "Expect: 100-continue\r\n",
        ]
        return headers[random(0..<headers.count)]
    }
}

extension JSONTree.Change {
    var text: String? { if case .replace(let text) = self { text } else { nil } }
}
