import Bus
import Campus
import DequeModule
import EventLoop
import HubCore
import Wire

/// The latest location of an account that this node has received.
struct ReceivedLocation {
    var fix: LocatedFix
    /// When the last report came, monotonic nanoseconds.
    var received: UInt64
    /// Time of the last report by the wall clock. If several nodes have a location of the account, the newest counts.
    var receivedAt: Timestamp
    /// Until when a pin overrides all reports, monotonic nanoseconds.
    var pinnedUntil: UInt64?
    /// Another node has a newer location: this one is not shown any more.
    var elsewhere: NewerLocation?
    /// When this location was last announced to other nodes, monotonic nanoseconds; 0 if the next sweep must announce it.
    var announced: UInt64 = 0

    /// Whether there was no report for ``ShareLimits/oldSeconds``. By the monotonic clock.
    func isOld(_ now: UInt64) -> Bool { now > received + Duration.nanoseconds(ofSeconds: ShareLimits.oldSeconds) }
}

/// Notes that another node has a newer location of an account.
struct NewerLocation {
    var node: NodeID
    /// When that node received it, by its wall clock.
    var receivedAt: Timestamp
    /// When the first and the last announcement of that came, monotonic nanoseconds.
    var since: UInt64
    var last: UInt64
}

/// The location that a share shows: computed once, in the share's precision, by the node that has the owner's location.
struct ShownLocation: Codable, Equatable, Sendable {
    var state: ShareState
    var location: SharedLocation?
    /// When its node last received the owner's location. Not for viewers.
    var receivedAt: Timestamp
    /// When the precision was chosen, by which a location in an earlier precision is recognised.
    var chosenAt: Timestamp

    /// A share that shows no location.
    static func none(of share: StoredShare) -> ShownLocation {
        ShownLocation(
            state: .none, location: nil, receivedAt: Timestamp(milliseconds: 0), chosenAt: share.chosenAt)
    }

    /// A share that shows no location because its owner is in a hidden place.
    static func hidden(of share: StoredShare) -> ShownLocation {
        ShownLocation(state: .hidden, location: nil, receivedAt: Timestamp(milliseconds: 0), chosenAt: share.chosenAt)
    }

    func differs(from published: ShownLocation) -> Bool { state != published.state || location != published.location }
}

/// A connection that watches a share.
struct ShareViewer {
    let subscriber: any Subscriber
    /// Nil for a guest with the link.
    let account: Int64?
    /// Number of the entry in the access log; 0 for the owner, whose watching is not logged.
    let opening: Int64
    /// Whether the owner's count of viewers includes the viewer, who is then no stranger.
    let isCounted: Bool
}

/// A share that is watched at this node, or whose owner is located here. Confined to the hub's loop.
final class LiveShare {
    var share: StoredShare
    var viewers: [UInt64: ShareViewer] = [:]
    var audience = SubscriberSet()
    /// Number of connections in the owner's count of viewers: neither the owner's own nor a stranger's.
    var watching: Int { viewers.values.count { $0.opening != 0 && $0.isCounted } }
    /// The location shown according to this node; nil when it has none.
    var own: ShownLocation?
    /// The position from which `own` was computed: if it is hidden by now, the rules have changed.
    var sourceFix: LocatedFix?
    /// When the location was last sampled: by the wall clock for a coarse precision, and in monotonic nanoseconds.
    var sampledAt: Timestamp?
    var sampled: UInt64 = 0
    var isSampleScheduled = false
    /// The locations shown according to other nodes, with when each arrived.
    var others: [NodeID: (shown: ShownLocation, received: UInt64)] = [:]
    /// The location last published to viewers at this node.
    var published: ShownLocation
    /// A viewer at this node was sent less than the last published location.
    var mustPublish = false
    /// A change of the precision is about to be published.
    var isChanging = false
    var publishedViewerCount = 0
    /// When the location was last sent to other nodes, monotonic nanoseconds.
    var sent: UInt64 = 0
    /// Hidden from everyone until PostgreSQL has confirmed that the share still holds.
    var isWithheld = false
    var subscription: BusSubscription?
    /// The cell of the campus map that the share is in.
    var cell: Cell?
    /// When viewers last got a position, at this node or another; nil for never.
    var seenAt: Timestamp?
    /// When viewers learn that the owner's location is gone.
    var silencePublishedAt: Timestamp?
    /// Whether the share has ended and viewers do not know yet. Until they do, it shows them a hidden location, wherever the owner is.
    var isEnding: Bool { share.endPublishedAt != nil }
    /// When viewers learn of an end, or of silence, in a hidden place.
    var endClock: HiddenEndClock { HiddenEndClock(lastSeen: seenAt ?? share.startedAt) }

