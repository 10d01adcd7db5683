import Bus
import Campus
import Wire

/// A session as its home tells it to other nodes: all of it but the route, so that the next one makes good for what was lost.
struct NodeSession: Equatable, Sendable {
    /// Which home: a later one has a higher number (see <doc:Nodes>).
    var generation: UInt64
    /// Grows with whatever this home tells of any of its sessions; of two states of a session the higher one is newer.
    var revision: UInt64
    /// Seconds of session time in a second.
    var rate: Double
    var isOffline: Bool
    /// Its owner is where nothing is shown.
    var isDark = false
    var session: Session
    var fix: LiveFix?
}

/// A session that is not in a cell any more.
struct NodeLeft: Equatable, Sendable {
    var session: Int64
    var generation: UInt64
    var revision: UInt64
    /// Where it is now; nil when others may not know.
    var to: Cell?
}

/// What a node wants to hear of.
struct NodeInterest: Equatable, Sendable {
    /// Grows with each change, so that what comes late is known to be old.
    var number: UInt64 = 0
    /// Whatever the cell.
    var hasAll = false
    /// Cells of ``NodeLimits/cellZoom``.
    var cells: Set<Cell> = []
    /// Sessions whose routes it follows.
    var sessions: Set<Int64> = []

    func wants(_ cell: Cell) -> Bool { hasAll || cells.contains(cell) }
}

/// Points that a route grew by, or all of it, numbered so that a gap shows.
struct NodeStep: Equatable, Sendable {
    enum News: Equatable, Sendable {
        case pieces([RoutePiece])
        case route([[LatLon]])
    }
    var number: UInt64
    var state: NodeSession
    var news: News
}

/// Whose home a node is.
struct NodeHomes: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        var session: Int64
        var generation: UInt64
    }
    var interest: NodeInterest
    var entries: [Entry]
    /// Ask for those behind it as well; 0 when these are all.
    var next: Int64
}

/// Who is in some cells, of one home.
struct NodeRunners: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        var state: NodeSession
        /// The newest part of the route.
        var trail: [LatLon]
    }
    /// What has a higher revision came after this was made.
    var asOf: UInt64
    var entries: [Entry]
    /// Ask for those behind it as well; 0 when these are all.
    var next: Int64
}

/// A node has heard where an account is.
struct NodeLocated: Equatable, Sendable {
    var account: Int64
    /// When, by the node's wall clock.
    var heardAt: Timestamp
}

/// What nodes tell each other.
enum NodeMessage: Equatable, Sendable {
    /// To all: a session has a home, another audience, or is finished.
    case session(NodeSession)
    /// To all: what this node wants to hear of from now on.
    case interest(NodeInterest)
    /// To all: these tokens are worth nothing any more, and why.
    case tokens([Int64], SignOutCause)
    /// To all: this link opens the session no more.
    case link(Int64, session: Int64)
    /// To all: there is another campus.
    case campus
    /// To all: the first account blocks the other, or does not any more.
    case block(Int64, Int64, isOn: Bool)
    /// To all: what is dark of an account is something else than before.
    case privacy(Int64)
    /// To all: the log of notices grew; with an account, whether that is to be disturbed may be another than before.
    case notices(Int64)
    /// About a cell.
    case positions([NodeSession], left: [NodeLeft])
    /// About a session.
    case step(NodeStep)
    /// About a reliable topic: how far it is, and what is new if that is little.
    case publications(head: TopicPosition, [StoredPublication])
    /// About a conversation: what somebody does that is not kept, as it is pushed.
    case aside(by: Int64, [UInt8])
    /// About an account: what is new for it.
    case signal([UInt8])
    /// About shares, as JSON of a ``ShareMessage``.
    case shares([UInt8])
    /// To all: this node has heard where these accounts are. What another one heard before is not shown any more.
    case located([NodeLocated])
    /// About a topic: who watches it at this node; nothing when nobody does any more.
    case presence(PresenceReport?)
    /// About a topic: who watches it at yours?
    case askPresence

