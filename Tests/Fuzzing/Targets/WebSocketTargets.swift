@testable import WebSocket

extension FuzzTarget {
    static let webSocket = [
        FuzzTarget("websocket-server") { try WebSocketRules.check($0, role: .server, deflate: nil) },
        FuzzTarget("websocket-client") { try WebSocketRules.check($0, role: .client, deflate: nil) },
        FuzzTarget("websocket-deflate", inputBytesMax: 2048) { input in
            var reader = InputReader(input)
            let agreement = WebSocketRules.agreement(reader.byte(), reader.byte())
            let rest = Array(reader.rest)
            try WebSocketRules.check(rest, role: .server, deflate: agreement)
            try WebSocketRules.checkRoundTrip(rest, agreement)
        },
    ]
}

/// What frames come to (RFC 6455 §5 to §7, RFC 7692).
private enum WebSocketRules {
    private static let narrow = WebSocketLimits(messageBytesMax: 60, frameBytesMax: 40, fragmentsMax: 3)

    /// Everything a connection made of its input.
    private struct Outcome: Equatable {
        var events: [WebSocketEvent] = []
        var output: [UInt8] = []
        var isClosed = false

        /// The end of it was compressed data that is none.
        var isDamaged: Bool {
            guard case .failed(.invalidPayload, _)? = events.last else { return false }
            return true
        }
    }

    static func check(_ input: [UInt8], role: WebSocketConnection.Role, deflate: DeflateAgreement?) throws {
        for limits in [WebSocketLimits(), narrow] {
            let whole = try receive(input, .whole, role, limits, deflate)
            for cut in Cut.allCases.dropFirst() {
                let split = try receive(input, cut, role, limits, deflate)
                // See Inflater: who reaches beyond the window it agreed to is found out sooner or later.
                if (deflate?.receiveWindowBits ?? 15) < 15, whole.isDamaged || split.isDamaged { continue }
                try demandEqual(split.events, whole.events, "cut into \(cut) the events are the same")
                try demandEqual(split.isClosed, whole.isClosed, "cut into \(cut) the state is the same")
                // A client's masks are random.
                if role == .server {
                    try demandEqual(split.output, whole.output, "cut into \(cut) the output is the same")
                }
            }
            try checkEvents(whole, limits, inputBytes: deflate == nil ? input.count : .max)
            try checkOutput(whole, role)
            try checkInPlace(input, role, limits, deflate, whole.events)
            try checkRepeated(whole.events, role, limits)
        }
    }

    /// - Parameter cut: `.bytes` is given by an owner who takes the events at the end only.
    private static func receive(
        _ input: [UInt8], _ cut: Cut, _ role: WebSocketConnection.Role, _ limits: WebSocketLimits,
        _ deflate: DeflateAgreement?
    ) throws -> Outcome {
        var connection = WebSocketConnection(role: role, limits: limits, deflate: deflate)
        var outcome = Outcome()
        for piece in cut.pieces(of: input) {
            piece.withUnsafeBytes { connection.receive($0) }
            guard cut != .bytes else { continue }
            while let event = connection.nextEvent() { outcome.events.append(event) }
        }
        while let event = connection.nextEvent() { outcome.events.append(event) }
        if let partial = connection.partial {
            try demand(
                heldBytes(partial) <= limits.messageBytesMax + FrameHeader.bytesMax
                    + FrameHeader.controlPayloadBytesMax,
                "no more than a message, a header and a control frame are held")
        }
        outcome.output = connection.takeOutput()
        outcome.isClosed = connection.state == .closed
        input.withUnsafeBytes { connection.receive($0) }
        if outcome.isClosed {
            try demand(connection.nextEvent() == nil && connection.takeOutput().isEmpty, "nothing follows the end")
        }
        return outcome
    }

    /// A message that is read where it arrived is the one event there is; what is not leaves no trace.
    private static func checkInPlace(
        _ input: [UInt8], _ role: WebSocketConnection.Role, _ limits: WebSocketLimits, _ deflate: DeflateAgreement?,
        _ events: [WebSocketEvent]
    ) throws {
        var connection = WebSocketConnection(role: role, limits: limits, deflate: deflate)
        var bytes = input
        let message = bytes.withUnsafeMutableBytes { bytes in
            connection.messageInPlace(bytes).map { (event($0), $0.serverFrame().map { Array($0) }) }
        }
        guard let (event, frame) = message else {
            return try demandEqual(bytes, input, "what is no message is left as it is")
        }
        try demandEqual([event], events, "read in place, a message is the same")
        var peer = WebSocketConnection(role: .client)
        frame?.withUnsafeBytes { peer.receive($0) }
        try demandEqual(peer.nextEvent(), event, "framed in place, a message is the same")
    }

    private static func event(_ message: MessageInPlace) -> WebSocketEvent {
        message.isText ? .text(Array(message.payload)) : .binary(Array(message.payload))
    }

