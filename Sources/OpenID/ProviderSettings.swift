import Foundation

/// The operator's settings of a provider of OpenID Connect.
public struct ProviderSettings: Sendable, Equatable {
    /// How the provider's answer comes back.
    public enum ResponseMode: String, Sendable, Codable {
        /// In the query of a redirect.
        case query
        /// In a form that the browser posts (OAuth 2.0 Form Post Response Mode).
        case formPost = "form_post"
    }

    /// How the server proves to the provider that it is the registered app.
    public enum Credential: Sendable, Equatable {
        /// A shared secret.
        case secret(String)
        /// Apple's: tokens that are signed with a key of the operator's.
        case apple(AppleSecret)
        /// None: the authorisation code is protected by PKCE alone.
        case none
    }

    /// Characters of a name.
    public static let nameLength = 1...20
    /// Maximum characters of a label.
    public static let labelCharactersMax = 30

    /// Name in addresses, such as `google`: lower-case letters, digits and hyphens.
    public var name: String
    /// Name on buttons, such as `Google`.
    public var label: String
    /// Issuer, to the character as the provider publishes it.
    public var issuer: String
    public var clientID: String
    public var credential: Credential
    public var responseMode = ResponseMode.query
    /// Scopes besides `openid`.
    public var scopes = ["email", "profile"]
    /// Whether Campanile believes the provider's claim that an address is verified.
    public var verifiesEmail = true
    /// Token endpoint of a provider that does not publish it.
    public var tokenEndpoint: String?

    public init(name: String, label: String, issuer: String, clientID: String, credential: Credential) {
        (self.name, self.label, self.issuer) = (name, label, issuer)
        (self.clientID, self.credential) = (clientID, credential)
    }

    /// Checks what cannot be checked member by member.
    /// - Throws: ``Invalid``.
    public func validated() throws(Invalid) -> ProviderSettings {
        let isName = name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
        guard Self.nameLength.contains(name.utf8.count), isName else {
            throw Invalid("name must be 1 to 20 lower-case letters, digits and hyphens, such as google")
        }
        guard (1...Self.labelCharactersMax).contains(label.unicodeScalars.count),
            label.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw Invalid("label must be 1 to \(Self.labelCharactersMax) characters, such as Google") }
        guard let url = URLComponents(string: issuer), url.query == nil, ProviderURL(issuer) != nil else {
            throw Invalid("issuer must be an https URL such as https://accounts.google.com")
        }
        guard !clientID.isEmpty, clientID.utf8.count <= 512, clientID.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw Invalid("clientId must be the app's id at the provider") }
        guard scopes.count <= 16,
            scopes.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } })
        else { throw Invalid("scopes must be a list such as [\"email\", \"profile\"]") }
        if let tokenEndpoint, ProviderURL(tokenEndpoint) == nil {
            throw Invalid("tokenEndpoint must be an https URL")
        }
        return self
    }

    /// Settings that cannot be used.
    public struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
        /// The change that the operator must make.
        public let description: String
        public init(_ description: String) { self.description = description }
    }

    /// Path at which the provider's answer arrives.
    public var callbackPath: String { "/openid/\(name)/callback" }
}

/// The operator's settings file: JSON with a list of providers.
public struct ProviderFile: Sendable {
    /// Maximum number of providers.
    public static let providersMax = 8
    /// Maximum bytes of the file.
    public static let bytesMax = 65_536

    private struct Entry: Decodable {
        let name, label, issuer, clientId: String
        let clientSecretFile: String?
        let appleTeamId, appleKeyId, appleKeyFile: String?
        let responseMode: ProviderSettings.ResponseMode?
        let scopes: [String]?
        let verifiesEmail: Bool?
        let tokenEndpoint: String?
    }

    private static let members: Set = [
        "name", "label", "issuer", "clientId", "clientSecretFile", "appleTeamId", "appleKeyId", "appleKeyFile",
        "responseMode", "scopes", "verifiesEmail", "tokenEndpoint",
    ]

    /// Reads the settings of all providers.
    /// - Parameters:
    ///   - bytes: Contents of the file.
    ///   - read: Reads a file with a secret, by the name that the settings give.
    /// - Throws: ``ProviderSettings/Invalid``, and what `read` throws.
    public static func providers(_ bytes: [UInt8], read: (String) throws -> [UInt8]) throws -> [ProviderSettings] {
        let data = Data(bytes)
        guard let listed = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]] else {
            throw ProviderSettings.Invalid("it must be a JSON list of providers: see the OpenID article")
        }
        guard listed.count <= providersMax else {
            throw ProviderSettings.Invalid("at most \(providersMax) providers are allowed")
        }
        for name in listed.flatMap(\.keys) where !members.contains(name) {
            throw ProviderSettings.Invalid("there is no member \(name): see the OpenID article")
        }
        let entries: [Entry]
        do {
            entries = try JSONDecoder().decode([Entry].self, from: data)
        } catch DecodingError.keyNotFound(let key, _) {
            throw ProviderSettings.Invalid("each provider needs \(key.stringValue)")
        } catch {
            throw ProviderSettings.Invalid("a member has a value of the wrong kind: see the OpenID article")
        }
        let providers = try entries.map { try settings($0, read: read) }
        guard Set(providers.map(\.name)).count == providers.count else {
            throw ProviderSettings.Invalid("two providers have the same name")
        }
        guard Set(providers.map(\.issuer)).count == providers.count else {
            throw ProviderSettings.Invalid("two providers have the same issuer")
        }
        return providers
    }

    private static func settings(_ entry: Entry, read: (String) throws -> [UInt8]) throws -> ProviderSettings {
        let credential: ProviderSettings.Credential
        switch (entry.clientSecretFile, entry.appleKeyFile) {
        case (let file?, nil):
            let secret = String(decoding: try read(file), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard !secret.isEmpty else {
                throw ProviderSettings.Invalid("\(file) is empty: it must contain the secret")
            }
            credential = .secret(secret)
        case (nil, let file?):
            guard let team = entry.appleTeamId, let key = entry.appleKeyId else {
                throw ProviderSettings.Invalid("appleKeyFile needs appleTeamId and appleKeyId")
            }
            credential = .apple(
                try AppleSecret(teamID: team, keyID: key, clientID: entry.clientId, pem: try read(file)))
        case (nil, nil): credential = .none
        default: throw ProviderSettings.Invalid("a provider has clientSecretFile or appleKeyFile, not both")
        }
        var settings = ProviderSettings(
            name: entry.name, label: entry.label, issuer: entry.issuer, clientID: entry.clientId, credential: credential
        )
        settings.responseMode = entry.responseMode ?? .query
        settings.scopes = entry.scopes ?? settings.scopes
        settings.verifiesEmail = entry.verifiesEmail ?? true
        settings.tokenEndpoint = entry.tokenEndpoint
        return try settings.validated()
    }
}
