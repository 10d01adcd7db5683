/// One side of a WebSocket connection after the handshake (RFC 6455 §5 to §7), without I/O: bytes in by `receive`,
/// events out by `nextEvent`, bytes to send out by `takeOutput`. No isolation of its own: a value owned by whoever
/// owns the transport.
///
/// Replies take effect when their event is taken: a ping's pong and a close's answer are queued, and `state` changes, by
/// the `nextEvent` that returns it. So what the owner sends for a message goes out before the answer to a close that came
/// with it, if the output is taken and written after each event, before anything sent because of the event.
///
/// Messages to send are made by `FrameEncoder` and written by the caller, only while `state` is `.open`
/// (RFC 6455 §5.5.1). Held in memory: one unfinished message up to its limit, and the events and replies of what
/// was received since they were last taken, each at most a small multiple of those bytes.
///
/// State: `open` –`close()`→ `closing` –peer's close→ `closed`; from either, a peer's close or violation → `closed`.
public struct WebSocketConnection: Sendable {
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
    /// What is accepted.
    public let limits: WebSocketLimits
    /// How far the connection has come.
    public private(set) var state = State.open

    /// The frame whose payload is being read.
    private struct Frame: Sendable {
        let header: FrameHeader
        var received = 0
        var remaining: Int { header.payloadBytes - received }
    }

    /// The message whose frames are being read. The payload is separate so that it can be moved out without a copy.
    private struct Message: Sendable {
        let isText: Bool
        var fragments = 0
        var utf8 = UTF8Validator()
    }

    private let extensions: NegotiatedExtensions
    /// False after the peer's close or violation, which may still wait to be taken as an event.
    private var isReading = true
    /// The first bytes of a header that is not complete, at most `FrameHeader.bytesMax`.
    private var headerBytes: [UInt8] = []
    private var frame: Frame?
    private var message: Message?
    private var messagePayload: [UInt8] = []
    private var controlPayload: [UInt8] = []
    private var events: [WebSocketEvent] = []
    private var eventsTaken = 0
    private var output: [UInt8] = []

    /// A connection whose handshake has just succeeded, without extensions.
    public init(role: Role, limits: WebSocketLimits = .init()) {
        self.role = role
        self.limits = limits
        extensions = .none
    }

