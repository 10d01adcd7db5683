import Bus
import EventLoop
import HubCore
import Wire

/// A live group at this node: its members with their latest progress, and who watches. Confined to the hub's loop.
final class LiveGroupRoom {
    struct Member {
        var stored: StoredLiveMember
        var position: TrainingPosition?
        var updatedAt: Timestamp?
        /// Connections at this node.
        var devices = SubscriberSet()
        /// Positions that may be published now, and when that was computed.
        var allowance = LiveGroupLimits.positionsBurst
        var allowedAt: UInt64 = 0
        /// Changed since the last publication: only the position, or more than that.
        var isMoved = false
        var isChanged = false
        /// The position changed since other nodes last received it.
        var isUnsent = false
    }

    var stored: StoredLiveGroup
    private(set) var members: [Int64: Member] = [:]
    /// Account of each watching connection.
    var viewers: [UInt64: Int64] = [:]
    /// Viewers that get the common rendition.
    var common = SubscriberSet()
    /// Accounts with a rendition of their own: those that have a block with a member, and the host while somebody does not take part.
    var apart: Set<Int64> = []
    /// Accounts that are connected at other nodes, with when the node announced them. A node without any has the group in memory.
    var elsewhere: [NodeID: (accounts: Set<Int64>, received: UInt64)] = [:]
    var subscription: BusSubscription?
    /// When somebody last used the group here, monotonic nanoseconds.
    var usedAt: UInt64
    /// An update came since the last look of upkeep.
    var isActive = false
    /// A change may have been committed that this node does not know: nothing is published.
    var isInDoubt = false
    /// Own connections changed since other nodes last received them.
    var isPresenceUnsent = true

    init(_ stored: StoredLiveGroup, now: UInt64) {
        self.stored = stored
        usedAt = now
        for member in stored.members { members[member.account] = Member(stored: member, isChanged: true) }
    }

    subscript(account: Int64) -> Member? {
        get { members[account] }
        set { members[account] = newValue }
    }

    var accounts: Set<Int64> { Set(members.keys) }
    var hasChanges: Bool { members.values.contains { $0.isChanged || $0.isMoved } }

    /// Whether a member is connected here or at another node.
    func isPresent(_ account: Int64) -> Bool {
        guard members[account]?.stored.takesPart == true else { return false }
        return members[account]?.devices.isEmpty == false || elsewhere.values.contains { $0.accounts.contains(account) }
    }

    /// Accounts that are connected here.
    var presentHere: [Int64] { members.filter { !$0.value.devices.isEmpty }.keys.sorted() }

    /// Whether a viewer sees a member, apart from blocks.
    /// - Parameter viewer: Nil for the viewers of the common rendition, who take part.
    func isShown(_ account: Int64, to viewer: Int64?) -> Bool {
        guard let member = members[account]?.stored else { return false }
        guard let viewer else { return member.takesPart || account == stored.host }
        return stored.shows(member, to: viewer, takingPart: members[viewer]?.stored.takesPart == true)
    }

    /// A member as the others see it.
    func shown(_ account: Int64) -> LiveGroupMember? {
        guard let member = members[account] else { return nil }
        let isShown = member.stored.takesPart
        var position = isShown ? member.position : nil
        if !member.stored.sharesZone { position?.zone = nil }
        return LiveGroupMember(
            account: account, username: member.stored.username, isHost: account == stored.host,
            state: member.stored.state,
            sharesZone: isShown && member.stored.sharesZone, isPresent: isPresent(account), position: position,
            updatedAt: isShown ? member.updatedAt : nil)
    }

    /// Takes one position from the allowance of a member.
    /// - Returns: False when the member has published too many.
    func takeAllowance(of account: Int64, now: UInt64) -> Bool {
        guard var member = members[account] else { return false }
        let seconds = Double(now &- member.allowedAt) / 1e9
        let grown = member.allowance + max(0, seconds) * LiveGroupLimits.positionsPerSecond
        member.allowance = min(LiveGroupLimits.positionsBurst, grown)
        member.allowedAt = now
        defer { members[account] = member }
        guard member.allowance >= 1 else { return false }
        member.allowance -= 1
        return true
    }

    /// Replaces the members by the stored ones. Keeps the progress of members that still take part.
    /// - Returns: The members before.
    func replaceMembers(by stored: StoredLiveGroup) -> [Int64: StoredLiveMember] {
        let before = members.mapValues(\.stored)
        var gone = Set(before.keys)
        self.stored = stored
        for fresh in stored.members.prefix(LiveGroupLimits.membersMax) {
            gone.remove(fresh.account)
            guard var member = members[fresh.account] else {
                members[fresh.account] = Member(stored: fresh, isChanged: true)
                continue
            }
            guard member.stored != fresh else { continue }
            member.stored = fresh
            member.isChanged = true
            if !fresh.takesPart { (member.position, member.updatedAt) = (nil, nil) }
            if !fresh.sharesZone { member.position?.zone = nil }
            members[fresh.account] = member
        }
        for account in gone { members[account] = nil }
        return before
    }
}
