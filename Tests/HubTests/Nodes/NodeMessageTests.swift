import Bus
import Campus
import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub

@Suite("What nodes tell each other")
struct NodeMessageTests {
    /// What is told of the longest message to members on other nodes: 200 scalars of four bytes, by the longest name.
    static func longestSignal() throws -> [UInt8] {
        let last = LastMessage(
            offset: .max, by: .max, name: String(repeating: "𝒜", count: 81),
            at: Timestamp(milliseconds: 1_795_000_000_000), text: String(repeating: "𝒜", count: 200), picture: true,
            deleted: false)
        return WireJSON.encode(UserSignal(type: .message, conversation: .max, offset: .max, message: last))
    }

    /// One of each kind, with everything that can be there and with nothing of it.
    static func examples() throws -> [String: NodeMessage] {
        var session = Stage().session(7, .campus, metres: 12.5)
        session.lastFixAt = Timestamp(milliseconds: 1_795_000_000_000)
        session.lastSeq = 12
        session.clientId = "4f1d0c1e-8a43-4f6e-9d3c-0d6b1f1f2a10"
        session.title = "Abendrunde 🏃"
        let fix = LiveFix(
            position: LatLon(50.1234567891, 8.7654321), at: Timestamp(milliseconds: 1_795_000_000_000), speed: 3,
            heading: 12.5, isStationary: false, zone: 3)
        let full = NodeSession(
            generation: 1_795_000_000_000, revision: 5, rate: 1, isOffline: true, session: session, fix: fix)
        let bare = NodeSession(
            generation: 1, revision: 2, rate: 10, isOffline: false, session: Stage().session(1, .private), fix: nil)
        var dark = bare
        dark.isHidden = true
        let cell = try #require(Cell(zoom: 15, x: 17_000, y: 11_000))
        let interest = NodeInterest(number: 300, hasAll: false, cells: [cell], sessions: [7, 9])
        let points = [LatLon(50.1234567, 8.7654321), LatLon(50.1234568, -8.7654322)]
        return [
            "session": .session(full), "session-bare": .session(bare),
            "session-dark": .session(dark), "privacy": .privacy(1 << 50), "interest": .interest(interest),
            "interest-all": .interest(NodeInterest(hasAll: true)), "tokens": .tokens([1, 2, 1 << 50], .disabled),
            "link": .link(3, session: 7), "campus": .campus,
            "block": .block(7, 1 << 50, isOn: true), "block-lifted": .block(9, 7, isOn: false),
            "notices": .notices(0), "notices-of": .notices(1 << 50),
            "positions": .positions(
                [full, bare],
                left: [
                    .init(session: 7, generation: 1, revision: 2, to: cell),
                    .init(session: 8, generation: 1, revision: 3, to: nil),
                ]),
            "step": .step(
                RouteStep(
                    number: 4, state: full,
                    change: .pieces([.init(points: points, startsPiece: true), .init(points: [], startsPiece: false)]))),
            "step-route": .step(RouteStep(number: 4, state: full, change: .route([points, []]))),
            "publications": .publications(
                head: TopicPosition(epoch: 5, offset: 9),
                [.init(offset: 8, data: Array("{}".utf8)), .init(offset: 9, data: Array("[1]".utf8))]),
            "presence": .presence(
                PresenceReport(
                    accounts: [.init(id: 7, name: "ann"), .init(id: 9, name: "bo")], moreAccounts: 3, guests: 40)),
            "aside": .aside(by: 7, Array("{\"type\":\"typing\"}".utf8)), "signal": .signal(try longestSignal()),
            "located": .located([
                .init(account: 7, receivedAt: Timestamp(milliseconds: 1_795_000_000_000)),
                .init(account: 1 << 50, receivedAt: Timestamp(milliseconds: 0)),
            ]), "located-none": .located([]),
            "shares": .shares(Array("{\"done\":{}}".utf8)), "presence-none": .presence(nil),
            "ask-presence": .askPresence,
            "ask-homes": .askOwned(after: 0), "ask-runners": .askRunners([cell], of: NodeID(bits: .max), after: 3),
            "ask-all": .askRunners([], of: nil, after: 0), "ask-route": .askRoute(7),
            "homes": .ownedSessions(
                NodeOwnership(interest: interest, entries: [.init(session: 7, generation: 9)], next: 7)),
            "runners": .runners(
                NodeRunners(asOf: 9, entries: [.init(state: full, trail: points)], next: 0)),
            "route": .route(RouteStep(number: 0, state: full, change: .route([points]))), "route-none": .route(nil),
        ]
    }

    @Test("A message between nodes is read as it was written")
    func roundTrip() throws {
        for (name, message) in try Self.examples() {
            #expect(try NodeMessage(decoding: message.encoded) == message, "\(name)")
            guard let directory = ProcessInfo.processInfo.environment["CAMPANILE_WRITE_SEEDS"] else { continue }
            try Data(message.encoded).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
        }
    }

    @Test("A message between nodes is refused when it is cut off, goes on, or has another version")
    func strict() throws {
        for (name, message) in try Self.examples() {
            let bytes = message.encoded
            for length in 0..<bytes.count {
                #expect(throws: BinaryFrameError.self, "\(name), \(length)") {
                    try NodeMessage(decoding: Array(bytes.prefix(length)))
                }
            }
            #expect(throws: BinaryFrameError.self) { try NodeMessage(decoding: bytes + [0]) }
            #expect(throws: BinaryFrameError.self) { try NodeMessage(decoding: [2] + bytes.dropFirst()) }
        }
    }

    @Test("A message between nodes with everything at its longest fits into a message of the bus")
    func size() throws {
        let examples = try Self.examples()
        guard case .session(var state)? = examples["session"] else { return }
        state.session.title = String(repeating: "🏃", count: 80)
        state.session.owner.username = String(repeating: "n", count: 20)
        let trail = (0..<RouteLimits.trailPointsMax).map { LatLon($0 % 2 == 0 ? 90 : -90, $0 % 2 == 0 ? 180 : -180) }
        let count = NodeLimits.statesPerMessageMax
        let left = NodeLeave(
            session: 1 << 52, generation: 1 << 52, revision: 1 << 52, to: Cell(zoom: 15, x: 32_767, y: 0))
        let messages: [NodeMessage] = [
            .positions(Array(repeating: state, count: count), left: Array(repeating: left, count: count)),
            .runners(
                NodeRunners(
                    asOf: 1 << 52, entries: Array(repeating: .init(state: state, trail: trail), count: count), next: 1)),
            .ownedSessions(
                NodeOwnership(
                    interest: NodeInterest(
                        hasAll: false, cells: [], sessions: Set((0..<NodeLimits.watchesMax).map { 1 << 52 - Int64($0) })
                    ),
                    entries: Array(
                        repeating: .init(session: 1 << 52, generation: 1 << 52), count: NodeLimits.ownedPerAnswerMax),
                    next: 1)),
            .route(
                RouteStep(
                    number: 1 << 52, state: state,
                    change: .route(
                        (0..<RouteLimits.pointsMax).map { [LatLon($0 % 2 == 0 ? 90 : -90, 180)] }))),
        ]
        for message in messages {
            #expect(message.encoded.count <= BusLimits.messageBytesMax)
            #expect(try NodeMessage(decoding: message.encoded) == message)
        }
    }
}
