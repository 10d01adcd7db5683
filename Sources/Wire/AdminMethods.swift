/// Whether an account may sign in.
public enum AccountState: String, WireChoice {
    case active, disabled
}

/// An account as admins see it, without its full email address (U-8).
public struct AdminUser: Codable, Sendable, Equatable {
    public var id: Int64
    /// 4 to 20 letters and digits.
    public var username: String
    /// First and last name from the buddy profile; nil without a profile.
    public var name: String?
    /// Masked address, such as `j•••@northwestern.edu`.
    public var email: String
    public var role: Role
    public var state: AccountState
    /// True while the person has not set a password for an account that an admin created.
    public var invited: Bool
    /// True for a sample runner or a replayed recording: the account belongs to no person.
    public var simulated: Bool
    public var createdAt: Timestamp
    /// Time at which the account is removed unless its owner confirms the address. Nil for an account without such a condition.
    public var confirmBy: Timestamp?
    /// Time of the last `hello` from any of its devices, rounded to the minute.
    public var lastUsedAt: Timestamp?
    public init(
        id: Int64, username: String, name: String? = nil, email: String, role: Role, state: AccountState, invited: Bool,
        simulated: Bool, createdAt: Timestamp, confirmBy: Timestamp? = nil, lastUsedAt: Timestamp? = nil
    ) {
        self.id = id
        self.username = username
        self.name = name
        self.email = email
        self.role = role
        self.state = state
        self.invited = invited
        self.simulated = simulated
        self.createdAt = createdAt
        self.confirmBy = confirmBy
        self.lastUsedAt = lastUsedAt
    }
}

public enum AdminUsers: RPCMethod {
    public static let name = "admin.users"
    public static let summary = "Lists accounts, newest first."
    public static let access = MethodAccess.roles([.admin])
    public static let limits: [MethodLimit] = [.each(.search)]
    public struct Params: Codable, Sendable {
        /// Words that occur in the username or the name, or one full email address, which selects its account.
        public var text: String?
        public var role: Role?
        public var state: AccountState?
        /// Restricts the list to accounts below this number: `next` of the previous reply.
        @ObjectID public var before: Int64?
        /// 1 to 100; default 30.
        @Count public var limit: Int?
        public init(
            text: String? = nil, role: Role? = nil, state: AccountState? = nil, before: Int64? = nil, limit: Int? = nil
        ) {
            self.text = text
            self.role = role
            self.state = state
            self.before = before
            self.limit = limit
        }
    }
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var users: [AdminUser]
        /// Value of `before` for the next page; nil on the last page.
        public var next: Int64?
        public init(users: [AdminUser], next: Int64? = nil) {
            self.users = users
            self.next = next
        }
    }
}

public enum AdminUserGet: RPCMethod {
    public static let name = "admin.user"
    public static let summary = "Returns counts about one account. It returns no content or location of the person."
    public static let access = MethodAccess.roles([.admin])
    public static let errors: [ErrorCode] = [.notFound]
    public typealias Params = AccountParams
    public struct Result: Codable, Sendable {
        public var user: AdminUser
        /// Number of devices on which the account is signed in.
        public var devices: Int
        /// Number of its tracking sessions that ended before today (UTC).
        public var sessions: Int
        /// Whether the map shows one of its sessions now. False for a private session and for one in a private zone or a residence.
        public var tracking: Bool
        /// Number of its matches.
        public var buddies: Int
        /// Number of published events that it created.
        public var events: Int
        /// Number of reports about the account.
        public var reportsAbout: Int
        /// Number of reports about the account that are not closed.
        public var openReportsAbout: Int
        /// Number of reports that the account submitted.
        public var reportsBy: Int
        public var disabledAt: Timestamp?
        /// Reason that the admin gave.
        public var disabledReason: String?
        /// Expiry of the link for setting the first password.
        public var welcomeExpiresAt: Timestamp?
        public init(
            user: AdminUser, devices: Int, sessions: Int, tracking: Bool, buddies: Int, events: Int, reportsAbout: Int,
            openReportsAbout: Int, reportsBy: Int, disabledAt: Timestamp? = nil, disabledReason: String? = nil,
            welcomeExpiresAt: Timestamp? = nil
        ) {
            self.user = user
            self.devices = devices
            self.sessions = sessions
            self.tracking = tracking
            self.buddies = buddies
            self.events = events
            self.reportsAbout = reportsAbout
            self.openReportsAbout = openReportsAbout
            self.reportsBy = reportsBy
            self.disabledAt = disabledAt
            self.disabledReason = disabledReason
            self.welcomeExpiresAt = welcomeExpiresAt
        }
    }
}

