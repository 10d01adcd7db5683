import Bus
import Campus
import DequeModule
import EventLoop
import Wire

/// Where an account is, as this node was told.
struct HeldLocation {
    var fix: LocatedFix
    /// When something came last, monotonic nanoseconds.
    var heard: UInt64
    /// The same by the wall clock: of several nodes with a location the newest counts.
    var heardAt: Timestamp
    /// Until when a pin holds against everything else, monotonic nanoseconds.
    var pinnedUntil: UInt64?
    /// Another node has a newer one: this one is not shown any more.
    var elsewhere: NewerLocation?
    /// When other nodes were told of it last, monotonic nanoseconds; 0 when they are to be told with the next turn.
    var told: UInt64 = 0

    /// Nobody has told for a while. By the monotonic clock.
    func isOld(_ now: UInt64) -> Bool { now > heard + Duration.nanoseconds(ofSeconds: ShareLimits.oldSeconds) }
}

/// Another node has a location of an account that is newer than the one here.
struct NewerLocation {
    var node: NodeID
    /// When that node heard of it, by its wall clock.
    var heardAt: Timestamp
    /// When that was told first and last, monotonic nanoseconds.
    var since: UInt64
    var last: UInt64
}

/// What a share tells: worked out once, by the node that has the location, in the share's precision.
struct ShownLocation: Codable, Equatable, Sendable {
    var state: ShareState
    var location: SharedLocation?
    /// When its node heard of the location last. Not for viewers.
    var heardAt: Timestamp
    /// Whether the precision is that of now: when it was chosen.
    var chosenAt: Timestamp

    /// Nothing.
    static func none(of share: StoredShare) -> ShownLocation {
        ShownLocation(
            state: .none, location: nil, heardAt: Timestamp(milliseconds: 0), chosenAt: share.chosenAt)
    }

    /// Nothing, as the owner is in a hidden place.
    static func hidden(of share: StoredShare) -> ShownLocation {
        ShownLocation(state: .hidden, location: nil, heardAt: Timestamp(milliseconds: 0), chosenAt: share.chosenAt)
    }

    func tells(otherThan told: ShownLocation) -> Bool { state != told.state || location != told.location }
}

/// A connection that watches a share.
struct ShareViewer {
    let subscriber: any Subscriber
    /// Nil for a guest with the link.
    let account: Int64?
    /// As it is written down; 0 for the owner, who is not.
    let opening: Int64
    /// The owner sees in the number of viewers that it watches: it is no stranger.
    let isCounted: Bool
}

/// A share that somebody watches here, or whose owner is located here. On the hub's loop only.
final class LiveShare {
    var share: StoredShare
    var viewers: [UInt64: ShareViewer] = [:]
    var audience = SubscriberSet()
    /// Connections that the owner learns of: not its own, and no stranger's.
    var watching: Int { viewers.values.count { $0.opening != 0 && $0.isCounted } }
    /// By this node's location; nil when it has none.
    var own: ShownLocation?
    /// The position that this was worked out from: when that is dark by now, the rules are others.
    var shownFrom: LocatedFix?
    /// When it was looked at last: of a coarse precision the time of the look, and monotonic nanoseconds.
    var lookedAt: Timestamp?
    var looked: UInt64 = 0
    var isLookScheduled = false
    /// By other nodes' locations, with when that was heard.
    var others: [NodeID: (shown: ShownLocation, heard: UInt64)] = [:]
    /// What viewers here have.
    var told: ShownLocation
    /// Somebody here has less than that.
    var mustTell = false
    /// It is about to be told that its precision is another.
    var isChanging = false
    var watchingTold = 0
    /// When other nodes were told last, monotonic nanoseconds.
    var sent: UInt64 = 0
    /// Whether it still holds must be confirmed first.
    var isWithheld = false
    var subscription: BusSubscription?
    /// Where it is on the map of everybody.
    var cell: Cell?
    /// When viewers last got a position, here or at another node; nil for never.
    var seenAt: Timestamp?
    /// The owner's location is gone, and viewers learn that then.
    var silentAt: Timestamp?
    /// It has ended, which viewers learn later. Until then it hides where its owner is, wherever that is.
    var isEnding: Bool { share.endToldAt != nil }
    /// When viewers learn of an end or of silence in a hidden place.
    var endClock: HiddenEndClock { HiddenEndClock(lastSeen: seenAt ?? share.startedAt) }

    init(_ share: StoredShare) {
        self.share = share
        told = share.endToldAt == nil ? .none(of: share) : .hidden(of: share)
    }
}

