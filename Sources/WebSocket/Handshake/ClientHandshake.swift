/// The reason why a server's answer does not open a WebSocket connection (RFC 6455 §4.1).
public enum HandshakeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The server answered with a status other than 101.
    case refused(status: Int)
    /// The server's 101 response breaks a rule, which the text names.
    case invalid(String)

    public var description: String {
        switch self {
        case .refused(let status): "server refused the WebSocket upgrade with status \(status)"
        case .invalid(let reason): reason
        }
    }
}

/// The client's half of the opening handshake (RFC 6455 §4.1). Send `request`, pass the received bytes to
/// `HTTPResponseParser`, and its response to `verify`. The parser's remainder contains the first frames.
public struct ClientHandshake: Sendable {
    /// The bytes to send.
    public let request: [UInt8]
    private let key: String
    private let subprotocols: [String]
    private let deflate: DeflateConfiguration?

    /// The parameters that the server agreed to.
    public struct Agreement: Sendable, Equatable {
        /// The chosen subprotocol, if any.
        public let subprotocol: String?
        /// The agreed compression, for the connection.
        public let deflate: DeflateAgreement?
    }

    private static let ownFields = [
        "Host", "Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Protocol",
        "Sec-WebSocket-Extensions", "Content-Length", "Transfer-Encoding",
    ]

    /// Creates a handshake for one connection.
    /// - Parameters:
    ///   - host: Host, with a port if it is not the scheme's default.
    ///   - path: Path and query, percent-encoded. Bytes that a request target may not contain are percent-encoded here.
    ///   - subprotocols: Requested subprotocols, the preferred one first.
    ///   - headers: Further fields, such as Origin or Authorization. Fields of the handshake itself are left out.
    ///   - deflate: Preferences for permessage-deflate (RFC 7692); nil does not offer it.
    ///   - key: 16 random bytes; nil takes them from the system's cryptographic source.
    public init(
        host: String, path: String, subprotocols: [String] = [], headers: HTTPHeaders = HTTPHeaders(),
        deflate: DeflateConfiguration? = nil, key: [UInt8]? = nil
    ) {
        self.key = HandshakeKey.base64(key ?? HandshakeKey.randomNonce())
        self.subprotocols = subprotocols
        self.deflate = deflate
        var bytes = Array("GET ".utf8)
        bytes.append(contentsOf: Self.target(path))
        bytes.append(contentsOf: " HTTP/1.1\r\n".utf8)
        appendField("Host", host, to: &bytes)
        appendField("Upgrade", "websocket", to: &bytes)
        appendField("Connection", "Upgrade", to: &bytes)
        appendField("Sec-WebSocket-Key", self.key, to: &bytes)
        appendField("Sec-WebSocket-Version", "13", to: &bytes)
        if !subprotocols.isEmpty {
            appendField("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", "), to: &bytes)
        }
        if let offer = deflate?.offer { appendField("Sec-WebSocket-Extensions", offer.text, to: &bytes) }
        for (name, value) in headers where !Self.ownFields.contains(where: { HTTPHeaders.same($0, name) }) {
            appendField(name, value, to: &bytes)
        }
        bytes.append(contentsOf: "\r\n".utf8)
        request = bytes
    }

    /// Checks the server's answer against the numbered rules of RFC 6455 §4.1, and its extensions against
    /// RFC 7692 §7.1.
    public func verify(_ response: HTTPResponse) throws(HandshakeError) -> Agreement {
        guard response.status == 101 else { throw .refused(status: response.status) }
        let headers = response.headers
        // 2: "a value that is not an ASCII case-insensitive match for the value "websocket"" fails.
        guard let upgrade = headers["Upgrade"], HTTPHeaders.same(upgrade, "websocket") else {
            throw .invalid("server's Upgrade header is not websocket (RFC 6455 §4.1)")
        }
        guard headers.contains(token: "upgrade", in: "Connection") else {
            throw .invalid("server's Connection header lacks upgrade (RFC 6455 §4.1)")
        }
        let accepts = headers.all("Sec-WebSocket-Accept")
        guard let expected = HandshakeKey.accept(for: key), accepts == [expected] else {
            throw .invalid("server's Sec-WebSocket-Accept does not match the key (RFC 6455 §4.1)")
        }
        return Agreement(subprotocol: try subprotocol(headers), deflate: try extensions(headers))
    }

    /// Rule 5: an extension "that was not present in the client's handshake" fails, as does a malformed list (§9.1).
    private func extensions(_ headers: HTTPHeaders) throws(HandshakeError) -> DeflateAgreement? {
        guard let chosen = WebSocketExtension.parse(headers.all("Sec-WebSocket-Extensions")) else {
            throw .invalid("server's Sec-WebSocket-Extensions is not a list of extensions (RFC 6455 §9.1)")
        }
        guard let answer = chosen.first else { return nil }
        guard chosen.count == 1, let deflate else {
            throw .invalid("server chose an extension that was not offered (RFC 6455 §4.1)")
        }
        return try deflate.agree(to: answer)
    }

    /// Rule 6: likewise for a subprotocol.
    private func subprotocol(_ headers: HTTPHeaders) throws(HandshakeError) -> String? {
        let chosen = headers.all("Sec-WebSocket-Protocol")
        guard let subprotocol = chosen.first else { return nil }
        guard chosen.count == 1, subprotocols.contains(subprotocol) else {
            throw .invalid("server chose a subprotocol that was not offered (RFC 6455 §4.1)")
        }
        return subprotocol
    }

    private static func target(_ path: String) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        let encoded = path.utf8.flatMap { byte -> [UInt8] in
            byte.isVisible && byte != UInt8(ascii: "#")
                ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return encoded.first == UInt8(ascii: "/") ? encoded : [UInt8(ascii: "/")] + encoded
    }
}