    /// Reads bytes from the peer, in order; they are copied as needed. Ignored after the peer's close (RFC 6455 §1.4: it
    /// "discards any further data received").
    public mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        var input = bytes[...]
        do throws(ProtocolViolation) {
            while isReading, try readFrame(&input) {}
        } catch {
            end(with: .failed(code: error.code, reason: error.reason))
        }
    }

    /// The next event, in the order the bytes had, its reply queued; nil when there is none until more is received.
    public mutating func nextEvent() -> WebSocketEvent? {
        guard eventsTaken < events.count else { return nil }
        let event = events[eventsTaken]
        eventsTaken += 1
        if eventsTaken == events.count {
            // Freed rather than kept: most connections are idle most of the time.
            events = []
            eventsTaken = 0
        }
        reply(to: event)
        return event
    }

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

    // MARK: - Frames

    /// Reads what there is of one frame; false when the input is used up.
    private mutating func readFrame(_ input: inout Slice<UnsafeRawBufferPointer>) throws(ProtocolViolation) -> Bool {
        if frame == nil {
            guard let header = try readHeader(&input) else { return false }
            try begin(header)
            frame = Frame(header: header)
        }
        guard var current = frame else { return false }
        let count = min(current.remaining, input.count)
        let chunk = UnsafeRawBufferPointer(rebasing: input.prefix(count))
        input = input.dropFirst(count)
        let header = current.header
        if header.opcode.isControl {
            Self.append(chunk, of: header, at: current.received, to: &controlPayload)
        } else {
            let start = messagePayload.count
            Self.append(chunk, of: header, at: current.received, to: &messagePayload)
            try validateText(from: start)
        }
        current.received += count
        guard current.remaining == 0 else {
            frame = current
            return false
        }
        frame = nil
        if header.opcode.isControl { try finishControl(header.opcode) } else { try finishData(header) }
        return true
    }

    private mutating func readHeader(
        _ input: inout Slice<UnsafeRawBufferPointer>
    ) throws(ProtocolViolation) -> FrameHeader? {
        let sender: Role = role == .server ? .client : .server
        if headerBytes.isEmpty {
            let bytes = UnsafeRawBufferPointer(rebasing: input)
            if let header = try FrameHeader(bytes, from: sender, extensions: extensions) {
                input = input.dropFirst(header.headerBytes)
                return header
            }
            headerBytes = Array(bytes)
            input = input.suffix(0)
            return nil
        }
        while let byte = input.popFirst() {
            headerBytes.append(byte)
            // By way of a Result since `withUnsafeBytes` does not carry a typed error.
            let decoded = headerBytes.withUnsafeBytes { bytes in
                Result { () throws(ProtocolViolation) in
                    try FrameHeader(bytes, from: sender, extensions: extensions)
                }
            }
            let header = try decoded.get()
            if let header {
                headerBytes = []
                return header
            }
        }
        return nil
    }

    /// Checks a frame against the message it belongs to and the limits, before any of its payload is kept.
    private mutating func begin(_ header: FrameHeader) throws(ProtocolViolation) {
        guard !header.opcode.isControl else { return }
        // RFC 6455 §5.4: a fragmented message is a frame with an opcode other than 0, then frames with opcode 0; "the
        // fragments of one message MUST NOT be interleaved between the fragments of another message".
        if header.opcode == .continuation {
            guard message != nil else { throw ProtocolViolation("unexpected continuation frame (RFC 6455 §5.4)") }
        } else {
            guard message == nil else {
                throw ProtocolViolation("new message inside a fragmented one (RFC 6455 §5.4)")
            }
            message = Message(isText: header.opcode == .text)
        }
        // RFC 6455 §10.4: limits on frame size and on the message "after reassembly" are the implementation's to impose.
        guard header.payloadBytes <= min(limits.frameBytesMax, limits.messageBytesMax - messagePayload.count) else {
            throw ProtocolViolation("message too big; at most \(limits.messageBytesMax) bytes", code: .messageTooBig)
        }
        message?.fragments += 1
        guard let message, message.fragments <= limits.fragmentsMax else {
            throw ProtocolViolation(
                "message in too many fragments; at most \(limits.fragmentsMax)", code: .policyViolation)
        }
    }

    /// Adds unmasked payload bytes. The array grows with what arrives, never by what a header declares; a frame that is
    /// here whole gets one exact allocation.
    private static func append(
        _ chunk: UnsafeRawBufferPointer, of header: FrameHeader, at offset: Int, to payload: inout [UInt8]
    ) {
        let start = payload.count
        if payload.isEmpty { payload = Array(chunk) } else { payload.append(contentsOf: chunk) }
        guard header.mask != 0 else { return }
        payload.withUnsafeMutableBytes {
            Masking.apply(header.mask, offset: offset, to: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
        }
    }

    /// RFC 6455 §8.1: invalid UTF-8 fails the connection; here at its first invalid byte, whatever is still to come.
    private mutating func validateText(from start: Int) throws(ProtocolViolation) {
        guard var current = message, current.isText else { return }
        let isValid = messagePayload.withUnsafeBytes {
            current.utf8.consume(UnsafeRawBufferPointer(rebasing: $0[start...]))
        }
        guard isValid else { throw Self.invalidText }
        message = current
    }

    private static let invalidText = ProtocolViolation("text is not UTF-8 (RFC 6455 §8.1)", code: .invalidPayload)

    // MARK: - Messages and control frames

    private mutating func finishData(_ header: FrameHeader) throws(ProtocolViolation) {
        guard header.isFinal, let finished = message else { return }
        guard finished.utf8.isComplete else { throw Self.invalidText }
        message = nil
        var payload: [UInt8] = []
        swap(&payload, &messagePayload)
        events.append(finished.isText ? .text(payload) : .binary(payload))
    }

    private mutating func finishControl(_ opcode: Opcode) throws(ProtocolViolation) {
        var payload: [UInt8] = []
        swap(&payload, &controlPayload)
        switch opcode {
        case .ping: events.append(.ping(payload))
        case .close: try receiveClose(payload)
        default: events.append(.pong(payload))
        }
    }

    private mutating func receiveClose(_ payload: [UInt8]) throws(ProtocolViolation) {
        var code: CloseCode?
        var reason = ""
        if !payload.isEmpty {
            // RFC 6455 §5.5.1: "If there is a body, the first two bytes of the body MUST be a 2-byte unsigned integer".
            guard payload.count >= 2 else { throw ProtocolViolation("close frame of one byte (RFC 6455 §5.5.1)") }
            let received = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
            guard received.isSendable else { throw ProtocolViolation("invalid close code (RFC 6455 §7.4)") }
            guard let text = String(validating: payload[2...], as: UTF8.self) else {
                throw ProtocolViolation("close reason is not UTF-8 (RFC 6455 §5.5.1)", code: .invalidPayload)
            }
            (code, reason) = (received, text)
        }
        end(with: .closed(code: code, reason: reason))
    }

    /// The last event: no further input is read (RFC 6455 §7.1.7).
    private mutating func end(with event: WebSocketEvent) {
        events.append(event)
        isReading = false
        headerBytes = []
        frame = nil
        message = nil
        messagePayload = []
        controlPayload = []
    }

    private func nextMask() -> UInt32? { role == .client ? Masking.randomKey() : nil }
}
