/// Permissions of an account (requirement N-3). A guest has no account.
public enum Role: String, WireChoice {
    case student, lecturer, admin, rewards
}

/// An account as its owner sees it.
public struct Account: Sendable, Codable, Equatable {
    public var id: Int64
    public var username: String
    public var role: Role
    /// Sent to the owner only (U-8).
    public var email: String
    /// Whether the owner has proved to read mail to the address (T-1).
    public var isEmailConfirmed: Bool
    /// Time at which the account is removed unless its address is confirmed. Until it is, everything for the campus is closed to the
    /// account. Nil for an account without such a condition.
    public var confirmBy: Timestamp?
    /// Whether the account has a passkey or an authenticator app.
    public var hasSecondFactor: Bool
    /// True for a sample runner or a replayed recording: the account belongs to no person.
    public var simulated: Bool
    /// Path of the account's picture. A new account has ``defaultPicture`` (U-1).
    public var picture: String

    /// Path of the picture of an account that has not uploaded one.
    public static let defaultPicture = "/app/assets/person.svg"

    public init(
        id: Int64, username: String, role: Role, email: String, isEmailConfirmed: Bool = false,
        confirmBy: Timestamp? = nil, hasSecondFactor: Bool = false, simulated: Bool, picture: String = defaultPicture
    ) {
        self.hasSecondFactor = hasSecondFactor
        self.isEmailConfirmed = isEmailConfirmed
        self.confirmBy = confirmBy
        self.picture = picture
        self.id = id
        self.username = username
        self.role = role
        self.email = email
        self.simulated = simulated
    }
}

public enum Hello: RPCMethod {
    public static let name = "hello"
    public static let summary = "Identifies the client. It must be the first request of a connection."
    public static let access = MethodAccess.everybody
    public static let isForOutdated = true
    public static let limits: [MethodLimit] = [.counted(.token, "1 if the token is not valid")]
    public struct Params: Codable, Sendable {
        public struct Client: Codable, Sendable {
            /// Such as `campanile-web`.
            public var name: String
            /// Such as `1.0`.
            public var version: String?
            /// What the program runs on, such as `Firefox on Android`, for the list of devices and for mails to the owner. At most 80
            /// characters are kept.
            public var platform: String?
            public init(name: String, version: String? = nil, platform: String? = nil) {
                self.name = name
                self.version = version
                self.platform = platform
            }
        }
        /// Token from `account.login` or `account.register`. Without a token the connection is a guest's.
        public var token: String?
        public var client: Client?
        /// Whether the client stores a token that the reply brings, and sends it from then on. Without this a token stays the same until
        /// it expires.
        public var rotates: Bool?
        /// ``ProtocolVersion`` that the client speaks; 1 if left out.
        @Count public var protocolVersion: Int?
        public init(
            token: String? = nil, client: Client? = nil, rotates: Bool? = nil, protocolVersion: Int? = nil
        ) {
            self.token = token
            self.client = client
            self.rotates = rotates
            self.protocolVersion = protocolVersion
        }
    }
    public struct Result: Codable, Sendable {
        /// Nil for a guest.
        public var account: Account?
        /// Token that replaces the one of the request. That one ends when this one is used. Nil if none is due.
        public var token: String?
        /// Clock of the server, by which a client corrects its own clock.
        public var serverTime: Timestamp
        public var version: String
        /// Version of the web app that the server has, such as `3f9a0c2b7d11`: another than that of an open page means that a reload
        /// brings a newer one. Nil from older servers.
        public var webApp: String?
        /// True if the server no longer supports the client's version of the protocol: it accepts only what the client still holds, and
        /// answers other methods with `clientOutdated`. Nil otherwise.
        public var isOutdated: Bool?
        public var campus: CampusInfo
        public init(
            account: Account?, token: String? = nil, serverTime: Timestamp, version: String, webApp: String? = nil,
            isOutdated: Bool? = nil, campus: CampusInfo
        ) {
            self.webApp = webApp
            self.isOutdated = isOutdated
            self.account = account
            self.token = token
            self.serverTime = serverTime
            self.version = version
            self.campus = campus
        }
    }
}

public enum Ping: RPCMethod {
    public static let name = "ping"
    public static let summary = "Returns the server's clock, so that a client can check a silent connection."
    public static let access = MethodAccess.everybody
    public static let isForOutdated = true
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        public var serverTime: Timestamp
        public init(serverTime: Timestamp) { self.serverTime = serverTime }
    }
}

