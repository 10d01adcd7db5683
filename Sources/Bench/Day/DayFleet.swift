import Foundation
import WebSocket
import Wire

/// The phones of a day: as many as there may be sockets have one each, over which they report; the rest, whose app is in the background,
/// report by `POST /rpc` over some connections that they share.
///
/// Not thread-safe: used by one thread.
final class DayFleet {
    /// Connections for those without one of their own: so many that hardly any report waits for one, as real phones' do not.
    static let sharedMax = 1_024
    private static let sharedSource: UInt16 = 200
    /// Sockets of one source address, whose ports do not suffice for all.
    private static let socketsPerAddress = 4_000
    /// Answers that a measurement begins to wait for.
    private static let answersSecondsMax = 30.0
    /// Shares that begin together.
    private static let startsAtOnce = 32
    /// Until viewers have what there is.
    private static let settleSeconds = 2.0

    /// A connection, and how many answers it waits for.
    private final class Phone {
        var socket: LoadSocket
        let isShared: Bool
        /// When what it waits for was sent, in order.
        var sent: [UInt64] = []
        var answered = 0
        /// Of shared ones: what waits for its turn.
        var waiting: [(request: [UInt8], begun: UInt64)] = []
        /// Takes the next answer.
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
    /// What was refused first.
    private(set) var refusal: String?
    private(set) var lost = 0
    /// Those who look at what people share.
    let viewers = DayViewers()
    /// The shares of the first people, by their owner.
    private var shares: [Int: Int64] = [:]

    init(port: UInt16) { self.port = port }

    /// - Parameter count: People with a socket of their own: the first ones.
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

    /// Guests who look at the heatmap.
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

    /// The first people each share where they are with an account, which looks at it from now on.
    /// - Parameter first: The first of those accounts' numbers.
    func share(_ count: Int, with first: Int) throws {
        for person in 0..<count {
            let precision = DayViewers.precision(of: person).rawValue
            phones[person].onAnswer = { [unowned self] text in shares[person] = Self.share(in: text) }
            write(
                """
                {"jsonrpc":"2.0","id":4,"method":"sharing.start","params":{"clientId":"\(UUID().uuidString.lowercased())",\
                "audience":"person","username":"bench\(first + person)","precision":"\(precision)","expiresIn":86400}}
                """, to: phones[person])
            // Not all of them begin in the same second.
            if person % Self.startsAtOnce == Self.startsAtOnce - 1 { try settle() }
        }
        try settle()
        guard shares.count == count else {
            throw BenchError(
                description: "only \(shares.count) of \(count) shares began: \(refusal ?? "no error was told")")
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

    /// What was measured so far does not count.
    func startAgain() {
        answers = LatencyHistogram()
        (sent, answered) = (0, 0)
        viewers.startAgain()
    }

    /// Frames that those who look at the heatmap got, but for the answers.
    var heatmapPushes: Int { watchers.reduce(0) { $0 + max(0, $1.framesReceived - 2) } }

    private func add(_ phone: Phone) {
        load.add(phone.socket)
        byDescriptor[phone.socket.descriptor] = phone
    }

    /// Waits until everything is answered.
    /// - Throws: ``BenchError``.
    func settle() throws {
        let end = LoadLoop.now + UInt64(Self.answersSecondsMax * 1e9)
        while answered + lost < sent {
            guard LoadLoop.now < end else { throw BenchError(description: "\(sent - answered) requests got no answer") }
            drive(milliseconds: 10)
        }
    }

    /// A phone says where it is.
    func report(_ person: Int, latitude: Double, longitude: Double, accuracy: Int) {
        viewers.note(person, latitude: latitude, longitude: longitude)
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

    /// Seven digits: a centimetre.
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

    /// The server closes what is not used for a while.
    private func reconnect(_ phone: Phone) {
        byDescriptor[phone.socket.descriptor] = nil
        guard let socket = try? LoadSocket(port: port, source: Self.sharedSource) else { return }
        phone.socket = socket
        add(phone)
    }

    /// One at a time on a connection, as HTTP/1.1 clients do.
    private func post(_ phone: Phone) {
        guard phone.sent.isEmpty, let (request, begun) = phone.waiting.first else { return }
        if phone.socket.hasEnded { reconnect(phone) }
        guard !phone.socket.hasEnded else { return lost += 1 }
        phone.waiting.removeFirst()
        // The wait for the connection counts.
        phone.sent.append(begun)
        sent += 1
        phone.socket.write(request)
    }

    /// Takes what comes.
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
        note(phone, isRefused: text.contains("\"error\":"), text)
        post(phone)
    }

    /// Phones have subscribed to nothing: what comes are answers, and each of them says once what protocol it is.
    private func takeFrames(_ phone: Phone) {
        phone.socket.receive(load.buffer) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            for _ in text.ranges(of: "\"jsonrpc\"") where !phone.sent.isEmpty {
                note(phone, isRefused: text.contains("\"error\":"), text)
            }
        }
    }

    private func note(_ phone: Phone, isRefused: Bool, _ text: String) {
        answers.record(nanoseconds: LoadLoop.now - phone.sent.removeFirst())
        answered += 1
        phone.onAnswer?(text)
        phone.onAnswer = nil
        guard isRefused else { return }
        refused += 1
        refusal = refusal ?? String(text.suffix(200))
    }
}
