/// Addresses, credentials and timeouts of a NATS connection.
///
/// `description` never contains a password or a token.
public struct NATSConfiguration: Sendable {
    /// Servers that the address may list.
    public static let serversMax = 16
    /// Bytes of the address.
    public static let textBytesMax = 4_096
    /// NATS's default port.
    public static let defaultPort: UInt16 = 4_222

    public struct Server: Sendable, Hashable, CustomStringConvertible {
        /// A name or an address; an IPv6 address without brackets.
        public let host: String
        /// 1 to 65,535.
        public let port: UInt16
        /// Whether the host is a loopback address (RFC 1122 §3.2.1.3), or `localhost`.
        var isLocal: Bool {
            host == "localhost" || host == "::1"
                || host.hasPrefix("127.") && host.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ".") }
        }
        /// `host:port`.
        public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }
    /// Credentials from the address.
    public enum Credentials: Sendable, Equatable {
        /// No credentials.
        case none
        /// Name and password.
        case user(String, password: String)
        /// Token.
        case token(String)
    }

    /// At least one server; the library tries them in random order.
    public let servers: [Server]
    /// Whether TLS is required: the scheme of the URL is `tls`.
    public var isSecure: Bool
    /// From the URL.
    public var credentials: Credentials
    /// File with a user's JWT and key, as `nsc` creates it (NATS manual, "Credentials").
    public var credentialsFile: String?
    /// PEM file with the authorities that may have issued the server's certificate; nil for the system's authorities.
    public var authorityFile: String?
    /// PEM file with this node's certificate and its chain; nil for none. Requires ``keyFile``.
    public var certificateFile: String?
    /// PEM file with the private key of the certificate.
    public var keyFile: String?
    /// Name that the server's certificate must contain; nil for the host's name.
    public var serverName: String?

    /// Timeout of a connection attempt, including handshakes.
    public var connectTimeout = Duration.seconds(2)
    /// Time before the library tries a server again.
    public var reconnectDelay = Duration.milliseconds(250)
    /// Maximum random addition to ``reconnectDelay``, so that the nodes do not all reconnect at the same moment.
    public var reconnectJitter = Duration.milliseconds(250)
    /// Time between two pings. The connection counts as lost if more than ``unansweredPingsMax`` pings are unanswered.
    public var pingInterval = Duration.seconds(2)
    public var unansweredPingsMax = 2
    /// Time after which a blocked write counts as a lost connection.
    public var writeTimeout = Duration.seconds(2)

    /// Whether all servers are on this machine, or this node authenticates itself.
    public var isCredentialedOrLocal: Bool {
        credentials != .none || credentialsFile != nil || certificateFile != nil || servers.allSatisfy(\.isLocal)
    }

    /// Error in the address or an option. Its description contains no password, no token and no text that could not be parsed.
    public struct Invalid: Error, Equatable, CustomStringConvertible {
        /// The problem and its remedy.
        public let description: String
    }

    /// Parses an address.
    /// - Parameter text: `nats://host:port`, or with TLS `tls://host:port`. The port is optional. `user:password@` or `token@` may
    ///   precede the host, with `%XX` for characters that a URL does not allow. Further servers of the same cluster follow, separated
    ///   by commas.
    /// - Throws: ``Invalid``.
    public init(_ text: String) throws(Invalid) {
        guard text.utf8.count <= Self.textBytesMax else {
            throw Invalid(description: "the address of NATS is longer than \(Self.textBytesMax) bytes")
        }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= Self.serversMax else {
            throw Invalid(description: "at most \(Self.serversMax) NATS servers can be named")
        }
        var servers: [Server] = []
        var schemes: Set<Bool> = []
        var credentials = Credentials.none
        for part in parts {
            let (isSecure, rest) = try Self.scheme(of: part)
            schemes.insert(isSecure)
            var address = rest
            if let at = rest.lastIndex(of: "@") {
                let found = try Self.credentials(rest[..<at])
                guard credentials == .none || credentials == found else {
                    throw Invalid(description: "all NATS servers take the same user or token: name it once")
                }
                credentials = found
                address = rest[rest.index(after: at)...]
            }
            servers.append(try Self.server(address))
        }
        guard schemes.count == 1 else {
            throw Invalid(description: "either all NATS servers are reached by nats:// or all by tls://")
        }
        self.servers = servers
        isSecure = schemes.contains(true)
        self.credentials = credentials
    }

    private static func scheme(of part: Substring) throws(Invalid) -> (isSecure: Bool, rest: Substring) {
        for (scheme, isSecure) in [("nats://", false), ("tls://", true)] where part.hasPrefix(scheme) {
            return (isSecure, part.dropFirst(scheme.count))
        }
        throw Invalid(description: "the address of NATS does not begin with nats:// or tls://: write nats://host:4222")
    }

    private static func credentials(_ text: Substring) throws(Invalid) -> Credentials {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let texts = parts.compactMap { unescaped($0) }
        guard texts.count == parts.count, texts.allSatisfy({ !$0.isEmpty }) else {
            throw Invalid(
                description:
                    "the part before the @ in the address of NATS is not user:password or a token: write %XX for "
                    + "characters that a URL cannot have")
        }
        return texts.count == 2 ? .user(texts[0], password: texts[1]) : .token(texts[0])
    }

    private static func server(_ text: Substring) throws(Invalid) -> Server {
        // A pasted URL often ends in a slash.
        let text = text.hasSuffix("/") ? text.dropLast() : text
        var host = text
        var port: Substring?
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw notAnAddress }
            port = rest.isEmpty ? nil : rest.dropFirst()
            guard host.contains(":"), host.utf8.allSatisfy({ isHexadecimal($0) || $0 == UInt8(ascii: ":") }) else {
                throw notAnAddress
            }
        } else {
            if let colon = text.firstIndex(of: ":") {
                host = text[..<colon]
                port = text[text.index(after: colon)...]
            }
            guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy(isHostCharacter) else {
                throw notAnAddress
            }
        }
        guard let port else { return Server(host: String(host), port: defaultPort) }
        guard port.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(port), number > 0 else {
            throw Invalid(description: "the port of a NATS server is not a number from 1 to 65535")
        }
        return Server(host: String(host), port: number)
    }

    private static let notAnAddress = Invalid(
        description: "the address of a NATS server is not host:port: write nats://host:4222")

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }

    /// Decodes `%XX` escapes; nil for an invalid escape.
    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy(isHexadecimal), let value = UInt8(Substring(digits), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        // A C string ends at a zero byte.
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension NATSConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Scheme and servers; never a password or a token.
    public var description: String {
        servers.map { "\(isSecure ? "tls" : "nats")://\($0)" }.joined(separator: ",")
    }

    public var debugDescription: String { description }

    /// Hides the password from reflection.
    public var customMirror: Mirror { Mirror(self, children: ["servers": description]) }
}
