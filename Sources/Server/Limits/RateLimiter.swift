import Wire

/// A rate limit: a burst of `burst` uses, then `perSecond` uses per second.
public struct Rate: Sendable, Equatable {
    /// Long-term rate in uses per second, more than 0.
    public var perSecond: Double
    /// Number of immediate uses after a pause, at least 1.
    public var burst: Double

    /// - Parameters:
    ///   - perSecond: More than 0 and at most a million.
    ///   - burst: At least 1 and at most a billion.
    public init(perSecond: Double, burst: Double) {
        self.perSecond = min(max(perSecond, 1e-6), 1e6)
        self.burst = min(max(burst, 1), 1e9)
    }

    /// The rate of a limit that the operator has not changed.
    init(_ standard: RateLimitName.Standard) {
        self.init(perSecond: standard.perSecond, burst: Double(standard.burst))
    }

    /// Parses `50/s:500` or `10/min:100`, where the number after the colon is the burst.
    /// - Parameter text: The initialiser returns nil for text of another form.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let rate = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, rate.count == 2, let count = Double(rate[0]), let burst = Double(parts[1]), count > 0,
            count <= 1e6, burst >= 1, burst <= 1e9
        else { return nil }
        switch rate[1] {
        case "s": self.init(perSecond: count, burst: burst)
        case "min": self.init(perSecond: count / 60, burst: burst)
        default: return nil
        }
    }

    /// Nanoseconds that one use costs.
    var interval: UInt64 { UInt64(1e9 / perSecond) }
    /// Nanoseconds that a number of uses cost. A number above the size of the bucket costs a full bucket, so that it is possible at all.
    func price(of tokens: Int) -> UInt64 {
        tokens <= 1 ? interval : max(interval, min(interval &* UInt64(tokens), tolerance))
    }
    /// Nanoseconds that may be used ahead of the clock.
    var tolerance: UInt64 { UInt64(min(burst * 1e9 / perSecond, 9e18)) }
}

/// A token bucket in one number: the time at which all uses are paid for (the generic cell rate algorithm). A bucket with a past time is
/// full.
struct TokenBucket: Sendable {
    private(set) var paidAt: UInt64 = 0

    /// Takes tokens, all or none.
    /// - Parameters:
    ///   - tokens: Number of tokens, limited to the size of the bucket.
    ///   - now: Monotonic clock in nanoseconds.
    /// - Returns: Nil if the tokens were available, otherwise the nanoseconds until they are.
    mutating func take(_ rate: Rate, tokens: Int = 1, now: UInt64) -> UInt64? {
        if let wait = wait(rate, tokens: tokens, now: now) { return wait }
        paidAt = max(paidAt, now) &+ rate.price(of: tokens)
        return nil
    }

    /// Nanoseconds until the tokens are available; nil if they are.
    func wait(_ rate: Rate, tokens: Int = 1, now: UInt64) -> UInt64? {
        let after = max(paidAt, now) &+ rate.price(of: tokens)
        return after > now &+ rate.tolerance ? after - now - rate.tolerance : nil
    }
}

/// Token buckets by key in a table of fixed size. A key takes sixteen bytes, and every look-up a fixed number of comparisons, independent
/// of the number of keys.
///
/// Each key has eight possible slots. If all are taken, the fullest bucket is evicted, since it holds the least information: keys that
/// exceed the limit stay, and an evicted key starts with a full bucket. Not thread-safe. O(1).
struct RateLimiter: Sendable {
    /// Number of slots of a key.
    static let ways = 8
    /// Default number of keys in the table.
    static let entriesMax = 65_536

    private struct Entry {
        var key: UInt64 = 0
        var bucket = TokenBucket()
    }

    let rate: Rate
    private let sets: Int
    private var entries: [Entry] = []

    /// - Parameters:
    ///   - entriesMax: Number of keys, at least ``ways``. The memory is allocated at the first use.
    init(_ rate: Rate, entriesMax: Int = RateLimiter.entriesMax) {
        self.rate = rate
        sets = max(1, entriesMax / Self.ways)
    }

    /// Takes tokens from the bucket of a key.
    /// - Parameters:
    ///   - key: Hashed with a per-process seed, so that nobody can choose keys that share slots.
    ///   - now: Monotonic clock in nanoseconds.
    /// - Returns: Nil if the tokens were available, otherwise the seconds until they are.
    mutating func take(_ key: some Hashable, tokens: Int = 1, now: UInt64) -> Double? {
        let index = index(of: key)
        return entries[index].bucket.take(rate, tokens: tokens, now: now).map { Double($0) / 1e9 }
    }

    /// Seconds until the bucket of a key has a token; nil if it has one. Takes nothing.
    func wait(_ key: some Hashable, now: UInt64) -> Double? {
        guard !entries.isEmpty else { return nil }
        let hash = Self.hash(key)
        let first = Int(hash % UInt64(sets)) * Self.ways
        guard let entry = entries[first..<first + Self.ways].first(where: { $0.key == hash }) else { return nil }
        return entry.bucket.wait(rate, now: now).map { Double($0) / 1e9 }
    }

    private mutating func index(of key: some Hashable) -> Int {
        if entries.isEmpty { entries = Array(repeating: Entry(), count: sets * Self.ways) }
        let hash = Self.hash(key)
        let first = Int(hash % UInt64(sets)) * Self.ways
        var fullest = first
        for index in first..<first + Self.ways {
            if entries[index].key == hash { return index }
            if entries[index].bucket.paidAt < entries[fullest].bucket.paidAt { fullest = index }
        }
        entries[fullest] = Entry(key: hash)
        return fullest
    }

    /// Hash of a key; never 0, which marks an empty slot.
    private static func hash(_ key: some Hashable) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(key)
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }
}
