import EventLoop
import Glibc
import Metrics
import Services
import Synchronization
import Wire

/// Rate limits of callers. A limit without a rate does not apply.
public struct RateLimits: Sendable, Equatable {
    private var rates: [RateLimitName: Rate]

    /// The standard limits.
    public init() {
        rates = Dictionary(uniqueKeysWithValues: RateLimitName.allCases.map { ($0, Rate($0.standard)) })
    }

    /// No limits.
    public static var off: RateLimits {
        var limits = RateLimits()
        limits.rates = [:]
        return limits
    }

    /// Rate of a limit; nil if it does not apply.
    public subscript(name: RateLimitName) -> Rate? {
        get { rates[name] }
        set { rates[name] = newValue }
    }

    /// Error for an invalid setting.
    public struct Invalid: Error, CustomStringConvertible {
        /// One fact and what to do.
        public let description: String
    }

    /// Parses `account=50/s:500,register=10/min:100,guest=off`, or `off` for no limits. Omitted limits keep their value.
    /// - Throws: ``Invalid``.
    public mutating func apply(_ text: String) throws {
        if text == "off" {
            self = .off
            return
        }
        for setting in text.split(separator: ",") {
            let parts = setting.split(separator: "=", maxSplits: 1).map { String($0) }
            guard parts.count == 2, let name = RateLimitName(rawValue: parts[0]) else {
                let names = RateLimitName.allCases.map(\.rawValue).sorted().joined(separator: ", ")
                throw Invalid(description: "a rate limit is NAME=RATE; the names are \(names)")
            }
            if parts[1] == "off" {
                self[name] = nil
            } else if let rate = Rate(parts[1]) {
                self[name] = rate
            } else {
                throw Invalid(description: "a rate is like 50/s:500 or 10/min:100 (after the colon the burst), or off")
            }
        }
    }
}

/// Enforces the rate limits, with one table of buckets for each limit and all connections of all loops. Usable from any thread; each
/// look-up holds a mutex for well under a microsecond.
final class RequestLimits: Sendable {
    /// Number of bursts that a caller may send after the first `rateLimited` error before its connection is closed.
    static let floodFactor = 2.0
    /// Bytes of a message that count as one additional request: decoding a megabyte takes as long as dozens of small requests.
    static let bytesPerToken = 16_384

    /// The buckets of one limit.
    private final class Buckets: Sendable {
        let rate: Rate
        /// Refused requests.
        let refusals: Counter
        private let table: Mutex<RateLimiter>

        init(_ rate: Rate, _ refusals: Counter) {
            self.rate = rate
            self.refusals = refusals
            table = Mutex(RateLimiter(rate))
        }

        func take(_ key: some Hashable & Sendable, uses: Int, now: UInt64) -> Double? {
            table.withLock { $0.take(key, tokens: uses, now: now) }
        }
    }

    private let buckets: [RateLimitName: Buckets]
    private let accounts: Buckets?
    private let guests: Buckets?
    private let metrics: LimitMetrics
    private let now: @Sendable () -> UInt64