/// What the hub has of locations and shares. Confined to the hub's loop.
final class ShareBoard {
    struct Lease {
        var watching: Int
        var heard: UInt64
    }

    var store: (any ShareStore)?
    var rules: any LocationRules = PlainRules()
    /// Told of each position that is taken.
    var accepted: (@Sendable (Int64, LocatedFix) -> Void)?
    /// Told of each account whose location counts here no more: it was cleared, or another node has heard of it since.
    var forgotten: (@Sendable (Int64) -> Void)?

    var locations: [Int64: HeldLocation] = [:]
    /// Another node has a pin of theirs until then, monotonic nanoseconds.
    var pinnedElsewhere: [Int64: (node: NodeID, until: UInt64)] = [:]
    /// Located accounts of which the other nodes are to be told that this one has heard of them.
    var untold: Set<Int64> = []
    private(set) var shares: [Int64: LiveShare] = [:]
    private(set) var of: [Int64: Set<Int64>] = [:]
    /// Located accounts whose shares were read, and those that are being read.
    var known: Set<Int64> = []
    var reading: Set<Int64> = []
    /// The last that ended: whoever was let in at that moment is not.
    private(set) var ended: Set<Int64> = []
    private var endedOrder = Deque<Int64>()
    /// Shares that have ended, which viewers learn later: what was read of them before is older. When they learn it.
    private(set) var ending: [Int64: Timestamp] = [:]
    /// Who left a group a moment ago, and when: whoever was let in at that moment is not. Monotonic nanoseconds.
    private var left: [GroupMember: UInt64] = [:]
    /// Whose location was cleared a moment ago, and when. Monotonic nanoseconds.
    private var cleared: [Int64: UInt64] = [:]

    /// How many watch at other nodes.
    var leases: [Int64: [NodeID: Lease]] = [:]
    var isLeaseScheduled = false
    var leased: UInt64 = 0
    /// Shares whose viewers came or went since they were told of, and whether other cells may be looked at.
    var viewersMoved: Set<Int64> = []
    var areCellsMoved = false
    /// Shares that this node told others of with viewers, and with how many.
    var leasedShares: [Int64: Int] = [:]
    /// Cells that it told them of.
    var leasedCells: Set<Cell> = []

    var people: [Cell: PeopleCell] = [:]
    /// Campus-wide shares of locations here, by where they are shown.
    var onMap: [Cell: Set<Int64>] = [:]
    /// Cells that other nodes look at, and when that was heard.
    var peopleLeases: [Cell: [NodeID: UInt64]] = [:]
    /// What other nodes were told of a cell, and when.
    var peopleSent: [Cell: (people: [PersonOnMap], at: UInt64)] = [:]

    /// Openings that have ended, and who got what on the map: to be written down.
    var closings: [Int64] = []
    var isWriting = false
    /// Loops that viewers are or were on.
    var drained: [ObjectIdentifier: EventLoop] = [:]
    private(set) var seen: [Int64: SeenBy] = [:]
    private var seenOf: [Int64: Set<Int64>] = [:]
    var notes: [SeenShare] = []
    var moreNotes: [Int64: Int] = [:]
    /// Of which shares something is being written down, by how many.
    var written: [Int64: Int] = [:]
    var isSweeping = false
    var subscription: BusSubscription?

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

    /// A share has ended, and viewers learn it then.
    func end(_ id: Int64, toldAt time: Timestamp, now: Timestamp) {
        if ending.count >= ShareLimits.endedMax { ending = ending.filter { $0.value > now } }
        if ending.count < ShareLimits.endedMax { ending[id] = time }
    }

    /// These are not in a conversation any more.
    func leave(_ conversation: Int64, _ accounts: [Int64], now: UInt64) {
        let limit = Duration.nanoseconds(ofSeconds: ShareLimits.leftSeconds)
        left = left.filter { now <= $0.value + limit }
        for account in accounts where left.count < ShareLimits.leftMax {
            left[GroupMember(conversation: conversation, account: account)] = now
        }
    }

    /// Whether somebody left a conversation so recently that what was read of them may be older.
    func hasLeft(_ conversation: Int64, _ account: Int64, now: UInt64) -> Bool {
        left[GroupMember(conversation: conversation, account: account)].map {
            now <= $0 + Duration.nanoseconds(ofSeconds: ShareLimits.leftSeconds)
        } ?? false
    }

    /// Where an account was is forgotten by its own wish.
    func noteCleared(_ account: Int64, now: UInt64) {
        let limit = Duration.nanoseconds(ofSeconds: ShareLimits.clearedSeconds)
        cleared = cleared.filter { now <= $0.value + limit }
        if cleared.count < ShareLimits.clearedMax { cleared[account] = now }
    }