public enum ServerInfo: RPCMethod {
    public static let name = "server.info"
    public static let summary = "Returns what the server is, for programs and for the page About."
    public static let access = MethodAccess.everybody
    public static let isForOutdated = true
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Version of the server, such as `1.0`.
        public var version: String
        /// Name of the campus, to display.
        public var campus: String
        /// Whether everybody may make an account with `account.register`; otherwise admins invite people.
        public var isRegistrationOpen: Bool
        /// Methods that this server has, in alphabetical order.
        public var methods: [String]
        public init(version: String, campus: String, isRegistrationOpen: Bool, methods: [String]) {
            self.version = version
            self.campus = campus
            self.isRegistrationOpen = isRegistrationOpen
            self.methods = methods
        }
    }
}

/// Result of signing in: the account and a token that authenticates later connections.
public struct SignedIn: Codable, Sendable {
    public var account: Account
    /// Sent only here; the server stores its hash.
    public var token: String
    /// Message to show to the person verbatim. Only registration sends it.
    public var message: String?
    /// Token that proves in a later `account.login` that this device has signed in before. It grants no access. Nil for simulated
    /// accounts.
    public var device: String?
    public init(account: Account, token: String, message: String? = nil, device: String? = nil) {
        self.account = account
        self.token = token
        self.message = message
        self.device = device
    }
}

public enum AccountRegister: RPCMethod {
    public static let name = "account.register"
    public static let summary = "Creates an account and signs in."
    public static let access = MethodAccess.everybody
    public static let texts: [String: TextLimit] = ["username": .username, "password": .password]
    public static let limits: [MethodLimit] = [.counted(.register, "1, or 0 with the operator's key")]
    public static let errors: [ErrorCode] = [.forbidden, .rejected]
    /// Members of a registration. The server treats a missing member as an empty one, so that the person gets the verbatim messages of
    /// U-1.
    public struct Params: Codable, Sendable {
        /// 4 to 20 letters and digits.
        public var username: String?
        /// Address with characters before `@`, between `@` and `.`, and after `.`.
        public var email: String?
        /// As the operator's rule demands: 8 to 20 characters, at least one of them a capital letter and one a digit; or 8 to 128. Not a
        /// common password.
        public var password: String?
        /// The operator's key for creating simulated accounts.
        public var simulationKey: String?
        /// ``SignedIn/device`` of an earlier sign-in on this device, by any account.
        public var device: String?
        public init(
            username: String?, email: String?, password: String?, simulationKey: String? = nil, device: String? = nil
        ) {
            self.username = username
            self.email = email
            self.password = password
            self.simulationKey = simulationKey
            self.device = device
        }
    }
    public typealias Result = SignedIn
}

public enum AccountLogin: RPCMethod {
    public static let name = "account.login"
    public static let summary = "Signs in."
    public static let access = MethodAccess.everybody
    public static let limits: [MethodLimit] = [
        .counted(.device, "1 on a device that has signed in before"),
        .counted(.login, "1 on another device"),
    ]
    public static let errors: [ErrorCode] = [.invalidCredentials, .rejected, .secondFactorRequired]
    public struct Params: Codable, Sendable {
        /// Address given at registration; upper and lower case are equal.
        public var email: String?
        public var password: String?
        /// ``SignedIn/device`` of an earlier sign-in on this device. Wrong passwords from elsewhere do not delay a known device.
        public var device: String?
        public init(email: String?, password: String?, device: String? = nil) {
            self.email = email
            self.password = password
            self.device = device
        }
    }
    public typealias Result = SignedIn
}

public enum AccountMe: RPCMethod {
    public static let name = "account.me"
    public static let summary = "Returns the caller's account."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let isForProvisional = true
    public typealias Params = Empty
    public typealias Result = OwnAccount
}

/// The caller's account, and an address that waits for its confirmation.
public struct OwnAccount: Codable, Sendable, Equatable {
    public var account: Account
    /// Address that a mail with a code was requested for: that of the account, or the one that will replace it. Nil if none waits.
    public var confirming: String?
    public init(account: Account, confirming: String? = nil) {
        self.account = account
        self.confirming = confirming
    }
}

