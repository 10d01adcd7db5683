import Bus
import Campus
import DequeModule
import EventLoop
import HubCore
import Logging
import Wire

/// The owner nodes of sessions, and what this node follows of other nodes' sessions. Confined to the hub's loop.
final class SessionNodes {
    /// A session that this node owns.
    struct OwnedSession {
        var generation: UInt64
        /// The cell as last announced to other nodes; nil while they may not know it.
        var cell: Cell?
        /// Nodes that follow the session's route.
        var watchers: Set<NodeID> = []
        /// Number of the last step that was sent to them.
        var step: UInt64 = 0
        /// Changes of the route that were not sent yet.
        var change = RouteStep.Change.pieces([])
    }

    /// A session that another node owns.
    struct RemoteSession {
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

    let link: NodeLink
    let backing: any NodeStorage
    /// Grows with each state of a session that is sent.
    var revision: UInt64 = 0

    var owned: [Int64: OwnedSession] = [:]
    var remote: [Int64: RemoteSession] = [:]
    /// Sessions of this node with changes for the next tick.
    var changed: Set<Int64> = []
    /// The most recently finished sessions: late messages about them are ignored.
    private(set) var finished: Set<Int64> = []
    private var finishedOrder = Deque<Int64>()

    /// Interests of the other nodes.
    var interests: [NodeID: NodeInterest] = [:]
    /// This node's interest, as it was last announced.
    var announcedInterest = NodeInterest()
    var listening: [Region: Listening] = [:]
    var watches: [Int64: Watch] = [:]
    private var lastNumber: UInt64 = 0
    var isRegionUpdateScheduled = false
    /// Regions whose runners must be asked for.
    var unasked: Set<Region> = []
    var isAskScheduled = false

    /// The cells of each zone; a zone that is missing may be anywhere.
    var zoneCells: [Int64: [Cell]] = [:]

    var isOwnershipExchangeScheduled = false
    var questions: BusSubscription?

    init(link: NodeLink, backing: any NodeStorage) {
        self.link = link
        self.backing = backing
    }

    var bus: any Bus { link.bus }
    var logger: Logger { link.logger }
    /// Other nodes that are alive.
    var others: Set<NodeID> { link.others }
    /// No session of another node is shown until PostgreSQL has been read.
    var isInDoubt: Bool { link.isInDoubt }
    var inDoubtCount: Int { link.inDoubtCount }
    var isDisconnected: Bool { link.isDisconnected }

    /// Whether another node is interested in a cell.
    func isWanted(_ cell: Cell) -> Bool { interests.values.contains { $0.wants(cell) } }

    /// Whether this node receives the positions of a cell.
    func isReceiving(_ cell: Cell) -> Bool { listening[.everywhere] != nil || listening[.cell(cell)] != nil }

    /// Notes that a session is finished, whichever node owned it.
    func finish(_ id: Int64) {
        owned[id] = nil
        remote[id] = nil
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
}

extension NodeSubjects {
    static func pattern(_ region: SessionNodes.Region) -> SubjectPattern? {
        switch region {
        case .everywhere: try? SubjectPattern(["positions", "*", "*"])
        case .cell(let cell): positions(cell).map(SubjectPattern.init)
        }
    }
}
