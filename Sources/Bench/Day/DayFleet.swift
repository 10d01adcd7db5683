import Foundation
import WebSocket
import Wire

/// The simulated phones of a day. As many as the socket limit permits have a connection of their own. The others, with
/// the app in the background, report by `POST /rpc` over shared connections.
///
/// Not thread-safe: used by one thread.
final class DayFleet {
    /// Number of shared connections. There are enough that reports rarely queue, because those of real phones do not.
    static let sharedMax = 1_024
    private static let sharedSource: UInt16 = 200
    /// Sockets per source address, whose ports do not suffice for all.
    private static let socketsPerAddress = 4_000
    /// Maximum wait for outstanding answers, in seconds.
    private static let answersSecondsMax = 30.0
    /// Shares that start together.
    private static let startsAtOnce = 32
    /// Wait until viewers have received the initial state, in seconds.
    private static let settleSeconds = 2.0

    /// A connection and its outstanding requests.
    private final class Phone {
        var socket: LoadSocket
        let isShared: Bool
        /// Times at which the unanswered requests were sent, in order.
        var sent: [UInt64] = []
        var answered = 0
        /// Requests queued on a shared connection.
        var waiting: [(request: [UInt8], begun: UInt64)] = []
        /// Handles the next answer.
        var onAnswer: ((String) -> Void)?

        init(_ socket: LoadSocket, isShared: Bool) { (self.socket, self.isShared) = (socket, isShared) }
    }

    private let load = LoadLoop()
    private var phones: [Phone] = []
    private var shared: [Phone] = []
    private var watchers: [LoadSocket] = []
    private var byDescriptor: [Int32: Phone] = [:]
    private let port: UInt16
    private(set) var answers = LatencyHistogram()
    private(set) var sent = 0
    private(set) var answered = 0
    private(set) var refused = 0
    /// The first refusal.
    private(set) var refusal: String?
    private(set) var lost = 0
    /// The viewers of the people's shares.
    let viewers = DayViewers()
    /// Ids of the shares, by index of the owner.
    private var shares: [Int: Int64] = [:]

    init(port: UInt16) { self.port = port }

    /// Connects the phones.
    /// - Parameter count: Number of people with a socket of their own: the first ones.
    func connect(_ count: Int) throws {
        for index in 0..<count {
            let socket = try LoadSocket(port: port, source: UInt16(1 + index / Self.socketsPerAddress))
            try socket.upgrade(path: "/ws")
            let phone = Phone(socket, isShared: false)
            phones.append(phone)
            add(phone)
            write(
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\",\"params\":{\"token\":\"\(IdleScenario.token(index))\"}}",
                to: phone)
            if index % 64 == 63 { drive(milliseconds: 1) }
        }
        for _ in 0..<Self.sharedMax {
            let phone = Phone(try LoadSocket(port: port, source: Self.sharedSource), isShared: true)
            shared.append(phone)
            add(phone)
        }
        try settle()
    }

    /// Connects guests that subscribe to the heatmap.
    func watchHeatmap(_ count: Int) throws {
        for _ in 0..<count {
            let socket = try LoadSocket(port: port, source: 201)
            try socket.upgrade(path: "/ws")
            for json in [
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\",\"params\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscribe\",\"params\":{\"topic\":\"heatmap\"}}",
            ] {
                socket.write(FrameEncoder.text(Array(json.utf8), mask: 0x5A17_C3E4))
            }
            load.add(socket)
            watchers.append(socket)
        }
    }

    /// Starts a share for each of the first people, with one account each, and connects the viewers.
    /// - Parameter first: The number of the first viewer's account.
    func share(_ count: Int, with first: Int) throws {
        for person in 0..<count {
            let precision = DayViewers.precision(of: person).rawValue
            phones[person].onAnswer = { [unowned self] text in shares[person] = Self.share(in: text) }
            write(
                """
                {"jsonrpc":"2.0","id":4,"method":"sharing.start","params":{"clientId":"\(UUID().uuidString.lowercased())",\
                "audience":"person","username":"bench\(first + person)","precision":"\(precision)","expiresIn":86400}}
                """, to: phones[person])
            // Limits how many shares start in the same second.
            if person % Self.startsAtOnce == Self.startsAtOnce - 1 { try settle() }
        }
        try settle()
        guard shares.count == count else {
            throw BenchError(
                description: "only \(shares.count) of \(count) shares began: \(refusal ?? "no error was reported")")
        }
        for (person, share) in shares.sorted(by: { $0.key < $1.key }) {
            try viewers.connect(
                account: first + person, person: person, share: share, port: port,
                source: UInt16(210 + person / Self.socketsPerAddress), load)
            if person % 64 == 63 { drive(milliseconds: 1) }
        }
        let end = LoadLoop.now + UInt64(Self.settleSeconds * 1e9)
        while LoadLoop.now < end { drive(milliseconds: 10) }
    }

