/// Reason why the server ended a sign-in, part of the close reason with close code 4003, so that a client can explain it to the person.
/// A client treats an unknown cause from a newer server as ``signedOut``.
public enum SignOutCause: String, WireChoice {
    /// An admin disabled the account. It cannot sign in.
    case disabled
    /// The account and its data were deleted.
    case removed
    /// An admin changed the account, for example its role. The change takes effect with the next sign-in.
    case changed
    /// Other devices signed in, and the account exceeded its limit of devices.
    case devices
    /// The person signed out on another device, an admin signed the account out, or the password changed.
    case signedOut

    private static let key = "cause="

    /// Reason of the close frame.
    public var reason: String { "signed out; \(Self.key)\(rawValue)" }

    /// Parses the reason of a close frame.
    public init(reason: String) {
        let name = reason.firstRange(of: Self.key).map { reason[$0.upperBound...].prefix(while: \.isLetter) }
        self = name.flatMap { Self(rawValue: String($0)) } ?? .signedOut
    }
}
