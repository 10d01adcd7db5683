/// Proof that a page began a sign-in by a provider, and that the provider has answered.
public struct OpenIDProof: Sendable {
    /// From the fragment of the page's address.
    public var ticket: String
    /// Secret of the page, whose hash went to `/openid/PROVIDER/start`.
    public var secret: String
    public init(ticket: String, secret: String) { (self.ticket, self.secret) = (ticket, secret) }
}

/// What a person does after a provider's sign-in that opens no account yet.
public enum OpenIDStep: String, WireChoice {
    /// Make an account with `account.registerOpenID`.
    case register
    /// Log in to the account that has the address, then `account.connectOpenID`.
    case connect
}

public enum AccountFinishOpenID: RPCMethod {
    public static let name = "account.finishOpenID"
    public static let summary = """
        Signs in by a provider of OpenID Connect, or says what the person has to do first; then the ticket stays valid for it.
        """
    public static let access = MethodAccess.everybody
    public static let limits: [MethodLimit] = [.each(.login)]
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .rejected]
    public struct Params: Codable, Sendable {
        /// From the fragment of the page's address. It works once, within 10 minutes.
        public var ticket: String
        /// Secret of the page, whose SHA-256 went to `/openid/PROVIDER/start`.
        public var secret: String
        /// ``SignedIn/device`` of an earlier sign-in on this device.
        public var device: String?
        public init(ticket: String, secret: String, device: String? = nil) {
            (self.ticket, self.secret, self.device) = (ticket, secret, device)
        }
        public var proof: OpenIDProof { OpenIDProof(ticket: ticket, secret: secret) }
    }
    public struct Result: Codable, Sendable {
        /// Nil if the identity belongs to no account.
        public var signedIn: SignedIn?
        /// What the person does first; nil after a sign-in.
        public var next: OpenIDStep?
        /// Name of the provider, to display.
        public var label: String
        /// Suggestion for a user name.
        public var username: String?
        /// Address that the provider has of the person.
        public var email: String?
        /// Whether the provider has verified it. The new account then has this address and no other.
        public var isEmailVerified: Bool
        public init(
            signedIn: SignedIn? = nil, next: OpenIDStep? = nil, label: String, username: String? = nil,
            email: String? = nil, isEmailVerified: Bool = false
        ) {
            (self.signedIn, self.next, self.label) = (signedIn, next, label)
            (self.username, self.email, self.isEmailVerified) = (username, email, isEmailVerified)
        }
    }
}

public enum AccountRegisterOpenID: RPCMethod {
    public static let name = "account.registerOpenID"
    public static let summary = "Creates an account without a password for an identity at a provider, and signs in."
    public static let access = MethodAccess.everybody
    public static let texts: [String: TextLimit] = ["username": .username]
    public static let limits: [MethodLimit] = [.each(.register)]
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .rejected]
    public struct Params: Codable, Sendable {
        /// From the fragment of the page's address.
        public var ticket: String
        /// Secret of the page.
        public var secret: String
        /// 4 to 20 letters and digits.
        public var username: String?
        /// Address of the person, where the provider has verified none.
        public var email: String?
        /// ``SignedIn/device`` of an earlier sign-in on this device.
        public var device: String?
        public init(
            ticket: String, secret: String, username: String?, email: String? = nil, device: String? = nil
        ) {
            (self.ticket, self.secret, self.username) = (ticket, secret, username)
            (self.email, self.device) = (email, device)
        }
        public var proof: OpenIDProof { OpenIDProof(ticket: ticket, secret: secret) }
    }
    public typealias Result = SignedIn
}

public enum AccountProviders: RPCMethod {
    public static let name = "account.providers"
    public static let summary =
        "Lists the server's providers of OpenID Connect, and which of them sign in to the caller's account."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// A provider.
    public struct Provider: Codable, Sendable, Equatable {
        /// Name in addresses, and parameter of `account.disconnectOpenID`.
        public var name: String
        /// Name to display.
        public var label: String
        /// Time at which an identity was connected; nil if none is.
        public var connectedAt: Timestamp?
        public init(name: String, label: String, connectedAt: Timestamp? = nil) {
            (self.name, self.label, self.connectedAt) = (name, label, connectedAt)
        }
    }
    public struct Result: Codable, Sendable, Equatable {
        /// In the operator's order.
        public var providers: [Provider]
        /// False for an account that a provider's sign-in made, until its owner sets a password.
        public var hasPassword: Bool
        public init(providers: [Provider], hasPassword: Bool) {
            (self.providers, self.hasPassword) = (providers, hasPassword)
        }
    }
}

public enum AccountConnectOpenID: RPCMethod {
    public static let name = "account.connectOpenID"
    public static let summary =
        "Connects an identity at a provider with the caller's account, to which it then signs in."
    public static let access = MethodAccess.confirmed
    public static let limits: [MethodLimit] = [.each(.login)]
    public static let errors: [ErrorCode] = [.conflict, .invalidCredentials, .notFound]
    public struct Params: Codable, Sendable {
        /// From the fragment of the page's address.
        public var ticket: String
        /// Secret of the page.
        public var secret: String
        /// The caller's password.
        public var password: String?
        public init(ticket: String, secret: String, password: String?) {
            (self.ticket, self.secret, self.password) = (ticket, secret, password)
        }
        public var proof: OpenIDProof { OpenIDProof(ticket: ticket, secret: secret) }
    }
    public typealias Result = AccountProviders.Result
}

public enum AccountDisconnectOpenID: RPCMethod {
    public static let name = "account.disconnectOpenID"
    public static let summary =
        "Disconnects the identity at a provider from the caller's account, and logs out the account's other devices."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.invalidCredentials, .notFound]
    public struct Params: Codable, Sendable {
        /// Name of the provider.
        public var provider: String
        /// The caller's password, by which the account can be opened afterwards.
        public var password: String?
        public init(provider: String, password: String?) { (self.provider, self.password) = (provider, password) }
    }
    public typealias Result = AccountProviders.Result
}

extension APIRegistry {
    static let openID: [any RPCMethod.Type] = [
        AccountFinishOpenID.self, AccountRegisterOpenID.self, AccountProviders.self, AccountConnectOpenID.self,
        AccountDisconnectOpenID.self,
    ]
}
