@testable import Authenticators

extension FuzzTarget {
    static let passkeys = [
        FuzzTarget("passkey-registration", run: PasskeyRules.registration),
        FuzzTarget("passkey-signature", run: PasskeyRules.signature),
    ]
}

/// What a browser sends of a passkey: client data, authenticator data, a signature.
private enum PasskeyRules {
    private static let site = RelyingParty(publicURL: nil)
    /// The key that signed the seed `passkey-signature/valid`.
    private static let passkey = PasskeyPublicKey(
        id: [1], algorithm: .es256,
        key: bytes("70da02cf2389338f3c6e3281547b7997f64b78955cd0cce70904f02659335dad")
            + bytes("afc3dea090ebba49df9ae18240b9ff5234b55e4d3bf2455901f4f42b745eb344"), isBackupEligible: false)
    private static let signedData = Array(siteHash + [5, 0, 0, 0, 7])
    private static let signedClientData = Array(
        #"{"type":"webauthn.get","challenge":"Y2hhbGxlbmdl","origin":"http://localhost:8080","crossOrigin":false}"#.utf8
    )
    private static let siteHash = bytes("49960de5880e8c687434170f6476605b8fe4aeb9a28632c7995cf3ba831d9763")
    private static let client = Result {
        try PasskeyClientData(
            Array(#"{"type":"webauthn.create","challenge":"x","origin":"http://localhost"}"#.utf8), for: .registration,
            at: site)
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// The input is the authenticator data of a new passkey.
    static func registration(_ input: [UInt8]) throws {
        guard let made = try? PasskeyPublicKey.register(input, try client.get(), at: site) else { return }
        try demand(input.starts(with: siteHash), "a passkey is of this site")
        try demand(input[32] & 0x45 == 0x45, "the person was present and verified, and there is a key")
        try demand((1...PasskeyPublicKey.idBytesMax).contains(made.passkey.id.count), "an id keeps to its limit")
        try demand(input.dropFirst(55).starts(with: made.passkey.id), "an id is that of the input")
        let length =
            switch made.passkey.algorithm {
            case .es256: 64
            case .eddsa: 32
            case .rs256: 259
            }
        try demandEqual(made.passkey.key.count, length, "a key has the length of its algorithm")
        try demand(made.passkey.isBackupEligible || !made.state.isBackedUp, "only what may be in a backup is in one")
        let again = try PasskeyPublicKey.register(input, try client.get(), at: site)
        try demandEqual(again.passkey, made.passkey, "the same input is the same passkey")
    }

    /// The input has the lengths of authenticator data and signature, both, and client data. Nobody has the key.
    static func signature(_ input: [UInt8]) throws {
        guard input.count >= 2 else { return }
        let (dataCount, signatureCount) = (Int(input[0]), Int(input[1]))
        let parts = input.dropFirst(2)
        let data = Array(parts.prefix(dataCount))
        let signature = Array(parts.dropFirst(dataCount).prefix(signatureCount))
        let json = Array(parts.dropFirst(dataCount + signatureCount))
        guard let client = try? PasskeyClientData(json, for: .signIn, at: site) else { return }
        let text = String(decoding: json, as: UTF8.self)
        try demand(json.count <= PasskeyClientData.bytesMax, "client data keep to their limit")
        try demand(text.contains("localhost") || text.contains("\\"), "client data are of this site")
        guard (try? passkey.verify(signature, of: data, client, at: site)) != nil else { return }
        try demandEqual(data, signedData, "nothing else is signed")
        try demandEqual(json, signedClientData, "nothing else is signed")
    }
}
