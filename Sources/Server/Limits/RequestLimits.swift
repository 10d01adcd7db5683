import EventLoop
import Glibc
import Metrics
import Services
import Synchronization
import Wire

/// Rate limits of callers. They are generous, to stop floods and not people. Each may be nil for no limit.
public struct RateLimits: Sendable, Equatable {
    /// Requests of an account, over all its connections.
    public var account: Rate? = Rate(perSecond: 50, burst: 500)
    /// Requests of all guests at one address. The limit is high, because a campus shares few addresses and all clients reconnect after a
    /// restart.
    public var guest: Rate? = Rate(perSecond: 1_000, burst: 20_000)
    /// `account.register` from one address, except with the operator's key.
    public var register: Rate? = Rate(perSecond: 10.0 / 60, burst: 100)
    /// `account.login` from one address, in addition to the delays after wrong passwords.
    public var login: Rate? = Rate(perSecond: 1, burst: 300)
    /// `account.login` on a device that has signed in before, instead of the limit of its address. Each request computes a slow hash.
    public var device: Rate? = Rate(perSecond: 0.1, burst: 20)
    /// Invalid tokens from one address.
    public var token: Rate? = Rate(perSecond: 1, burst: 300)
    /// Uploaded pictures of an account: twenty in ten minutes.
    public var upload: Rate? = Rate(perSecond: 20.0 / 600, burst: 20)

    /// Messages, edits and reactions of an account.
    public var message: Rate? = Rate(perSecond: 5, burst: 60)
    /// People whom an account invites to groups, groups that it creates, shares that it starts, and location requests.
    public var invite: Rate? = Rate(perSecond: 30.0 / 60, burst: 200)

    /// Searches of an account. Each reads thousands of its messages.
    public var search: Rate? = Rate(perSecond: 2, burst: 20)
    /// Requests of an account for lists of events. Each may read thousands of rows.
    public var list: Rate? = Rate(perSecond: 5, burst: 100)
    /// Requests of all guests at one address for such lists.
    public var guestList: Rate? = Rate(perSecond: 50, burst: 1_000)

    /// Requests of an account for the audience size of a notice. Each may count all accounts.
    public var preview: Rate? = Rate(perSecond: 1, burst: 20)
    /// Personal data exports of an account. Each reads all of its tables.
    public var export: Rate? = Rate(perSecond: 4.0 / 60, burst: 10)
    /// Locations that an account reports, over all its devices.
    public var location: Rate? = Rate(perSecond: 2, burst: 10)

    /// Accounts that an admin creates, and links for them. Each sends a mail.
    public var newUser: Rate? = Rate(perSecond: 10.0 / 60, burst: 100)

    public init() {}

