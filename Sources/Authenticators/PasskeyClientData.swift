import Wire

/// What the browser says of an operation with a passkey (WebAuthn §5.8.1). The authenticator signs its hash.
public struct PasskeyClientData: Sendable, Equatable {
    /// Largest length of the JSON text.
    public static let bytesMax = 4_096

    /// An operation that needs an authenticator.
    public enum Operation: String, Sendable {
        case registration = "webauthn.create"
        case signIn = "webauthn.get"
    }

    /// The challenge as the browser got it, in base64url.
    public let challenge: String
    /// The JSON text.
    let json: [UInt8]

    private struct Members: Decodable {
        let type: String
        let challenge: String
        let origin: String
        let crossOrigin: Bool?
        let topOrigin: String?
    }

    /// - Throws: ``PasskeyFault``: `malformed`, `otherOperation`, `otherSite`.
    public init(_ json: [UInt8], for operation: Operation, at site: RelyingParty) throws {
        guard json.count <= Self.bytesMax, let members = try? WireJSON.decode(Members.self, from: json) else {
            throw PasskeyFault.malformed
        }
        guard members.type == operation.rawValue else { throw PasskeyFault.otherOperation }
        // A page within a page of another site could have the person touch the authenticator for something else.
        guard site.admits(members.origin), members.crossOrigin != true, members.topOrigin == nil else {
            throw PasskeyFault.otherSite
        }
        challenge = members.challenge
        self.json = json
    }
}
