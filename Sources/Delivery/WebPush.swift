import COpenSSL
import EventLoop
import Foundation
import Wire

/// Sends messages to browsers through their push services (RFC 8030). Blocks: use it on worker threads. Callable from any thread.
public final class WebPush: Sendable {
    /// Maximum of idle connections to push services.
    static let idleConnectionsMax = 8
    /// Lifetime of the server's tokens. A day is allowed (RFC 8292 §2).
    static let tokenSecondsMax = 43_200.0
    /// Characters of a topic (RFC 8030 §5.4).
    static let topicCharacters = 32

    /// Urgency of a message, by which the push service decides whether to wake a phone (RFC 8030 §5.3).
    public enum Urgency: String, Sendable {
        case low, normal, high
    }

    /// A subscribed browser.
    public struct Browser: Sendable {
        let endpoint: String
        let key: [UInt8]
        let secret: [UInt8]

        /// - Parameters:
        ///   - endpoint: The browser's URL at its push service. It is checked at each send.
        ///   - key: The browser's public key.
        ///   - secret: The browser's authentication secret.
        public init(endpoint: String, key: [UInt8], secret: [UInt8]) {
            (self.endpoint, self.key, self.secret) = (endpoint, key, secret)
        }
    }

    private let key: PushKey
    private let contact: String
    private let allowedHosts: Set<String>
    private let authorityFile: String?
    private let idle = ConnectionPool(countMax: idleConnectionsMax)

    /// - Parameters:
    ///   - key: The server's key pair, with whose public key browsers subscribed.
    ///   - contact: A `mailto:` or `https://` URL where a push service can reach the operator.
    ///   - allowedHosts: Host names that may resolve to any address, for tests.
    ///   - authorityFile: PEM file with the certificate authorities to trust instead of the system's.
    public init(key: PushKey, contact: String, allowedHosts: Set<String> = [], authorityFile: String? = nil) {
        (self.key, self.contact, self.allowedHosts) = (key, contact, allowedHosts)
        self.authorityFile = authorityFile
    }

    /// The public key that browsers subscribe with, an uncompressed point in base64url.
    public var applicationServerKey: String { Base64.urlSafe(key.publicKey) }

    /// Encrypts and sends a message.
    /// - Parameters:
    ///   - tag: Identity of the message. It replaces an undelivered message with the same tag at the push service.
    ///   - secondsToLive: Time that the push service may keep the message.
    public func send(
        _ plaintext: [UInt8], to browser: Browser, tag: String, urgency: Urgency, secondsToLive: Int, now: Timestamp
    ) -> DeliveryOutcome {
        let endpoint: PushEndpoint
        do {
            endpoint = try PushEndpoint(browser.endpoint, allowedHosts: allowedHosts)
        } catch {
            return .dead("the browser's address \(error.description)")
        }
        guard let body = try? PushEncryption.encrypt(plaintext, for: browser.key, secret: browser.secret),
            let token = try? token(for: endpoint, now: now)
        else { return .refused("it could not be encrypted for this browser") }
        var request = HTTPPost(
            url: endpoint.url,
            headers: [
                "Content-Type: application/octet-stream", "Content-Encoding: aes128gcm",
                "TTL: \(max(0, secondsToLive))", "Urgency: \(urgency.rawValue)", "Topic: \(Self.topic(tag))",
                "Authorization: vapid t=\(token), k=\(applicationServerKey)",
            ], body: body)
        if !allowedHosts.contains(endpoint.host) { request.mayConnect = { PublicAddress.isPublic($0) } }
        request.authorityFile = authorityFile
        guard let outcome = try? request.perform(idle) else { return .later("there is no memory for a connection") }
        return Self.judge(outcome)
    }

    /// A topic of 32 base64url characters, derived from the tag.
    static func topic(_ tag: String) -> String {
        String(Base64.urlSafe(Digest.sha256(Array(tag.utf8))).prefix(topicCharacters))
    }

    /// Token that identifies the server to the push service (RFC 8292 §2): a JWT, signed with ES256.
    func token(for endpoint: PushEndpoint, now: Timestamp) throws -> String {
        struct Header: Encodable {
            let typ = "JWT"
            let alg = "ES256"
        }
        struct Claims: Encodable {
            let aud: String
            let exp: Int64
            let sub: String
        }
        let expires = now.advanced(bySeconds: Self.tokenSecondsMax).milliseconds / 1_000
        let head = Base64.urlSafe(Array(try JSONEncoder().encode(Header())))
        let claims = Base64.urlSafe(
            Array(try JSONEncoder().encode(Claims(aud: endpoint.origin, exp: expires, sub: contact))))
        return "\(head).\(claims).\(Base64.urlSafe(try key.sign(Array("\(head).\(claims)".utf8))))"
    }

    static func judge(_ outcome: HTTPPost.Outcome) -> DeliveryOutcome {
        switch outcome {
        case .answered(200..<300, _): .sent
        // RFC 8030 §7.3: the subscription has ended.
        case .answered(404, _), .answered(410, _): .dead("the browser has ended its subscription")
        case .answered(let status, let wait) where status == 429 || status == 408 || status >= 500:
            .later("the push service answered \(status)", retryAfter: wait)
        case .answered(let status, _): .refused("the push service answered \(status)")
        case .forbiddenAddress: .dead("the push service's name leads to an address that is not public")
        case .notSent: .later("the push service cannot be reached")
        // A duplicate is harmless: it has the same topic and tag, so it replaces the first message.
        case .unanswered: .later("the push service did not answer")
        }
    }
}

enum Base64 {
    /// URL-safe base64 (RFC 4648 §5) without padding.
    static func urlSafe(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }
}

enum Digest {
    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil)
        return digest
    }
}
