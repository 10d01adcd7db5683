/// What an account may do (requirement N-3). A guest has no account.
public enum Role: String, WireChoice {
    case student, lecturer, admin, rewards
}

/// An account as its owner sees it.
public struct Account: Sendable, Codable, Equatable {
    /// Its number.
    public var id: Int64
    /// 4-20 letters and digits, unique.
    public var username: String
    /// What it may do.
    public var role: Role
    /// Seen by the owner only (U-8).
    public var email: String
    /// A sample runner or a replayed recording, never a person.
    public var simulated: Bool
    /// Path of the profile picture; a new account has the default one (U-1).
    public var picture: String

    /// The picture of an account that has none of its own.
    public static let defaultPicture = "/app/person.svg"

    public init(
        id: Int64, username: String, role: Role, email: String, simulated: Bool, picture: String = defaultPicture
    ) {
        self.picture = picture
        self.id = id
        self.username = username
        self.role = role
        self.email = email
        self.simulated = simulated
    }
}

/// `hello`: the first request of a connection.
public enum Hello: RPCMethod {
    public static let name = "hello"
    public static let access = MethodAccess.everybody
    /// Who is there.
    public struct Params: Codable, Sendable {
        /// The client program.
        public struct Client: Codable, Sendable {
            /// Such as `campanile-web`.
            public var name: String
            /// Such as `1.0`.
            public var version: String?
            public init(name: String, version: String? = nil) {
                self.name = name
                self.version = version
            }
        }
        /// From `account.login` or `account.register`; without one the connection is a guest's.
        public var token: String?
        /// The client program.
        public var client: Client?
        public init(token: String? = nil, client: Client? = nil) {
            self.token = token
            self.client = client
        }
    }
    /// Where one is.
    public struct Result: Codable, Sendable {
        /// Nil for a guest.
        public var account: Account?
        /// The server's clock, to correct one's own by.
        public var serverTime: Timestamp
        /// The server's version.
        public var version: String
        /// The campus.
        public var campus: CampusInfo
        public init(account: Account?, serverTime: Timestamp, version: String, campus: CampusInfo) {
            self.account = account
            self.serverTime = serverTime
            self.version = version
            self.campus = campus
        }
    }
}

/// `ping`: the server's clock.
public enum Ping: RPCMethod {
    public static let name = "ping"
    public static let access = MethodAccess.everybody
    public typealias Params = Empty
    /// The clock.
    public struct Result: Codable, Sendable {
        /// The server's clock.
        public var serverTime: Timestamp
        public init(serverTime: Timestamp) { self.serverTime = serverTime }
    }
}

/// A signed-in account and the token that proves it from now on.
public struct SignedIn: Codable, Sendable {
    /// Whose it is.
    public var account: Account
    /// Shown once; the server keeps its hash only.
    public var token: String
    /// For the person, word for word; after registration only.
    public var message: String?
    /// Proves at a later `account.login` that this device has signed in before; it opens nothing. Nil for simulated accounts.
    public var device: String?
    public init(account: Account, token: String, message: String? = nil, device: String? = nil) {
        self.account = account
        self.token = token
        self.message = message
        self.device = device
    }
}

/// `account.register` (U-1).
public enum AccountRegister: RPCMethod {
    public static let name = "account.register"
    public static let access = MethodAccess.everybody
    /// What is asked of a new user. Missing members read as empty, so that the verbatim messages of U-1 are given.
    public struct Params: Codable, Sendable {
        /// 4-20 letters and digits.
        public var username: String?
        /// Something before `@`, between `@` and `.`, after `.`.
        public var email: String?
        /// 8-20 characters, one capital and one digit.
        public var password: String?
        /// The operator's key for accounts that are recordings, not people.
        public var simulationKey: String?
        /// ``SignedIn/device`` of an earlier sign-in on this device, of any account.
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

/// `account.login` (U-2).
public enum AccountLogin: RPCMethod {
    public static let name = "account.login"
    public static let access = MethodAccess.everybody
    /// The pair.
    public struct Params: Codable, Sendable {
        /// The address given at registration, in any case.
        public var email: String?
        /// The password.
        public var password: String?
        /// ``SignedIn/device`` of an earlier sign-in on this device: wrong passwords from elsewhere do not delay this one.
        public var device: String?
        public init(email: String?, password: String?, device: String? = nil) {
            self.email = email
            self.password = password
            self.device = device
        }
    }
    public typealias Result = SignedIn
}

/// `account.me`.
public enum AccountMe: RPCMethod {
    public static let name = "account.me"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// The caller.
    public struct Result: Codable, Sendable {
        /// The caller's account.
        public var account: Account
        public init(account: Account) { self.account = account }
    }
}

/// `account.devices`: where one is signed in.
public enum AccountDevices: RPCMethod {
    public static let name = "account.devices"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// One token.
    public struct Device: Codable, Sendable {
        /// Its number, for `account.logout`.
        public var id: Int64
        /// The client program's name.
        public var client: String
        /// When it signed in.
        public var createdAt: Timestamp
        /// When it last said hello.
        public var lastUsedAt: Timestamp
        /// It is the one that asks.
        public var current: Bool
        public init(id: Int64, client: String, createdAt: Timestamp, lastUsedAt: Timestamp, current: Bool) {
            self.id = id
            self.client = client
            self.createdAt = createdAt
            self.lastUsedAt = lastUsedAt
            self.current = current
        }
    }
    /// All of them.
    public struct Result: Codable, Sendable {
        /// Latest first.
        public var devices: [Device]
        public init(devices: [Device]) { self.devices = devices }
    }
}

/// How many tokens were revoked.
public struct Revoked: Codable, Sendable, Equatable {
    /// The count.
    public var revoked: Int
    public init(revoked: Int) { self.revoked = revoked }
}

/// `account.logout`: this device, or another of one's own.
public enum AccountLogout: RPCMethod {
    public static let name = "account.logout"
    public static let access = MethodAccess.accounts
    /// Which device.
    public struct Params: Codable, Sendable {
        /// From `account.devices`; without it, the caller's.
        @ObjectID public var device: Int64?
        public init(device: Int64? = nil) { self.device = device }
    }
    public typealias Result = Revoked
}

/// `account.logoutEverywhere`: signs out all devices, and forgets where the account is.
public enum AccountLogoutEverywhere: RPCMethod {
    public static let name = "account.logoutEverywhere"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = Revoked
}
