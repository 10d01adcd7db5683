import Bus
import Campus
import DequeModule
import EventLoop
import Logging
import Wire

/// State of the hub's membership in a group of nodes. Confined to the hub's loop.
final class HubNodes {
    /// A session that this node owns.
    struct HomeHere {
        var generation: UInt64
        /// The cell as last announced to other nodes; nil while they may not know it.
        var cell: Cell?
        /// Nodes that follow the session's route.
        var watchers: Set<NodeID> = []
        /// Number of the last step that was sent to them.
        var step: UInt64 = 0
        /// Changes of the route that were not sent yet.
        var news = RouteStep.News.pieces([])
    }

    /// A session that another node owns.
    struct HomeElsewhere {
        var node: NodeID
        var generation: UInt64
        /// Revision of the last state received; older states are ignored, though they may arrive later.
        var revision: UInt64
    }

    /// A region of the map to which this node is subscribed.
    final class Listening {
        let number: UInt64
        var subscription: BusSubscription?
        var isLive = false
        /// Since when the region has no viewers here, monotonic nanoseconds.
        var unwantedSince: UInt64?

        init(number: UInt64) { self.number = number }
    }

    /// A route that this node follows.
    final class Watch {
        let number: UInt64
        var subscription: BusSubscription?
        var isLive = false
        /// Number of the last step that was applied; nil before the first.
        var step: UInt64?
        var isFetching = false
        var mustFetchAgain = false
        var unwantedSince: UInt64?

        init(number: UInt64) { self.number = number }
    }

    /// A part of the map that a node can subscribe to.
    enum Region: Hashable {
        case everywhere
        case cell(Cell)
    }

    let bus: any Bus
    let backing: any NodeStorage
    let logger: Logger
    var subscriptions: [BusSubscription] = []
    var observation: BusObservation?
    /// Other nodes that are alive.
    var others: Set<NodeID> = []
    /// Grows with each state of a session that is sent.
    var revision: UInt64 = 0

    var here: [Int64: HomeHere] = [:]
    var elsewhere: [Int64: HomeElsewhere] = [:]
    /// Sessions of this node with changes for the next tick.
    var changed: Set<Int64> = []
    /// The most recently finished sessions: late messages about them are ignored.
    private(set) var finished: Set<Int64> = []
    private var finishedOrder = Deque<Int64>()

    /// Interests of the other nodes.
    var interests: [NodeID: NodeInterest] = [:]
    /// This node's interest, as it was last announced.
    var told = NodeInterest()
    var listening: [Region: Listening] = [:]
    var watches: [Int64: Watch] = [:]
    private var lastNumber: UInt64 = 0
    var isLookScheduled = false
    /// Regions whose runners must be asked for.
    var unasked: Set<Region> = []
    var isAskScheduled = false

    var logs: [Topic: BusSubscription] = [:]
    /// Subscriptions to the signals of accounts that are connected here.
    var users: [Int64: BusSubscription] = [:]
    /// Topics with viewers here, at most ``NodeLimits/watchesMax``.
    var presences: [Topic: BusSubscription] = [:]
    /// The cells of each zone; a zone that is missing may be anywhere.
    var zoneCells: [Int64: [Cell]] = [:]

    /// Messages that narrow access may be lost: nothing of other nodes is shown until PostgreSQL was read.
    var isInDoubt = false
    /// Number of times that messages may have been lost: what was read before the last time is ignored.
    var doubts = 0
    /// No push is sent while this is true.
    var isHolding = false
    /// Number of times that pushes were held.
    var holds = 0
    /// Since when PostgreSQL does not answer, monotonic nanoseconds.
    var unconfirmedSince: UInt64?
    var isConfirming = false
    var isMeetScheduled = false
    var isDisconnected = false

    init(bus: any Bus, backing: any NodeStorage, logger: Logger) {
        self.bus = bus
        self.backing = backing
        self.logger = logger
    }

    /// Whether another node is interested in a cell.
    func isWanted(_ cell: Cell) -> Bool { interests.values.contains { $0.wants(cell) } }

    /// Whether this node receives the positions of a cell.
    func isHeard(_ cell: Cell) -> Bool { listening[.everywhere] != nil || listening[.cell(cell)] != nil }

    /// Notes that a session is finished, whichever node owned it.
    func finish(_ id: Int64) {
        here[id] = nil
        elsewhere[id] = nil
        changed.remove(id)
        guard finished.insert(id).inserted else { return }
        finishedOrder.append(id)
        if finishedOrder.count > NodeLimits.finishedMax { finished.remove(finishedOrder.removeFirst()) }
    }

    /// A number that distinguishes a new subscription from an earlier one to the same subject.
    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    func nextRevision() -> UInt64 {
        revision += 1
        return revision
    }

    /// Subjects of the bus.
    enum Subjects {
        static let control = spelled(["nodes", "control"])
        /// Separate from `control`, so that a loss concerns only blocks, and an older node does not receive messages it cannot decode.
        static let blocks = spelled(["nodes", "blocks"])
        /// Separate from `control` for the same reasons as `blocks`.
        static let notices = spelled(["nodes", "notices"])
        static let heatmap = spelled(["nodes", "heatmap"])
        /// Separate for the same reasons as `blocks`. Published, or sent as a question where the sender must know that all nodes
        /// applied it.
        static let shares = spelled(["nodes", "shares"])
        /// Separate for the same reasons as `blocks`. The nodes recover from a loss by themselves.
        static let located = spelled(["nodes", "located"])
        static let questions = spelled(["nodes", "questions"])

        static func positions(_ cell: Cell) -> Subject? { spelled(["positions", "\(cell.x)", "\(cell.y)"]) }
        static func session(_ id: Int64) -> Subject? { spelled(["sessions", "\(id)"]) }
        static func presence(_ topic: Topic) -> Subject? { try? Subject(topic: "presence/\(topic)") }
        static func share(_ id: Int64) -> Subject? { spelled(["shares", "\(id)"]) }
        static func people(_ cell: Cell) -> Subject? { spelled(["people", "\(cell.x)", "\(cell.y)"]) }
        static func user(_ id: Int64) -> Subject? { spelled(["users", "\(id)"]) }
        static func log(_ topic: Topic) -> Subject? { try? Subject(topic: "log/\(topic)") }

        static func pattern(_ region: Region) -> SubjectPattern? {
            switch region {
            case .everywhere: try? SubjectPattern(["positions", "*", "*"])
            case .cell(let cell): positions(cell).map(SubjectPattern.init)
            }
        }

        /// These tokens are fixed words and numbers, which always form a valid subject.
        private static func spelled(_ tokens: [String]) -> Subject? { try? Subject(tokens) }
    }
}
