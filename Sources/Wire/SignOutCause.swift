/// Why the server ended a sign-in: said with the close code 4003, so that a person can be told what happened and what to do.
/// Who looks at it takes one that is unknown, of a newer server, for ``signedOut``.
public enum SignOutCause: String, Sendable, Codable, CaseIterable {
    /// An admin disabled the account: signing in again is refused.
    case disabled
    /// The account was removed, with all that was its own.
    case removed
    /// An admin changed the account, its role perhaps: what holds now comes with the next sign-in.
    case changed
    /// Other devices signed in, more than one account may have at once.
    case devices
    /// Signed out by the person on another device, by an admin, or with a new password.
    case signedOut

    private static let key = "cause="

    /// The close frame's reason.
    public var reason: String { "signed out; \(Self.key)\(rawValue)" }

    /// What ``reason`` said.
    public init(reason: String) {
        let said = reason.firstRange(of: Self.key).map { reason[$0.upperBound...].prefix(while: \.isLetter) }
        self = said.flatMap { Self(rawValue: String($0)) } ?? .signedOut
    }
}
