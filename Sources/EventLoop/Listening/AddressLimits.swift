/// Limits on the open connections of one address, and on the rate of its new ones. Pure: the caller passes the time.
///
/// An IPv6 subscriber's /64 counts as one address. Every operation is O(1). The table is bounded: addresses with open connections
/// stay in it (there are no more of them than connections); of the others, the one idle for the longest time is removed to make
/// room.
public struct AddressLimits: Sendable {
    /// Limits of one address. The defaults suit a campus that is entirely behind one NAT address.
    public struct Rules: Sendable, Equatable {
        /// Connections open at once.
        public var openMax = 8_192
        /// New connections per second, in the long run.
        public var perSecondMax = 200
        /// New connections at once after a quiet time. As many as may be open, so that all clients behind one address can reconnect
        /// at once after a failure of the server or the network (requirement B-7).
        public var burstMax = 8_192
        /// Addresses remembered.
        public var addressesMax = 65_536

        public init() {}
    }

    /// Decision about a new connection.
    enum Verdict: Equatable {
        case admitted
        case tooManyOpen
        /// Seconds to wait, rounded up.
        case tooFast(retryAfter: Int)
    }

    private struct Entry {
        var key: IPAddress
        var open = 0
        /// Time at which all connections admitted so far would have arrived at an even rate, in nanoseconds: the state of a leaky
        /// bucket (GCRA, ITU-T I.371).
        var theoreticalArrivalTime: UInt64 = 0
        /// Links of the list of idle addresses, -1 at the ends.
        var older = -1
        var newer = -1
    }

    private let rules: Rules
    private let nanosecondsEach: UInt64
    private var entries: [Entry] = []
    private var index: [IPAddress: Int] = [:]
    private var oldestIdle = -1
    private var newestIdle = -1

    init(_ rules: Rules) {
        self.rules = rules
        nanosecondsEach = 1_000_000_000 / UInt64(max(1, rules.perSecondMax))
    }

    /// Addresses in the table.
    var count: Int { index.count }

    /// Counts a new connection, unless the address has too many connections or opens them too fast.
    /// - Parameter now: Nanoseconds on a monotonic clock.
    mutating func admit(_ address: IPAddress, now: UInt64) -> Verdict {
        let key = address.subscriber
        if let slot = index[key] {
            guard entries[slot].open < rules.openMax else { return .tooManyOpen }
            return take(slot, now)
        }
        guard let slot = makeRoom(for: key) else { return .tooManyOpen }
        return take(slot, now)
    }

    private mutating func take(_ slot: Int, _ now: UInt64) -> Verdict {
        let next = max(entries[slot].theoreticalArrivalTime, now) &+ nanosecondsEach
        let ahead = next &- now
        let allowed = nanosecondsEach &* UInt64(max(1, rules.burstMax))
        guard ahead <= allowed else {
            return .tooFast(retryAfter: Int((ahead &- allowed &+ 999_999_999) / 1_000_000_000))
        }
        if entries[slot].open == 0 { unlink(slot) }
        entries[slot].open += 1
        entries[slot].theoreticalArrivalTime = next
        return .admitted
    }

    /// Counts the end of an admitted connection.
    mutating func release(_ address: IPAddress) {
        guard let slot = index[address.subscriber], entries[slot].open > 0 else { return }
        entries[slot].open -= 1
        if entries[slot].open == 0 { link(slot) }
    }

    // MARK: Table

    /// Adds an idle entry; nil if the table is full and all its addresses have open connections.
    private mutating func makeRoom(for key: IPAddress) -> Int? {
        let slot: Int
        if entries.count < max(1, rules.addressesMax) {
            slot = entries.count
            entries.append(Entry(key: key))
        } else if oldestIdle >= 0 {
            slot = oldestIdle
            unlink(slot)
            index[entries[slot].key] = nil
            entries[slot] = Entry(key: key)
        } else {
            return nil
        }
        index[key] = slot
        link(slot)
        return slot
    }

    private mutating func link(_ slot: Int) {
        entries[slot].older = newestIdle
        entries[slot].newer = -1
        if newestIdle >= 0 { entries[newestIdle].newer = slot } else { oldestIdle = slot }
        newestIdle = slot
    }

    private mutating func unlink(_ slot: Int) {
        let (older, newer) = (entries[slot].older, entries[slot].newer)
        if older >= 0 { entries[older].newer = newer } else { oldestIdle = newer }
        if newer >= 0 { entries[newer].older = older } else { newestIdle = older }
    }
}
