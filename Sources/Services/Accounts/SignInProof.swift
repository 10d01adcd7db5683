/// What was verified of the person who signs in. It is checked once more, in the statement that makes the token: it may have become
/// invalid since.
enum SignInProof: Sendable, Equatable {
    /// A password with this stored hash. It is invalid once the account has another password.
    case password(hash: String)

    /// Hash that the account must still have; nil for a proof without a password.
    var passwordHash: String? {
        switch self {
        case .password(let hash): hash
        }
    }
}
