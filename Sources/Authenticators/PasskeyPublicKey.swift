import CFido2

/// The public half of a passkey, by which libfido2 verifies signatures.
public struct PasskeyPublicKey: Sendable, Equatable {
    /// An algorithm of signatures, by its COSE number (RFC 9053).
    public enum Algorithm: Int, Sendable, CaseIterable {
        case es256 = -7
        case eddsa = -8
        case rs256 = -257
    }

    /// Largest length of an id (WebAuthn §6.5.1).
    public static let idBytesMax = 1_023
    public static let signatureBytesMax = 1_024

    public let id: [UInt8]
    public let algorithm: Algorithm
    /// The key as libfido2 has it in memory: coordinates, or modulus and exponent.
    public let key: [UInt8]
    /// Whether the passkey may be in several devices; the same for its whole life.
    public let isBackupEligible: Bool

    /// - Parameter id: As the authenticator chose it.
    public init(id: [UInt8], algorithm: Algorithm, key: [UInt8], isBackupEligible: Bool) {
        (self.id, self.algorithm, self.key, self.isBackupEligible) = (id, algorithm, key, isBackupEligible)
    }

    /// What an authenticator says of its state, besides the signature.
    public struct State: Sendable, Equatable {
        /// Number of signatures; 0 from an authenticator that does not count.
        public let counter: UInt32
        public let isBackedUp: Bool
    }

    /// Reads a new passkey. The server asks for no attestation, so nothing proves which authenticator made it, and the statement of the
    /// attestation object is not needed.
    /// - Parameters:
    ///   - authenticatorData: What the attestation object has as `authData`.
    ///   - clientData: Checked already; it is not signed.
    /// - Throws: ``PasskeyFault``.
    public static func register(
        _ authenticatorData: [UInt8], _ clientData: PasskeyClientData, at site: RelyingParty
    ) throws -> (passkey: PasskeyPublicKey, state: State) {
        let data = try AuthenticatorData(authenticatorData, at: site)
        // libfido2 reads a key only as one of the expected algorithm.
        for algorithm in Algorithm.allCases {
            guard let passkey = try read(data, as: algorithm) else { continue }
            return (passkey, State(counter: data.counter, isBackedUp: data.isBackedUp))
        }
        throw PasskeyFault.unknownAlgorithm
    }

    private static func read(_ data: AuthenticatorData, as algorithm: Algorithm) throws -> PasskeyPublicKey? {
        var credential = fido_cred_new()
        guard credential != nil else { throw PasskeyFault.malformed }
        defer { fido_cred_free(&credential) }
        guard fido_cred_set_type(credential, Int32(algorithm.rawValue)) == FIDO_OK,
            fido_cred_set_authdata_raw(credential, data.bytes, data.bytes.count) == FIDO_OK
        else { return nil }
        let id = copy(fido_cred_id_ptr(credential), fido_cred_id_len(credential))
        let key = copy(fido_cred_pubkey_ptr(credential), fido_cred_pubkey_len(credential))
        let passkey = PasskeyPublicKey(id: id, algorithm: algorithm, key: key, isBackupEligible: data.isBackupEligible)
        guard !id.isEmpty, id.count <= idBytesMax, !key.isEmpty, passkey.withKey({ _ in true }) == true else {
            throw PasskeyFault.malformed
        }
        return passkey
    }

    private static func copy(_ pointer: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        guard let pointer else { return [] }
        return Array(UnsafeBufferPointer(start: pointer, count: count))
    }

    /// Verifies a signature.
    /// - Throws: ``PasskeyFault``.
    public func verify(
        _ signature: [UInt8], of authenticatorData: [UInt8], _ clientData: PasskeyClientData, at site: RelyingParty
    ) throws -> State {
        let data = try AuthenticatorData(authenticatorData, at: site)
        guard data.isBackupEligible == isBackupEligible else { throw PasskeyFault.wrongBackupState }
        var assertion = fido_assert_new()
        guard assertion != nil else { throw PasskeyFault.malformed }
        defer { fido_assert_free(&assertion) }
        guard !signature.isEmpty, signature.count <= Self.signatureBytesMax,
            fido_assert_set_clientdata(assertion, clientData.json, clientData.json.count) == FIDO_OK,
            fido_assert_set_rp(assertion, site.id) == FIDO_OK,
            fido_assert_set_up(assertion, FIDO_OPT_TRUE) == FIDO_OK,
            fido_assert_set_uv(assertion, FIDO_OPT_TRUE) == FIDO_OK,
            fido_assert_set_count(assertion, 1) == FIDO_OK,
            fido_assert_set_authdata_raw(assertion, 0, data.bytes, data.bytes.count) == FIDO_OK,
            fido_assert_set_sig(assertion, 0, signature, signature.count) == FIDO_OK
        else { throw PasskeyFault.malformed }
        let code = Int32(algorithm.rawValue)
        guard withKey({ fido_assert_verify(assertion, 0, code, $0) == FIDO_OK }) == true else {
            throw PasskeyFault.wrongSignature
        }
        return State(counter: data.counter, isBackedUp: data.isBackedUp)
    }

    /// Calls `body` with the key in libfido2's form; nil if it is not a key.
    private func withKey(_ body: (UnsafeRawPointer) -> Bool) -> Bool? {
        switch algorithm {
        case .es256:
            var made = es256_pk_new()
            defer { es256_pk_free(&made) }
            guard let made, es256_pk_from_ptr(made, key, key.count) == FIDO_OK else { return nil }
            return body(UnsafeRawPointer(made))
        case .eddsa:
            var made = eddsa_pk_new()
            defer { eddsa_pk_free(&made) }
            guard let made, eddsa_pk_from_ptr(made, key, key.count) == FIDO_OK else { return nil }
            return body(UnsafeRawPointer(made))
        case .rs256:
            var made = rs256_pk_new()
            defer { rs256_pk_free(&made) }
            guard let made, rs256_pk_from_ptr(made, key, key.count) == FIDO_OK else { return nil }
            return body(UnsafeRawPointer(made))
        }
    }
}
