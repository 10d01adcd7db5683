import EventLoop

/// Throttles password guessing. Confined to its owner's loop.
struct SignInThrottle {
    /// Origin of a password attempt.
    enum Source {
        /// An unknown device, by its network address.
        case address(String)
        /// A device that has signed in to the account before, by the hash of its token. It has its own limit, so that other people's
        /// failures do not delay the owner (OWASP, "Device cookies").
        case device([UInt8])
        /// A connection that is signed in to the account, by token id.
        case token(Int64)

        /// Whether the source is exempt from the limit across all addresses.
        var isKnown: Bool { if case .address = self { false } else { true } }

        func key(_ account: String) -> String {
            switch self {
            case .address(let address): "address \(account) \(address)"
            case .device(let hash): "device \(account) \(Secrets.hexadecimal(hash))"
            case .token(let token): "token \(token)"
            }
        }
    }

    /// Wrong passwords of an account from one source without a wait; then waits double up to the maximum.
    static let sourceFreeFailures = 5
    static let sourceWaitSecondsMax = 900.0
    /// Wrong passwords of an account from all addresses together without a wait; then waits double up to the maximum.
    static let accountFreeFailures = 50
    static let accountWaitSecondsMax = 30.0

    /// Limit by account and source, so that a stranger elsewhere cannot lock the owner out.
    private var bySource: Throttle
    /// Limit by account alone, which slows guessing from many addresses to one attempt in ``accountWaitSecondsMax``.
    private var byAccount: Throttle

    init(now: @escaping @Sendable () -> UInt64) {
        bySource = Throttle(
            freeFailures: Self.sourceFreeFailures, waitSecondsMax: Self.sourceWaitSecondsMax, now: now)
        byAccount = Throttle(
            freeFailures: Self.accountFreeFailures, waitSecondsMax: Self.accountWaitSecondsMax, now: now)
    }

    /// Seconds until the next permitted attempt; nil if an attempt is permitted now.
    /// - Parameter account: Comparison key of the email address.
    func wait(_ account: String, from source: Source) -> Double? {
        bySource.wait(for: source.key(account)) ?? (source.isKnown ? nil : byAccount.wait(for: account))
    }

    mutating func fail(_ account: String, from source: Source) {
        bySource.fail(source.key(account))
        byAccount.fail(account)
    }

    /// Removes one recorded failure that was not the caller's fault.
    mutating func forgive(_ account: String, from source: Source) {
        bySource.forgive(source.key(account))
        byAccount.forgive(account)
    }

    mutating func succeed(_ account: String, from source: Source) {
        bySource.succeed(source.key(account))
        byAccount.succeed(account)
    }
}
