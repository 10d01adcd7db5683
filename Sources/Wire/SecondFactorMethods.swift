/// A second factor that a sign-in can continue with.
public enum SecondFactor: String, WireChoice {
    /// Code of an authenticator app.
    case totp
    case passkey
    case recoveryCode
}

public enum AccountSecondFactors: RPCMethod {
    public static let name = "account.secondFactors"
    public static let summary =
        "Returns which second factors the caller has. Their passkeys have a method of their own."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Time since which an authenticator app is set up; nil for none.
        public var totpSince: Timestamp?
        public var hasPasskey: Bool
        /// Number of recovery codes that are not used.
        public var recoveryCodes: Int
        /// Whether a log-in by password takes a second factor. Without recovery codes the caller should then make some.
        public var isOn: Bool
        /// Whether the server requires a second factor of the caller.
        public var isRequired: Bool
        public init(totpSince: Timestamp?, hasPasskey: Bool, recoveryCodes: Int, isOn: Bool, isRequired: Bool) {
            self.totpSince = totpSince
            self.hasPasskey = hasPasskey
            self.recoveryCodes = recoveryCodes
            self.isOn = isOn
            self.isRequired = isRequired
        }
    }
}

public enum AccountBeginTOTP: RPCMethod {
    public static let name = "account.beginTOTP"
    public static let summary =
        "Makes a secret for the caller's authenticator app. It is a second factor once a code of it is entered."
    public static let access = MethodAccess.confirmed
    public static let errors: [ErrorCode] = [.conflict, .forbidden, .invalidCredentials, .rejected]
    public struct Params: Codable, Sendable {
        public var proof: OwnershipProof
        public init(proof: OwnershipProof) { self.proof = proof }
    }
    public struct Result: Codable, Sendable {
        /// The secret as people type it, in base32.
        public var secret: String
        /// Address for authenticator apps, `otpauth://totp/…`.
        public var address: String
        /// QR code of the address: rows of modules, `1` for a dark one.
        public var rows: [String]
        public init(secret: String, address: String, rows: [String]) {
            self.secret = secret
            self.address = address
            self.rows = rows
        }
    }
}

/// Recovery codes, sent only once: the server stores their hashes.
public struct RecoveryCodes: Codable, Sendable {
    public var recoveryCodes: [String]
    public init(recoveryCodes: [String]) { self.recoveryCodes = recoveryCodes }
}

public enum AccountConfirmTOTP: RPCMethod {
    public static let name = "account.confirmTOTP"
    public static let summary =
        "Turns the caller's authenticator app on by a code of it, makes recovery codes, and mails the owner."
    public static let access = MethodAccess.confirmed
    public static let errors: [ErrorCode] = [.conflict, .forbidden, .rejected]
    public struct Params: Codable, Sendable {
        /// Six digits.
        public var code: String
        public init(code: String) { self.code = code }
    }
    public typealias Result = RecoveryCodes
}

public enum AccountRemoveTOTP: RPCMethod {
    public static let name = "account.removeTOTP"
    public static let summary = "Turns the caller's authenticator app off, and mails the owner."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.conflict, .invalidCredentials, .notFound, .rejected]
    public struct Params: Codable, Sendable {
        public var proof: OwnershipProof
        public init(proof: OwnershipProof) { self.proof = proof }
    }
    public typealias Result = Empty
}

public enum AccountMakeRecoveryCodes: RPCMethod {
    public static let name = "account.makeRecoveryCodes"
    public static let summary = "Replaces the caller's recovery codes, and mails the owner."
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.login)]
    public static let errors: [ErrorCode] = [.conflict, .invalidCredentials, .rejected]
    public struct Params: Codable, Sendable {
        public var proof: OwnershipProof
        public init(proof: OwnershipProof) { self.proof = proof }
    }
    public typealias Result = RecoveryCodes
}

public enum AccountSecondFactor: RPCMethod {
    public static let name = "account.secondFactor"
    public static let summary =
        "Completes a sign-in that answered `secondFactorRequired`, by one of the account's second factors."
    public static let access = MethodAccess.everybody
    public static let limits: [MethodLimit] = [.each(.login)]
    public static let errors: [ErrorCode] = [.invalidCredentials, .notFound, .rejected]
    public struct Params: Codable, Sendable {
        /// `data.ticket` of the error.
        public var ticket: String
        /// Six digits of the authenticator app.
        public var code: String?
        public var recoveryCode: String?
        /// Answer to the challenge of `account.beginPasskeyLogin`.
        public var passkey: PasskeySignature?
        /// ``SignedIn/device`` of an earlier sign-in on this device.
        public var device: String?
        public init(
            ticket: String, code: String? = nil, recoveryCode: String? = nil, passkey: PasskeySignature? = nil,
            device: String? = nil
        ) {
            self.ticket = ticket
            self.code = code
            self.recoveryCode = recoveryCode
            self.passkey = passkey
            self.device = device
        }
    }
    public typealias Result = SignedIn
}

extension APIRegistry {
    static let secondFactors: [any RPCMethod.Type] = [
        AccountSecondFactors.self, AccountBeginTOTP.self, AccountConfirmTOTP.self, AccountRemoveTOTP.self,
        AccountMakeRecoveryCodes.self, AccountSecondFactor.self,
    ]
}
