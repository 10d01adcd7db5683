/// A reason for which the answer of an authenticator is refused.
public enum PasskeyFault: Error, Sendable, Equatable, CaseIterable {
    /// Not in the format of the specification.
    case malformed
    /// For another operation: a sign-in instead of a registration, or the reverse.
    case otherOperation
    /// Made on a page of another site, or within one.
    case otherSite
    /// Nobody touched the authenticator.
    case notPresent
    /// The authenticator did not verify the person by a PIN, a fingerprint or the like.
    case notVerified
    /// The key is of no algorithm that the server offers.
    case unknownAlgorithm
    /// The signature is not of the passkey's key.
    case wrongSignature
    /// What the authenticator says of backups contradicts itself or the registration.
    case wrongBackupState
}