    init(_ share: StoredShare) {
        self.share = share
        published = share.endPublishedAt == nil ? .none(of: share) : .hidden(of: share)
    }
}

/// The locations and shares that the hub has. Confined to the hub's loop.
final class ShareRegistry {
    struct Lease {
        var watching: Int
        var received: UInt64
    }

    var store: (any ShareStore)?
    var rules: any LocationRules = DefaultLocationRules()
    /// Called with each accepted position.
    var accepted: (@Sendable (Int64, LocatedFix) -> Void)?
    /// Called with each account whose location does not count here any more: it was cleared, or another node has received a newer one.
    var forgotten: (@Sendable (Int64) -> Void)?

    var locations: [Int64: ReceivedLocation] = [:]
    /// Accounts of which another node has a pin, with the pin's end in monotonic nanoseconds.
    var pinnedElsewhere: [Int64: (node: NodeID, until: UInt64)] = [:]
    /// Located accounts that the next sweep announces to the other nodes.
    var unannounced: Set<Int64> = []
    private(set) var shares: [Int64: LiveShare] = [:]
    private(set) var of: [Int64: Set<Int64>] = [:]
    /// Located accounts whose shares were read, and accounts whose shares are being read.
    var known: Set<Int64> = []
    var reading: Set<Int64> = []
    /// The most recently ended shares: a viewer that was admitted concurrently is refused.
    private(set) var ended: Set<Int64> = []
    private var endedOrder = Deque<Int64>()
    /// Ended shares whose viewers do not know yet, with when they learn it. A share that was read earlier does not have that time.
    private(set) var ending: [Int64: Timestamp] = [:]
    /// Members that left a group recently, with when in monotonic nanoseconds: one that was admitted concurrently is refused.
    private var left: [GroupMember: UInt64] = [:]
    /// Accounts whose location was cleared recently, with when in monotonic nanoseconds.
    private var cleared: [Int64: UInt64] = [:]

    /// Numbers of viewers at other nodes, by share and node.
    var leases: [Int64: [NodeID: Lease]] = [:]
    var isLeaseScheduled = false
    var leased: UInt64 = 0
    /// Shares whose viewers changed since the last lease, and whether the viewed cells may have changed.
    var viewersMoved: Set<Int64> = []
    var areCellsMoved = false
    /// Shares that this node announced as watched, with the announced number of viewers.
    var leasedShares: [Int64: Int] = [:]
    /// Cells that this node announced as viewed.
    var leasedCells: Set<Cell> = []

    var people: [Cell: PeopleCell] = [:]
    /// Campus-wide shares with a location at this node, by the cell that shows them.
    var onMap: [Cell: Set<Int64>] = [:]
    /// Cells that other nodes view, with when each announcement came.
    var peopleLeases: [Cell: [NodeID: UInt64]] = [:]
    /// The people that were last sent to other nodes for a cell, and when.
    var peopleSent: [Cell: (people: [PersonOnMap], at: UInt64)] = [:]