    /// - Parameter now: Monotonic clock in nanoseconds.
    init(
        _ limits: RateLimits, metrics: LimitMetrics,
        now: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds }
    ) {
        self.metrics = metrics
        self.now = now
        var buckets: [RateLimitName: Buckets] = [:]
        for name in RateLimitName.allCases {
            buckets[name] = limits[name].map { Buckets($0, metrics.refusals(name)) }
        }
        self.buckets = buckets
        (accounts, guests) = (buckets[.account], buckets[.guest])
    }

    /// Tokens that a message costs in addition to one for each of its requests.
    static func weight(ofBytes bytes: Int) -> Int { bytes / bytesPerToken }

    /// Counts a request.
    /// - Parameter tokens: Number of requests that it counts as.
    /// - Returns: The error if the request exceeds the limit. A caller that far exceeds it is cut off as well.
    func refusal(of caller: any Caller, tokens: Int = 1) -> RPCError? {
        let refused: (wait: Double, by: Buckets)? =
            if let account = caller.identity?.account.id {
                accounts.flatMap { buckets in take(account, from: buckets, uses: tokens).map { ($0, buckets) } }
            } else {
                guests.flatMap { buckets in
                    take(Self.network(caller.address), from: buckets, uses: tokens).map { ($0, buckets) }
                }
            }
        guard let (wait, buckets) = refused else { return nil }
        buckets.refusals.add()
        let patience = Rate(perSecond: buckets.rate.perSecond, burst: buckets.rate.burst * Self.floodFactor)
        if caller.refusals.take(patience, tokens: tokens, now: now()) != nil {
            metrics.cutOff.add()
            caller.cutOff()
        }
        return Self.tooOften(wait)
    }

    /// Counts a request of a method in those of its limits of which each request is one use.
    /// - Throws: `rateLimited`.
    func count(_ limits: [MethodLimit], by caller: any Caller) throws {
        for limit in limits where limit.cost == nil { try use(limit.name, by: caller) }
    }

    /// Counts uses by a caller: by its account or its address, as the limit requires.
    /// - Throws: `rateLimited`.
    func use(_ name: RateLimitName, by caller: any Caller, uses: Int = 1) throws {
        if name.standard.subject == .account, let account = caller.identity?.account.id {
            return try use(name, of: account, uses: uses)
        }
        try use(name.forGuests ?? name, of: Self.network(caller.address), uses: uses)
    }

    /// Counts uses by an account, or by another key.
    /// - Throws: `rateLimited`.
    func use(_ name: RateLimitName, of key: some Hashable & Sendable, uses: Int = 1) throws {
        guard let buckets = buckets[name], let wait = take(key, from: buckets, uses: uses) else { return }
        buckets.refusals.add()
        throw Self.tooOften(wait)
    }

    /// Counts an invalid token over HTTP or of a calendar. Valid tokens of the same address always pass: a campus shares few addresses, and
    /// nobody may lock out the others.
    /// - Returns: The error if the address exceeded the limit.
    func invalidToken(from address: String) -> RPCError? {
        do {
            try use(.token, of: Self.network(address))
            return nil
        } catch {
            return error as? RPCError
        }
    }

    /// Counts an invalid token in `hello`. Above the limit of its address, the connection is closed.
    /// - Throws: `rateLimited`, and errors of `body`.
    func countingInvalidTokens(
        of caller: any Caller, _ body: () async throws -> Identity
    ) async throws -> Identity {
        do {
            return try await body()
        } catch let error as RPCError where error.registered == .unauthenticated {
            guard let refusal = invalidToken(from: caller.address) else { throw error }
            caller.cutOff()
            throw refusal
        }
    }

    private func take(_ key: some Hashable & Sendable, from buckets: Buckets, uses: Int) -> Double? {
        buckets.take(key, uses: max(1, uses), now: now())
    }

    private static func tooOften(_ wait: Double) -> RPCError {
        // Rounded up to tenths, so that a request after this wait is within the limit.
        let seconds = (wait * 10).rounded(.up) / 10
        return RPCError(.rateLimited, "too many requests: wait \(seconds) s", retryAfter: seconds)
    }

    /// Key under which an address is counted: an IPv4 address, or the /64 network of an IPv6 address, which one host has for itself.
    static func network(_ address: String) -> UInt64 {
        var four = in_addr()
        if inet_pton(AF_INET, address, &four) == 1 { return UInt64(four.s_addr) }
        var six = in6_addr()
        guard inet_pton(AF_INET6, address, &six) == 1 else {
            // All peers without an IP address, such as those of a Unix socket, are counted together.
            return .max
        }
        return withUnsafeBytes(of: six) { bytes in
            let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            if isMapped { return UInt64(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self)) }
            return bytes.loadUnaligned(as: UInt64.self)
        }
    }
}