/// Link for setting the first password. The server sends it only here and stores its hash.
public struct Welcome: Codable, Sendable {
    public var user: AdminUser
    /// `/welcome/TOKEN` on this server.
    public var path: String
    public var expiresAt: Timestamp
    public init(user: AdminUser, path: String, expiresAt: Timestamp) {
        self.user = user
        self.path = path
        self.expiresAt = expiresAt
    }
}

public enum AdminAddUser: RPCMethod {
    public static let name = "admin.addUser"
    public static let summary = """
        Creates an account without a password. The person gets a mail with the link for setting one.
        """
    public static let access = MethodAccess.roles([.admin])
    public static let texts: [String: TextLimit] = ["username": .username]
    public static let limits: [MethodLimit] = [.each(.newUser)]
    public static let errors: [ErrorCode] = [.invalidCredentials, .rejected]
    public struct Params: Codable, Sendable {
        /// 4 to 20 letters and digits, unique.
        public var username: String
        /// Address for the mail; unique.
        public var email: String
        public var role: Role
        /// The admin's password. Required for creating another admin.
        public var password: String?
        public init(username: String, email: String, role: Role, password: String? = nil) {
            self.username = username
            self.email = email
            self.role = role
            self.password = password
        }
    }
    public typealias Result = Welcome
}

public enum AdminWelcomeUser: RPCMethod {
    public static let name = "admin.welcomeUser"
    public static let summary = """
        Issues another link for an account whose first password is not set. The previous link stops working.
        """
    public static let access = MethodAccess.roles([.admin])
    public static let limits: [MethodLimit] = [.each(.newUser)]
    public static let errors: [ErrorCode] = [.notFound, .conflict, .invalidCredentials]
    public struct Params: Codable, Sendable {
        @ObjectID public var account: Int64
        /// The admin's password.
        public var password: String?
        public init(account: Int64, password: String? = nil) {
            self.account = account
            self.password = password
        }
    }
    public typealias Result = Welcome
}

public enum AccountAccept: RPCMethod {
    public static let name = "account.accept"
    public static let summary = "Sets the first password of an account that an admin created, and signs in."
    public static let access = MethodAccess.everybody
    public static let texts: [String: TextLimit] = ["password": .password]
    public static let limits: [MethodLimit] = [.each(.login)]
    public static let errors: [ErrorCode] = [.notFound, .rejected, .secondFactorRequired]
    public struct Params: Codable, Sendable {
        /// Token from the link.
        public var token: String
        /// As the operator's rule demands: 8 to 20 characters, at least one of them a capital letter and one a digit; or 8 to 128. Not a
        /// common password.
        public var password: String?
        /// ``SignedIn/device`` of an earlier sign-in on this device, by any account.
        public var device: String?
        public init(token: String, password: String? = nil, device: String? = nil) {
            self.token = token
            self.password = password
            self.device = device
        }
    }
    public typealias Result = SignedIn
}

