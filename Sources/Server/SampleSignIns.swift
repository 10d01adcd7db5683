import Synchronization

/// Accounts of a demonstration to which the start and log-in pages offer a log-in with one click. Their passwords are public by design:
/// `/config.json` has them. Only `campanile demo` sets any.
public final class SampleSignIns: Sendable {
    /// One button.
    public struct SignIn: Encodable, Sendable {
        /// Text of the button.
        public let label: String
        /// Address of the account.
        public let email: String
        public let password: String

        public init(label: String, email: String, password: String) {
            self.label = label
            self.email = email
            self.password = password
        }
    }

    private let offered = Mutex<[SignIn]>([])

    public init() {}

    /// The buttons in their order; empty until the accounts are ready.
    public var all: [SignIn] { offered.withLock { $0 } }

    /// Replaces the buttons.
    public func offer(_ signIns: [SignIn]) { offered.withLock { $0 = signIns } }
}
