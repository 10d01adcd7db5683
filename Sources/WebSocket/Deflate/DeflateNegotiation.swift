/// The parameters of one permessage-deflate offer or answer (RFC 7692 §7.1).
struct DeflateParameters: Equatable, Sendable {
    static let extensionName = "permessage-deflate"

    /// The value of a window parameter. In an offer, client_max_window_bits may have none.
    enum WindowBits: Equatable, Sendable {
        case any
        case bits(UInt8)
    }

    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    var serverMaxWindowBits: UInt8?
    var clientMaxWindowBits: WindowBits?

    init() {}

    /// Parses an offer or answer. Nil if a parameter is unknown, repeated or has an invalid value: by RFC 7692 §7.1, "A
    /// server MUST decline an extension negotiation offer", and a client "MUST _Fail the WebSocket Connection_", in
    /// this case.
    /// - Parameter isAnswer: True for a server's answer, where client_max_window_bits needs a value (§7.1.2.2).
    init?(_ element: WebSocketExtension, isAnswer: Bool) {
        guard element.name == Self.extensionName else { return nil }
        for parameter in element.parameters {
            switch parameter.name {
            case "server_no_context_takeover":
                guard parameter.value == nil, !serverNoContextTakeover else { return nil }
                serverNoContextTakeover = true
            case "client_no_context_takeover":
                guard parameter.value == nil, !clientNoContextTakeover else { return nil }
                clientNoContextTakeover = true
            case "server_max_window_bits":
                guard serverMaxWindowBits == nil, let bits = Self.bits(parameter.value) else { return nil }
                serverMaxWindowBits = bits
            case "client_max_window_bits":
                guard clientMaxWindowBits == nil else { return nil }
                if parameter.value == nil, !isAnswer {
                    clientMaxWindowBits = .any
                } else {
                    guard let bits = Self.bits(parameter.value) else { return nil }
                    clientMaxWindowBits = .bits(bits)
                }
            default: return nil
            }
        }
    }

    /// RFC 7692 §7.1.2: "a decimal integer value without leading zeroes between 8 to 15, inclusive".
    private static func bits(_ value: String?) -> UInt8? {
        guard let value, value.utf8.allSatisfy(\.isDigit), value.utf8.first != UInt8(ascii: "0"),
            let bits = UInt8(value), DeflateMemory.windowBits.contains(bits)
        else { return nil }
        return bits
    }

    /// The header value.
    var text: String {
        var text = Self.extensionName
        if serverNoContextTakeover { text += "; server_no_context_takeover" }
        if clientNoContextTakeover { text += "; client_no_context_takeover" }
        if let serverMaxWindowBits { text += "; server_max_window_bits=\(serverMaxWindowBits)" }
        switch clientMaxWindowBits {
        case .any: text += "; client_max_window_bits"
        case .bits(let bits): text += "; client_max_window_bits=\(bits)"
        case nil: break
        }
        return text
    }
}

extension DeflateConfiguration {
    /// The first acceptable offer of a client, and the answer to it. Offers are in the client's order of preference
    /// (RFC 6455 §9.1). Nil declines all: the connection opens without the extension (RFC 7692 §5.1).
    func accept(_ offers: [WebSocketExtension]) -> (agreement: DeflateAgreement, answer: String)? {
        for element in offers {
            if let offer = DeflateParameters(element, isAnswer: false), let accepted = accept(offer) { return accepted }
        }
        return nil
    }

