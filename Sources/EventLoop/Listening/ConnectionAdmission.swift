import Synchronization

/// Which new connections are taken, and by which loop: the bounds of all listeners of a server together.
///
/// From any thread; everything is behind one mutex that is held for less than a microsecond.
public final class ConnectionAdmission: Sendable {
    /// The bounds.
    public struct Limits: Sendable {
        /// Connections open at once; above it a new one is refused at once. See ``DescriptorLimit``.
        public var connectionsMax: Int
        /// For each address.
        public var addresses = AddressLimits.Rules()
        /// Networks that the addresses' bounds do not hold for: this machine, and trusted proxies, behind whom everybody may
        /// be.
        public var exempt = NetworkPrefix.loopback

        /// The defaults above.
        public init(connectionsMax: Int = DescriptorLimit.connectionsMaxDefault) {
            self.connectionsMax = connectionsMax
        }
    }

    /// Why a connection was not taken.
    public enum Refusal: String, Sendable, CaseIterable {
        /// ``Limits/connectionsMax`` is reached.
        case full
        /// The process has no descriptor left.
        case noDescriptor = "no_descriptor"
        /// The address has too many open.
        case addressOpen = "address_open"
        /// The address opens them too fast.
        case addressRate = "address_rate"
    }

    /// How things stand, for metrics.
    public struct Statistics: Sendable {
        /// Connections open now.
        public let open: Int
        /// The same, by loop, in the loops' order.
        public let openByLoop: [Int]
        /// Connections taken since the start.
        public let accepted: UInt64
        /// Connections refused since the start.
        public let refused: [Refusal: UInt64]
        /// Addresses remembered.
        public let addresses: Int
    }

    enum Verdict {
        case admitted(AdmissionTicket)
        case refused(Refusal, retryAfter: Int)
    }

    /// Seconds after which a client may try again when the server is full.
    static let fullRetryAfter = 5
    /// And when its address has too many connections open.
    static let addressRetryAfter = 30

    fileprivate struct State {
        var addresses: AddressLimits
        var openByLoop: [Int]
        var open = 0
        var accepted: UInt64 = 0
        var refused: [Refusal: UInt64] = [:]
    }

    /// The bounds.
    public let limits: Limits
    private let now: @Sendable () -> UInt64
    private let state: Mutex<State>

    /// - Parameters:
    ///   - limits: The bounds.
    ///   - loopCount: Loops that connections are spread over.
    public convenience init(_ limits: Limits, loopCount: Int) {
        self.init(limits, loopCount: loopCount) { EventLoop.nowNanoseconds }
    }

    init(_ limits: Limits, loopCount: Int, now: @escaping @Sendable () -> UInt64) {
        self.limits = limits
        self.now = now
        state = Mutex(
            State(
                addresses: AddressLimits(limits.addresses), openByLoop: Array(repeating: 0, count: max(1, loopCount))))
    }

    /// How things stand.
    public var statistics: Statistics {
        state.withLock {
            Statistics(
                open: $0.open, openByLoop: $0.openByLoop, accepted: $0.accepted, refused: $0.refused,
                addresses: $0.addresses.count)
        }
    }

    /// Counts a new connection to the loop with the fewest, unless a bound is reached.
    func admit(_ address: IPAddress?) -> Verdict {
        // Neither IPv4 nor IPv6: nothing to tell it from others by.
        let limited = address.flatMap { address in
            limits.exempt.contains { $0.contains(address) } ? nil : address
        }
        let now = now()
        return state.withLock { state in
            guard state.open < limits.connectionsMax else {
                return state.refuse(.full, retryAfter: Self.fullRetryAfter)
            }
            if let limited {
                switch state.addresses.admit(limited, now: now) {
                case .admitted: break
                case .tooManyOpen: return state.refuse(.addressOpen, retryAfter: Self.addressRetryAfter)
                case .tooFast(let seconds): return state.refuse(.addressRate, retryAfter: seconds)
                }
            }
            var loop = 0
            for index in state.openByLoop.indices where state.openByLoop[index] < state.openByLoop[loop] {
                loop = index
            }
            state.open += 1
            state.openByLoop[loop] += 1
            state.accepted += 1
            return .admitted(AdmissionTicket(self, address: limited, loop: loop))
        }
    }

    /// Counts a connection that could not be taken for want of a descriptor.
    func refusedForWantOfDescriptor() {
        state.withLock { _ = $0.refuse(.noDescriptor, retryAfter: Self.fullRetryAfter) }
    }

    fileprivate func release(_ address: IPAddress?, loop: Int) {
        state.withLock { state in
            state.open -= 1
            state.openByLoop[loop] -= 1
            if let address { state.addresses.release(address) }
        }
    }
}

extension ConnectionAdmission.State {
    fileprivate mutating func refuse(
        _ reason: ConnectionAdmission.Refusal, retryAfter: Int
    ) -> ConnectionAdmission.Verdict {
        refused[reason, default: 0] += 1
        return .refused(reason, retryAfter: retryAfter)
    }
}

/// A connection's place; it is given back when the ticket goes.
final class AdmissionTicket: Sendable {
    private let admission: ConnectionAdmission
    private let address: IPAddress?
    /// The index of the loop that has the connection.
    let loop: Int

    fileprivate init(_ admission: ConnectionAdmission, address: IPAddress?, loop: Int) {
        self.admission = admission
        self.address = address
        self.loop = loop
    }

    deinit { admission.release(address, loop: loop) }
}