    private static func checkEvents(_ outcome: Outcome, _ limits: WebSocketLimits, inputBytes: Int) throws {
        var payloadBytes = 0
        for (index, event) in outcome.events.enumerated() {
            var isLast = false
            switch event {
            case .text(let bytes):
                try demand(String(validating: bytes, as: UTF8.self) != nil, "text is UTF-8")
                try demand(bytes.count <= limits.messageBytesMax, "messages keep to their limit")
                payloadBytes += bytes.count
            case .binary(let bytes):
                try demand(bytes.count <= limits.messageBytesMax, "messages keep to their limit")
                payloadBytes += bytes.count
            case .ping(let bytes), .pong(let bytes):
                try demand(bytes.count <= 125, "control frames are short")
                payloadBytes += bytes.count
            case .closed(let code, let reason):
                isLast = true
                try demand(code?.isSendable ?? reason.isEmpty, "a close code is one that may be sent")
            case .failed(let code, let reason):
                isLast = true
                try demand(code.isSendable, "a close code is one that may be sent")
                try demand(reason.utf8.count <= FrameEncoder.closeReasonBytesMax, "a reason fits its frame")
                try demandPlain(reason)
            }
            try demand(isLast == (index == outcome.events.count - 1 && outcome.isClosed), "the end is the last event")
        }
        try demand(payloadBytes <= inputBytes, "no bytes come from nowhere")
    }

    /// What we send, the other side can read: a pong for each ping, and one close frame at the end.
    private static func checkOutput(_ outcome: Outcome, _ role: WebSocketConnection.Role) throws {
        var peer = WebSocketConnection(role: role == .server ? .client : .server)
        outcome.output.withUnsafeBytes { peer.receive($0) }
        var received: [WebSocketEvent] = []
        while let event = peer.nextEvent() { received.append(event) }
        let expected = outcome.events.compactMap { event -> WebSocketEvent? in
            switch event {
            case .text, .binary, .pong: nil
            case .ping(let payload): .pong(payload)
            case .closed(let code, _): .closed(code: code, reason: "")
            case .failed(let code, let reason): .closed(code: code, reason: reason)
            }
        }
        try demandEqual(received, expected, "the other side reads what we answer")
    }

    /// The same messages in frames of our own are the same events.
    private static func checkRepeated(
        _ events: [WebSocketEvent], _ role: WebSocketConnection.Role, _ limits: WebSocketLimits
    ) throws {
        let mask: UInt32? = role == .server ? 0x37FA_213D : nil
        var bytes: [UInt8] = []
        var expected: [WebSocketEvent] = []
        for event in events {
            switch event {
            case .text(let payload): bytes += FrameEncoder.text(payload, mask: mask)
            case .binary(let payload): bytes += FrameEncoder.binary(payload, mask: mask)
            case .ping(let payload): bytes += FrameEncoder.ping(payload, mask: mask)
            case .pong(let payload): bytes += FrameEncoder.pong(payload, mask: mask)
            case .closed(let code, let reason): bytes += FrameEncoder.close(code: code, reason: reason, mask: mask)
            case .failed: continue
            }
            expected.append(event)
        }
        var limits = limits
        limits.frameBytesMax = limits.messageBytesMax
        let again = try receive(bytes, .pieces, role, limits, nil)
        try demandEqual(again.events, expected, "our own frames of the same messages are the same events")
    }

    // MARK: permessage-deflate

    static func agreement(_ windows: UInt8, _ flags: UInt8) -> DeflateAgreement {
        var configuration = DeflateConfiguration()
        configuration.messageBytesMin = 1
        configuration.level = flags >> 4 % 9 + 1
        return DeflateAgreement(
            sendContextTakeover: flags & 1 != 0, receiveContextTakeover: flags & 2 != 0,
            sendWindowBits: 8 + windows & 7, receiveWindowBits: 8 + windows >> 4 & 7, configuration: configuration)
    }

    /// What one side compresses, the other side reads, whatever was agreed on; messages of one's own and broadcasts, in turn.
    static func checkRoundTrip(_ input: [UInt8], _ agreement: DeflateAgreement) throws {
        let mirrored = DeflateAgreement(
            sendContextTakeover: agreement.receiveContextTakeover,
            receiveContextTakeover: agreement.sendContextTakeover, sendWindowBits: agreement.receiveWindowBits,
            receiveWindowBits: agreement.sendWindowBits, configuration: DeflateConfiguration())
        var sender = WebSocketConnection(role: .server, deflate: agreement)
        var receiver = WebSocketConnection(role: .client, deflate: mirrored)
        for (index, piece) in Cut.pieces.pieces(of: input).enumerated() {
            // A few bytes often repeated, so that there is something to find.
            let payload = (0..<(index % 5 * 40 + 1)).flatMap { _ in piece }
            let frame =
                index % 3 == 2
                ? sender.frame(of: BroadcastMessage(binary: payload)) : sender.binaryFrame(payload)
            frame.withUnsafeBytes { receiver.receive($0) }
            try demandEqual(receiver.nextEvent(), .binary(payload), "the other side reads what we compress")
            if index % 7 == 6 { sender.releaseCompressor() }
        }
    }
}