    /// Openings that have ended, to be written to the access log.
    var closings: [Int64] = []
    var isWriting = false
    /// Loops that have or had viewers.
    var drained: [ObjectIdentifier: EventLoop] = [:]
    private(set) var seen: [Int64: MapAccessLog] = [:]
    private var seenOf: [Int64: Set<Int64>] = [:]
    var entries: [AccessLogEntry] = []
    var unnamedEntries: [Int64: Int] = [:]
    /// Shares with access-log writes in flight, by the number of writes.
    var written: [Int64: Int] = [:]
    var isSweeping = false

    func take(up share: LiveShare) {
        shares[share.share.id] = share
        of[share.share.owner, default: []].insert(share.share.id)
    }

    func drop(_ id: Int64) -> LiveShare? {
        guard let live = shares.removeValue(forKey: id) else { return nil }
        live.subscription?.cancel()
        of[live.share.owner]?.remove(id)
        if of[live.share.owner]?.isEmpty == true { of[live.share.owner] = nil }
        move(live, to: nil)
        return live
    }

    func end(_ id: Int64) {
        leases[id] = nil
        ending[id] = nil
        forgetSeen(id)
        guard ended.insert(id).inserted else { return }
        endedOrder.append(id)
        if endedOrder.count > ShareLimits.endedMax { ended.remove(endedOrder.removeFirst()) }
    }

    /// Notes that a share has ended, and when its viewers learn it.
    func end(_ id: Int64, publishedAt time: Timestamp, now: Timestamp) {
        if ending.count >= ShareLimits.endedMax { ending = ending.filter { $0.value > now } }
        if ending.count < ShareLimits.endedMax { ending[id] = time }
    }

    /// Notes that accounts have left a conversation.
    func leave(_ conversation: Int64, _ accounts: [Int64], now: UInt64) {
        let limit = Duration.nanoseconds(ofSeconds: ShareLimits.leftSeconds)
        left = left.filter { now <= $0.value + limit }
        for account in accounts where left.count < ShareLimits.leftMax {
            left[GroupMember(conversation: conversation, account: account)] = now
        }
    }

    /// Whether an account left a conversation so recently that a membership that was read may be outdated.
    func hasLeft(_ conversation: Int64, _ account: Int64, now: UInt64) -> Bool {
        left[GroupMember(conversation: conversation, account: account)].map {
            now <= $0 + Duration.nanoseconds(ofSeconds: ShareLimits.leftSeconds)
        } ?? false
    }

    /// Notes that an account has cleared its location.
    func recordCleared(_ account: Int64, now: UInt64) {
        let limit = Duration.nanoseconds(ofSeconds: ShareLimits.clearedSeconds)
        cleared = cleared.filter { now <= $0.value + limit }
        if cleared.count < ShareLimits.clearedMax { cleared[account] = now }
    }

    /// Whether an account cleared its location recently, and after the given time.
    func wasCleared(_ account: Int64, since time: UInt64) -> Bool { cleared[account].map { $0 > time } ?? false }

    /// Moves a campus-wide share to a cell of the map; nil to take it off the map.
    func move(_ live: LiveShare, to cell: Cell?) {
        guard live.cell != cell else { return }
        if let old = live.cell {
            onMap[old]?.remove(live.share.id)
            if onMap[old]?.isEmpty == true { onMap[old] = nil }
        }
        live.cell = cell
        if let cell { onMap[cell, default: []].insert(live.share.id) }
    }

    /// Whether access-log entries wait to be written.
    var hasToWrite: Bool { !closings.isEmpty || !entries.isEmpty || !unnamedEntries.isEmpty }

