public enum AccountDevices: RPCMethod {
    public static let name = "account.devices"
    public static let summary = "Lists the devices on which the caller is signed in."
    public static let access = MethodAccess.accounts
    public static let isForProvisional = true
    public typealias Params = Empty
    /// One token of the account.
    public struct Device: Codable, Sendable {
        /// Parameter of `account.logout`.
        public var id: Int64
        /// Name of the client program.
        public var client: String
        /// What the program runs on, such as `Firefox on Android`, by its own account.
        public var platform: String?
        /// Network address of the last `hello`.
        public var address: String?
        /// Time of the sign-in.
        public var createdAt: Timestamp
        /// Time of the last `hello`.
        public var lastUsedAt: Timestamp
        /// True for the device that sends this request.
        public var current: Bool
        public init(
            id: Int64, client: String, platform: String? = nil, address: String? = nil, createdAt: Timestamp,
            lastUsedAt: Timestamp, current: Bool
        ) {
            self.id = id
            self.client = client
            self.platform = platform
            self.address = address
            self.createdAt = createdAt
            self.lastUsedAt = lastUsedAt
            self.current = current
        }
    }
    public struct Result: Codable, Sendable {
        /// Latest sign-in first.
        public var devices: [Device]
        public init(devices: [Device]) { self.devices = devices }
    }
}

/// Number of tokens that a request revoked.
public struct Revoked: Codable, Sendable, Equatable {
    public var revoked: Int
    public init(revoked: Int) { self.revoked = revoked }
}

public enum AccountLogout: RPCMethod {
    public static let name = "account.logout"
    public static let summary = "Signs out this device or another device of the caller."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let isForProvisional = true
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        /// Device to sign out, from `account.devices`. Without it, the calling device.
        @ObjectID public var device: Int64?
        public init(device: Int64? = nil) { self.device = device }
    }
    public typealias Result = Revoked
}

public enum AccountLogoutEverywhere: RPCMethod {
    public static let name = "account.logoutEverywhere"
    public static let summary = "Signs out all devices and erases the account's last known location."
    public static let access = MethodAccess.accounts
    public static let isForProvisional = true
    public typealias Params = Empty
    public typealias Result = Revoked
}