    /// Whose home are you? Sessions behind this one.
    case askHomes(after: Int64)
    /// Whom do you have in these cells (in all, when there are none), behind this session? Of one node, or of all.
    case askRunners([Cell], of: NodeID?, after: Int64)
    /// What is the route of this session?
    case askRoute(Int64)

    /// Answers.
    case homes(NodeHomes)
    case runners(NodeRunners)
    /// Nothing when it is not this node's.
    case route(NodeStep?)

    /// What a question's number says: answers, and questions to one node.
    fileprivate enum Kind: UInt8 {
        case session = 1
        case interest, tokens, link, campus, positions, step, publications, presence, askPresence, aside, signal
        case block, notices, privacy, shares, located
        case askHomes = 32
        case askRunners, askRoute
        case homes = 64
        case runners, route
    }
}

/// What there is at most of everything that nodes tell each other.
enum NodeLimits {
    /// Positions are told by cells of this zoom: about a kilometre in the middle latitudes, so that a campus is a few of them.
    static let cellZoom: UInt8 = 15
    /// Cells that a node listens to one by one; beyond, it listens to all.
    static let cellsMax = 64
    /// Sessions whose routes a node follows.
    static let watchesMax = 10_000
    /// Sessions in one message.
    static let sessionsMax = 20_000
    /// Sessions in one answer to whose home a node is.
    static let homesPerAnswerMax = 10_000
    /// Sessions in one message about a cell, or in one answer; with everything as long as it may be they fit into a message.
    static let statesPerMessageMax = 100
    /// Finished sessions that are remembered.
    static let finishedMax = 4_096
    /// Points of trails in one answer.
    static let trailPointsMax = 12_000
    /// Bytes of publications that are told whole; of more, only how far the topic is.
    static let publicationBytesMax = 16_384
    /// Bytes of what is told of a conversation or to an account beside a log.
    static let asideBytesMax = 4_096
    /// Bytes of what is told of shares: 200 people of a cell with the longest names, or 2,000 shares that are watched.
    static let shareBytesMax = 200_000
    /// Accounts in one message about whom a node has heard of.
    static let locatedPerMessageMax = 2_000
    /// Bytes of a name, a title or a client's number.
    static let textBytesMax = 512
    /// Pieces of a route.
    static let piecesMax = LiveSession.routePointsMax
}

/// Version 1: a byte that says so, a byte for the kind, and what is said. Numbers as in binary frames (see <doc:PositionFrames>).
extension NodeMessage {
    static let version: UInt8 = 1

    var encoded: [UInt8] {
        var writer = BinaryWriter()
        writer.byte(Self.version)
        writer.byte(kind.rawValue)
        write(to: &writer)
        return writer.bytes
    }

    private var kind: Kind {
        switch self {
        case .session: .session
        case .interest: .interest
        case .tokens: .tokens
        case .link: .link
        case .campus: .campus
        case .block: .block
        case .notices: .notices
        case .privacy: .privacy
        case .positions: .positions
        case .step: .step
        case .publications: .publications
        case .aside: .aside
        case .signal: .signal
        case .shares: .shares
        case .located: .located
        case .presence: .presence
        case .askPresence: .askPresence
        case .askHomes: .askHomes
        case .askRunners: .askRunners
        case .askRoute: .askRoute
        case .homes: .homes
        case .runners: .runners
        case .route: .route
        }
    }

