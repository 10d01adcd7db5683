import Metrics
import Synchronization

/// Decides which new connections are accepted, and by which loop. All listeners of a server share its limits.
///
/// From any thread; one mutex guards the state and is held for less than a microsecond.
public final class ConnectionAdmission: Sendable {
    public struct Limits: Sendable {
        /// Connections open at once; further ones are refused immediately. See ``DescriptorLimit``.
        public var connectionsMax: Int
        /// Limits of each address.
        public var addresses = AddressLimits.Rules()
        /// Networks without limits per address: this machine, and trusted proxies, which forward many clients.
        public var exempt = NetworkPrefix.loopback

        public init(connectionsMax: Int = DescriptorLimit.connectionsMaxDefault) {
            self.connectionsMax = connectionsMax
        }
    }

    /// Reason why a connection was refused. Metrics have fewer reasons (``Metrics/TransportMetrics/Refusal``): `connections`,
    /// `descriptors`, and `address` for both reasons of an address.
    public enum Refusal: Sendable, CaseIterable {
        /// ``Limits/connectionsMax`` is reached.
        case full
        /// The process has no descriptor left.
        case noDescriptor
        /// The address has too many connections open.
        case addressOpen
        /// The address opens connections too fast.
        case addressRate
    }

    /// Snapshot of the counts, for metrics.
    public struct Statistics: Sendable {
        /// Connections open now.
        public let open: Int
        /// Connections open now on each loop, in the loops' order.
        public let openByLoop: [Int]
        /// Connections accepted since the start.
        public let accepted: UInt64
        /// Connections refused since the start.
        public let refused: [Refusal: UInt64]
        /// Addresses remembered.
        public let addresses: Int
    }

    enum Verdict {
        case admitted(ConnectionSlot)
        case refused(Refusal, retryAfter: Int)
    }

    /// Seconds after which a client may retry when the server is full.
    static let fullRetryAfter = 5
    /// Seconds after which a client may retry when its address has too many connections open.
    static let addressRetryAfter = 30

    fileprivate struct State {
        var addresses: AddressLimits
        var openByLoop: [Int]
        var open = 0
        var accepted: UInt64 = 0
        var refused: [Refusal: UInt64] = [:]
    }

    public let limits: Limits
    private let now: @Sendable () -> UInt64
    private let metrics: TransportMetrics?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - limits: The limits.
    ///   - loopCount: Loops that share the connections.
    ///   - metrics: Counts the refusals.
    public convenience init(_ limits: Limits, loopCount: Int, metrics: TransportMetrics? = nil) {
        self.init(limits, loopCount: loopCount, metrics: metrics) { EventLoop.nowNanoseconds }
    }

    init(
        _ limits: Limits, loopCount: Int, metrics: TransportMetrics? = nil, now: @escaping @Sendable () -> UInt64
    ) {
        self.limits = limits
        self.now = now
        self.metrics = metrics
        state = Mutex(
            State(
                addresses: AddressLimits(limits.addresses), openByLoop: Array(repeating: 0, count: max(1, loopCount))))
    }

    public var statistics: Statistics {
        state.withLock {
            Statistics(
                open: $0.open, openByLoop: $0.openByLoop, accepted: $0.accepted, refused: $0.refused,
                addresses: $0.addresses.count)
        }
    }

    /// Admits a new connection to the loop with the fewest connections, unless a limit is reached.
    func admit(_ address: IPAddress?) -> Verdict {
        // An address that is neither IPv4 nor IPv6 cannot be distinguished from others, so the limits per address do not apply.
        let limited = address.flatMap { address in
            limits.exempt.contains { $0.contains(address) } ? nil : address
        }
        let now = now()
        let verdict = state.withLock { (state: inout State) -> Verdict in
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
            return .admitted(ConnectionSlot(self, address: limited, loop: loop))
        }
        if case .refused(let reason, _) = verdict { count(reason) }
        return verdict
    }

    private func count(_ reason: Refusal) {
        let counted: TransportMetrics.Refusal =
            switch reason {
            case .full: .connections
            case .noDescriptor: .descriptors
            case .addressOpen, .addressRate: .address
            }
        metrics?.refused[counted]?.add()
    }

    /// Counts a connection that was refused because the process has no descriptor left.
    func countMissingDescriptor() {
        state.withLock { _ = $0.refuse(.noDescriptor, retryAfter: Self.fullRetryAfter) }
        count(.noDescriptor)
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

/// Admission of one connection. Its release frees the connection's slot.
final class ConnectionSlot: Sendable {
    private let admission: ConnectionAdmission
    private let address: IPAddress?
    /// Index of the loop that has the connection.
    let loop: Int

    fileprivate init(_ admission: ConnectionAdmission, address: IPAddress?, loop: Int) {
        self.admission = admission
        self.address = address
        self.loop = loop
    }

    deinit { admission.release(address, loop: loop) }
}
