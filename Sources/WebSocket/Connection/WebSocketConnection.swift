/// One side of a WebSocket connection after the handshake (RFC 6455 §5 to §7, RFC 7692), without I/O.
///
/// `receive` takes bytes in, `nextEvent` returns events, and `takeOutput` returns the bytes to send. The value has no
/// isolation of its own: it belongs to the owner of the transport and cannot be copied.
///
/// A reply takes effect when its event is taken. The `nextEvent` call that returns a ping or a close also queues the
/// pong or the answering close, and changes `state`. If the owner writes the output after each event and before
/// anything it sends because of the event, its answers to a message precede the answer to a close that arrived with it.
///
/// `textFrame`, `binaryFrame` and `frame(of:)`, or `FrameEncoder`, encode messages. The caller writes them, and only
/// while `state` is `.open` (RFC 6455 §5.5.1).
///
/// Memory: an idle connection holds nothing outside the value (with context takeover, see ``DeflateConfiguration``). A
/// busy one holds at most one unfinished message up to its limit, pending events of about `messageBytesMax` plus one
/// message, and the received bytes after these, which are decoded as events are taken. An owner that cannot keep up
/// leaves the events pending and stops reading.
///
/// State: `open` –`close()`→ `closing` –peer's close→ `closed`; from either, a peer's close or violation → `closed`.
public struct WebSocketConnection: ~Copyable, Sendable {
    /// The side of the connection. Clients mask the frames they send, servers do not (RFC 6455 §5.1).
    public enum Role: Sendable {
        /// This side accepted the connection.
        case server
        /// This side opened the connection.
        case client
    }

    /// The stage of the connection (RFC 6455 §7.1).
    public enum State: Sendable {
        /// Messages may flow both ways.
        case open
        /// The close frame of this side is queued or sent; the peer may still send until it answers.
        case closing
        /// Nothing more is read or sent: send the output, then close the transport.
        case closed
    }

    public let role: Role
    public private(set) var state = State.open
    /// False after the peer's close or violation, which may still be pending as an event.
    var isReading = true
    public let limits: WebSocketLimits
    /// The negotiated compression; nil if there is none.
    public let deflate: DeflateAgreement?

    /// The next event, and the events after it. There is usually only one, which then needs no array.
    private var event: WebSocketEvent?
    private var later: [WebSocketEvent] = []
    private var laterTaken = 0
    /// Payload bytes of the pending events.
    private(set) var heldBytes = 0
    /// Received bytes that are decoded once the events before them are taken, and how many of them were decoded.
    private var unread: [UInt8] = []
    private var unreadUsed = 0
    private var output: [UInt8] = []
    var partial: PartialInput?
    var contexts: DeflateContexts?

    /// Creates a connection whose handshake has just succeeded.
    /// - Parameter deflate: The handshake's agreement on compression.
    public init(role: Role, limits: WebSocketLimits = .init(), deflate: DeflateAgreement? = nil) {
        self.role = role
        self.limits = limits
        self.deflate = deflate
    }

    /// True if the connection still reads and no received bytes or events are pending.
    var hasTakenAll: Bool { isReading && event == nil && unread.isEmpty }

    /// Approximate bytes held for an incomplete frame or message; usually 0. The owner limits how long it may stay
    /// incomplete.
    public var unfinishedBytes: Int { partial?.heldBytes ?? 0 }

    /// True while a fragmented message is incomplete. Control frames may arrive between its fragments (RFC 6455 §5.4).
    public var isWithinMessage: Bool { partial?.message != nil }

    /// True if ``nextEvent()`` would return the peer's close. The owner may then first answer earlier messages:
    /// RFC 6455 §5.5.1 lets an endpoint delay its close frame until its current message is sent.
    public mutating func isCloseNext() -> Bool {
        if event == nil, !unread.isEmpty { readUnread() }
        if case .closed = event { return true }
        return false
    }

    /// True if received bytes are not decoded yet. ``nextEvent()`` decodes them when no event is pending.
    public var hasUnread: Bool { !unread.isEmpty }

