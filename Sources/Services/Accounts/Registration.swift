import Foundation
import Wire

/// Validation rules of U-1 and U-2, with their verbatim messages.
enum Registration {
    static let usernameLength = TextLimit.username.allowed
    /// Largest length of an email address: RFC 5321 §4.5.3.1.3, without the angle brackets.
    static let emailBytesMax = 254

    static let success = "Account successfully registered"
    static let emailTaken = RPCError(.rejected, "Email Taken!!!", field: "email")
    /// The seeds have no message for this case; the wording follows theirs.
    static let usernameTaken = RPCError(.rejected, "Username Taken!!!", field: "username")

    /// User names, in lower case, that could be mistaken for the campus's own; only the operator assigns them (`campanile user create`).
    static let reservedNames: Set<String> = [
        "abuse", "admin", "administrator", "admins", "all", "anonymous", "campanile", "campus", "contact", "deleted",
        "everybody", "everyone", "guest", "guests", "help", "helpdesk", "here", "hostmaster", "info", "mail",
        "moderation", "moderator", "moderators", "nobody", "noreply", "null", "official", "operator", "operators",
        "owner", "police", "postmaster", "privacy", "root", "security", "server", "service", "staff", "superuser",
        "support", "sysadmin", "system", "team", "undefined", "webmaster",
    ]
    static let usernameReserved = RPCError(
        .rejected, "This username is reserved, please choose another!!!", field: "username")

    /// - Throws: ``usernameReserved``.
    static func requireUnreserved(_ username: String) throws {
        if reservedNames.contains(Inputs.key(username)) { throw usernameReserved }
    }

    struct Valid {
        let username: String
        let email: String
        let password: String
    }

    /// - Throws: ``Wire/RPCError`` `rejected` with the first message that applies and the field it concerns.
    static func validate(_ params: AccountRegister.Params, _ policy: PasswordPolicy) throws -> Valid {
        let username = Inputs.trimmed(params.username)
        let email = Inputs.trimmed(params.email)
        let password = params.password ?? ""
        for (value, field) in [(username, "username"), (email, "email"), (password, "password")] where value.isEmpty {
            throw RPCError(.rejected, "Username/Email/Password cannot be Empty!!!", field: field)
        }
        try validate(username: username, email: email)
        try policy.require(password, of: [username, email], field: "password")
        return Valid(username: username, email: email, password: password)
    }

    /// Validates the names of an account that an admin makes or changes.
    /// - Throws: ``Wire/RPCError`` `rejected` with the first message that applies and the field it concerns.
    static func validate(username: String?, email: String?) throws -> (username: String, email: String) {
        let username = Inputs.trimmed(username)
        let email = Inputs.trimmed(email)
        for (value, field) in [(username, "username"), (email, "email")] where value.isEmpty {
            throw RPCError(.rejected, "Username/Email/Password cannot be Empty!!!", field: field)
        }
        try validate(username: username, email: email)
        return (username, email)
    }

    private static func validate(username: String, email: String) throws {
        guard usernameLength.contains(username.count) else {
            throw RPCError(.rejected, "Username must be between 4-20 characters long!!!", field: "username")
        }
        guard username.utf8.allSatisfy(isAlphanumeric) else {
            throw RPCError(.rejected, "Your username cannot contain invalid characters!!!", field: "username")
        }
        guard isEmail(email) else { throw RPCError(.rejected, "Invalid Email!!!", field: "email") }
    }

    /// Whether text has the form of a user name.
    static func isUsername(_ text: String) -> Bool {
        usernameLength.contains(text.count) && text.utf8.allSatisfy(isAlphanumeric)
    }

    /// - Throws: ``Wire/RPCError`` `rejected` for empty fields and malformed addresses, which U-2 distinguishes from wrong credentials.
    static func validateLogin(_ params: AccountLogin.Params) throws -> (email: String, password: String) {
        let email = Inputs.trimmed(params.email)
        let password = params.password ?? ""
        for (value, field) in [(email, "email"), (password, "password")] where value.isEmpty {
            throw RPCError(.rejected, "Email/Password cannot be Empty!!!", field: field)
        }
        guard isEmail(email) else { throw RPCError(.rejected, "Invalid Email!!!", field: "email") }
        return (email, password)
    }

    /// Whether text has the form `local@domain` with at least two domain labels, and no spaces or invisible characters.
    static func isEmail(_ text: String) -> Bool {
        // Counts bytes, because one character can consist of any number of scalars.
        guard text.utf8.count <= emailBytesMax, text.unicodeScalars.allSatisfy(isVisible) else { return false }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return false }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy { !$0.isEmpty }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .privateUse,
            .unassigned:
            false
        default: true
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
