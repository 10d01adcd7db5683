import Wire

/// What was verified of the person who signs in. It is checked once more, in the statement that makes the token: it may have become
/// invalid since.
enum SignInProof: Sendable, Equatable {
    /// A password with this stored hash. It is invalid once the account has another password.
    case password(hash: String)
    /// An identity at a provider. It is invalid once it is not connected with the account any more.
    case provider(issuer: String, subject: String)
    /// A passkey with this id, by which the authenticator has verified the person. It is invalid once it is removed or stopped.
    case passkey(id: Int64)
    /// A second factor after one of the others. The transaction that signs in has removed the pending sign-in.
    case secondFactor

    /// Hash that the account must still have; nil for a proof without a password.
    var passwordHash: String? { if case .password(let hash) = self { hash } else { nil } }

    /// Passkey that the account must still have; nil for a proof without one.
    var passkey: Int64? { if case .passkey(let id) = self { id } else { nil } }

    /// Whether an account with a second factor needs none besides this proof.
    var isComplete: Bool {
        switch self {
        case .password, .provider: false
        case .passkey, .secondFactor: true
        }
    }

    /// Error if it is not valid any more.
    var refusal: RPCError { identity == nil ? Accounts.wrongCredentials : Accounts.identityGone }

    /// Identity that must still be connected with the account; nil for a proof without one.
    var identity: (issuer: String, subject: String)? {
        switch self {
        case .provider(let issuer, let subject): (issuer, subject)
        case .password, .passkey, .secondFactor: nil
        }
    }
}
