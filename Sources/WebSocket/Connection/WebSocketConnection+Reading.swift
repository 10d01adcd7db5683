extension WebSocketConnection {
    /// Reads a frame, or the available part of it. Returns the number of bytes used: all, or at least one.
    ///
    /// A message in one complete frame, the usual case, becomes an event without an intermediate `PartialInput`.
    mutating func readFrame(_ input: UnsafeRawBufferPointer) throws(ProtocolViolation) -> Int {
        if let partial { return try continueReading(input, partial) }
        guard let header = try header(input) else {
            let partial = PartialInput()
            partial.headerBytes = Array(input)
            self.partial = partial
            return input.count
        }
        let rest = UnsafeRawBufferPointer(rebasing: input[header.headerBytes...])
        guard header.isFinal, header.opcode != .continuation, rest.count >= header.payloadBytes else {
            let partial = PartialInput()
            self.partial = partial
            try begin(header, partial)
            return header.headerBytes + (try readPayload(rest, partial))
        }
        let payload = UnsafeRawBufferPointer(rebasing: rest[..<header.payloadBytes])
        if header.opcode.isControl {
            try finishControl(header.opcode, unmasked(payload, header.mask))
        } else {
            var message = try beginMessage(header)
            try message.assembly.add(payload, mask: header.mask, offset: 0)
            try finish(&message.assembly, message.inflater)
        }
        return header.headerBytes + header.payloadBytes
    }

    private func header(_ bytes: UnsafeRawBufferPointer) throws(ProtocolViolation) -> FrameHeader? {
        try FrameHeader(
            bytes, from: role == .server ? .client : .server, extensions: deflate == nil ? .none : .deflate)
    }

    private func unmasked(_ payload: UnsafeRawBufferPointer, _ mask: UInt32) -> [UInt8] {
        var bytes = ByteArrays.zeros(count: payload.count)
        bytes.withUnsafeMutableBytes { _ = Masking.copy(payload, mask: mask, to: $0) }
        return bytes
    }

    // MARK: - Incomplete frames

    private mutating func continueReading(
        _ input: UnsafeRawBufferPointer, _ partial: PartialInput
    ) throws(ProtocolViolation) -> Int {
        var used = 0
        if partial.frame == nil {
            guard let header = try readHeader(input, partial, &used) else { return input.count }
            try begin(header, partial)
        }
        return used + (try readPayload(UnsafeRawBufferPointer(rebasing: input[used...]), partial))
    }

    private func readHeader(
        _ input: UnsafeRawBufferPointer, _ partial: PartialInput, _ used: inout Int
    ) throws(ProtocolViolation) -> FrameHeader? {
        if partial.headerBytes.isEmpty, let header = try header(input) {
            used = header.headerBytes
            return header
        }
        // At most FrameHeader.bytesMax iterations: a header of that length is either complete or invalid.
        while used < input.count {
            partial.headerBytes.append(input[used])
            used += 1
            let bytes = partial.headerBytes
            // Through a Result, because `withUnsafeBytes` does not propagate typed errors.
            let decoded = bytes.withUnsafeBytes { bytes in
                Result { () throws(ProtocolViolation) in try header(bytes) }
            }
            if let header = try decoded.get() {
                partial.headerBytes = []
                return header
            }
        }
        return nil
    }

    /// Checks a frame against its message and the limits, before keeping any of its payload.
    private mutating func begin(_ header: FrameHeader, _ partial: PartialInput) throws(ProtocolViolation) {
        partial.frame = PartialInput.Frame(header: header)
        guard !header.opcode.isControl else { return }
        // RFC 6455 §5.4: a fragmented message is a frame with an opcode other than 0, then frames with opcode 0; "the
        // fragments of one message MUST NOT be interleaved between the fragments of another message".
        if header.opcode == .continuation {
            guard var message = partial.message else {
                throw ProtocolViolation("unexpected continuation frame (RFC 6455 §5.4)")
            }
            try admit(header, to: &message)
            partial.message?.fragments = message.fragments
        } else {
            guard partial.message == nil else {
                throw ProtocolViolation("new message inside a fragmented one (RFC 6455 §5.4)")
            }
            let message = try beginMessage(header)
            partial.message = message.assembly
            partial.inflater = message.inflater
        }
    }

    private mutating func readPayload(
        _ input: UnsafeRawBufferPointer, _ partial: PartialInput
    ) throws(ProtocolViolation) -> Int {
        guard let frame = partial.frame else { return 0 }
        let header = frame.header
        let count = min(frame.remaining, input.count)
        let chunk = UnsafeRawBufferPointer(rebasing: input[..<count])
        if header.opcode.isControl {
            let start = partial.controlPayload.count
            partial.controlPayload.append(contentsOf: chunk)
            partial.controlPayload.withUnsafeMutableBytes {
                Masking.apply(
                    header.mask, offset: start, to: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
            }
        } else {
            try partial.message?.add(chunk, mask: header.mask, offset: frame.received)
        }
        partial.frame?.received += count
        guard count == frame.remaining else { return count }
        partial.frame = nil
        if header.opcode.isControl {
            let payload = partial.controlPayload
            partial.controlPayload = []
            try finishControl(header.opcode, payload)
        } else if header.isFinal, var message = partial.message {
            let inflater = partial.inflater
            partial.message = nil
            partial.inflater = nil
            try finish(&message, inflater)
        }
        if partial.isEmpty { self.partial = nil }
        return count
    }

    // MARK: - Messages

    private mutating func beginMessage(
        _ header: FrameHeader
    ) throws(ProtocolViolation) -> (assembly: MessageAssembly, inflater: Inflater?) {
        var inflater: Inflater?
        if header.isCompressed, let deflate {
            inflater = ZlibPool.inflater(
                windowBits: deflate.receiveWindowBits, window: contexts?.receiveWindow ?? [])
            guard inflater != nil else { throw MessageAssembly.outOfMemory }
            contexts?.receiveWindow = []
        }
        var assembly = MessageAssembly(
            isText: header.opcode == .text, bytesMax: limits.messageBytesMax, inflater: inflater)
        try admit(header, to: &assembly)
        return (assembly, inflater)
    }

    /// Checks the limits on frame size and on the message "after reassembly", which RFC 6455 §10.4 leaves to the
    /// implementation.
    private func admit(_ header: FrameHeader, to message: inout MessageAssembly) throws(ProtocolViolation) {
        guard header.payloadBytes <= min(limits.frameBytesMax, message.frameBytesMax) else {
            throw MessageAssembly.tooBig(limits.messageBytesMax)
        }
        message.fragments += 1
        guard message.fragments <= limits.fragmentsMax else {
            throw ProtocolViolation(
                "message in too many fragments; at most \(limits.fragmentsMax)", code: .policyViolation)
        }
    }

    private mutating func finish(
        _ message: inout MessageAssembly, _ inflater: Inflater?
    ) throws(ProtocolViolation) {
        let payload = try message.finish()
        if let inflater {
            if deflate?.receiveContextTakeover == true {
                let contexts = contexts ?? DeflateContexts()
                contexts.receiveWindow = inflater.window()
                self.contexts = contexts
            }
            ZlibPool.giveBack(inflater)
        }
        push(message.isText ? .text(payload) : .binary(payload))
    }

    // MARK: - Control frames

    private mutating func finishControl(_ opcode: Opcode, _ payload: [UInt8]) throws(ProtocolViolation) {
        switch opcode {
        case .ping: push(.ping(payload))
        case .close: try receiveClose(payload)
        default: push(.pong(payload))
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
}
