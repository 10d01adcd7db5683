import ArgumentParser
import CommandSupport
import Foundation
import Server
import Services

/// Requirements of new passwords, of every command that serves or sets passwords.
struct PasswordOptions: ParsableArguments {
    /// Value of `--common-passwords` for no list.
    static let noList = "none"

    @Option(
        help: ArgumentHelp(
            """
            Rule for new passwords: composed (8-20 characters, a capital letter and a digit among them) or length (8-128
            characters) (CAMPANILE_PASSWORD_RULE). Default: composed
            """, valueName: "rule"))
    var passwordRule: String?

    @Option(
        help: ArgumentHelp(
            "File with passwords that are refused, one a line, or none (CAMPANILE_COMMON_PASSWORDS).",
            discussion:
                "May be compressed by gzip. Default: the list of Debian's package python3-django, if it is installed.",
            valueName: "file"))
    var commonPasswords: String?

    /// - Throws: ``CommandFailure``.
    func policy() throws -> PasswordPolicy {
        let environment = DataOptions.environment
        var policy = PasswordPolicy()
        if let text = passwordRule ?? environment["CAMPANILE_PASSWORD_RULE"] {
            guard let rule = PasswordRule(rawValue: text) else {
                throw CommandFailure(.usage, "--password-rule must be composed or length")
            }
            policy.rule = rule
        }
        policy.common = try list(commonPasswords ?? environment["CAMPANILE_COMMON_PASSWORDS"])
        return policy
    }

    private func list(_ path: String?) throws -> CommonPasswords? {
        if path == Self.noList { return nil }
        if path == nil, !FileManager.default.fileExists(atPath: CommonPasswords.packagedPath) { return nil }
        do {
            return try CommonPasswords(path: path ?? CommonPasswords.packagedPath)
        } catch {
            throw CommandFailure(.usage, "--common-passwords: \(error.description)")
        }
    }
}
