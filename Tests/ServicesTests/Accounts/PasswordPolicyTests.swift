import EventLoop
import Foundation
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Requirements of new passwords")
struct PasswordPolicyTests {
    private static let names = ["Anna2024X", "anna.lee2024@example.org"]

    private static func message(_ password: String, _ policy: PasswordPolicy) -> String? {
        do {
            try policy.require(password, of: names, field: "password")
            return nil
        } catch {
            return (error as? RPCError)?.message
        }
    }

    @Test("The rule composed is that of U-1; the rule length takes 8 to 128 characters of any kind")
    func rules() {
        let composed = PasswordPolicy()
        let length = PasswordPolicy(rule: .length)
        let long = String(repeating: "é", count: 128)
        let short = "Password must be between 8-128 characters long!!!"
        for (password, first, second) in [
            ("Passw0rd", nil, nil), ("correct horse battery", RegistrationTests.password, nil),
            ("all lower case", RegistrationTests.strength, nil), ("Short1!", RegistrationTests.password, short),
            (long, RegistrationTests.password, nil), (long + "x", RegistrationTests.password, short),
            ("🏃🏃🏃🏃🏃🏃🏃", RegistrationTests.password, short), ("🏃🏃🏃🏃🏃🏃🏃🏃", RegistrationTests.strength, nil),
        ] as [(String, String?, String?)] {
            #expect(Self.message(password, composed) == first, "\(password)")
            #expect(Self.message(password, length) == second, "\(password)")
        }
    }

    @Test("A password that is the account's username or email is refused, in whatever case")
    func ownNames() {
        let policy = PasswordPolicy(rule: .length)
        for password in ["anna2024x", "ANNA2024X", "Anna.Lee2024", "anna.lee2024@EXAMPLE.org"] {
            #expect(Self.message(password, policy) == PasswordPolicy.isOwnName, "\(password)")
        }
        #expect(Self.message("anna.lee2024@example.or", policy) == nil)
    }

    @Test("A list is read plain and compressed, ignores case, and skips empty and overlong lines")
    func lists() throws {
        let directory = URL(filePath: try TestDirectory.make("passwords"))
        let lines = [
            "Password1", "", "trustno1!", String(repeating: "x", count: 5_000), "qwertz123", "PASSWORD1", "last entry",
        ]
        let plain = directory.appending(path: "plain.txt")
        try Data(lines.joined(separator: "\r\n").utf8).write(to: plain)
        let packed = directory.appending(path: "packed.txt")
        try FileManager.default.copyItem(at: plain, to: packed)
        #expect(try RunningProgram(["/bin/gzip", packed.path]).wait() == 0)
        for path in [plain.path, packed.path + ".gz"] {
            let list = try CommonPasswords(path: path)
            #expect(list.count == 4)
            for password in ["password1", "pAssword1", "TRUSTNO1!", "qwertz123", "Last Entry"] {
                #expect(list.contains(password), "\(password)")
            }
            for password in ["", "password", "password12", "xxxxxxxx", "trustno1"] { #expect(!list.contains(password)) }
        }
    }

    @Test("A file that is missing, a directory, empty or cut off says which file and what to do")
    func unusable() throws {
        let directory = URL(filePath: try TestDirectory.make("passwords"))
        let empty = directory.appending(path: "empty.txt")
        try Data("\n\n".utf8).write(to: empty)
        #expect(throws: CommonPasswords.Invalid.empty(empty.path)) { try CommonPasswords(path: empty.path) }
        let missing = directory.appending(path: "missing.txt").path
        for path in [missing, directory.path] {
            #expect(throws: CommonPasswords.Invalid.unreadable(path)) { try CommonPasswords(path: path) }
        }
        let whole = directory.appending(path: "whole.txt")
        try Data((0..<20_000).map { "password\($0)\n" }.joined().utf8).write(to: whole)
        #expect(try RunningProgram(["/bin/gzip", whole.path]).wait() == 0)
        let bytes = try Data(contentsOf: URL(filePath: whole.path + ".gz"))
        let cut = directory.appending(path: "cut.txt.gz")
        try bytes.prefix(bytes.count / 2).write(to: cut)
        #expect(throws: CommonPasswords.Invalid.unreadable(cut.path)) { try CommonPasswords(path: cut.path) }
    }

    @Test("Debian's list refuses passwords that the rule of U-1 accepts")
    func packaged() throws {
        let list = try CommonPasswords(path: CommonPasswords.packagedPath)
        #expect(list.count > 15_000)
        let policy = PasswordPolicy(common: list)
        for password in ["Password1", "Passw0rd", "Qwerty123", "Liverpool1"] {
            #expect(Self.message(password, policy) == PasswordPolicy.isCommon, "\(password)")
        }
        #expect(Self.message("Campanile1", policy) == nil)
    }

    @Test(
        "No way to set a password takes a common one: registration, change, reset, welcome link, the operator's command"
    )
    func everywhere() async throws {
        let common = "Passw0rd1"
        let world = try await AccountMailWorld(policy: PasswordPolicy(common: CommonPasswords([common])))
        let email = "anna@example.org"
        let (_, identity) = try await world.register(email)
        let accounts = world.accounts
        func isRefused(_ field: String, _ body: @Sendable () async throws -> Void) async {
            let error = await refusal(.rejected) { try await body() }
            #expect(error?.message == PasswordPolicy.isCommon && error?.data?.field == field)
        }
        await isRefused("password") {
            _ = try await world.registerProvisionally("ben@example.org", password: common.lowercased().capitalized)
        }
        await isRefused("newPassword") {
            _ = try await accounts.changePassword(
                identity, .init(password: AccountMailWorld.password, newPassword: common))
        }
        let token = try await world.token(for: email)
        await isRefused("password") { _ = try await world.reset(token, common) }
        #expect(try await world.reset(token, "Other7Words") == 1)
        _ = try await world.pool.query(
            "INSERT INTO welcomes (account_id, hash, expires_at) VALUES ($1, $2, now() + interval '1 day')",
            [.int(identity.account.id), .bytes(Secrets.hash("link"))])
        await isRefused("password") {
            _ = try await accounts.accept(.init(token: "link", password: common), client: "tests")
        }
        await isRefused("password") { _ = try await accounts.resetPassword(ofEmail: email, to: common) }
        await world.close()
    }
}
