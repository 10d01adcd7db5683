/// The server's half of the opening handshake (RFC 6455 §4.2).
public enum ServerHandshake {
    /// The answer to an upgrade request.
    public enum Result: Sendable {
        /// Send these bytes; frames follow in both directions. `subprotocol` is the agreed one, if any. Pass `deflate`
        /// to the connection.
        case accept(response: [UInt8], subprotocol: String?, deflate: DeflateAgreement?)
        /// Send this response and close the connection: the request parser has stopped at the upgrade.
        case refuse(HTTPResponse)
    }

    /// Checks a request against RFC 6455 §4.2.1 and answers it by §4.2.2.
    /// - Parameters:
    ///   - request: The client's handshake, from `HTTPRequestParser`.
    ///   - subprotocols: Supported subprotocols, the preferred one first; compared case-sensitively. If the client offers
    ///     only others, none is chosen, and the client decides whether to go on.
    ///   - deflate: Preferences for permessage-deflate (RFC 7692); nil declines it.
    public static func respond(
        to request: HTTPRequest, subprotocols: [String], deflate: DeflateConfiguration? = nil
    ) -> Result {
        let headers = request.headers
        guard request.method == "GET" else { return refuse("method is not GET (RFC 6455 §4.2.1); use GET") }
        // The server itself passes only upgrades; `Pages` answers all other requests for /ws, also with 426.
        guard request.isWebSocketUpgrade else {
            return refuse(
                "request does not ask to upgrade to websocket (RFC 6455 §4.2.1); use a WebSocket client", status: 426)
        }
        // RFC 6455 §4.2.2: for another version "send an appropriate HTTP error code (such as 426 Upgrade Required) and a
        // |Sec-WebSocket-Version| header field indicating the version(s) the server is capable of understanding".
        guard headers.all("Sec-WebSocket-Version") == ["13"] else {
            return refuse("Sec-WebSocket-Version is not 13 (RFC 6455 §4.2.1); use version 13", status: 426)
        }
        let keys = headers.all("Sec-WebSocket-Key")
        guard let key = keys.first, keys.count == 1, HandshakeKey.isValid(key) else {
            return refuse("Sec-WebSocket-Key is not 16 bytes in base64 (RFC 6455 §4.2.1); send one, once")
        }
        guard request.body.isEmpty else { return refuse("handshake has a body; send none") }
        // RFC 6455 §4.1: the offered subprotocols are tokens.
        let offered = headers.list("Sec-WebSocket-Protocol")
        guard offered.allSatisfy({ isToken($0.utf8) }) else {
            return refuse("Sec-WebSocket-Protocol is not a list of tokens (RFC 6455 §4.1)")
        }
        // RFC 6455 §9.1: on "a value that does not conform to the ABNF" the recipient fails the connection.
        let extensions = headers.all("Sec-WebSocket-Extensions")
        guard let offers = WebSocketExtension.parse(extensions) else {
            return refuse("Sec-WebSocket-Extensions is not a list of extensions (RFC 6455 §9.1)")
        }
        guard let accept = HandshakeKey.accept(for: key) else {
            return .refuse(HTTPResponse(status: 500, text: "SHA-1 is not available in this server's OpenSSL\n"))
        }
        let subprotocol = subprotocols.first { offered.contains($0) }
        // RFC 6455 §9.1: an unknown or unacceptable extension is left out, and the connection opens without it.
        let agreed = deflate?.accept(offers)
        return .accept(
            response: response(accept: accept, subprotocol: subprotocol, extensions: agreed?.answer),
            subprotocol: subprotocol, deflate: agreed?.agreement)
    }

    private static func response(accept: String, subprotocol: String?, extensions: String?) -> [UInt8] {
        var bytes = Array("HTTP/1.1 101 Switching Protocols\r\n".utf8)
        appendField("Upgrade", "websocket", to: &bytes)
        appendField("Connection", "Upgrade", to: &bytes)
        appendField("Sec-WebSocket-Accept", accept, to: &bytes)
        if let subprotocol { appendField("Sec-WebSocket-Protocol", subprotocol, to: &bytes) }
        if let extensions { appendField("Sec-WebSocket-Extensions", extensions, to: &bytes) }
        bytes.append(contentsOf: "\r\n".utf8)
        return bytes
    }

    private static func refuse(_ reason: String, status: Int = 400) -> Result {
        var response = HTTPResponse(status: status, text: reason + "\n")
        if status == 426 {
            // RFC 9110 §15.5.22: a 426 names the protocol wanted; §7.8: Upgrade is also a connection option.
            response.headers.add("Upgrade", "websocket")
            response.headers.add("Connection", "Upgrade")
            response.headers.add("Sec-WebSocket-Version", "13")
        }
        return .refuse(response)
    }
}
