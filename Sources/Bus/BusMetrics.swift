import Metrics

/// What the bus counts. Atomic; from any thread.
public struct BusMetrics: Sendable {
    /// Why a message was dropped.
    public enum Drop: String, Sendable, CaseIterable {
        /// Published while the bus was disconnected.
        case disconnected
        /// The queue of what is to be sent was full.
        case sendQueue = "send_queue"
        /// NATS or its library refused it.
        case refused
        /// A loop's queue was full, or the library's.
        case slowConsumer = "slow_consumer"
        /// Nothing this version reads.
        case unreadable
        /// Not sealed with the campus's key, or changed since.
        case forged
        /// Sealed with it, and said before.
        case replayed
    }
    /// Why a subscription was told that messages may be missing.
    public enum Missed: String, Sendable, CaseIterable {
        case disconnected
        case slowConsumer = "slow_consumer"
        case gap
        case nodeLost = "node_lost"
        case forgotten
        case unreadable
    }

    /// `campanile_bus_messages_sent_total`: handed to the transport; beats and answers too.
    public let messagesOut: Counter
    /// `campanile_bus_sent_bytes_total`: of these, heads included.
    public let bytesOut: Counter
    /// `campanile_bus_messages_received_total`: of other nodes; beats and answers too.
    public let messagesIn: Counter
    /// `campanile_bus_received_bytes_total`: of these, heads included.
    public let bytesIn: Counter
    /// `campanile_bus_messages_dropped_total` by reason.
    public let dropped: [Drop: Counter]
    /// `campanile_bus_missed_total` by reason: subscriptions told that messages may be missing.
    public let missed: [Missed: Counter]
    /// `campanile_bus_reconnects_total`.
    public let reconnects: Counter
    /// `campanile_bus_connected`: 1 or 0.
    public let connected: Gauge
    /// `campanile_bus_nodes`: other nodes that live.
    public let nodes: Gauge
    /// `campanile_bus_subscriptions`: patterns that are subscribed to.
    public let patterns: Gauge
    /// `campanile_bus_send_queue_bytes`: what waits to be sent.
    public let queuedBytes: Gauge

    /// Counts that nobody reads.
    public init() { self.init(MetricRegistry()) }

    /// Registers them.
    public init(_ registry: MetricRegistry) {
        messagesOut = registry.counter("campanile_bus_messages_sent_total", "Messages given to the bus's transport.")
        bytesOut = registry.counter("campanile_bus_sent_bytes_total", "Bytes given to the bus's transport.")
        messagesIn = registry.counter("campanile_bus_messages_received_total", "Messages of other nodes.")
        bytesIn = registry.counter("campanile_bus_received_bytes_total", "Bytes of other nodes' messages.")
        let dropped = Drop.allCases.map { reason in
            (
                reason,
                registry.counter(
                    "campanile_bus_messages_dropped_total", "Messages of the bus that were dropped, by reason.",
                    ["reason": reason.rawValue])
            )
        }
        self.dropped = Dictionary(uniqueKeysWithValues: dropped)
        let missed = Missed.allCases.map { reason in
            (
                reason,
                registry.counter(
                    "campanile_bus_missed_total",
                    "Subscriptions that were told that messages may be missing, by reason.",
                    ["reason": reason.rawValue])
            )
        }
        self.missed = Dictionary(uniqueKeysWithValues: missed)
        reconnects = registry.counter("campanile_bus_reconnects_total", "Times the bus was connected again.")
        connected = registry.gauge("campanile_bus_connected", "Whether the bus is connected.")
        nodes = registry.gauge("campanile_bus_nodes", "Other nodes that are known to live.")
        patterns = registry.gauge("campanile_bus_subscriptions", "Patterns of subjects that are subscribed to.")
        queuedBytes = registry.gauge("campanile_bus_send_queue_bytes", "Bytes that wait to be sent to other nodes.")
    }

    func drop(_ reason: Drop) { dropped[reason]?.add() }

    func tell(_ loss: BusLoss) {
        let reason: Missed =
            switch loss {
            case .disconnected: .disconnected
            case .slowConsumer: .slowConsumer
            case .gap: .gap
            case .nodeLost: .nodeLost
            case .forgotten: .forgotten
            case .unreadable: .unreadable
            }
        missed[reason]?.add()
    }
}