    /// Whether that was a moment ago, and behind that time.
    func wasCleared(_ account: Int64, since time: UInt64) -> Bool { cleared[account].map { $0 > time } ?? false }

    /// Where a campus-wide share is on the map.
    func move(_ live: LiveShare, to cell: Cell?) {
        guard live.cell != cell else { return }
        if let old = live.cell {
            onMap[old]?.remove(live.share.id)
            if onMap[old]?.isEmpty == true { onMap[old] = nil }
        }
        live.cell = cell
        if let cell { onMap[cell, default: []].insert(live.share.id) }
    }

    /// Whether anything waits to be written down.
    var hasToWrite: Bool { !closings.isEmpty || !notes.isEmpty || !moreNotes.isEmpty }

    /// Takes some of what waits to be written down, at most ``ShareLimits/notesPerWriteMax`` of each kind.
    /// - Parameter shares: Of these alone; nil for whatever came first.
    func takeNotes(of shares: Set<Int64>?) -> (notes: [SeenShare], more: [Int64: Int]) {
        let count = ShareLimits.notesPerWriteMax
        var taken: [SeenShare] = []
        if let shares, !notes.isEmpty {
            var rest: [SeenShare] = []
            for note in notes {
                if taken.count < count, shares.contains(note.share) { taken.append(note) } else { rest.append(note) }
            }
            notes = rest
        } else if shares == nil {
            taken = Array(notes.prefix(count))
            notes.removeFirst(taken.count)
        }
        let ids = shares.map { $0.filter { moreNotes[$0] != nil } } ?? Set(moreNotes.keys.prefix(count))
        let more = Dictionary(ids.prefix(count).map { ($0, moreNotes.removeValue(forKey: $0) ?? 0) }) { $0 + $1 }
        return (taken, more)
    }

    /// What could not be written down waits on.
    func putBack(_ notes: [SeenShare], _ more: [Int64: Int]) {
        self.notes += notes
        moreNotes.merge(more) { $0 + $1 }
    }

    /// Of those beyond what waits by name, it is written down how many they are: nobody is left out.
    func countNotes(beyond count: Int = ShareLimits.notesMax) {
        guard notes.count > count else { return }
        for note in notes[count...] { moreNotes[note.share, default: 0] += 1 }
        notes.removeSubrange(count...)
    }

    /// These accounts got somebody with the map: to be written down, once each, beyond ``ShareLimits/seenNamedMax`` only how many.
    func note(_ person: PersonOnMap, gotBy accounts: [Int64], at time: Timestamp) {
        let owner = person.person.account
        if seen[person.share]?.precision != person.precision {
            seen[person.share] = SeenBy(owner: owner, precision: person.precision)
            seenOf[owner, default: []].insert(person.share)
        }
        for account in accounts where account != owner {
            switch seen[person.share]?.take(account) {
            case .named:
                notes.append(SeenShare(share: person.share, account: account, precision: person.precision, at: time))
            case .counted: moreNotes[person.share, default: 0] += 1
            case nil: break
            }
        }
    }

    /// Whoever gets it with the map from now on is written down anew.
    func forgetSeen(_ share: Int64) {
        guard let by = seen.removeValue(forKey: share) else { return }
        seenOf[by.owner]?.remove(share)
        if seenOf[by.owner]?.isEmpty == true { seenOf[by.owner] = nil }
    }

    /// The same for all that an account shares, in the precision it has. Who was counted only is not counted again.
    func forgetSeen(of account: Int64) {
        for share in seenOf[account] ?? [] {
            if seen[share]?.counted.isEmpty == false { seen[share]?.open = [] } else { forgetSeen(share) }
        }
    }

    /// How many watch a share, on all nodes.
    func watching(_ id: Int64) -> Int {
        (shares[id]?.watching ?? 0) + (leases[id]?.values.reduce(0) { $0 + $1.watching } ?? 0)
    }
}

/// Somebody in a group.
private struct GroupMember: Hashable {
    let conversation: Int64
    let account: Int64
}

/// Who got a campus-wide share with the map. Beyond what is kept, nobody is told apart.
struct SeenBy {
    var owner: Int64
    var precision: Precision
    /// Who has a line of their own in the receipt, and whose may still be open.
    private(set) var named: Set<Int64> = []
    var open: Set<Int64> = []
    private(set) var counted: Set<Int64> = []

    init(owner: Int64, precision: Precision) {
        self.owner = owner
        self.precision = precision
    }

    enum Line { case named, counted }

    /// Somebody gets it.
    /// - Returns: What is to be written down of that; nil for nothing more.
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
