/// The parameters of one permessage-deflate offer or answer (RFC 7692 §7.1).
struct DeflateParameters: Equatable, Sendable {
    static let extensionName = "permessage-deflate"

    /// A window parameter, which in an offer of client_max_window_bits may have no value.
    enum WindowBits: Equatable, Sendable {
        case any
        case bits(UInt8)
    }

    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    var serverMaxWindowBits: UInt8?
    var clientMaxWindowBits: WindowBits?

    init() {}

    /// Nil when a parameter is unknown, doubled or has a wrong value: RFC 7692 §7.1, "A server MUST decline an extension
    /// negotiation offer", and a client "MUST _Fail the WebSocket Connection_", when it is so.
    /// - Parameter isAnswer: from a server, where client_max_window_bits needs a value (§7.1.2.2).
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

    /// As it stands in the header.
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
    /// The first of a client's offers that can be met, which are in its order of preference (RFC 6455 §9.1), and its answer.
    /// Nil declines all: the connection opens without the extension (RFC 7692 §5.1).
    func accept(_ offers: [WebSocketExtension]) -> (agreement: DeflateAgreement, answer: String)? {
        for element in offers {
            if let offer = DeflateParameters(element, isAnswer: false), let accepted = accept(offer) { return accepted }
        }
        return nil
    }

    private func accept(_ offer: DeflateParameters) -> (agreement: DeflateAgreement, answer: String)? {
        let wanted = clamped
        // RFC 7692 §7.1.2.2: the client's window is ours to choose only where it offers that; otherwise it is 2^15 bytes.
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
        // §7.1.1.1: accepted "by including" it, and may be there unasked.
        answer.serverNoContextTakeover = !windows.sendContextTakeover
        // §7.1.1.2: likewise; the client then must not use context takeover.
        answer.clientNoContextTakeover = offer.clientNoContextTakeover || !wanted.receiveContextTakeover
        // §7.1.2.1: accepted by including it "with the same or smaller value", and may be there unasked.
        if offer.serverMaxWindowBits != nil || windows.sendBits < 15 { answer.serverMaxWindowBits = windows.sendBits }
        // §7.1.2.2: MUST NOT be in the answer when it is not in the offer.
        if offer.clientMaxWindowBits != nil, windows.receiveBits < 15 {
            answer.clientMaxWindowBits = .bits(windows.receiveBits)
        }
        let agreement = DeflateAgreement(
            sendContextTakeover: windows.sendContextTakeover,
            receiveContextTakeover: !answer.clientNoContextTakeover, sendWindowBits: windows.sendBits,
            receiveWindowBits: windows.receiveBits, configuration: wanted)
        return (agreement, answer.text)
    }

    /// What a client offers; nil when nothing fits ``memoryBytesMax``.
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
        // §7.1.2.2: with a value, a hint that we use no larger window; always there, so that the server may choose.
        offer.clientMaxWindowBits = windows.sendBits < 15 ? .bits(windows.sendBits) : .any
        return offer
    }

    /// What a server's answer to ``offer`` comes to; an error where RFC 7692 §7.1 has the client fail the connection.
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
        // With 2^8 bytes only runs are matched, see Deflater: there is nothing in a context.
        let takesOver = !offer.clientNoContextTakeover && !chosen.clientNoContextTakeover && sendBits > 8
        return DeflateAgreement(
            sendContextTakeover: takesOver,
            receiveContextTakeover: !chosen.serverNoContextTakeover, sendWindowBits: sendBits,
            receiveWindowBits: receiveBits, configuration: clamped)
    }
}
