import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Mails about logins on new devices")
struct NewDeviceTests {
    private static let email = "anna@example.org"

    private func logIn(
        _ world: AccountMailWorld, _ device: String?, _ platform: String? = "Firefox on Android",
        address: String? = "192.0.2.9"
    ) async throws -> String? {
        try await world.accounts.login(
            .init(email: Self.email, password: AccountMailWorld.password, device: device), address: "192.0.2.9",
            client: ClientDescription(program: "campanile-web 1", platform: platform, address: address)
        ).0.device
    }

    private func subjects(_ world: AccountMailWorld) async throws -> [String] {
        try await world.settle()
        return world.mails(to: Self.email).map { $0.object("headers").text("subject") }
    }

    @Test("The first device and known ones cause no mail; a new one does, with what it is, when and from where")
    func sent() async throws {
        let world = try await AccountMailWorld()
        let (first, _) = try await world.register(Self.email)
        _ = try await logIn(world, first.device)
        #expect(try await subjects(world).isEmpty)
        let second = try await logIn(world, nil)
        #expect(try await subjects(world) == ["New login to your account"])
        let mail = try #require(world.mails(to: Self.email).last)
        #expect(mail.text("plain").contains("a new device: \"Firefox on Android\", on "))
        #expect(mail.text("plain").contains(", from the network address 192.0.2.9."))
        let lines = mail.text("plain").split(whereSeparator: \.isNewline)
        #expect(lines.contains("Reset password: \(AccountMailWorld.site)/reset") && mail.count("defects") == 0)
        _ = try await logIn(world, second)
        #expect(try await subjects(world).count == 1)
        await world.close()
    }

    @Test("A thief can write no address into the mail, and causes at most five a day")
    func hostile() async throws {
        let world = try await AccountMailWorld()
        _ = try await world.register(Self.email)
        for _ in 0..<8 { _ = try await logIn(world, nil, "evil.example/<b>now</b>", address: nil) }
        #expect(try await subjects(world).count == Int(AccountMailOutbox.newDevicesPerDayMax))
        let mail = try #require(world.mails(to: Self.email).last)
        #expect(mail.text("plain").contains("\"evil example b now b\"") && !mail.text("html").contains("evil.example"))
        await world.close()
    }

    @Test("A provisional account causes no mail: its address may be a stranger's")
    func provisional() async throws {
        let world = try await AccountMailWorld()
        _ = try await world.registerProvisionally(Self.email)
        _ = try await logIn(world, nil)
        #expect(try await subjects(world).allSatisfy { $0 != "New login to your account" })
        await world.close()
    }
}
