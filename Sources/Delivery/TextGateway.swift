import EventLoop
import Foundation

/// An HTTP gateway for text messages. Blocks: use it on worker threads. Callable from any thread.
public struct TextGateway: Sendable {
    /// Reason why a configuration was rejected.
    public struct Invalid: Error, CustomStringConvertible {
        public let description: String
    }

    /// Default body template.
    public static let bodyDefault = #"{"to":"{to}","text":"{text}"}"#
    /// Maximum bytes of a body template.
    static let bodyBytesMax = 4_096

    private let url: String
    private let method: String
    private let header: String?
    private let body: String
    private let allowsPlain: Bool
    private let authorityFile: String?
    /// Scheme, host and port, without the path and query, which may hold a secret.
    public let name: String

    /// - Parameters:
    ///   - url: An `https://` URL, or an `http://` URL of this machine.
    ///   - method: `POST` or `PUT`.
    ///   - header: A header line with a secret, such as `Authorization: Bearer …`.
    ///   - body: A JSON template with `{to}` and `{text}` inside strings.
    ///   - authorityFile: PEM file with the certificate authorities to trust instead of the system's.
    /// - Throws: ``Invalid``.
    public init(
        url: String, method: String = "POST", header: String? = nil, body: String = bodyDefault,
        authorityFile: String? = nil
    ) throws(Invalid) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme, let host = parts.host, !host.isEmpty,
            ["https", "http"].contains(scheme), (1...65_535).contains(parts.port ?? 443)
        else { throw Invalid(description: "must be an address such as https://sms.example/messages") }
        allowsPlain = scheme == "http"
        guard !allowsPlain || ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host) else {
            throw Invalid(description: "must be https: otherwise the texts and the secret could be read on the network")
        }
        guard ["POST", "PUT"].contains(method) else { throw Invalid(description: "takes the methods POST and PUT") }
        if let header {
            guard header.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), header.contains(":") else {
                throw Invalid(description: "has a header that is not like Authorization: Bearer SECRET, in one line")
            }
        }
        guard body.utf8.count <= Self.bodyBytesMax, body.contains("{to}"), body.contains("{text}"),
            (try? JSONSerialization.jsonObject(with: Data(body.utf8))) != nil
        else { throw Invalid(description: "needs a body of JSON with {to} and {text} within its strings") }
        (self.url, self.method, self.header, self.body) = (url, method, header, body)
        self.authorityFile = authorityFile
        name = "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
    }

    /// Sends a text message at most once: each message uses a new connection.
    /// - Parameters:
    ///   - text: The text, shortened to one message by ``TextMessage``.
    ///   - number: A phone number such as `+6591234567`.
    public func send(_ text: String, to number: String) -> DeliveryOutcome {
        // In one pass, so that placeholders in the inserted values are not replaced.
        var filled = ""
        var rest = Substring(body)
        while let open = rest.firstIndex(of: "{") {
            filled += rest[..<open]
            rest = rest[open...]
            if rest.hasPrefix("{to}") {
                filled += Self.escaped(number)
                rest = rest.dropFirst(4)
            } else if rest.hasPrefix("{text}") {
                filled += Self.escaped(text)
                rest = rest.dropFirst(6)
            } else {
                filled.append(rest.removeFirst())
            }
        }
        filled += rest
        let request = HTTPPost(
            method: method, url: url, headers: ["Content-Type: application/json"] + [header].compactMap { $0 },
            body: Array(filled.utf8), allowsPlain: allowsPlain, authorityFile: authorityFile)
        guard let outcome = try? request.perform() else { return .later("there is no memory for a connection") }
        return Self.judge(outcome)
    }

    /// The text escaped for a JSON string (RFC 8259 §7). Other control characters become spaces.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": escaped += "\\\""
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case _ where scalar.value < 0x20: escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    static func judge(_ outcome: HTTPPost.Outcome) -> DeliveryOutcome {
        switch outcome {
        case .answered(200..<300, _): .sent
        case .answered(let status, let wait) where status == 429 || status == 408 || status >= 500:
            .later("the gateway answered \(status)", retryAfter: wait)
        // The gateway rejects the configured secret or account. The operator can correct that; the number is not at fault.
        case .answered(let status, let wait) where [401, 402, 403].contains(status):
            .later("the gateway refuses us with \(status)", retryAfter: wait)
        case .answered(let status, _) where (400..<500).contains(status):
            .dead("the gateway does not take text messages for this number (\(status))")
        case .answered(let status, _): .refused("the gateway answered \(status)")
        case .notSent, .forbiddenAddress: .later("the gateway cannot be reached")
        case .unanswered: .doubtful("the gateway did not answer")
        }
    }
}

/// Length limits of one text message.
public enum TextMessage {
    /// Maximum characters of a message in the GSM alphabet (3GPP TS 23.038), and UTF-16 units in any other.
    static let gsmCharactersMax = 160
    static let utf16UnitsMax = 70

    /// The text and link, shortened to one message. The text is cut at a character; the link stays whole.
    public static func shortened(_ text: String, link: String?) -> String {
        let tail = link.map { " \($0)" } ?? ""
        let isUsual = isUsual(text + tail)
        let room = (isUsual ? gsmCharactersMax : utf16UnitsMax) - length(tail, isUsual)
        if length(text, isUsual) <= room { return text + tail }
        let mark = isUsual ? "..." : "…"
        // Drop a link that leaves too little space for the text.
        guard room > length(mark, isUsual) + 10 else { return shortened(text, link: nil) }
        var cut = ""
        var left = room - length(mark, isUsual)
        for character in text {
            left -= length(String(character), isUsual)
            if left < 0 { break }
            cut.append(character)
        }
        return cut + mark + tail
    }

    private static let usual = Set(
        "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
            .unicodeScalars)
    /// Characters of the extension table, which count twice.
    private static let twice = Set("^{}\\[~]|€".unicodeScalars)

    private static func isUsual(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { usual.contains($0) || twice.contains($0) }
    }

    private static func length(_ text: String, _ isUsual: Bool) -> Int {
        isUsual ? text.unicodeScalars.reduce(0) { $0 + (twice.contains($1) ? 2 : 1) } : text.utf16.count
    }
}