    private func write(to writer: inout BinaryWriter) {
        switch self {
        case .session(let state): writer.write(state)
        case .interest(let interest): writer.write(interest)
        case .tokens(let ids, let cause):
            writer.write(ids)
            writer.byte(UInt8(SignOutCause.allCases.firstIndex(of: cause) ?? 0))
        case .link(let link, let session):
            writer.varint(link)
            writer.varint(session)
        case .campus, .askPresence: break
        case .block(let one, let other, let isOn):
            writer.varint(one)
            writer.varint(other)
            writer.byte(isOn ? 1 : 0)
        case .notices(let account), .privacy(let account): writer.varint(account)
        case .positions(let states, let left):
            writer.list(states) { $0.write($1) }
            writer.list(left) { $0.write($1) }
        case .step(let step): writer.write(step)
        case .publications(let head, let publications): writer.write(head, publications)
        case .aside(let by, let json):
            writer.varint(by)
            writer.data(json)
        case .signal(let json), .shares(let json): writer.data(json)
        case .located(let located):
            writer.list(located) {
                $0.varint($1.account)
                $0.varint($1.heardAt.milliseconds)
            }
        case .presence(let report): writer.optional(report) { $0.write($1) }
        case .askHomes(let after): writer.varint(after)
        case .askRunners(let cells, let node, let after):
            writer.write(cells)
            writer.word(node?.bits ?? 0)
            writer.varint(after)
        case .askRoute(let session): writer.varint(session)
        case .homes(let homes): writer.write(homes)
        case .runners(let runners): writer.write(runners)
        case .route(let step): writer.optional(step) { $0.write($1) }
        }
    }

    /// - Throws: ``Wire/BinaryFrameError`` for what no node of this version writes.
    init(decoding bytes: [UInt8]) throws(BinaryFrameError) {
        var reader = BinaryReader(bytes)
        guard try reader.byte() == Self.version else { throw BinaryFrameError("another version's message") }
        guard let kind = Kind(rawValue: try reader.byte()) else { throw BinaryFrameError("an unknown kind of message") }
        self = try Self.read(kind, &reader)
        guard reader.isAtEnd else { throw BinaryFrameError("more follows than the message has") }
    }

    private static func read(_ kind: Kind, _ reader: inout BinaryReader) throws(BinaryFrameError) -> NodeMessage {
        switch kind {
        case .session: return .session(try reader.state())
        case .interest: return .interest(try reader.interest())
        case .tokens:
            let ids = try reader.ids(countMax: NodeLimits.sessionsMax)
            let cause = Int(try reader.byte())
            guard SignOutCause.allCases.indices.contains(cause) else { throw BinaryFrameError("an unknown cause") }
            return .tokens(ids, SignOutCause.allCases[cause])
        case .link: return .link(try reader.id(), session: try reader.id())
        case .campus: return .campus
        case .block: return .block(try reader.id(), try reader.id(), isOn: try reader.flag())
        case .notices: return .notices(try reader.number())
        case .privacy: return .privacy(try reader.id())
        case .positions:
            let states = try reader.list(countMax: NodeLimits.sessionsMax) { r throws(BinaryFrameError) in
                try r.state()
            }
            let left = try reader.list(countMax: NodeLimits.sessionsMax) { r throws(BinaryFrameError) in try r.left() }
            return .positions(states, left: left)
        case .step: return .step(try reader.step())
        case .publications: return try reader.publications()
        case .aside:
            return .aside(by: try reader.id(), try reader.data(bytesMax: NodeLimits.asideBytesMax, "an aside"))
        case .signal: return .signal(try reader.data(bytesMax: NodeLimits.asideBytesMax, "a signal"))
        case .shares: return .shares(try reader.data(bytesMax: NodeLimits.shareBytesMax, "what is told of shares"))
        case .located:
            return .located(
                try reader.list(countMax: NodeLimits.locatedPerMessageMax) { r throws(BinaryFrameError) in
                    NodeLocated(account: try r.id(), heardAt: Timestamp(milliseconds: try r.number()))
                })
        case .presence: return .presence(try reader.flag() ? try reader.presence() : nil)
        case .askPresence: return .askPresence
        case .askHomes: return .askHomes(after: try reader.number())
        case .askRunners:
            let cells = try reader.cells()
            let node = try reader.word()
            return .askRunners(cells, of: node == 0 ? nil : NodeID(bits: node), after: try reader.number())
        case .askRoute: return .askRoute(try reader.id())
        case .homes: return .homes(try reader.homes())
        case .runners: return .runners(try reader.runners())
        case .route: return .route(try reader.flag() ? try reader.step() : nil)
        }
    }
}
