/// Metrics of one loop and its connections. Written on the loop alone, so that no two cores share a cache line; read by the
/// scraper.
public struct LoopMetrics: Sendable {
    /// `campanile_network_received_bytes_total`: bytes read from sockets, after TLS.
    public let receivedBytes: Counter
    /// `campanile_network_sent_bytes_total`: bytes given to the kernel, before TLS.
    public let sentBytes: Counter
    /// `campanile_send_queue_bytes`: bytes accepted for sending that the kernel has not taken yet, over all connections.
    public let queuedBytes: Gauge
    /// `campanile_loop_lag_seconds`: time from putting a job into the loop's inbox until it runs, probed once a second.
    public let lag: Histogram
    /// `campanile_messages_received_total`: WebSocket messages, without control frames.
    public let messagesIn: Counter
    /// `campanile_messages_sent_total`, lane `reply`.
    public let repliesOut: Counter
    /// `campanile_messages_sent_total`, lane `reliable`.
    public let reliableOut: Counter
    /// `campanile_messages_sent_total`, lane `conflating`.
    public let conflatingOut: Counter
    /// `campanile_messages_dropped_total`, reason `conflated`: skipped for a connection with a backlog, which receives the newest
    /// state later.
    public let conflated: Counter
    /// Metrics shared by all loops; nil if they are not collected.
    public let transport: TransportMetrics?

    /// Creates metrics that are not registered anywhere.
    public init() {
        (receivedBytes, sentBytes, queuedBytes, lag) = (Counter(), Counter(), Gauge(), Histogram(.latency))
        (messagesIn, repliesOut, reliableOut, conflatingOut) = (Counter(), Counter(), Counter(), Counter())
        conflated = Counter()
        transport = nil
    }

    /// Registers the metrics of a loop.
    /// - Parameters:
    ///   - loop: The loop's label, such as `loop-0`.
    ///   - transport: Metrics shared by all loops.
    public init(_ registry: MetricRegistry, loop: String, transport: TransportMetrics? = nil) {
        self.transport = transport
        receivedBytes = registry.counter(
            "campanile_network_received_bytes_total", "Bytes read from sockets, after TLS.", ["loop": loop])
        sentBytes = registry.counter(
            "campanile_network_sent_bytes_total", "Bytes given to the kernel, before TLS.", ["loop": loop])
        queuedBytes = registry.gauge(
            "campanile_send_queue_bytes", "Bytes waiting in send queues.", ["loop": loop])
        lag = registry.histogram(
            "campanile_loop_lag_seconds", "Time a job waits in a loop's inbox, probed once a second.", ["loop": loop],
            buckets: .latency)
        messagesIn = registry.counter(
            "campanile_messages_received_total", "WebSocket messages received.", ["loop": loop])
        let sent = "WebSocket messages handed to send queues, by lane."
        repliesOut = registry.counter("campanile_messages_sent_total", sent, ["loop": loop, "lane": "reply"])
        reliableOut = registry.counter("campanile_messages_sent_total", sent, ["loop": loop, "lane": "reliable"])
        conflatingOut = registry.counter("campanile_messages_sent_total", sent, ["loop": loop, "lane": "conflating"])
        conflated = registry.counter(
            "campanile_messages_dropped_total", "Messages that were not sent, by reason.",
            ["loop": loop, "reason": "conflated"])
    }
}

/// Metrics of listeners, TLS and connections, shared by all loops. They count events that occur once per connection, not once per
/// message.
public struct TransportMetrics: Sendable {
    /// Reason why a connection was refused before any request.
    public enum Refusal: String, Sendable, CaseIterable {
        /// The process has no descriptor left.
        case descriptors
        /// The limit of connections is reached.
        case connections
        /// A limit of the client's address is reached.
        case address
        /// The server is still starting, and too many connections wait already.
        case starting
    }
    /// How a TLS handshake ended.
    public enum Handshake: String, Sendable, CaseIterable {
        case full, resumed, failed, timeout
    }

    /// `campanile_connections_open`, kind `http`.
    public let httpOpen: Gauge
    /// `campanile_connections_open`, kind `websocket`.
    public let webSocketsOpen: Gauge
    /// `campanile_tls_connections_open`: connections of both kinds that use TLS.
    public let tlsOpen: Gauge
    /// `campanile_connections_accepted_total`.
    public let accepted: Counter
    /// `campanile_connections_refused_total` by reason.
    public let refused: [Refusal: Counter]
    /// `campanile_messages_dropped_total`, reason `too_slow`: a message for which the reliable lane had no room; the connection is
    /// closed with 4008.
    public let tooSlow: Counter
    /// `campanile_messages_dropped_total`, reason `overflow`: a message for which the send queue had no room; the connection is
    /// cut.
    public let overflow: Counter
    /// `campanile_tls_handshakes_total` by result.
    public let handshakes: [Handshake: Counter]
    /// `campanile_tls_sessions_total` by version, `1.2` and `1.3`.
    public let tlsVersions: [String: Counter]
    private let closes: [UInt16: Counter]
    private let otherCloses: Counter

    /// Codes that are in no close frame, but count as one (RFC 6455 §7.4.1): a frame without a code, and an end without a frame.
    static let codesWithoutFrame: [UInt16] = [1_005, 1_006]

    /// Registers the metrics.
    /// - Parameter closeCodes: Close codes with a label of their own, besides 1005 and 1006. All others count as `other`.
    public init(_ registry: MetricRegistry, closeCodes: [UInt16]) {
        let open = "Open connections, by protocol."
        httpOpen = registry.gauge("campanile_connections_open", open, ["kind": "http"])
        webSocketsOpen = registry.gauge("campanile_connections_open", open, ["kind": "websocket"])
        tlsOpen = registry.gauge("campanile_tls_connections_open", "Open connections that use TLS.")
        accepted = registry.counter("campanile_connections_accepted_total", "Connections accepted.")
        refused = Dictionary(
            uniqueKeysWithValues: Refusal.allCases.map { reason in
                (
                    reason,
                    registry.counter(
                        "campanile_connections_refused_total", "Connections refused before any request, by reason.",
                        ["reason": reason.rawValue])
                )
            })
        let dropped = "Messages that were not sent, by reason."
        tooSlow = registry.counter("campanile_messages_dropped_total", dropped, ["reason": "too_slow"])
        overflow = registry.counter("campanile_messages_dropped_total", dropped, ["reason": "overflow"])
        handshakes = Dictionary(
            uniqueKeysWithValues: Handshake.allCases.map { result in
                (
                    result,
                    registry.counter(
                        "campanile_tls_handshakes_total", "TLS handshakes, by result.", ["result": result.rawValue])
                )
            })
        tlsVersions = Dictionary(
            uniqueKeysWithValues: ["1.2", "1.3"].map { version in
                (
                    version,
                    registry.counter(
                        "campanile_tls_sessions_total", "TLS sessions opened, by version.", ["version": version])
                )
            })
        let closed =
            "WebSocket connections ended, by close code; 1005 is a frame without one, 1006 an end without a frame."
        closes = Dictionary(
            uniqueKeysWithValues: (closeCodes + Self.codesWithoutFrame).sorted().map { code in
                (code, registry.counter("campanile_websocket_closes_total", closed, ["code": "\(code)"]))
            })
        otherCloses = registry.counter("campanile_websocket_closes_total", closed, ["code": "other"])
    }

    /// Counts the end of a WebSocket connection.
    /// - Parameter code: The close code that the server sent, or that the peer sent first; 1006 if there was none.
    public func closed(_ code: UInt16) { (closes[code] ?? otherCloses).add() }
}
