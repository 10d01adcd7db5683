import Bus
import Campus
import Wire

/// State of a session that its owner node sends to other nodes. It is complete except for the route, so that the next state replaces a
/// lost one.
struct NodeSession: Equatable, Sendable {
    /// Fencing token of the owner node; a later owner has a higher one (see <doc:Nodes>).
    var generation: UInt64
    /// Grows with each state that the owner node sends of any session; the state with the higher revision is newer.
    var revision: UInt64
    /// Seconds of session time in a second.
    var rate: Double
    var isOffline: Bool
    /// The session's owner is in a suppression zone.
    var isHidden = false
    var session: Session
    var fix: LiveFix?
}

/// A session that has left a cell.
struct NodeLeave: Equatable, Sendable {
    var session: Int64
    var generation: UInt64
    var revision: UInt64
    /// The session's new cell; nil when others may not know it.
    var to: Cell?
}

/// The part of the map and the sessions that a node wants to receive.
struct NodeInterest: Equatable, Sendable {
    /// Grows with each change, so that an outdated interest is recognised.
    var number: UInt64 = 0
    /// All cells.
    var hasAll = false
    /// Cells of ``NodeLimits/cellZoom``.
    var cells: Set<Cell> = []
    /// Sessions whose routes the node follows.
    var sessions: Set<Int64> = []

    func wants(_ cell: Cell) -> Bool { hasAll || cells.contains(cell) }
}

/// Points by which a route grew, or the whole route, numbered so that a gap shows.
struct RouteStep: Equatable, Sendable {
    enum Change: Equatable, Sendable {
        case pieces([RoutePiece])
        case route([[LatLon]])
    }
    var number: UInt64
    var state: NodeSession
    var change: Change
}

/// A page of the sessions that a node owns.
struct NodeOwnership: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        var session: Int64
        var generation: UInt64
    }
    var interest: NodeInterest
    var entries: [Entry]
    /// Sessions after this one follow on the next page; 0 for the last page.
    var next: Int64
}

/// A page of a node's sessions in some cells.
struct NodeRunners: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        var state: NodeSession
        /// The newest part of the route.
        var trail: [LatLon]
    }
    /// Revision at which the page was made; a state with a higher revision is newer.
    var asOf: UInt64
    var entries: [Entry]
    /// Sessions after this one follow on the next page; 0 for the last page.
    var next: Int64
}

/// An account whose location a node has received.
struct NodeLocated: Equatable, Sendable {
    var account: Int64
    /// When, by the node's wall clock.
    var receivedAt: Timestamp
}

/// A message between nodes.
enum NodeMessage: Equatable, Sendable {
    /// To all: a session was claimed, has another audience, or is finished.
    case session(NodeSession)
    /// To all: the sender's interest from now on.
    case interest(NodeInterest)
    /// To all: these tokens were revoked, with the cause.
    case tokens([Int64], SignOutCause)
    /// To all: this link to the session was revoked.
    case link(Int64, session: Int64)
    /// To all: the database has another campus.
    case campus
    /// To all: the first account blocks the second, or does not any more.
    case block(Int64, Int64, isOn: Bool)
    /// To all: the suppression zones of an account have changed.
    case privacy(Int64)
    /// To all: the log of notices grew; with an account, its quiet hours or sessions may hold back its notices from now on or not any
    /// more.
    case notices(Int64)
    /// On a cell's subject: changed sessions, and sessions that have left.
    case positions([NodeSession], left: [NodeLeave])
    /// On a session's subject: a step of its route.
    case step(RouteStep)
    /// On a reliable topic's subject: its head, and the new publications if they are small.
    case publications(head: TopicPosition, [StoredPublication])
    /// On a conversation's subject: an aside, which is not stored, as it is pushed.
    case aside(by: Int64, [UInt8])
    /// On an account's subject: a signal.
    case signal([UInt8])
    /// On shares' subjects: JSON of a ``ShareMessage``.
    case shares([UInt8])
    /// On subjects of live groups: JSON of a ``LiveGroupMessage``.
    case groups([UInt8])
    /// To all: the sender has received newer locations of these accounts. Locations that other nodes received earlier are not shown any
    /// more.
    case located([NodeLocated])
    /// On a topic's subject: the sender's report of the topic's viewers; nil when it has none any more.
    case presence(PresenceReport?)
    /// On a topic's subject: a request for reports.
    case askPresence

    /// Question: the sessions that the receiver owns, after this one.
    case askOwned(after: Int64)
    /// Question to one node or to all: the sessions in these cells (in all, when there are none), after this one.
    case askRunners([Cell], of: NodeID?, after: Int64)
    /// Question: the route of this session.
    case askRoute(Int64)

    /// Answers to the questions.
    case ownedSessions(NodeOwnership)
    case runners(NodeRunners)
    /// Nil when the answering node does not own the session.
    case route(RouteStep?)

