/// Whether an account may sign in.
public enum AccountState: String, WireChoice {
    case active, disabled
}

/// An account as admins see it. Nobody's whole email address is among it (U-8).
public struct AdminUser: Codable, Sendable, Equatable {
    /// Its number.
    public var id: Int64
    /// 4-20 letters and digits.
    public var username: String
    /// First and last name of the buddy profile, if there is one.
    public var name: String?
    /// Masked: `j•••@northwestern.edu`.
    public var email: String
    /// What it may do.
    public var role: Role
    /// Whether it may sign in.
    public var state: AccountState
    /// An admin made it, and nobody has set a password yet.
    public var invited: Bool
    /// A sample runner or a replayed recording, never a person.
    public var simulated: Bool
    /// When it was made.
    public var createdAt: Timestamp
    /// When a device of it last said hello, to the minute.
    public var lastUsedAt: Timestamp?
    public init(
        id: Int64, username: String, name: String? = nil, email: String, role: Role, state: AccountState, invited: Bool,
        simulated: Bool, createdAt: Timestamp, lastUsedAt: Timestamp? = nil
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
        self.lastUsedAt = lastUsedAt
    }
}

/// `admin.users`: who there is, newest first.
public enum AdminUsers: RPCMethod {
    public static let name = "admin.users"
    public static let access = MethodAccess.roles([.admin])
    /// Which.
    public struct Params: Codable, Sendable {
        /// Words of username or name, each anywhere; or a whole email address, which finds the one account that has it.
        public var text: String?
        /// Only this role.
        public var role: Role?
        /// Only these.
        public var state: AccountState?
        /// Only below this number: the last reply's `next`.
        @ObjectID public var before: Int64?
        /// 1 to 100; 30 unless given.
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
    /// A page.
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var users: [AdminUser]
        /// Give it as `before` for the next page; nil when there is none.
        public var next: Int64?
        public init(users: [AdminUser], next: Int64? = nil) {
            self.users = users
            self.next = next
        }
    }
}

/// `admin.user`: one account, by figures; nothing of what it wrote or where it was.
public enum AdminUserGet: RPCMethod {
    public static let name = "admin.user"
    public static let access = MethodAccess.roles([.admin])
    public typealias Params = AccountParams
    /// One account.
    public struct Result: Codable, Sendable {
        /// Who.
        public var user: AdminUser
        /// Where it is signed in.
        public var devices: Int
        /// Its tracking sessions that ended before today (UTC).
        public var sessions: Int
        /// The map shows one of its sessions now. False for a private one, and for one in a private zone or a residence.
        public var tracking: Bool
        /// Its matches.
        public var buddies: Int
        /// Events it made, without drafts.
        public var events: Int
        /// Reports of it, by whomever.
        public var reportsAbout: Int
        /// Those that are not closed.
        public var openReportsAbout: Int
        /// Reports it made.
        public var reportsBy: Int
        /// When it was disabled.
        public var disabledAt: Timestamp?
        /// Why, as the admin put it.
        public var disabledReason: String?
        /// Until when the link works by which it sets its first password.
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

/// The link by which the person sets the first password. Shown once: the server keeps its hash only.
public struct Welcome: Codable, Sendable {
    /// Whose.
    public var user: AdminUser
    /// `/welcome/TOKEN` on this server.
    public var path: String
    /// Until when it works.
    public var expiresAt: Timestamp
    public init(user: AdminUser, path: String, expiresAt: Timestamp) {
        self.user = user
        self.path = path
        self.expiresAt = expiresAt
    }
}

/// `admin.addUser`: an account without a password, which the person sets by a link. They are told.
public enum AdminAddUser: RPCMethod {
    public static let name = "admin.addUser"
    public static let access = MethodAccess.roles([.admin])
    /// Who.
    public struct Params: Codable, Sendable {
        /// 4-20 letters and digits, unique.
        public var username: String
        /// Where they are told; unique.
        public var email: String
        /// What it may do.
        public var role: Role
        /// The admin's own, to make another admin.
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

/// `admin.welcomeUser`: another link for who has not set a password yet; the one before stops working.
public enum AdminWelcomeUser: RPCMethod {
    public static let name = "admin.welcomeUser"
    public static let access = MethodAccess.roles([.admin])
    /// Whom.
    public struct Params: Codable, Sendable {
        /// Its number.
        @ObjectID public var account: Int64
        /// The admin's own.
        public var password: String?
        public init(account: Int64, password: String? = nil) {
            self.account = account
            self.password = password
        }
    }
    public typealias Result = Welcome
}

/// `account.accept`: sets the first password of an account that an admin made, and signs in.
public enum AccountAccept: RPCMethod {
    public static let name = "account.accept"
    public static let access = MethodAccess.everybody
    /// The link and the password.
    public struct Params: Codable, Sendable {
        /// From the link.
        public var token: String
        /// 8-20 characters, one capital and one digit.
        public var password: String?
        /// ``SignedIn/device`` of an earlier sign-in on this device, of any account.
        public var device: String?
        public init(token: String, password: String? = nil, device: String? = nil) {
            self.token = token
            self.password = password
            self.device = device
        }
    }
    public typealias Result = SignedIn
}

/// `admin.editUser`: changes what is given. The account is signed out everywhere, so that the change holds at once.
public enum AdminEditUser: RPCMethod {
    public static let name = "admin.editUser"
    public static let access = MethodAccess.roles([.admin])
    /// Which, and what it is from now on.
    public struct Params: Codable, Sendable {
        /// Its number.
        @ObjectID public var account: Int64
        /// 4-20 letters and digits, unique.
        public var username: String?
        /// Unique.
        public var email: String?
        /// What it may do.
        public var role: Role?
        /// The admin's own: needed for an email address, for who is an admin, and to make one.
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

/// `admin.disableUser`: signed out everywhere at once, and cannot sign in. Harmless when repeated.
public enum AdminDisableUser: RPCMethod {
    public static let name = "admin.disableUser"
    public static let access = MethodAccess.roles([.admin])
    /// Whom.
    public struct Params: Codable, Sendable {
        /// Its number.
        @ObjectID public var account: Int64
        /// Why, at most 500 characters; for other admins.
        public var reason: String
        /// The admin's own: needed for another admin.
        public var password: String?
        public init(account: Int64, reason: String, password: String? = nil) {
            self.account = account
            self.reason = reason
            self.password = password
        }
    }
    public typealias Result = AdminUser
}

/// `admin.enableUser`: may sign in again. Harmless when repeated.
public enum AdminEnableUser: RPCMethod {
    public static let name = "admin.enableUser"
    public static let access = MethodAccess.roles([.admin])
    public typealias Params = AccountParams
    public typealias Result = AdminUser
}

/// `admin.signOutUser`: ends every device's sign-in.
public enum AdminSignOutUser: RPCMethod {
    public static let name = "admin.signOutUser"
    public static let access = MethodAccess.roles([.admin])
    public typealias Params = AccountParams
    public typealias Result = Revoked
}

/// `admin.deleteUser`: the account and all that is its own go for good.
public enum AdminDeleteUser: RPCMethod {
    public static let name = "admin.deleteUser"
    public static let access = MethodAccess.roles([.admin])
    /// Whom.
    public struct Params: Codable, Sendable {
        /// Its number.
        @ObjectID public var account: Int64
        /// Its username, typed again.
        public var username: String
        /// The admin's own.
        public var password: String
        public init(account: Int64, username: String, password: String) {
            self.account = account
            self.username = username
            self.password = password
        }
    }
    public typealias Result = AccountParams
}
