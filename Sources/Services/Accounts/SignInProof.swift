import Wire

/// What was verified of the person who signs in. It is checked once more, in the statement that makes the token: it may have become
/// invalid since.
enum SignInProof: Sendable, Equatable {
    /// A password with this stored hash. It is invalid once the account has another password.
    case password(hash: String)
    /// An identity at a provider. It is invalid once it is not connected with the account any more.
    case provider(issuer: String, subject: String)

    /// Hash that the account must still have; nil for a proof without a password.
    var passwordHash: String? {
        switch self {
        case .password(let hash): hash
        case .provider: nil
        }
    }

    /// Error if it is not valid any more.
    var refusal: RPCError {
        switch self {
        case .password: Accounts.wrongCredentials
        case .provider: Accounts.identityGone
        }
    }

    /// Identity that must still be connected with the account; nil for a proof without one.
    var identity: (issuer: String, subject: String)? {
        switch self {
        case .password: nil
        case .provider(let issuer, let subject): (issuer, subject)
        }
    }
}
