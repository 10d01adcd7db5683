import COpenSSL
import EventLoop
import Foundation
import Wire

/// Sends to browsers by their push services (RFC 8030). Blocks: on a worker. From any thread.
public final class WebPush: Sendable {
    /// Connections to push services that are kept open.
    static let idleConnectionsMax = 8
    /// How long a token of ours holds: at most a day (RFC 8292 §2).
    static let tokenSecondsMax = 43_200.0
    /// Characters of a topic (RFC 8030 §5.4).
    static let topicCharacters = 32

    /// How soon a phone is to wake for it (RFC 8030 §5.3).
    public enum Urgency: String, Sendable {
        case low, normal, high
    }

    /// A browser.
    public struct Browser: Sendable {
        let endpoint: String
        let key: [UInt8]
        let secret: [UInt8]

        /// - Parameters:
        ///   - endpoint: Its address at its push service; looked at again when something is sent.
        ///   - key: Its public key.
        ///   - secret: Its secret.
        public init(endpoint: String, key: [UInt8], secret: [UInt8]) {
            (self.endpoint, self.key, self.secret) = (endpoint, key, secret)
        }
    }

    private let key: PushKey
    private let contact: String
    private let allowedHosts: Set<String>
    private let authorityFile: String?
    private let idle = IdleHandles(countMax: idleConnectionsMax)

    /// - Parameters:
    ///   - key: The server's own, which browsers subscribed with.
    ///   - contact: Whom a push service may write to: `mailto:` or `https://`.
    ///   - allowedHosts: Names that may lead anywhere, for tests.
    ///   - authorityFile: PEM, authorities to trust instead of the system's.
    public init(key: PushKey, contact: String, allowedHosts: Set<String> = [], authorityFile: String? = nil) {
        (self.key, self.contact, self.allowedHosts) = (key, contact, allowedHosts)
        self.authorityFile = authorityFile
    }

    /// What browsers subscribe with: a point in base64url.
    public var applicationServerKey: String { Base64.urlSafe(key.publicKey) }

    /// - Parameters:
    ///   - tag: While an earlier message with the same is still at the push service, this one takes its place.
    ///   - secondsToLive: How long the push service may keep it.
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

    /// 32 letters of base64url, the same for the same tag.
    static func topic(_ tag: String) -> String {
        String(Base64.urlSafe(Digest.sha256(Array(tag.utf8))).prefix(topicCharacters))
    }

    /// Says who sends (RFC 8292 §2): a JWT, signed with ES256.
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
        // RFC 8030 §7.3: the subscription is no more.
        case .answered(404, _), .answered(410, _): .dead("the browser has ended its subscription")
        case .answered(let status, let wait) where status == 429 || status == 408 || status >= 500:
            .later("the push service answered \(status)", retryAfter: wait)
        case .answered(let status, _): .refused("the push service answered \(status)")
        case .forbiddenAddress: .dead("the push service's name leads to an address that is not public")
        case .notSent: .later("the push service cannot be reached")
        // Sent again it shows as one: the topic and the tag are the same.
        case .unanswered: .later("the push service did not answer")
        }
    }
}

enum Base64 {
    /// RFC 4648 §5, without padding.
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
