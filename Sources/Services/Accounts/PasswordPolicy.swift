import Wire

/// Form of new passwords (U-1).
public enum PasswordRule: String, Sendable, Codable, CaseIterable {
    /// 8 to 20 characters, at least one of them a capital letter and one a digit.
    case composed
    /// 8 to 128 characters, whatever they are. NIST SP 800-63B-4, section 3.1.1.2, advises against rules of composition.
    case length

    /// Accepted numbers of characters.
    public var lengths: ClosedRange<Int> {
        switch self {
        case .composed: 8...20
        case .length: TextLimit.password.allowed
        }
    }
}

/// Requirements of new passwords, by the operator. Passwords that exist stay valid.
public struct PasswordPolicy: Sendable {
    public var rule: PasswordRule
    /// Passwords that are refused because many people have them.
    public var common: CommonPasswords?

    public init(rule: PasswordRule = .composed, common: CommonPasswords? = nil) {
        self.rule = rule
        self.common = common
    }

    static let isCommon = "Many people use this password, so it is easy to guess. Choose another one"
    static let isOwnName = "Your password must not be your username or email. Choose another one"

    /// - Parameters:
    ///   - names: User name and address of the account.
    ///   - field: Name of the parameter, for errors.
    /// - Throws: ``Wire/RPCError`` `rejected` with the field.
    func require(_ password: String, of names: [String], field: String) throws {
        guard rule.lengths.contains(password.count) else {
            throw RPCError(
                .rejected,
                "Password must be between \(rule.lengths.lowerBound)-\(rule.lengths.upperBound) characters long!!!",
                field: field)
        }
        if rule == .composed {
            guard password.utf8.contains(where: { (0x41...0x5A).contains($0) }),
                password.utf8.contains(where: { (0x30...0x39).contains($0) })
            else { throw RPCError(.rejected, "At least 1 capital [A-Z] and 1 number [0-9]!!!", field: field) }
        }
        let key = password.lowercased()
        let forbidden = names.flatMap { name in [name, String(name.prefix { $0 != "@" })] }
        if forbidden.contains(where: { $0.lowercased() == key }) {
            throw RPCError(.rejected, Self.isOwnName, field: field)
        }
        if common?.contains(password) == true { throw RPCError(.rejected, Self.isCommon, field: field) }
    }

    /// Validates a password that replaces another one.
    /// - Parameters:
    ///   - names: User name and address of the account.
    ///   - field: Name of the parameter, for errors.
    /// - Throws: ``Wire/RPCError`` `rejected` with the field.
    func requireNew(_ password: String?, of names: [String], field: String = "newPassword") throws -> String {
        guard let password, !password.isEmpty else {
            throw RPCError(.rejected, "Password cannot be Empty!!!", field: field)
        }
        try require(password, of: names, field: field)
        return password
    }
}
