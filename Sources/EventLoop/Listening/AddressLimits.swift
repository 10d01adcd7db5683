/// How many connections one address may have open, and how fast it may open new ones. Pure: time is given.
///
/// An IPv6 subscriber's /64 counts as one address. Every operation is O(1). The table is bounded: addresses with open
/// connections are kept (they are no more than connections), of the others the longest idle one makes room.
public struct AddressLimits: Sendable {
    /// What an address may do. The defaults are for a campus that may sit behind one NAT address as a whole.
    public struct Rules: Sendable, Equatable {
        /// Connections open at once.
        public var openMax = 8_192
        /// New connections a second, in the long run.
        public var perSecondMax = 200
        /// New connections at once, after a quiet time: as many as may be open, so that everybody behind one address, who lost
        /// the server or the network at once, can come back at once (requirement B-7).
        public var burstMax = 8_192
        /// Addresses remembered.
        public var addressesMax = 65_536

        /// The defaults above.
        public init() {}
    }

    /// Whether a connection may be taken.
    enum Verdict: Equatable {
        case admitted
        case tooManyOpen
        /// Seconds to wait, rounded up.
        case tooFast(retryAfter: Int)
    }

    private struct Entry {
        var key: IPAddress
        var open = 0
        /// When all that was taken so far would have come, had it come evenly: the one number of a leaky bucket (GCRA,
        /// ITU-T I.371). Nanoseconds.
        var evenUntil: UInt64 = 0
        /// Neighbours among the idle ones, -1 at the ends.
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

    /// Counts a new connection, unless the address has too many or opens them too fast.
    /// - Parameter now: Nanoseconds on a clock that does not go back.
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
        let next = max(entries[slot].evenUntil, now) &+ nanosecondsEach
        let ahead = next &- now
        let allowed = nanosecondsEach &* UInt64(max(1, rules.burstMax))
        guard ahead <= allowed else {
            return .tooFast(retryAfter: Int((ahead &- allowed &+ 999_999_999) / 1_000_000_000))
        }
        if entries[slot].open == 0 { unlink(slot) }
        entries[slot].open += 1
        entries[slot].evenUntil = next
        return .admitted
    }

    /// A connection that was admitted has ended.
    mutating func release(_ address: IPAddress) {
        guard let slot = index[address.subscriber], entries[slot].open > 0 else { return }
        entries[slot].open -= 1
        if entries[slot].open == 0 { link(slot) }
    }

    // MARK: The table

    /// A new entry among the idle ones; nil when every address of a full table has open connections.
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