    private func accept(_ offer: DeflateParameters) -> (agreement: DeflateAgreement, answer: String)? {
        let wanted = clamped
        // RFC 7692 §7.1.2.2: the server may choose the client's window only if the client offers it; otherwise it is
        // 2^15 bytes.
        var receiveBits: ClosedRange<UInt8> = 15...15
        switch offer.clientMaxWindowBits {
        case .any: receiveBits = 8...wanted.receiveWindowBitsMax
        case .bits(let bits): receiveBits = 8...min(bits, wanted.receiveWindowBitsMax)
        case nil: if wanted.receiveWindowBitsMax < 15 { return nil }
        }
        guard
            let windows = wanted.windows(
                sendBits: offer.serverMaxWindowBits ?? 15,
                sendContextTakeover: wanted.sendContextTakeover && !offer.serverNoContextTakeover,
                receiveBits: receiveBits)
        else { return nil }
        var answer = DeflateParameters()
        // §7.1.1.1: the server accepts the parameter "by including" it, and may include it unasked.
        answer.serverNoContextTakeover = !windows.sendContextTakeover
        // §7.1.1.2: likewise; the client then must not use context takeover.
        answer.clientNoContextTakeover = offer.clientNoContextTakeover || !wanted.receiveContextTakeover
        // §7.1.2.1: the server accepts it by including it "with the same or smaller value", and may include it unasked.
        if offer.serverMaxWindowBits != nil || windows.sendBits < 15 { answer.serverMaxWindowBits = windows.sendBits }
        // §7.1.2.2: MUST NOT be in the answer if it is not in the offer.
        if offer.clientMaxWindowBits != nil, windows.receiveBits < 15 {
            answer.clientMaxWindowBits = .bits(windows.receiveBits)
        }
        let agreement = DeflateAgreement(
            sendContextTakeover: windows.sendContextTakeover,
            receiveContextTakeover: !answer.clientNoContextTakeover, sendWindowBits: windows.sendBits,
            receiveWindowBits: windows.receiveBits, configuration: wanted)
        return (agreement, answer.text)
    }

    /// The offer of a client; nil if nothing fits ``memoryBytesMax``.
    var offer: DeflateParameters? {
        let wanted = clamped
        guard
            let windows = wanted.windows(
                sendBits: 15, sendContextTakeover: wanted.sendContextTakeover,
                receiveBits: 8...wanted.receiveWindowBitsMax)
        else { return nil }
        var offer = DeflateParameters()
        offer.serverNoContextTakeover = !wanted.receiveContextTakeover
        offer.clientNoContextTakeover = !windows.sendContextTakeover
        if windows.receiveBits < 15 { offer.serverMaxWindowBits = windows.receiveBits }
        // §7.1.2.2: with a value, a hint that the client uses no larger window. Always included, so that the server may
        // choose.
        offer.clientMaxWindowBits = windows.sendBits < 15 ? .bits(windows.sendBits) : .any
        return offer
    }

    /// The agreement that follows from a server's answer to ``offer``.
    /// - Throws: An error where RFC 7692 §7.1 requires the client to fail the connection.
    func agree(to answer: WebSocketExtension) throws(HandshakeError) -> DeflateAgreement {
        guard let offer, answer.name == DeflateParameters.extensionName else {
            throw .invalid("server chose an extension that was not offered (RFC 6455 §4.1)")
        }
        guard let chosen = DeflateParameters(answer, isAnswer: true) else {
            throw .invalid("server's permessage-deflate has a wrong parameter (RFC 7692 §7.1)")
        }
        if offer.serverNoContextTakeover, !chosen.serverNoContextTakeover {
            throw .invalid("server did not agree to server_no_context_takeover (RFC 7692 §7.1.1.1)")
        }
        let receiveBits = chosen.serverMaxWindowBits ?? 15
        guard receiveBits <= offer.serverMaxWindowBits ?? 15 else {
            throw .invalid("server's server_max_window_bits is more than was offered (RFC 7692 §7.1.2.1)")
        }
        var sendBits: UInt8 = 15
        if case .bits(let bits) = offer.clientMaxWindowBits { sendBits = bits }
        if case .bits(let bits) = chosen.clientMaxWindowBits {
            guard bits <= sendBits else {
                throw .invalid("server's client_max_window_bits is more than was offered (RFC 7692 §7.1.2.2)")
            }
            sendBits = bits
        }
        // A context is of no use with 2^8 bytes, where only runs are matched (see Deflater).
        let takesOver = !offer.clientNoContextTakeover && !chosen.clientNoContextTakeover && sendBits > 8
        return DeflateAgreement(
            sendContextTakeover: takesOver,
            receiveContextTakeover: !chosen.serverNoContextTakeover, sendWindowBits: sendBits,
            receiveWindowBits: receiveBits, configuration: clamped)
    }
}
