import Bus
import Campus
import DequeModule
import EventLoop
import Logging
import Wire

/// What the hub knows of the other nodes, and they of it. Confined to the hub's loop.
final class HubNodes {
    /// This node is a session's home: it takes its points.
    struct HomeHere {
        var generation: UInt64
        /// Where others have been told it is; nil while they may not know.
        var cell: Cell?
        /// Nodes that follow its route.
        var watchers: Set<NodeID> = []
        /// Of what they were told.
        var step: UInt64 = 0
        /// What they were not told yet.
        var news = NodeStep.News.pieces([])
    }

    /// Another node is.
    struct HomeElsewhere {
        var node: NodeID
        var generation: UInt64
        /// Of what was told last: what is older is void, though it may come later.
        var revision: UInt64
    }

    /// This node listens to a part of the map.
    final class Listening {
        let number: UInt64
        var subscription: BusSubscription?
        var isLive = false
        /// Since when nobody looks, monotonic nanoseconds.
        var unwantedSince: UInt64?

        init(number: UInt64) { self.number = number }
    }

    /// This node follows a route.
    final class Watch {
        let number: UInt64
        var subscription: BusSubscription?
        var isLive = false
        /// The last that was taken; nil before the first.
        var step: UInt64?
        var isFetching = false
        var mustFetchAgain = false
        var unwantedSince: UInt64?

        init(number: UInt64) { self.number = number }
    }

    /// A part of the map that is listened to.
    enum Region: Hashable {
        case everywhere
        case cell(Cell)
    }

    let bus: any Bus
    let backing: any NodeBacking
    let logger: Logger
    var subscriptions: [BusSubscription] = []
    var observation: BusObservation?
    /// Other nodes that live.
    var others: Set<NodeID> = []
    /// Grows with whatever is told of sessions.
    var revision: UInt64 = 0

    var here: [Int64: HomeHere] = [:]
    var elsewhere: [Int64: HomeElsewhere] = [:]
    /// Sessions at home here that have something to tell at the next tick.
    var changed: Set<Int64> = []
    /// The last that were finished: what comes late of them is void.
    private(set) var finished: Set<Int64> = []
    private var finishedOrder = Deque<Int64>()

    /// What others want to hear of.
    var interests: [NodeID: NodeInterest] = [:]
    /// What others were told that this node wants to hear of.
    var told = NodeInterest()
    var listening: [Region: Listening] = [:]
    var watches: [Int64: Watch] = [:]
    private var lastNumber: UInt64 = 0
    var isLookScheduled = false
    /// Regions whose runners must be asked for.
    var unasked: Set<Region> = []
    var isAskScheduled = false

    var logs: [Topic: BusSubscription] = [:]
    /// Accounts that are connected here.
    var users: [Int64: BusSubscription] = [:]
    /// Topics with watchers here, at most ``NodeLimits/watchesMax``.
    var presences: [Topic: BusSubscription] = [:]
    /// Where zones are; one that is not there may be anywhere.
    var zoneCells: [Int64: [Cell]] = [:]

    /// Messages may be missing that said who may not see a session any more: nothing goes out until PostgreSQL was asked.
    var isInDoubt = false
    /// Counts reasons for doubt: what was read before the last one is void.
    var doubts = 0
    /// Nothing is pushed meanwhile.
    var isHolding = false
    /// Counts the times that nothing was pushed.
    var holds = 0
    /// Since when PostgreSQL does not answer, monotonic nanoseconds.
    var unconfirmedSince: UInt64?
    var isConfirming = false
    var isMeetScheduled = false
    var isDisconnected = false

    init(bus: any Bus, backing: any NodeBacking, logger: Logger) {
        self.bus = bus
        self.backing = backing
        self.logger = logger
    }

    /// Whether another node wants to hear of a cell.
    func isWanted(_ cell: Cell) -> Bool { interests.values.contains { $0.wants(cell) } }

    /// Whether this node is told of a cell.
    func isHeard(_ cell: Cell) -> Bool { listening[.everywhere] != nil || listening[.cell(cell)] != nil }

    /// A session is over, wherever it was at home.
    func finish(_ id: Int64) {
        here[id] = nil
        elsewhere[id] = nil
        changed.remove(id)
        guard finished.insert(id).inserted else { return }
        finishedOrder.append(id)
        if finishedOrder.count > NodeLimits.finishedMax { finished.remove(finishedOrder.removeFirst()) }
    }

    /// Tells apart what has the same name and was begun anew.
    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    func nextRevision() -> UInt64 {
        revision += 1
        return revision
    }

    /// The bus's subjects.
    enum Subjects {
        static let control = spelled(["nodes", "control"])
        /// Apart from what else goes to all: a loss shows as one of blocks, and an older node does not hear it.
        static let blocks = spelled(["nodes", "blocks"])
        /// As blocks.
        static let notices = spelled(["nodes", "notices"])
        static let heatmap = spelled(["nodes", "heatmap"])
        /// As blocks. Told, and asked when it matters that it was heard.
        static let shares = spelled(["nodes", "shares"])
        /// As blocks: a loss is made good by the nodes themselves.
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

        /// Our own words and numbers are always a subject.
        private static func spelled(_ tokens: [String]) -> Subject? { try? Subject(tokens) }
    }
}