    private static func share(in text: String) -> Int64? {
        guard let first = text.firstIndex(of: "{"), let last = text.lastIndex(of: "}") else { return nil }
        struct Answer: Decodable { let result: SharingStart.Result }
        return try? WireJSON.decode(Answer.self, from: Array(text[first...last].utf8)).result.share.id
    }

    /// Discards the measurements so far.
    func startAgain() {
        answers = LatencyHistogram()
        (sent, answered) = (0, 0)
        viewers.startAgain()
    }

    /// Frames received by the heatmap's subscribers, except for answers.
    var heatmapPushes: Int { watchers.reduce(0) { $0 + max(0, $1.framesReceived - 2) } }

    private func add(_ phone: Phone) {
        load.add(phone.socket)
        byDescriptor[phone.socket.descriptor] = phone
    }

    /// Waits until all requests are answered.
    /// - Throws: ``BenchError``.
    func settle() throws {
        let end = LoadLoop.now + UInt64(Self.answersSecondsMax * 1e9)
        while answered + lost < sent {
            guard LoadLoop.now < end else { throw BenchError(description: "\(sent - answered) requests got no answer") }
            drive(milliseconds: 10)
        }
    }

    /// Sends the position of a person's phone.
    func report(_ person: Int, latitude: Double, longitude: Double, accuracy: Int) {
        viewers.record(person, latitude: latitude, longitude: longitude)
        let json = """
            {"jsonrpc":"2.0","id":3,"method":"location.report","params":{"lat":\(Self.degrees(latitude)),\
            "lon":\(Self.degrees(longitude)),"accuracy":\(accuracy),"source":"gps"}}
            """
        guard person < phones.count else {
            let phone = shared[person % shared.count]
            let request =
                "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: Bearer "
                + "\(IdleScenario.token(person))\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)"
            phone.waiting.append((Array(request.utf8), LoadLoop.now))
            return post(phone)
        }
        write(json, to: phones[person])
    }

    /// Seven decimal digits, which is about a centimetre.
    private static func degrees(_ value: Double) -> String {
        let scaled = Int64((abs(value) * 1e7).rounded())
        let rest = String(scaled % 10_000_000)
        return (value < 0 ? "-" : "") + "\(scaled / 10_000_000)." + String(repeating: "0", count: 7 - rest.count) + rest
    }

    private func write(_ json: String, to phone: Phone) {
        guard !phone.socket.hasEnded else { return lost += 1 }
        phone.sent.append(LoadLoop.now)
        sent += 1
        phone.socket.write(FrameEncoder.text(Array(json.utf8), mask: 0x5A17_C3E4))
    }

    /// Replaces a connection, because the server closes idle ones.
    private func reconnect(_ phone: Phone) {
        byDescriptor[phone.socket.descriptor] = nil
        guard let socket = try? LoadSocket(port: port, source: Self.sharedSource) else { return }
        phone.socket = socket
        add(phone)
    }

    /// Sends the next request if none is in flight, as HTTP/1.1 clients do.
    private func post(_ phone: Phone) {
        guard phone.sent.isEmpty, let (request, begun) = phone.waiting.first else { return }
        if phone.socket.hasEnded { reconnect(phone) }
        guard !phone.socket.hasEnded else { return lost += 1 }
        phone.waiting.removeFirst()
        // The latency includes the wait for the connection.
        phone.sent.append(begun)
        sent += 1
        phone.socket.write(request)
    }

    /// Polls the sockets and handles the received data.
    func drive(milliseconds: Int32) {
        load.poll(milliseconds: milliseconds) { socket in
            guard let phone = byDescriptor[socket.descriptor] else {
                if !viewers.take(socket, load) { socket.receive(load.buffer) }
                return
            }
            if phone.isShared { takeResponse(phone) } else { takeFrames(phone) }
            guard socket.hasEnded else { return }
            lost += phone.isShared ? phone.sent.count : max(1, phone.sent.count)
            phone.sent = []
        }
    }

    private func takeResponse(_ phone: Phone) {
        var text = ""
        phone.socket.receive(load.buffer) { text += String(decoding: $0, as: UTF8.self) }
        guard !phone.sent.isEmpty, text.contains("\r\n\r\n") else { return }
        record(phone, isRefused: text.contains("\"error\":"), text)
        post(phone)
    }

    /// Handles received frames. Phones subscribe to nothing, so all frames are answers, and each contains `"jsonrpc"`
    /// once.
    private func takeFrames(_ phone: Phone) {
        phone.socket.receive(load.buffer) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            for _ in text.ranges(of: "\"jsonrpc\"") where !phone.sent.isEmpty {
                record(phone, isRefused: text.contains("\"error\":"), text)
            }
        }
    }

    private func record(_ phone: Phone, isRefused: Bool, _ text: String) {
        answers.record(nanoseconds: LoadLoop.now - phone.sent.removeFirst())
        answered += 1
        phone.onAnswer?(text)
        phone.onAnswer = nil
        guard isRefused else { return }
        refused += 1
        refusal = refusal ?? String(text.suffix(200))
    }
}