public enum AccountChangePassword: RPCMethod {
    public static let name = "account.changePassword"
    public static let summary = "Replaces the caller's password. Signs out all other devices and revokes grants."
    public static let access = MethodAccess.accounts
    public static let texts: [String: TextLimit] = ["newPassword": .password]
    public static let errors: [ErrorCode] = [.conflict, .forbidden, .invalidCredentials, .rejected]
    public struct Params: Codable, Sendable {
        /// Current password.
        public var password: String
        /// As the operator's rule demands: 8 to 20 characters, at least one of them a capital letter and one a digit; or 8 to 128. Not a
        /// common password.
        public var newPassword: String
        public init(password: String, newPassword: String) {
            self.password = password
            self.newPassword = newPassword
        }
    }
    /// Number of the other devices, which are signed out.
    public typealias Result = Revoked
}

public enum AccountRequestReset: RPCMethod {
    public static let name = "account.requestReset"
    public static let summary = """
        Mails a link to reset the password, if the address has an account. The answer is the same for every address.
        """
    public static let access = MethodAccess.everybody
    public static let limits: [MethodLimit] = [.each(.login)]
    public static let errors: [ErrorCode] = [.conflict, .rejected]
    public struct Params: Codable, Sendable {
        /// Address given at registration; upper and lower case are equal.
        public var email: String?
        public init(email: String?) { self.email = email }
    }
    public typealias Result = Empty
}

public enum AccountReset: RPCMethod {
    public static let name = "account.reset"
    public static let summary = """
        Sets a new password by a link that was mailed. Signs out all devices, revokes grants, and does not sign in.
        """
    public static let access = MethodAccess.everybody
    public static let texts: [String: TextLimit] = ["password": .password]
    public static let limits: [MethodLimit] = [.each(.login)]
    public static let errors: [ErrorCode] = [.notFound, .rejected]
    public struct Params: Codable, Sendable {
        /// Token from the link.
        public var token: String
        /// As the operator's rule demands: 8 to 20 characters, at least one of them a capital letter and one a digit; or 8 to 128. Not a
        /// common password.
        public var password: String?
        public init(token: String, password: String? = nil) {
            self.token = token
            self.password = password
        }
    }
    /// Number of the devices, which are signed out.
    public typealias Result = Revoked
}

public enum AccountSendConfirmation: RPCMethod {
    public static let name = "account.sendConfirmation"
    public static let summary = """
        Mails another code and link to confirm the address that waits for it, or that of the account.
        """
    public static let access = MethodAccess.accounts
    public static let isForProvisional = true
    public static let limits: [MethodLimit] = [.each(.login)]
    public static let errors: [ErrorCode] = [.conflict]
    public typealias Params = Empty
    public typealias Result = OwnAccount
}

public enum AccountConfirmEmail: RPCMethod {
    public static let name = "account.confirmEmail"
    public static let summary = "Confirms an address by the code or the link of the latest mail to it."
    public static let access = MethodAccess.accounts
    public static let isForProvisional = true
    public static let limits: [MethodLimit] = [.each(.login)]
    public static let errors: [ErrorCode] = [.conflict, .notFound, .rejected]
    public struct Params: Codable, Sendable {
        /// Six digits from the mail.
        public var code: String?
        /// Token from the link. It is for the account that requested it alone.
        public var token: String?
        public init(code: String? = nil, token: String? = nil) {
            self.code = code
            self.token = token
        }
    }
    public typealias Result = OwnAccount
}

public enum AccountChangeEmail: RPCMethod {
    public static let name = "account.changeEmail"
    public static let summary = """
        Mails a code and a link to another address. It replaces the caller's when it is confirmed; one that is not confirmed yet, at once.
        """
    public static let access = MethodAccess.accounts
    public static let isForProvisional = true
    public static let limits: [MethodLimit] = [.each(.login)]
    public static let errors: [ErrorCode] = [.conflict, .invalidCredentials, .rejected]
    public struct Params: Codable, Sendable {
        /// The new address, at most 20 a day. The present one cancels a change.
        public var email: String
        /// Current password. Of an account that has none and whose address is not confirmed, whatever is given is accepted.
        public var password: String
        public init(email: String, password: String) {
            self.email = email
            self.password = password
        }
    }
    public typealias Result = OwnAccount
}

extension APIRegistry {
    static let accounts: [any RPCMethod.Type] = [
        Hello.self, Ping.self, ServerInfo.self, AccountRegister.self, AccountLogin.self, AccountMe.self,
        AccountDevices.self, AccountLogout.self, AccountLogoutEverywhere.self, AccountChangePassword.self,
        AccountRequestReset.self, AccountReset.self, AccountSendConfirmation.self, AccountConfirmEmail.self,
        AccountChangeEmail.self,
    ]
}
