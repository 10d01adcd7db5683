/// How often something may be done: `burst` times at once, and then `perSecond` times a second. A plain value.
public struct Rate: Sendable, Equatable {
    /// Times a second in the long run, more than 0.
    public var perSecond: Double
    /// Times at once after a rest, at least 1.
    public var burst: Double

    /// - Parameters:
    ///   - perSecond: More than 0 and at most a million.
    ///   - burst: At least 1 and at most a billion.
    public init(perSecond: Double, burst: Double) {
        self.perSecond = min(max(perSecond, 1e-6), 1e6)
        self.burst = min(max(burst, 1), 1e9)
    }

    /// Reads `50/s:500` or `10/min:100`, the number behind the colon being the burst.
    /// - Parameter text: Nil when it is neither.
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
    /// Nanoseconds that so many uses cost; the first is free of the bucket's size, so that one can always be had.
    func price(of tokens: Int) -> UInt64 {
        tokens <= 1 ? interval : max(interval, min(interval &* UInt64(tokens), tolerance))
    }
    /// Nanoseconds that may be used up ahead of the clock.
    var tolerance: UInt64 { UInt64(min(burst * 1e9 / perSecond, 9e18)) }
}

/// A token bucket in one number: the time at which all that was used is paid for (the generic cell rate algorithm). A bucket
/// whose time is past is full.
struct TokenBucket: Sendable {
    private(set) var paidAt: UInt64 = 0

    /// Takes tokens, all or none.
    /// - Parameters:
    ///   - tokens: How many; more than the bucket holds are as many as it holds.
    ///   - now: The monotonic clock in nanoseconds.
    /// - Returns: Nil when they were there, else the nanoseconds until they are.
    mutating func take(_ rate: Rate, tokens: Int = 1, now: UInt64) -> UInt64? {
        if let wait = wait(rate, tokens: tokens, now: now) { return wait }
        paidAt = max(paidAt, now) &+ rate.price(of: tokens)
        return nil
    }

    /// The nanoseconds until there are so many tokens; nil when there are.
    func wait(_ rate: Rate, tokens: Int = 1, now: UInt64) -> UInt64? {
        let after = max(paidAt, now) &+ rate.price(of: tokens)
        return after > now &+ rate.tolerance ? after - now - rate.tolerance : nil
    }
}

/// Token buckets by key, in a table of fixed size: what has a key costs sixteen bytes, and every look-up the same few
/// comparisons, however many keys a flood brings.
///
/// A key may live in one of eight places. When they are taken, the fullest bucket goes, which is the one that knows least: who
/// floods stays known, and a forgotten key gets a full bucket. Not thread-safe. O(1).
struct RateLimiter: Sendable {
    /// Places that a key may be in.
    static let ways = 8
    /// Keys that are remembered, by default.
    static let entriesMax = 65_536

    private struct Entry {
        var key: UInt64 = 0
        var bucket = TokenBucket()
    }

    let rate: Rate
    private let sets: Int
    private var entries: [Entry] = []

    /// - Parameters:
    ///   - entriesMax: Keys that are remembered, at least ``ways``. The memory is taken at the first use.
    init(_ rate: Rate, entriesMax: Int = RateLimiter.entriesMax) {
        self.rate = rate
        sets = max(1, entriesMax / Self.ways)
    }

    /// Takes tokens of this key's bucket.
    /// - Parameters:
    ///   - key: Hashed with the process's own seed, so that nobody can choose keys that share a place.
    ///   - now: The monotonic clock in nanoseconds.
    /// - Returns: Nil when they were there, else the seconds until they are.
    mutating func take(_ key: some Hashable, tokens: Int = 1, now: UInt64) -> Double? {
        let index = place(of: key)
        return entries[index].bucket.take(rate, tokens: tokens, now: now).map { Double($0) / 1e9 }
    }

    /// The seconds until this key's bucket has a token; nil when it has one. Takes nothing.
    func wait(_ key: some Hashable, now: UInt64) -> Double? {
        guard !entries.isEmpty else { return nil }
        let hash = Self.hash(key)
        let first = Int(hash % UInt64(sets)) * Self.ways
        guard let entry = entries[first..<first + Self.ways].first(where: { $0.key == hash }) else { return nil }
        return entry.bucket.wait(rate, now: now).map { Double($0) / 1e9 }
    }

    private mutating func place(of key: some Hashable) -> Int {
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

    /// Never 0, which marks an empty place.
    private static func hash(_ key: some Hashable) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(key)
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }
}
