import Foundation

/// The attacks of `campanile-bench attack`. Each attacks one limit of the server while well-behaved clients measure
/// their service.
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

    /// A one-line description.
    public var summary: String { script.summary }

    /// Runs the attack against a server of its own, and blocks until it ends, usually half a minute. Do not call it on
    /// an event loop.
    /// - Parameters:
    ///   - seconds: Duration of the measurement before the attack, and minimum duration of the attack.
    ///   - loops: Event loops of the server.
    /// - Throws: ``BenchError`` if the environment does not permit the run.
    public func run(seconds: Double, loops: Int = 2) async throws -> AttackReport {
        try await AttackRun(self, seconds: seconds, loops: loops).run()
    }
}

/// The implementation of an attack, with its limits.
protocol AttackScript: Sendable {
    /// A one-line description.
    var summary: String { get }
    /// Further options for `campanile serve`.
    var serverArguments: [String] { get }
    /// Whether server and bystanders use TLS.
    var usesTLS: Bool { get }
    /// The server's limit of open files; nil for this process's own.
    var descriptorsMax: Int? { get }
    /// Maximum growth of the server's private memory.
    var memoryGrowthBytesMax: Int { get }
    /// Maximum cores that the server may use during the attack; nil for any number.
    var serverUseMax: Double? { get }
    /// Attacks until the target's end time, or longer if the server's reaction takes longer. Called on a thread of its
    /// own.
    func run(_ target: AttackTarget) throws -> [AttackAnswer]
}

extension AttackScript {
    var serverArguments: [String] { [] }
    var usesTLS: Bool { false }
    var descriptorsMax: Int? { nil }
    var memoryGrowthBytesMax: Int { 64 * 1_048_576 }
    var serverUseMax: Double? { nil }
}

/// The server's reaction to one attempt of an attack.
public struct AttackAnswer: Codable, Sendable {
    /// The attempt.
    public let tried: String
    /// The expected reaction.
    public let expected: String
    /// The observed reactions, with their numbers.
    public let seen: String
    /// Whether all observed reactions were expected.
    public let isExpected: Bool

    /// - Parameters:
    ///   - counts: The observed reactions, with their numbers.
    ///   - isRight: Whether a reaction is expected.
    init(_ tried: String, expected: String, seen counts: [String: Int], isRight: (String) -> Bool) {
        self.tried = tried
        self.expected = expected
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        seen = sorted.map { "\($0.value) × \($0.key)" }.joined(separator: "; ")
        isExpected = !counts.isEmpty && counts.keys.allSatisfy(isRight)
    }

    /// Every observed reaction must begin with one of the allowed ones.
    init(_ tried: String, _ counts: [String: Int], is allowed: String...) {
        self.init(tried, counts, is: allowed)
    }

    init(_ tried: String, _ counts: [String: Int], is allowed: [String]) {
        self.init(tried, expected: allowed.joined(separator: " or "), seen: counts) { seen in
            allowed.contains { seen.hasPrefix($0) }
        }
    }
}

/// The server under attack.
struct AttackTarget: Sendable {
    /// The attackers' first address: 127.1.0.2. The bystanders have the previous one.
    static let firstSource: UInt16 = 2

    let port: UInt16
    let tls: LoadSocket.TLS?
    let processID: Int32
    /// Time at which the attack may end, in monotonic nanoseconds.
    let end: UInt64
    /// Ids of existing zones.
    let zones: [Int64]
    /// Tokens of the attacker's accounts.
    let tokens: [String]

    var isOver: Bool { LoadLoop.now >= end }

    /// Number of descriptors that the server has open.
    var serverDescriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd").count) ?? 0
    }

    /// Opens a connection; blocks.
    func connect(source: UInt16 = firstSource) throws -> Attacker {
        try Attacker(port: port, tls: tls, source: source)
    }

    /// Opens a WebSocket.
    /// - Parameter token: The token of hello. Without it, hello is only sent for a guest.
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
    /// Creates a copy of a target whose attack ends after this many seconds from now.
    init(copying other: AttackTarget, seconds: Double) {
        self.init(
            port: other.port, tls: other.tls, processID: other.processID, end: LoadLoop.now + UInt64(seconds * 1e9),
            zones: other.zones, tokens: other.tokens)
    }
}