    /// Removes and returns waiting access-log entries, at most ``ShareLimits/entriesPerWriteMax`` of each kind.
    /// - Parameter shares: Entries of these shares only; nil for the oldest entries.
    func takeEntries(of shares: Set<Int64>?) -> (entries: [AccessLogEntry], more: [Int64: Int]) {
        let count = ShareLimits.entriesPerWriteMax
        var taken: [AccessLogEntry] = []
        if let shares, !entries.isEmpty {
            var rest: [AccessLogEntry] = []
            for entry in entries {
                if taken.count < count, shares.contains(entry.share) { taken.append(entry) } else { rest.append(entry) }
            }
            entries = rest
        } else if shares == nil {
            taken = Array(entries.prefix(count))
            entries.removeFirst(taken.count)
        }
        let ids = shares.map { $0.filter { unnamedEntries[$0] != nil } } ?? Set(unnamedEntries.keys.prefix(count))
        let more = Dictionary(ids.prefix(count).map { ($0, unnamedEntries.removeValue(forKey: $0) ?? 0) }) { $0 + $1 }
        return (taken, more)
    }

    /// Returns entries that could not be written to the queue.
    func putBack(_ entries: [AccessLogEntry], _ more: [Int64: Int]) {
        self.entries += entries
        unnamedEntries.merge(more) { $0 + $1 }
    }

    /// Turns entries beyond the limit into counts, so that no viewer is missing from the log.
    func countEntries(beyond count: Int = ShareLimits.entriesMax) {
        guard entries.count > count else { return }
        for entry in entries[count...] { unnamedEntries[entry.share, default: 0] += 1 }
        entries.removeSubrange(count...)
    }

    /// Logs that accounts received a person with the map: once for each account, and beyond ``ShareLimits/seenNamedMax`` only as a
    /// count.
    func log(_ person: PersonOnMap, receivedBy accounts: [Int64], at time: Timestamp) {
        let owner = person.person.account
        if seen[person.share]?.precision != person.precision {
            seen[person.share] = MapAccessLog(owner: owner, precision: person.precision)
            seenOf[owner, default: []].insert(person.share)
        }
        for account in accounts where account != owner {
            switch seen[person.share]?.take(account) {
            case .named:
                entries.append(
                    AccessLogEntry(share: person.share, account: account, precision: person.precision, at: time))
            case .counted: unnamedEntries[person.share, default: 0] += 1
            case nil: break
            }
        }
    }

    /// Forgets who received a share with the map, so that further deliveries are logged again.
    func forgetSeen(_ share: Int64) {
        guard let by = seen.removeValue(forKey: share) else { return }
        seenOf[by.owner]?.remove(share)
        if seenOf[by.owner]?.isEmpty == true { seenOf[by.owner] = nil }
    }

    /// Forgets the same for all shares of an account, in their present precision. Accounts that were only counted are not counted
    /// again.
    func forgetSeen(of account: Int64) {
        for share in seenOf[account] ?? [] {
            if seen[share]?.counted.isEmpty == false { seen[share]?.open = [] } else { forgetSeen(share) }
        }
    }

    /// Number of viewers of a share, on all nodes.
    func watching(_ id: Int64) -> Int {
        (shares[id]?.watching ?? 0) + (leases[id]?.values.reduce(0) { $0 + $1.watching } ?? 0)
    }
}

/// Key of a member of a group.
private struct GroupMember: Hashable {
    let conversation: Int64
    let account: Int64
}

/// Accounts that received a campus-wide share with the map. Beyond the limit, further accounts are not recorded.
struct MapAccessLog {
    var owner: Int64
    var precision: Precision
    /// Accounts with an entry of their own in the receipt; `open` are those whose entry may still be open.
    private(set) var named: Set<Int64> = []
    var open: Set<Int64> = []
    private(set) var counted: Set<Int64> = []

    init(owner: Int64, precision: Precision) {
        self.owner = owner
        self.precision = precision
    }

    enum Line { case named, counted }

    /// Notes that an account receives the share.
    /// - Returns: The kind of entry to be logged; nil for none.
    mutating func take(_ account: Int64) -> Line? {
        if named.contains(account) { return open.insert(account).inserted ? .named : nil }
        guard named.count + counted.count < ShareLimits.seenKnownMax, !counted.contains(account) else { return nil }
        guard named.count < ShareLimits.seenNamedMax else {
            counted.insert(account)
            return .counted
        }
        named.insert(account)
        open.insert(account)
        return .named
    }
}
