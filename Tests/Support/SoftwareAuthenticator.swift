import COpenSSL
import Foundation

/// An authenticator in the test: makes passkeys and signs with them, by OpenSSL, as a browser and a device do together. Its members change
/// what it says, for attacks.
public struct SoftwareAuthenticator: @unchecked Sendable {
    public enum Algorithm: CaseIterable, Sendable { case es256, eddsa, rs256 }

    public let algorithm: Algorithm
    public let id: [UInt8]
    public var site = "localhost"
    public var origin = "http://localhost:8080"
    public var counter: UInt32 = 1
    /// Present, verified, and, for a new passkey, with the key.
    public var flags: UInt8 = 0x05
    public var type: String?
    /// Further members of the client data, such as `,"crossOrigin":true`.
    public var moreClientData = ""
    public var userHandle: String?
    // Immutable after `init`; OpenSSL counts its references.
    private let key: OpaquePointer

    public init(_ algorithm: Algorithm = .es256, id: [UInt8]? = nil) {
        self.algorithm = algorithm
        self.id = id ?? (0..<16).map { _ in UInt8.random(in: 0...255) }
        let type: Int32 =
            switch algorithm {
            case .es256: EVP_PKEY_EC
            case .eddsa: EVP_PKEY_ED25519
            case .rs256: EVP_PKEY_RSA
            }
        let context = EVP_PKEY_CTX_new_id(type, nil)
        defer { EVP_PKEY_CTX_free(context) }
        EVP_PKEY_keygen_init(context)
        if algorithm == .es256 { EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) }
        if algorithm == .rs256 { EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2_048) }
        var made: OpaquePointer?
        EVP_PKEY_keygen(context, &made)
        guard let made else { preconditionFailure("OpenSSL makes no key") }
        key = made
    }

    /// What the browser sends of a new passkey and of a signature, in base64url.
    public struct Answer: Sendable {
        public let id: String
        public let clientDataJSON: String
        public let authenticatorData: String
        public let signature: String
        public let userHandle: String?
    }

    public func register(_ challenge: String) -> Answer {
        let data =
            authenticatorData(flags | 0x40) + [UInt8](repeating: 0, count: 16)
            + [UInt8(id.count >> 8), UInt8(id.count & 255)] + id + publicKey
        let client = clientData(type ?? "webauthn.create", challenge)
        return answer(data, client, [])
    }

    public func sign(_ challenge: String) -> Answer {
        let data = authenticatorData(flags)
        let client = clientData(type ?? "webauthn.get", challenge)
        return answer(data, client, signature(of: data + Self.sha256(client)))
    }

    private func answer(_ data: [UInt8], _ client: [UInt8], _ signature: [UInt8]) -> Answer {
        Answer(
            id: Self.base64URL(id), clientDataJSON: Self.base64URL(client), authenticatorData: Self.base64URL(data),
            signature: Self.base64URL(signature), userHandle: userHandle)
    }

    private func clientData(_ type: String, _ challenge: String) -> [UInt8] {
        Array(#"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(origin)"\#(moreClientData)}"#.utf8)
    }

    private func authenticatorData(_ flags: UInt8) -> [UInt8] {
        Self.sha256(Array(site.utf8)) + [flags]
            + [UInt8(counter >> 24 & 255), UInt8(counter >> 16 & 255), UInt8(counter >> 8 & 255), UInt8(counter & 255)]
    }

    /// The COSE key.
    private var publicKey: [UInt8] {
        switch algorithm {
        case .es256:
            var point = [UInt8](repeating: 0, count: 65)
            var length = 0
            EVP_PKEY_get_octet_string_param(key, "pub", &point, point.count, &length)
            return [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32] + point[1..<33] + [0x22, 0x58, 32] + point[33..<65]
        case .eddsa:
            var point = [UInt8](repeating: 0, count: 32)
            var length = point.count
            EVP_PKEY_get_raw_public_key(key, &point, &length)
            return [0xA4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32] + point
        case .rs256:
            var number: OpaquePointer?
            EVP_PKEY_get_bn_param(key, "n", &number)
            defer { BN_free(number) }
            var modulus = [UInt8](repeating: 0, count: 256)
            BN_bn2binpad(number, &modulus, 256)
            return [0xA4, 1, 3, 3, 0x39, 1, 0, 0x20, 0x59, 1, 0] + modulus + [0x21, 0x43, 1, 0, 1]
        }
    }

    private func signature(of message: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        EVP_DigestSignInit(context, nil, algorithm == .eddsa ? nil : EVP_sha256(), nil, key)
        var signature = [UInt8](repeating: 0, count: 512)
        var length = signature.count
        EVP_DigestSign(context, &signature, &length, message, message.count)
        return Array(signature[0..<length])
    }

    private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil)
        return digest
    }

    public static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    public static func bytes(_ base64URL: String) -> [UInt8] {
        let text = base64URL.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Array(Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)) ?? Data())
    }
}