    /// Number of each message's kind: from 1 messages, from 32 questions, from 64 answers.
    fileprivate enum Kind: UInt8 {
        case session = 1
        case interest, tokens, link, campus, positions, step, publications, presence, askPresence, aside, signal
        case block, notices, privacy, shares, located, groups
        case askOwned = 32
        case askRunners, askRoute
        case ownedSessions = 64
        case runners, route
    }
}

/// Limits of messages between nodes.
enum NodeLimits {
    /// Zoom of the cells in which positions are sent: about a kilometre in the middle latitudes, so that a campus is a few of them.
    static let cellZoom: UInt8 = 15
    /// Largest number of cells that a node follows one by one; beyond, it follows all.
    static let cellsMax = 64
    /// Largest number of sessions whose routes a node follows.
    static let watchesMax = 10_000
    /// Largest number of sessions in one message.
    static let sessionsMax = 20_000
    /// Largest number of sessions in one answer to `askOwned`.
    static let ownedPerAnswerMax = 10_000
    /// Largest number of sessions in one message about a cell, or in one answer; at their longest they fit into a message.
    static let statesPerMessageMax = 100
    /// Largest number of finished sessions that are remembered.
    static let finishedMax = 4_096
    /// Largest number of trail points in one answer.
    static let trailPointsMax = 12_000
    /// Largest number of bytes of publications in an announcement; for more, it has only the head.
    static let publicationBytesMax = 16_384
    /// Largest number of bytes of a chat aside or an account's signal.
    static let asideBytesMax = 4_096
    /// Largest number of bytes of a message about shares: 200 people of a cell with the longest names, or 2,000 watched shares.
    static let shareBytesMax = 200_000
    /// Largest number of bytes of a message about a live group: 50 members and 60 exercises with the longest names.
    static let groupBytesMax = 65_536
    /// Largest number of accounts in one `located` message.
    static let locatedPerMessageMax = 2_000
    /// Largest number of bytes of a name, a title or a client's identifier.
    static let textBytesMax = 512
    /// Largest number of pieces of a route.
    static let piecesMax = RouteLimits.pointsMax
}

/// Encoding, version 1: a byte for the version, a byte for the kind, and the content. Numbers are as in binary frames (see
/// <doc:PositionFrames>).
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
        case .groups: .groups
        case .located: .located
        case .presence: .presence
        case .askPresence: .askPresence
        case .askOwned: .askOwned
        case .askRunners: .askRunners
        case .askRoute: .askRoute
        case .ownedSessions: .ownedSessions
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
        case .signal(let json), .shares(let json), .groups(let json): writer.data(json)
        case .located(let located):
            writer.list(located) {
                $0.varint($1.account)
                $0.varint($1.receivedAt.milliseconds)
            }
        case .presence(let report): writer.optional(report) { $0.write($1) }
        case .askOwned(let after): writer.varint(after)
        case .askRunners(let cells, let node, let after):
            writer.write(cells)
            writer.word(node?.bits ?? 0)
            writer.varint(after)
        case .askRoute(let session): writer.varint(session)
        case .ownedSessions(let ownership): writer.write(ownership)
        case .runners(let runners): writer.write(runners)
        case .route(let step): writer.optional(step) { $0.write($1) }
        }
    }

    /// - Throws: ``Wire/BinaryFrameError`` for bytes that no node of this version writes.
    init(decoding bytes: [UInt8]) throws(BinaryFrameError) {
        var reader = BinaryReader(bytes)
        guard try reader.byte() == Self.version else { throw BinaryFrameError("the version is unknown") }
        guard let kind = Kind(rawValue: try reader.byte()) else { throw BinaryFrameError("the kind is unknown") }
        self = try Self.read(kind, &reader)
        guard reader.isAtEnd else { throw BinaryFrameError("bytes follow the end of the message") }
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
        case .shares: return .shares(try reader.data(bytesMax: NodeLimits.shareBytesMax, "a message about shares"))
        case .groups: return .groups(try reader.data(bytesMax: NodeLimits.groupBytesMax, "a message about live groups"))
        case .located:
            return .located(
                try reader.list(countMax: NodeLimits.locatedPerMessageMax) { r throws(BinaryFrameError) in
                    NodeLocated(account: try r.id(), receivedAt: Timestamp(milliseconds: try r.number()))
                })
        case .presence: return .presence(try reader.flag() ? try reader.presence() : nil)
        case .askPresence: return .askPresence
        case .askOwned: return .askOwned(after: try reader.number())
        case .askRunners:
            let cells = try reader.cells()
            let node = try reader.word()
            return .askRunners(cells, of: node == 0 ? nil : NodeID(bits: node), after: try reader.number())
        case .askRoute: return .askRoute(try reader.id())
        case .ownedSessions: return .ownedSessions(try reader.ownership())
        case .runners: return .runners(try reader.runners())
        case .route: return .route(try reader.flag() ? try reader.step() : nil)
        }
    }
}
