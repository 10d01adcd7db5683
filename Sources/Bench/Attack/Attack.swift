import Foundation

/// The attacks of `campanile bench attack`: each tries one limit of the server while well-behaved clients watch how they are
/// served.
public enum Attack: String, CaseIterable, Sendable {
    case slowHeaders = "slow-headers"
    case slowBody = "slow-body"
    case silent
    case oversized
    case smuggling
    case noHello = "no-hello"
    case vanished
    case pings
    case tinyRequests = "tiny-requests"
    case fragments
    case bigFrames = "big-frames"
    case bomb
    case halves
    case noReading = "no-reading"
    case connects
    case crowd
    case handshakes
    case halfHandshakes = "half-handshakes"
    case descriptors
    case garbage
    case guessing
    case subscriptions
    case json

    var script: any AttackScript {
        switch self {
        case .slowHeaders: SlowHeadersAttack()
        case .slowBody: SlowBodyAttack()
        case .silent: SilentAttack()
        case .oversized: OversizedAttack()
        case .smuggling: SmugglingAttack()
        case .noHello: NoHelloAttack()
        case .vanished: VanishedAttack()
        case .pings: PingsAttack()
        case .tinyRequests: TinyRequestsAttack()
        case .fragments: FragmentsAttack()
        case .bigFrames: BigFramesAttack()
        case .bomb: BombAttack()
        case .halves: HalvesAttack()
        case .noReading: NoReadingAttack()
        case .connects: ConnectsAttack()
        case .crowd: CrowdAttack()
        case .handshakes: HandshakesAttack()
        case .halfHandshakes: HalfHandshakesAttack()
        case .descriptors: DescriptorsAttack()
        case .garbage: GarbageAttack()
        case .guessing: GuessingAttack()
        case .subscriptions: SubscriptionsAttack()
        case .json: JSONAttack()
        }
    }

    /// What it does, in a line.
    public var summary: String { script.summary }

    /// Runs it against a server of its own; blocks for as long as it takes, half a minute as a rule. Call it off the loops.
    /// - Parameters:
    ///   - seconds: How long the bystanders are measured before, and at least during, the attack.
    ///   - loops: Of the server.
    /// - Throws: ``BenchError`` saying what could not be had.
    public func run(seconds: Double, loops: Int = 2) async throws -> AttackReport {
        try await AttackRun(self, seconds: seconds, loops: loops).run()
    }
}

/// One way to harm the server.
protocol AttackScript: Sendable {
    /// In a line.
    var summary: String { get }
    /// More options for `campanile serve`.
    var serverArguments: [String] { get }
    /// Server and bystanders speak TLS.
    var usesTLS: Bool { get }
    /// The server's limit of open files; nil for this process's own.
    var descriptorsMax: Int? { get }
    /// How much the server's private memory may grow, at its highest.
    var memoryGrowthBytesMax: Int { get }
    /// Cores the server may use during the attack; nil for any number.
    var serverUseMax: Double? { get }
    /// Attacks until the target's time is over, or for longer when the server's answer takes longer. On a thread of its own.
    func run(_ target: AttackTarget) throws -> [AttackAnswer]
}

extension AttackScript {
    var serverArguments: [String] { [] }
    var usesTLS: Bool { false }
    var descriptorsMax: Int? { nil }
    var memoryGrowthBytesMax: Int { 64 * 1_048_576 }
    var serverUseMax: Double? { nil }
}

/// What the server answered an attacker.
public struct AttackAnswer: Codable, Sendable {
    /// What was tried.
    public let tried: String
    /// What should happen.
    public let expected: String
    /// What did, with how often.
    public let seen: String
    /// Whether that was right.
    public let isExpected: Bool

    /// - Parameters:
    ///   - counts: What was seen, with how often.
    ///   - isRight: Whether one of them is as it should be.
    init(_ tried: String, expected: String, seen counts: [String: Int], isRight: (String) -> Bool) {
        self.tried = tried
        self.expected = expected
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        seen = sorted.map { "\($0.value) × \($0.key)" }.joined(separator: "; ")
        isExpected = !counts.isEmpty && counts.keys.allSatisfy(isRight)
    }

    /// Everything seen must begin with one of these.
    init(_ tried: String, _ counts: [String: Int], is allowed: String...) {
        self.init(tried, counts, is: allowed)
    }

    init(_ tried: String, _ counts: [String: Int], is allowed: [String]) {
        self.init(tried, expected: allowed.joined(separator: " or "), seen: counts) { seen in
            allowed.contains { seen.hasPrefix($0) }
        }
    }
}

/// What an attack aims at.
struct AttackTarget: Sendable {
    /// The attackers' first address: 127.1.0.2. The bystanders have the one before.
    static let firstSource: UInt16 = 2

    let port: UInt16
    let tls: LoadSocket.TLS?
    /// The server's process.
    let processID: Int32
    /// When the attack may end, on the monotonic clock in nanoseconds.
    let end: UInt64
    /// Numbers of zones that exist.
    let zones: [Int64]
    /// Tokens of accounts that are the attacker's.
    let tokens: [String]

    var isOver: Bool { LoadLoop.now >= end }

    /// Descriptors that the server has open.
    var serverDescriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd").count) ?? 0
    }

    /// A connection, blocking until it stands.
    func connect(source: UInt16 = firstSource) throws -> Attacker {
        try Attacker(port: port, tls: tls, source: source)
    }

    /// A WebSocket.
    /// - Parameter token: Said hello with; nil says no hello.
    func upgrade(
        source: UInt16 = firstSource, token: String? = nil, isGuest: Bool = false, deflate: Bool = false
    ) throws -> Attacker {
        let attacker = try Attacker(port: port, tls: tls, source: source)
        try attacker.upgrade(deflate: deflate)
        if token != nil || isGuest { try attacker.sayHello(token: token) }
        return attacker
    }
}

extension AttackTarget {
    /// The same, for some seconds more from now on when its own time is over.
    init(copying other: AttackTarget, seconds: Double) {
        self.init(
            port: other.port, tls: other.tls, processID: other.processID, end: LoadLoop.now + UInt64(seconds * 1e9),
            zones: other.zones, tokens: other.tokens)
    }
}
