/// One side of a WebSocket connection after the handshake (RFC 6455 §5 to §7, RFC 7692), without I/O: bytes in by
/// `receive`, events out by `nextEvent`, bytes to send out by `takeOutput`. No isolation of its own: a value owned by
/// whoever owns the transport, and not copied.
///
/// Replies take effect when their event is taken: a ping's pong and a close's answer are queued, and `state` changes, by
/// the `nextEvent` that returns it. So what the owner sends for a message goes out before the answer to a close that came
/// with it, if the output is taken and written after each event, before anything sent because of the event.
///
/// Messages to send are made by `textFrame`, `binaryFrame` and `frame(of:)`, or by `FrameEncoder`, and written by the
/// caller, only while `state` is `.open` (RFC 6455 §5.5.1).
///
/// Held in memory: nothing outside the value while idle (with context takeover see ``DeflateConfiguration``). While busy,
/// one unfinished message up to its limit, the events that were not taken, of about `messageBytesMax` and one message
/// more, and the received bytes behind these, which are looked at as events are taken: an owner that cannot keep up leaves
/// events where they are and stops reading.
///
/// State: `open` –`close()`→ `closing` –peer's close→ `closed`; from either, a peer's close or violation → `closed`.
public struct WebSocketConnection: ~Copyable, Sendable {
    /// Which side this is. Clients mask what they send, servers do not (RFC 6455 §5.1).
    public enum Role: Sendable {
        /// This side accepted the connection.
        case server
        /// This side opened the connection.
        case client
    }

    /// How far the connection has come (RFC 6455 §7.1).
    public enum State: Sendable {
        /// Messages may flow both ways.
        case open
        /// Our close frame is queued or sent; the peer may still send until it answers.
        case closing
        /// Nothing more is read or sent: send the output, then close the transport.
        case closed
    }

    /// Which side this is.
    public let role: Role
    /// How far the connection has come.
    public private(set) var state = State.open
    /// False after the peer's close or violation, which may still wait to be taken as an event.
    var isReading = true
    /// What is accepted.
    public let limits: WebSocketLimits
    /// What was agreed on about compression; nil when nothing was.
    public let deflate: DeflateAgreement?

    /// The next event, and those behind it. Most often there is one, which then needs no array.
    private var event: WebSocketEvent?
    private var later: [WebSocketEvent] = []
    private var laterTaken = 0
    /// Payload bytes of the events that were not taken.
    private(set) var heldBytes = 0
    /// Received bytes that are looked at when the events before them are taken, and how many of them have been.
    private var unread: [UInt8] = []
    private var unreadUsed = 0
    private var output: [UInt8] = []
    var partial: PartialInput?
    var contexts: DeflateContexts?

    /// A connection whose handshake has just succeeded.
    /// - Parameter deflate: what the handshake agreed on.
    public init(role: Role, limits: WebSocketLimits = .init(), deflate: DeflateAgreement? = nil) {
        self.role = role
        self.limits = limits
        self.deflate = deflate
    }

    /// Whether more is read, and nothing that was received waits to be taken.
    var hasTakenAll: Bool { isReading && event == nil && unread.isEmpty }

    /// About what is held of a frame or message whose rest has not come; 0 mostly. Its owner bounds how long that may be.
    public var unfinishedBytes: Int { partial?.heldBytes ?? 0 }

    /// A message of several frames is under way; between these there may be control frames (RFC 6455 §5.4).
    public var isWithinMessage: Bool { partial?.message != nil }

    /// The peer's close is what ``nextEvent()`` would return: an owner may answer what came before it first (RFC 6455 §5.5.1:
    /// an endpoint may delay its close frame until its current message is sent).
    public mutating func isCloseNext() -> Bool {
        if event == nil, !unread.isEmpty { readUnread() }
        if case .closed = event { return true }
        return false
    }

    /// Received bytes wait to be decoded, which the next ``nextEvent()`` does that finds no event.
    public var hasUnread: Bool { !unread.isEmpty }

    /// Reads bytes from the peer, in order; they are copied as needed. Ignored after the peer's close (RFC 6455 §1.4: it
    /// "discards any further data received").
    /// - Parameter decoding: False only keeps them, for an owner without the time for it now.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer, decoding: Bool = true) {
        guard isReading else { return }
        guard decoding, unread.isEmpty else { return unread.append(contentsOf: bytes) }
        let used = read(bytes)
        if used < bytes.count, isReading { unread = Array(bytes[used...]) }
    }

    /// The next event, in the order the bytes had, its reply queued; nil when there is none until more is received.
    public mutating func nextEvent() -> WebSocketEvent? {
        if event == nil, !unread.isEmpty { readUnread() }
        guard let taken = event else { return nil }
        if later.isEmpty { event = nil } else { advance() }
        heldBytes -= taken.payloadBytes
        reply(to: taken)
        return taken
    }

    /// Whether there is anything to take: mostly there is not.
    public var hasOutput: Bool { !output.isEmpty }

    /// The pongs and close frames queued since the last call, in the order to write them.
    public mutating func takeOutput() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &output)
        return taken
    }

    /// Begins the closing handshake (RFC 6455 §7.1.2): queues a close frame, once; later calls do nothing.
    /// - Parameters:
    ///   - code: a code that may not be sent (`CloseCode.isSendable`) is left out, and the reason with it.
    ///   - reason: cut to 123 bytes between two characters.
    public mutating func close(code: CloseCode = .normal, reason: String = "") {
        guard state == .open else { return }
        state = .closing
        output += FrameEncoder.close(code: code, reason: reason, mask: nextMask())
    }

    /// Forgets what was received and not taken, and reads nothing any more: for an owner that closes and does not wait for
    /// the peer's answer.
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

    /// The last event: no further input is read (RFC 6455 §7.1.7).
    mutating func end(with event: WebSocketEvent) {
        push(event)
        isReading = false
        partial = nil
        contexts?.receiveWindow = []
    }

    private mutating func advance() {
        // Moved out, so that who takes the event owns its bytes alone.
        var next = WebSocketEvent.pong([])
        swap(&next, &later[laterTaken])
        event = next
        laterTaken += 1
        guard laterTaken == later.count else { return }
        // Freed rather than kept: most connections are idle most of the time.
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

    /// Events that are made ahead of those that are taken.
    static let eventsAheadMax = 64

    /// Reads frames until the input is used up or enough waits to be taken; a compressed byte may stand for a thousand, and
    /// a read may hold ten thousand pings.
    /// - Returns: how many bytes were used.
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
        // RFC 6455 §5.5.1: nothing follows our own close frame, so once it is queued no reply is due.
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
    /// Bytes of payload that the event holds.
    fileprivate var payloadBytes: Int {
        switch self {
        case .text(let bytes), .binary(let bytes), .ping(let bytes), .pong(let bytes): bytes.count
        case .closed, .failed: 0
        }
    }
}
