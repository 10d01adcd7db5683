import Delivery
import Foundation
import Postgres
import TestSupport
import Wire

@testable import Services

/// Mails about accounts over a database of the test's own, with a real mail server and a clock that the test moves.
struct AccountMailWorld: Sendable {
    static let site = "https://campus.example"
    static let password = "Secr3tPassw0rd"

    let world: World
    let accounts: Accounts
    let mail: AccountMail
    let server: TestPython
    let outbox: AccountMailOutbox
    var clock: TestClock { world.clock }
    var pool: PostgresPool { world.pool }

    /// - Parameter providers: Names of the operator's providers, by issuer.
    init(policy: PasswordPolicy = PasswordPolicy(), providers: [String: String] = [:]) async throws {
        // Tokens and links are checked by the real clock.
        world = World(
            access: try await MigratedDatabase.shared.own(), clock: TestClock(start: .now), patience: .seconds(60),
            connections: 4)
        server = try await TestPython.start("mail", ["plain"])
        let clock = world.clock
        outbox = AccountMailOutbox { clock.now }
        accounts = Accounts(
            loop: world.loop, database: world.pool, passwords: Passwords(cost: .init(logN: 4, r: 8, p: 1)),
            simulationKey: World.simulationKey, mail: outbox, policy: policy)
        mail = try Self.sender(world, port: server.port, providers)
    }

    private static func sender(
        _ world: World, port: UInt16, _ providers: [String: String] = [:]
    ) throws -> AccountMail {
        let clock = world.clock
        var configuration = AccountMailConfiguration(
            server: try MailServer(url: "smtp+plain://localhost:\(port)"),
            from: try required(MailAddress("campus@example.org")), site: site)
        configuration.providerLabels = providers
        return AccountMail(
            loop: world.loop, database: world.pool, configuration: configuration,
            now: { clock.now }, logger: TestDatabase.logger)
    }

    /// Another server over the same outbox.
    /// - Parameter port: Port of its mail server.
    func another(port: UInt16) throws -> AccountMail { try Self.sender(world, port: port) }

    func close() async {
        server.end()
        await mail.stop()
        await world.close()
    }

    // MARK: People

    /// An account whose address counts as confirmed, and a device that is signed in.
    func register(_ email: String) async throws -> (SignedIn, Identity) {
        try await accounts.register(
            .init(username: World.name(), email: email, password: Self.password), address: "192.0.2.1", client: "tests",
            byOperator: true)
    }

    /// An account that has to confirm this address.
    func registerProvisionally(
        _ email: String, password: String = password
    ) async throws -> (SignedIn, Identity) {
        try await accounts.register(
            .init(username: World.name(), email: email, password: password), address: "192.0.2.1", client: "tests")
    }

    func request(_ email: String) async throws { try await accounts.requestReset(.init(email: email)) }

    func reset(_ token: String, _ password: String = "N3wPassword") async throws -> Int {
        try await accounts.reset(
            .init(token: token, password: password), address: "192.0.2.7", client: "campanile-web 1.0"
        ).devices
    }

    func logsIn(_ email: String, _ password: String) async -> Bool {
        let params = AccountLogin.Params(email: email, password: password)
        return await (try? accounts.login(params, address: "192.0.2.9", client: "tests")) != nil
    }

    // MARK: Mails

    /// Has a server look, until nothing is in flight or due.
    func settle(_ sender: AccountMail? = nil) async throws {
        let sender = sender ?? mail
        try await sender.runOnce()
        _ = try await eventually("what is due is settled") { () -> Bool? in
            guard await sender.inFlight == 0 else { return nil }
            let due = try await pool.query(
                "SELECT FROM account_mails WHERE state = 'waiting' AND next_at <= $1",
                [.timestamp(clock.now.milliseconds)])
            if due.isEmpty { return true }
            try await sender.runOnce()
            return nil
        }
    }

    /// The latest code and the token of the link beside it that were mailed to an address.
    func confirmation(to address: String) async throws -> (code: String, token: String) {
        try await settle()
        let mail = try required(mails(to: address).last { $0.text("plain").contains("/confirm/") })
        let code = try required(mail.object("headers").text("subject").firstMatch(of: /^([0-9]{8}) is your/))
        let link = try required(
            mail.text("plain").firstMatch(of: /https:\/\/campus\.example\/confirm\/([A-Za-z0-9_-]{43})\s/))
        return (String(code.1), String(link.1))
    }

    /// What was mailed to an address, oldest first.
    func mails(to address: String) -> [TestPython.Line] { server.said("mail").filter { $0.text("to") == address } }

    /// Token of the link in a mail.
    static func token(in mail: TestPython.Line) throws -> String {
        let link = try required(
            mail.text("plain").firstMatch(of: /https:\/\/campus\.example\/reset\/([A-Za-z0-9_-]{43})\s/))
        return String(link.1)
    }

    /// Requests a link, and returns the token of the mail.
    func token(for email: String) async throws -> String {
        try await request(email)
        try await settle()
        let links = mails(to: email).filter { $0.object("headers").text("subject") == "Reset your password" }
        return try Self.token(in: try required(links.last))
    }

    /// What the outbox has of an address, oldest first.
    func states(_ key: String) async throws -> [String] {
        try await pool.query("SELECT state FROM account_mails WHERE address = $1 ORDER BY id", [.text(key)]).map {
            try $0.text("state")
        }
    }
}
