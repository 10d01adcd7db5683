/// A passkey's answer to a challenge, as a browser returns it (WebAuthn, `AuthenticatorAssertionResponse`). Bytes are base64url.
public struct PasskeySignature: Codable, Sendable {
    /// Id of the passkey.
    public var id: String
    public var clientDataJSON: String
    public var authenticatorData: String
    public var signature: String
    /// Handle of the account that the passkey was made for. Needed to sign in.
    public var userHandle: String?
    public init(
        id: String, clientDataJSON: String, authenticatorData: String, signature: String, userHandle: String? = nil
    ) {
        self.id = id
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }
}

/// A passkey of the caller.
public struct Passkey: Codable, Sendable, Equatable {
    public var id: Int64
    public var name: String
    public var createdAt: Timestamp
    /// Nil before the first sign-in with it.
    public var lastUsedAt: Timestamp?
    /// Whether it is in several devices, or in a backup.
    public var isBackedUp: Bool
    /// Time since which it works no more, because somebody may have a copy.
    public var stoppedAt: Timestamp?
    public init(
        id: Int64, name: String, createdAt: Timestamp, lastUsedAt: Timestamp? = nil, isBackedUp: Bool,
        stoppedAt: Timestamp? = nil
    ) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.isBackedUp = isBackedUp
        self.stoppedAt = stoppedAt
    }
}

/// A challenge for a passkey.
public struct PasskeyChallenge: Codable, Sendable {
    /// In base64url. It works once, for some minutes.
    public var challenge: String
    /// Domain that passkeys of this server belong to.
    public var site: String
    /// Passkeys that may answer, in base64url; empty for any.
    public var passkeys: [String]
    public init(challenge: String, site: String, passkeys: [String] = []) {
        self.challenge = challenge
        self.site = site
        self.passkeys = passkeys
    }
}

/// Proof that the caller owns the account, besides the token: the password, or a passkey's answer to `account.beginPasskeyProof`.
public struct OwnershipProof: Codable, Sendable {
    public var password: String?
    public var passkey: PasskeySignature?
    public init(password: String? = nil, passkey: PasskeySignature? = nil) {
        self.password = password
        self.passkey = passkey
    }
}

public enum AccountPasskeys: RPCMethod {
    public static let name = "account.passkeys"
    public static let summary = "Lists the caller's passkeys."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Oldest first.
        public var passkeys: [Passkey]
        /// Largest number of passkeys of an account.
        public var max: Int
        /// Domain that they belong to; browsers offer them on its pages alone.
        public var site: String
        public init(passkeys: [Passkey], max: Int, site: String) {
            self.passkeys = passkeys
            self.max = max
            self.site = site
        }
    }
}

public enum AccountBeginPasskey: RPCMethod {
    public static let name = "account.beginPasskey"
    public static let summary = "Returns what a browser needs to make a passkey for the caller."
    public static let access = MethodAccess.confirmed
    public static let errors: [ErrorCode] = [.conflict, .forbidden, .invalidCredentials, .rejected]
    public struct Params: Codable, Sendable {
        public var proof: OwnershipProof
        public init(proof: OwnershipProof) { self.proof = proof }
    }
    public struct Result: Codable, Sendable {
        /// In base64url. It works once, for some minutes, on the caller's device.
        public var challenge: String
        /// Domain that passkeys of this server belong to.
        public var site: String
        /// Handle of the account, in base64url.
        public var user: String
        /// COSE numbers of the algorithms, best first.
        public var algorithms: [Int]
        /// Passkeys that the account has, in base64url: their authenticators make no further one.
        public var passkeys: [String]
        public init(challenge: String, site: String, user: String, algorithms: [Int], passkeys: [String]) {
            self.challenge = challenge
            self.site = site
            self.user = user
            self.algorithms = algorithms
            self.passkeys = passkeys
        }
    }
}

public enum AccountAddPasskey: RPCMethod {
    public static let name = "account.addPasskey"
    public static let summary =
        "Adds a passkey that a browser has made, and mails the owner. An admin without recovery codes gets some."
    public static let access = MethodAccess.confirmed
    public static let texts: [String: TextLimit] = ["name": .passkeyName]
    public static let errors: [ErrorCode] = [.conflict, .forbidden, .rejected]
    public struct Params: Codable, Sendable {
        public var name: String
        /// As the browser returns it, in base64url.
        public var clientDataJSON: String
        /// In base64url. The server needs no more of the attestation object.
        public var authenticatorData: String
        public init(name: String, clientDataJSON: String, authenticatorData: String) {
            self.name = name
            self.clientDataJSON = clientDataJSON
            self.authenticatorData = authenticatorData
        }
    }
    public struct Result: Codable, Sendable {
        public var passkey: Passkey
        /// Sent only here; the server stores their hashes.
        public var recoveryCodes: [String]?
        public init(passkey: Passkey, recoveryCodes: [String]? = nil) {
            self.passkey = passkey
            self.recoveryCodes = recoveryCodes
        }
    }
}

public enum AccountRenamePasskey: RPCMethod {
    public static let name = "account.renamePasskey"
    public static let summary = "Names a passkey of the caller."
    public static let access = MethodAccess.accounts
    public static let texts: [String: TextLimit] = ["name": .passkeyName]
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        @ObjectID public var passkey: Int64
        public var name: String
        public init(passkey: Int64, name: String) {
            self.passkey = passkey
            self.name = name
        }
    }
    public struct Result: Codable, Sendable {
        public var passkey: Passkey
        public init(passkey: Passkey) { self.passkey = passkey }
    }
}

public enum AccountRemovePasskey: RPCMethod {
    public static let name = "account.removePasskey"
    public static let summary = "Removes a passkey of the caller, and mails the owner."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.conflict, .invalidCredentials, .notFound, .rejected]
    public struct Params: Codable, Sendable {
        @ObjectID public var passkey: Int64
        public var proof: OwnershipProof
        public init(passkey: Int64, proof: OwnershipProof) {
            self.passkey = passkey
            self.proof = proof
        }
    }
    public typealias Result = Empty
}

public enum AccountBeginPasskeyProof: RPCMethod {
    public static let name = "account.beginPasskeyProof"
    public static let summary = "Returns a challenge, by whose answer the caller proves to own the account."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = PasskeyChallenge
}

public enum AccountBeginPasskeyLogin: RPCMethod {
    public static let name = "account.beginPasskeyLogin"
    public static let summary = "Returns a challenge to sign in with a passkey."
    public static let access = MethodAccess.everybody
    public typealias Params = Empty
    public typealias Result = PasskeyChallenge
}

public enum AccountPasskeyLogin: RPCMethod {
    public static let name = "account.passkeyLogin"
    public static let summary = "Signs in with a passkey. It needs no second factor."
    public static let access = MethodAccess.everybody
    public static let limits: [MethodLimit] = [.each(.login)]
    public static let errors: [ErrorCode] = [.invalidCredentials, .rejected]
    public struct Params: Codable, Sendable {
        public var passkey: PasskeySignature
        /// ``SignedIn/device`` of an earlier sign-in on this device.
        public var device: String?
        public init(passkey: PasskeySignature, device: String? = nil) {
            self.passkey = passkey
            self.device = device
        }
    }
    public typealias Result = SignedIn
}

extension APIRegistry {
    static let passkeys: [any RPCMethod.Type] = [
        AccountPasskeys.self, AccountBeginPasskey.self, AccountAddPasskey.self, AccountRenamePasskey.self,
        AccountRemovePasskey.self, AccountBeginPasskeyProof.self, AccountBeginPasskeyLogin.self,
        AccountPasskeyLogin.self,
    ]
}
