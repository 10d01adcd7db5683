import Metrics

/// Metrics of the bus. Atomic; from any thread.
public struct BusMetrics: Sendable {
    /// Reason why a message was dropped.
    public enum Drop: String, Sendable, CaseIterable {
        /// Published while the bus was disconnected.
        case disconnected
        /// The send queue was full.
        case sendQueue = "send_queue"
        /// NATS or its client library rejected the message.
        case refused
        /// The queue of a loop or of the client library was full.
        case slowConsumer = "slow_consumer"
        /// This version cannot decode the message.
        case unreadable
        /// Authentication failed: encrypted with another key, or modified.
        case forged
        /// Authentic, but received before.
        case replayed
    }
    /// Reason why a subscription was notified of possible losses.
    public enum Missed: String, Sendable, CaseIterable {
        case disconnected
        case slowConsumer = "slow_consumer"
        case gap
        case nodeLost = "node_lost"
        case forgotten
        case unreadable
    }

    /// `campanile_bus_messages_sent_total`: frames passed to the transport, including heartbeats and replies.
    public let messagesOut: Counter
    /// `campanile_bus_sent_bytes_total`: size of these frames, including headers.
    public let bytesOut: Counter
    /// `campanile_bus_messages_received_total`: frames of other nodes, including heartbeats and replies.
    public let messagesIn: Counter
    /// `campanile_bus_received_bytes_total`: size of these frames, including headers.
    public let bytesIn: Counter
    /// `campanile_bus_messages_dropped_total` by reason.
    public let dropped: [Drop: Counter]
    /// `campanile_bus_missed_total` by reason: notifications to subscriptions that messages may be missing.
    public let missed: [Missed: Counter]
    /// `campanile_bus_reconnects_total`.
    public let reconnects: Counter
    /// `campanile_bus_connected`: 1 or 0.
    public let connected: Gauge
    /// `campanile_bus_nodes`: other live nodes.
    public let nodes: Gauge
    /// `campanile_bus_subscriptions`: patterns that are subscribed to.
    public let patterns: Gauge
    /// `campanile_bus_send_queue_bytes`: bytes in the send queue.
    public let queuedBytes: Gauge

    /// Creates metrics that are not registered anywhere.
    public init() { self.init(MetricRegistry()) }

    /// Registers the metrics.
    public init(_ registry: MetricRegistry) {
        messagesOut = registry.counter("campanile_bus_messages_sent_total", "Messages given to the bus's transport.")
        bytesOut = registry.counter("campanile_bus_sent_bytes_total", "Bytes given to the bus's transport.")
        messagesIn = registry.counter("campanile_bus_messages_received_total", "Messages of other nodes.")
        bytesIn = registry.counter("campanile_bus_received_bytes_total", "Bytes of other nodes' messages.")
        let dropped = Drop.allCases.map { reason in
            (
                reason,
                registry.counter(
                    "campanile_bus_messages_dropped_total", "Bus messages dropped, by reason.",
                    ["reason": reason.rawValue])
            )
        }
        self.dropped = Dictionary(uniqueKeysWithValues: dropped)
        let missed = Missed.allCases.map { reason in
            (
                reason,
                registry.counter(
                    "campanile_bus_missed_total",
                    "Notifications to subscriptions that messages may be missing, by reason.",
                    ["reason": reason.rawValue])
            )
        }
        self.missed = Dictionary(uniqueKeysWithValues: missed)
        reconnects = registry.counter("campanile_bus_reconnects_total", "Reconnections of the bus.")
        connected = registry.gauge("campanile_bus_connected", "Whether the bus is connected.")
        nodes = registry.gauge("campanile_bus_nodes", "Other nodes that are alive.")
        patterns = registry.gauge("campanile_bus_subscriptions", "Subject patterns that are subscribed to.")
        queuedBytes = registry.gauge("campanile_bus_send_queue_bytes", "Bytes that wait to be sent to other nodes.")
    }

    func drop(_ reason: Drop) { dropped[reason]?.add() }

    func count(_ loss: BusLoss) {
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
