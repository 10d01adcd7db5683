import ArgumentParser
import CommandSupport
import Foundation
import Services
import Wire

/// `campanile user`.
struct User: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make accounts with a role, set roles, reset passwords and second factors.",
        subcommands: [Create.self, SetRole.self, ResetPassword.self, ResetSecondFactor.self])

    /// `campanile user create`.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an account, an admin by default.",
            discussion: "The password is read from the terminal, or from standard input in a script.")

        @OptionGroup var data: DataOptions
        @OptionGroup var passwords: PasswordOptions
        @Option(help: "student, lecturer, admin or rewards.") var role = "admin"
        @Argument(help: "4-20 letters and digits.") var username: String
        @Argument(help: "The address to sign in with.") var email: String

        func run() async throws {
            guard let role = Role(rawValue: role) else {
                throw CommandFailure(.usage, "--role must be student, lecturer, admin or rewards")
            }
            // Before the database is opened: Ctrl-C at the prompt leaves nothing running.
            let params = AccountRegister.Params(username: username, email: email, password: try Password.read())
            try await administer(data, try passwords.policy()) { accounts in
                let account = try await accounts.create(params, role: role)
                Terminal.output("\(account.username) (\(account.role.rawValue)) can sign in as \(account.email)")
            }
        }
    }

    /// `campanile user set-role`.
    struct SetRole: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Set an account's role.")

        @OptionGroup var data: DataOptions
        @Argument(help: "The account's address.") var email: String
        @Argument(help: "student, lecturer, admin or rewards.") var role: String

        func run() async throws {
            guard let role = Role(rawValue: role) else {
                throw CommandFailure(.usage, "the role must be student, lecturer, admin or rewards")
            }
            let email = email
            try await administer(data) { accounts in
                let account = try await accounts.setRole(role, ofEmail: email)
                Terminal.output(
                    "\(account.username) is \(account.role.rawValue) and signed out everywhere: the role applies from the next sign-in"
                )
            }
        }
    }

    /// `campanile user reset-password`.
    struct ResetPassword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set a new password and sign the account out everywhere.",
            discussion: "The password is read from the terminal, or from standard input in a script.")

        @OptionGroup var data: DataOptions
        @OptionGroup var passwords: PasswordOptions
        @Argument(help: "The account's address.") var email: String

        func run() async throws {
            let (email, password) = (email, try Password.read())
            try await administer(data, try passwords.policy()) { accounts in
                let account = try await accounts.resetPassword(ofEmail: email, to: password)
                Terminal.output("\(account.username) has a new password and is signed out everywhere")
                let left = try await accounts.factorsLeft(of: account.id)
                if !left.isEmpty {
                    Terminal.output(
                        "still valid: \(left.joined(separator: ", "))\nIs one a thief's? campanile user reset-second-factor removes all"
                    )
                }
            }
        }
    }

    /// `campanile user reset-second-factor`.
    struct ResetSecondFactor: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset-second-factor",
            abstract: "Remove the passkeys and the authenticator app of an account, and sign it out everywhere.",
            discussion:
                "For a person who lost them. The audit log records it, and a server that sends mail mails the owner.")

        @OptionGroup var data: DataOptions
        @Argument(help: "The account's address.") var email: String

        func run() async throws {
            let email = email
            try await administer(data) { accounts in
                let account = try await accounts.resetSecondFactor(ofEmail: email)
                Terminal.output(
                    "\(account.username) has no second factor any more and is signed out everywhere: the password alone signs in"
                )
            }
        }
    }
}

private func administer(
    _ data: DataOptions, _ policy: PasswordPolicy = PasswordPolicy(),
    _ body: @escaping @Sendable (Accounts) async throws -> Void
) async throws {
    do {
        try await DatabaseSession.with(data, command: "user") { session in
            // Another process sends the mails, if the server of this database sends any.
            try await body(
                Accounts(
                    loop: session.loop, database: session.pool, simulationKey: nil, mail: AccountMailOutbox(),
                    policy: policy))
        }
    } catch {
        throw CommandFailure(error)
    }
}

private enum Password {
    /// Reads a password, never from the arguments, because every user of the machine can see those.
    static func read() throws -> String {
        if isatty(STDIN_FILENO) != 0 {
            guard let first = getpass("New password: ").map({ String(cString: $0) }),
                let second = getpass("Again: ").map({ String(cString: $0) }), first == second
            else { throw CommandFailure(.dataError, "the two passwords differ") }
            return first
        }
        guard let line = readLine() else { throw CommandFailure(.dataError, "give the password on standard input") }
        return line
    }
}