public enum AdminEditUser: RPCMethod {
    public static let name = "admin.editUser"
    public static let summary = """
        Changes the given members. The account is signed out everywhere, so that the change takes effect immediately.
        """
    public static let access = MethodAccess.roles([.admin])
    public static let texts: [String: TextLimit] = ["username": .username]
    public static let errors: [ErrorCode] = [.notFound, .conflict, .invalidCredentials, .rejected]
    public struct Params: Codable, Sendable {
        @ObjectID public var account: Int64
        /// 4 to 20 letters and digits, unique.
        public var username: String?
        /// Unique.
        public var email: String?
        public var role: Role?
        /// The admin's password. Required for changing an email address, for editing an admin and for making an account an admin.
        public var password: String?
        public init(
            account: Int64, username: String? = nil, email: String? = nil, role: Role? = nil, password: String? = nil
        ) {
            self.account = account
            self.username = username
            self.email = email
            self.role = role
            self.password = password
        }
    }
    public typealias Result = AdminUser
}

public enum AdminDisableUser: RPCMethod {
    public static let name = "admin.disableUser"
    public static let summary = "Signs the account out everywhere and prevents it from signing in. Idempotent."
    public static let access = MethodAccess.roles([.admin])
    public static let texts: [String: TextLimit] = ["reason": .adminReason]
    public static let errors: [ErrorCode] = [.notFound, .conflict, .invalidCredentials]
    public struct Params: Codable, Sendable {
        @ObjectID public var account: Int64
        /// Reason for other admins, at most 500 characters.
        public var reason: String
        /// The admin's password. Required for disabling another admin.
        public var password: String?
        public init(account: Int64, reason: String, password: String? = nil) {
            self.account = account
            self.reason = reason
            self.password = password
        }
    }
    public typealias Result = AdminUser
}

public enum AdminEnableUser: RPCMethod {
    public static let name = "admin.enableUser"
    public static let summary = "Permits a disabled account to sign in again. Idempotent."
    public static let access = MethodAccess.roles([.admin])
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public typealias Params = AccountParams
    public typealias Result = AdminUser
}

public enum AdminSignOutUser: RPCMethod {
    public static let name = "admin.signOutUser"
    public static let summary = "Revokes the tokens of all devices of the account."
    public static let access = MethodAccess.roles([.admin])
    public static let errors: [ErrorCode] = [.notFound]
    public typealias Params = AccountParams
    public typealias Result = Revoked
}

public enum AdminSendReset: RPCMethod {
    public static let name = "admin.sendReset"
    public static let summary =
        "Mails the owner of the account a link to set a new password. Until it is used, nothing changes."
    public static let access = MethodAccess.roles([.admin])
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public typealias Params = AccountParams
    public typealias Result = AccountParams
}

public enum AdminResetSecondFactor: RPCMethod {
    public static let name = "admin.resetSecondFactor"
    public static let summary =
        "Removes the passkeys, the authenticator app and the recovery codes of an account, signs it out, and mails its owner."
    public static let access = MethodAccess.roles([.admin])
    public static let errors: [ErrorCode] = [.conflict, .invalidCredentials, .notFound]
    public struct Params: Codable, Sendable {
        @ObjectID public var account: Int64
        /// The admin's password.
        public var password: String
        public init(account: Int64, password: String) {
            self.account = account
            self.password = password
        }
    }
    public typealias Result = AdminUser
}

public enum AdminDeleteUser: RPCMethod {
    public static let name = "admin.deleteUser"
    public static let summary = "Deletes the account and its data permanently."
    public static let access = MethodAccess.roles([.admin])
    public static let errors: [ErrorCode] = [.notFound, .conflict, .invalidCredentials, .rejected]
    public struct Params: Codable, Sendable {
        @ObjectID public var account: Int64
        /// Username of the account, as a confirmation.
        public var username: String
        /// The admin's password.
        public var password: String
        public init(account: Int64, username: String, password: String) {
            self.account = account
            self.username = username
            self.password = password
        }
    }
    public typealias Result = AccountParams
}

extension APIRegistry {
    static let administration: [any RPCMethod.Type] = [
        AdminUsers.self, AdminUserGet.self, AdminAddUser.self, AdminWelcomeUser.self, AccountAccept.self,
        AdminEditUser.self, AdminDisableUser.self, AdminEnableUser.self, AdminSignOutUser.self, AdminSendReset.self,
        AdminResetSecondFactor.self, AdminDeleteUser.self,
    ]
}
