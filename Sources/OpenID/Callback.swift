import Foundation

/// A provider's answer, as the browser brings it (OpenID Connect Core 1.0 §3.1.2.5 and §3.1.2.6).
public struct Callback: Sendable, Equatable {
    /// Maximum bytes of a form that is posted.
    public static let bytesMax = 16_384
    /// Characters of a state, as ``AuthorizationRequest`` gets it.
    static let stateCharacters = 43
    /// Maximum bytes of an authorisation code.
    static let codeBytesMax = 4_096

    public let state: String
    let code: String?
    let error: String?
    let issuer: String?
    /// Name that Apple sends once, beside the answer and unsigned: good for a suggestion only.
    public let names: [String]

    /// Reads the fields of a query or a form.
    /// - Throws: ``OpenIDFailure/unknownAttempt`` without a state, or with a member twice (RFC 6749 §3.1).
    public init(_ fields: [(String, String)]) throws(OpenIDFailure) {
        func value(_ name: String) throws(OpenIDFailure) -> String? {
            let values = fields.filter { $0.0 == name }
            guard values.count <= 1 else { throw .unknownAttempt }
            return values.first?.1
        }
        guard let state = try value("state"), state.utf8.count == Self.stateCharacters else { throw .unknownAttempt }
        self.state = state
        code = try value("code")
        error = try value("error")
        issuer = try value("iss")
        names = try value("user").map(Self.names) ?? []
    }

    /// Reads a form that was posted.
    /// - Throws: ``OpenIDFailure/unknownAttempt``.
    public init(form: [UInt8]) throws(OpenIDFailure) {
        guard form.count <= Self.bytesMax, let fields = Encoding.fields(form) else { throw .unknownAttempt }
        try self.init(fields)
    }

    private struct AppleUser: Decodable {
        struct Name: Decodable { let firstName, lastName: String? }
        let name: Name?
    }

    private static func names(_ user: String) -> [String] {
        let name = try? JSONDecoder().decode(AppleUser.self, from: Data(user.utf8)).name
        let parts = [name?.firstName, name?.lastName].compactMap(\.self)
        return parts.isEmpty ? [] : [parts.joined(separator: " ")].filter { $0.utf8.count <= Claims.textBytesMax }
    }

    /// The authorisation code.
    /// - Throws: ``OpenIDFailure`` for an error of the provider, or an answer of another issuer (RFC 9207 §2.4).
    func authorizationCode(of metadata: ProviderMetadata) throws(OpenIDFailure) -> String {
        if let issuer {
            guard issuer == metadata.issuer else { throw .badAnswer("it is of another issuer (iss)") }
        } else if metadata.namesIssuerInResponse {
            throw .badAnswer("it does not name its issuer (iss)")
        }
        switch error {
        case nil: break
        case "access_denied", "user_cancelled_authorize", "user_cancelled_login", "login_required",
            "interaction_required":
            throw .denied
        case "temporarily_unavailable", "server_error": throw .unreachable("it cannot sign people in at the moment")
        default: throw .refused
        }
        guard let code, (1...Self.codeBytesMax).contains(code.utf8.count) else {
            throw .badAnswer("it has no authorisation code")
        }
        return code
    }
}