    /// Takes the next bytes from the peer and copies them as needed. Ignored after the peer's close (RFC 6455 §1.4: it
    /// "discards any further data received").
    /// - Parameter decoding: False only stores the bytes, for an owner that has no time to decode them now.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer, decoding: Bool = true) {
        guard isReading else { return }
        guard decoding, unread.isEmpty else { return unread.append(contentsOf: bytes) }
        let used = read(bytes)
        if used < bytes.count, isReading { unread = Array(bytes[used...]) }
    }

    /// Returns the next event, in the order of the bytes, and queues its reply; nil if there is none until more bytes
    /// are received.
    public mutating func nextEvent() -> WebSocketEvent? {
        if event == nil, !unread.isEmpty { readUnread() }
        guard let taken = event else { return nil }
        if later.isEmpty { event = nil } else { advance() }
        heldBytes -= taken.payloadBytes
        reply(to: taken)
        return taken
    }

    /// True if ``takeOutput()`` would return any bytes; usually false.
    public var hasOutput: Bool { !output.isEmpty }

    /// Returns the pongs and close frames queued since the last call, in the order to write them.
    public mutating func takeOutput() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &output)
        return taken
    }

    /// Begins the closing handshake (RFC 6455 §7.1.2) by queuing a close frame. Later calls do nothing.
    /// - Parameters:
    ///   - code: A code that may not be sent (`CloseCode.isSendable`) is left out, together with the reason.
    ///   - reason: Cut to 123 bytes at a character boundary.
    public mutating func close(code: CloseCode = .normal, reason: String = "") {
        guard state == .open else { return }
        state = .closing
        output += FrameEncoder.close(code: code, reason: reason, mask: nextMask())
    }

    /// Discards all pending input and stops reading, for an owner that closes without waiting for the peer's answer.
    public mutating func discardInput() {
        isReading = false
        event = nil
        (later, laterTaken, heldBytes) = ([], 0, 0)
        (unread, unreadUsed) = ([], 0)
        partial = nil
        contexts = nil
    }

    // MARK: - Events

    func nextMask() -> UInt32? { role == .client ? Masking.randomKey() : nil }

    mutating func push(_ new: WebSocketEvent) {
        heldBytes += new.payloadBytes
        if event == nil { event = new } else { later.append(new) }
    }

    /// Adds the last event; no further input is read (RFC 6455 §7.1.7).
    mutating func end(with event: WebSocketEvent) {
        push(event)
        isReading = false
        partial = nil
        contexts?.receiveWindow = []
    }

    private mutating func advance() {
        // Moved out, so that the caller that takes the event holds the only reference to its bytes.
        var next = WebSocketEvent.pong([])
        swap(&next, &later[laterTaken])
        event = next
        laterTaken += 1
        guard laterTaken == later.count else { return }
        // Freed rather than kept, because most connections are idle most of the time.
        later = []
        laterTaken = 0
    }

    private mutating func readUnread() {
        let bytes = unread
        unreadUsed += bytes.withUnsafeBytes { read(UnsafeRawBufferPointer(rebasing: $0[unreadUsed...])) }
        guard unreadUsed == bytes.count || !isReading else { return }
        unread = []
        unreadUsed = 0
    }

    /// Maximum number of events decoded ahead of the pending one.
    static let eventsAheadMax = 64

    /// Decodes frames until the input is used up or enough events are pending. The bound is needed because one
    /// compressed byte can expand to a thousand, and one read can hold ten thousand pings.
    /// - Returns: The number of bytes used.
    private mutating func read(_ bytes: UnsafeRawBufferPointer) -> Int {
        var used = 0
        do throws(ProtocolViolation) {
            while isReading, used < bytes.count,
                event == nil || (heldBytes < limits.messageBytesMax && later.count < Self.eventsAheadMax)
            {
                used += try readFrame(UnsafeRawBufferPointer(rebasing: bytes[used...]))
            }
        } catch {
            end(with: .failed(code: error.code, reason: error.reason))
        }
        return used
    }

    private mutating func reply(to event: WebSocketEvent) {
        // RFC 6455 §5.5.1: no frame follows this side's close frame, so no reply is sent once it is queued.
        let mayReply = state == .open
        switch event {
        case .text, .binary, .pong: return
        case .ping(let payload):
            // RFC 6455 §5.5.2: "an endpoint MUST send a Pong frame in response", with the ping's payload (§5.5.3).
            if mayReply { output += FrameEncoder.pong(payload, mask: nextMask()) }
        case .closed(let code, _):
            state = .closed
            // RFC 6455 §5.5.1: the reply "typically echos the status code it received".
            if mayReply { output += FrameEncoder.close(code: code, mask: nextMask()) }
        case .failed(let code, let reason):
            state = .closed
            // RFC 6455 §7.1.7: failing the connection sends a close frame with the cause.
            if mayReply { output += FrameEncoder.close(code: code, reason: reason, mask: nextMask()) }
        }
    }
}

extension WebSocketEvent {
    fileprivate var payloadBytes: Int {
        switch self {
        case .text(let bytes), .binary(let bytes), .ping(let bytes), .pong(let bytes): bytes.count
        case .closed, .failed: 0
        }
    }
}
