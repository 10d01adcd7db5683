import EventLoop

/// Slows down guessing of passwords. On its owner's loop only.
struct SignInThrottle {
    /// Where a password comes from.
    enum Source {
        /// A device that nobody knows, by its address.
        case address(String)
        /// A device that the account signed in on before, by the hash of its token: it has a limit of its own, so that nobody else delays
        /// its owner (OWASP, "Device cookies").
        case device([UInt8])
        /// A connection that is signed in to the account, by its token.
        case token(Int64)

        /// Whether failures elsewhere delay it.
        var isKnown: Bool { if case .address = self { false } else { true } }

        func key(_ account: String) -> String {
            switch self {
            case .address(let address): "address \(account) \(address)"
            case .device(let hash): "device \(account) \(Secrets.hexadecimal(hash))"
            case .token(let token): "token \(token)"
            }
        }
    }

    /// By account and source: a stranger elsewhere cannot lock the owner out.
    private var bySource: Throttle
    /// By account alone: guessing from many addresses is slowed down too, to one try in half a minute.
    private var byAccount: Throttle

    init(now: @escaping @Sendable () -> UInt64) {
        bySource = Throttle(freeFailures: 5, waitSecondsMax: 900, now: now)
        byAccount = Throttle(freeFailures: 50, waitSecondsMax: 30, now: now)
    }

    /// Seconds that a try must still wait; nil when it may be made.
    /// - Parameter account: The address's key.
    func wait(_ account: String, from source: Source) -> Double? {
        bySource.wait(for: source.key(account)) ?? (source.isKnown ? nil : byAccount.wait(for: account))
    }

    mutating func fail(_ account: String, from source: Source) {
        bySource.fail(source.key(account))
        byAccount.fail(account)
    }

    /// Takes one failure back: it was not the caller's.
    mutating func forgive(_ account: String, from source: Source) {
        bySource.forgive(source.key(account))
        byAccount.forgive(account)
    }

    mutating func succeed(_ account: String, from source: Source) {
        bySource.succeed(source.key(account))
        byAccount.succeed(account)
    }
}