    /// No limits.
    public static var off: RateLimits {
        var limits = RateLimits()
        (limits.account, limits.guest, limits.register, limits.login, limits.token) = (nil, nil, nil, nil, nil)
        (limits.device, limits.message, limits.invite, limits.search) = (nil, nil, nil, nil)
        (limits.list, limits.guestList) = (nil, nil)
        (limits.upload, limits.newUser, limits.preview, limits.location) = (nil, nil, nil, nil)
        limits.export = nil
        return limits
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
        let paths: [String: WritableKeyPath<RateLimits, Rate?>] = [
            "account": \.account, "guest": \.guest, "register": \.register, "login": \.login, "device": \.device,
            "token": \.token,
            "message": \.message, "invite": \.invite,
            "upload": \.upload, "search": \.search, "list": \.list, "guest-list": \.guestList,
            "preview": \.preview, "new-user": \.newUser, "location": \.location,
            "export": \.export,
        ]
        for setting in text.split(separator: ",") {
            let parts = setting.split(separator: "=", maxSplits: 1).map { String($0) }
            guard parts.count == 2, let path = paths[parts[0]] else {
                throw Invalid(
                    description:
                        "a rate limit is NAME=RATE; the names are \(paths.keys.sorted().joined(separator: ", "))")
            }
            if parts[1] == "off" {
                self[keyPath: path] = nil
            } else if let rate = Rate(parts[1]) {
                self[keyPath: path] = rate
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

    private typealias Table = Mutex<RateLimiter?>

    private let accounts: Table
    private let guests: Table
    private let registrations: Table
    private let logins: Table
    private let devices: Table
    private let tokens: Table
    private let messages: Table
    private let invitations: Table
    private let uploads: Table
    private let searches: Table
    private let lists: Table
    private let guestLists: Table
    private let previews: Table
    private let newUsers: Table
    private let locations: Table
    private let exports: Table
    private let limits: RateLimits
    private let metrics: LimitMetrics
    private let now: @Sendable () -> UInt64

    /// - Parameter now: Monotonic clock in nanoseconds.
    init(
        _ limits: RateLimits, metrics: LimitMetrics,
        now: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds }
    ) {
        self.limits = limits
        self.metrics = metrics
        self.now = now
        accounts = Mutex(limits.account.map { RateLimiter($0) })
        guests = Mutex(limits.guest.map { RateLimiter($0) })
        registrations = Mutex(limits.register.map { RateLimiter($0) })
        logins = Mutex(limits.login.map { RateLimiter($0) })
        devices = Mutex(limits.device.map { RateLimiter($0) })
        tokens = Mutex(limits.token.map { RateLimiter($0) })
        messages = Mutex(limits.message.map { RateLimiter($0) })
        invitations = Mutex(limits.invite.map { RateLimiter($0) })
        uploads = Mutex(limits.upload.map { RateLimiter($0) })
        searches = Mutex(limits.search.map { RateLimiter($0) })
        lists = Mutex(limits.list.map { RateLimiter($0) })
        guestLists = Mutex(limits.guestList.map { RateLimiter($0) })
        previews = Mutex(limits.preview.map { RateLimiter($0) })
        newUsers = Mutex(limits.newUser.map { RateLimiter($0) })
        locations = Mutex(limits.location.map { RateLimiter($0) })
        exports = Mutex(limits.export.map { RateLimiter($0) })
    }

    /// Tokens that a message costs in addition to one for each of its requests.
    static func weight(ofBytes bytes: Int) -> Int { bytes / bytesPerToken }

    /// Counts a request.
    /// - Parameter tokens: Number of requests that it counts as.
    /// - Returns: The error if the request exceeds the limit. A caller that far exceeds it is cut off as well.
    func refusal(of caller: any Caller, tokens: Int = 1) -> RPCError? {
        let wait: Double?
        let rate: Rate?
        if let account = caller.identity?.account.id {
            wait = take(account, from: accounts, tokens: tokens)
            rate = limits.account
        } else {
            wait = take(Self.network(caller.address), from: guests, tokens: tokens)
            rate = limits.guest
        }
        guard let wait, let rate else { return nil }
        (caller.identity == nil ? metrics.guest : metrics.account).add()
        let patience = Rate(perSecond: rate.perSecond, burst: rate.burst * Self.floodFactor)
        if caller.refusals.take(patience, tokens: tokens, now: now()) != nil {
            metrics.cutOff.add()
            caller.cutOff()
        }
        return Self.tooOften(wait)
    }

    /// Counts a registration.
    /// - Throws: `rateLimited`.
    func register(from address: String) throws {
        if let wait = take(Self.network(address), from: registrations) {
            metrics.register.add()
            throw Self.tooOften(wait)
        }
    }

    /// Counts an attempt to sign in.
    /// - Throws: `rateLimited`.
    func login(from address: String) throws {
        if let wait = take(Self.network(address), from: logins) {
            metrics.login.add()
            throw Self.tooOften(wait)
        }
    }

    /// Counts an attempt to sign in on a device that has signed in before.
    /// - Parameter device: Hash of its token.
    /// - Throws: `rateLimited`.
    func login(on device: [UInt8]) throws {
        if let wait = take(device, from: devices) {
            metrics.login.add()
            throw Self.tooOften(wait)
        }
    }

    /// Counts a message.
    /// - Throws: `rateLimited`.
    func message(of account: Int64) throws {
        if let wait = take(account, from: messages) {
            metrics.message.add()
            throw Self.tooOften(wait)
        }
    }

    /// Counts invitations to a group, and other requests that reach strangers.
    /// - Throws: `rateLimited`.
    func invitation(of account: Int64, people: Int) throws {
        if let wait = take(account, from: invitations, tokens: max(1, people)) {
            metrics.invite.add()
            throw Self.tooOften(wait)
        }
    }

    /// Counts a search.
    /// - Throws: `rateLimited`.
    func search(by account: Int64) throws {
        if let wait = take(account, from: searches) {
            metrics.search.add()
            throw Self.tooOften(wait)
        }
    }

    /// Counts a request for the audience size of a notice.
    /// - Throws: `rateLimited`.
    func preview(by account: Int64) throws {
        if let wait = take(account, from: previews) {
            metrics.preview.add()
            throw Self.tooOften(wait)
        }
    }

    /// Counts an account that an admin creates, or another link for one.
    /// - Throws: `rateLimited`.
    func newUser(by account: Int64) throws {
        if let wait = take(account, from: newUsers) {
            metrics.newUser.add()
            throw Self.tooOften(wait)
        }
    }

    /// Counts a reported location.
    /// - Throws: `rateLimited`.
    func location(of account: Int64) throws {
        if let wait = take(account, from: locations) {
            metrics.location.add()
            throw Self.tooOften(wait)
        }
    }

    /// Counts a personal data export.
    /// - Throws: `rateLimited`.
    func export(by account: Int64) throws {
        if let wait = take(account, from: exports) {
            metrics.export.add()
            throw Self.tooOften(wait)
        }
    }

    /// Counts a request for a list, by an account or a guest.
    /// - Throws: `rateLimited`.
    func listing(by caller: any Caller) throws {
        if let account = caller.identity?.account.id { return try listing(of: account) }
        if let wait = take(Self.network(caller.address), from: guestLists) {
            metrics.list.add()
            throw Self.tooOften(wait)
        }
    }

    /// Counts a request for a list of an account, such as its calendar.
    /// - Throws: `rateLimited`.
    func listing(of account: Int64) throws {
        if let wait = take(account, from: lists) {
            metrics.list.add()
            throw Self.tooOften(wait)
        }
    }

    /// Counts an upload before it starts.
    /// - Throws: `rateLimited`.
    func upload(by account: Int64) throws {
        if let wait = take(account, from: uploads) {
            metrics.upload.add()
            throw Self.tooOften(wait)
        }
    }

    /// Counts an invalid token over HTTP or of a calendar. Valid tokens of the same address always pass: a campus shares few addresses, and
    /// nobody may lock out the others.
    /// - Returns: The error if the address exceeded the limit.
    func invalidToken(from address: String) -> RPCError? {
        guard let wait = take(Self.network(address), from: tokens) else { return nil }
        metrics.token.add()
        return Self.tooOften(wait)
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

    private func take(_ key: some Hashable & Sendable, from table: borrowing Table, tokens: Int = 1) -> Double? {
        let now = now()
        return table.withLock { $0?.take(key, tokens: tokens, now: now) }
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
