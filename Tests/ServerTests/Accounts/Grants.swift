import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Services

/// A kind of grant: access to an account without a fresh sign-in. Each has the table that the schema marks with `grant:`.
enum GrantKind: String, CaseIterable {
    case tokens, welcomes, links, shares
    case calendarFeeds = "calendar_feeds"
    case reminderAddresses = "reminder_addresses"
    case knownDevices = "known_devices"
    case passwordResets = "password_resets"
    case addressConfirmations = "address_confirmations"
    case providerIdentities = "provider_identities"
    case pendingSignIns = "pending_sign_ins"
}

/// Somebody's account, and one grant of each kind in the hands of a thief who had its password for a minute.
struct RobbedAccount: Sendable {
    let server: TestServer
    let victim: ChatPerson
    private(set) var thief: ChatClient
    private(set) var guest: ChatClient
    let thiefToken: String
    let thiefDevice: String
    let welcome: String
    let reset: String
    let ticket: String
    let calendar: String
    let session: Int64
    let link: String
    let share: Int64
    let shareLink: String
    let personShare: Int64
    let friend: ChatPerson
    var email: String { "\(victim.username)@example.org" }
    private var thiefsPush: String { "https://push.example/\(victim.id)" }

    init(_ server: TestServer) async throws {
        self.server = server
        victim = try await ChatPerson(server)
        friend = try await ChatPerson(server)
        guest = try await ChatClient(server)
        let connection = try await server.connect()
        let signedIn = try await connection.call(
            AccountLogin.self, .init(email: "\(victim.username)@example.org", password: TestServer.password))
        (thiefToken, thiefDevice) = (signedIn.token, signedIn.device ?? "")
        await connection.close()
        let client = try await ChatClient(server, token: thiefToken)
        thief = client
        calendar = try await thief.call(EventsCalendar.self, .init()).path ?? ""
        session = try await thief.call(
            TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString, audience: .private)
        ).session.id
        link = try await thief.call(TrackingLink.self, .init(session: session)).link.token
        _ = try await thief.call(LocationReport.self, .init(lat: 41.7365, lon: 12.25, accuracy: 5, source: .gps))
        func start(_ audience: ShareAudience, _ person: ChatPerson? = nil) async throws -> SharingStart.Result {
            try await client.call(
                SharingStart.self,
                .init(
                    clientId: UUID().uuidString, audience: audience, username: person?.username, precision: .exact,
                    expiresIn: 3_600))
        }
        let shared = try await start(.link)
        (share, shareLink) = (shared.share.id, shared.token ?? "")
        personShare = try await start(.person, friend).share.id
        welcome = Secrets.makeToken()
        reset = Secrets.makeToken()
        ticket = Secrets.makeToken()
        try await addRows()
    }

    /// The same account, with other connections.
    func watched(by guest: ChatClient, thief: ChatClient) -> RobbedAccount {
        var other = self
        (other.guest, other.thief) = (guest, thief)
        return other
    }

    private func addRows() async throws {
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query(
            "INSERT INTO welcomes (account_id, hash, expires_at) VALUES ($1, $2, now() + interval '1 week')",
            [.int(victim.id), .bytes(Secrets.hash(welcome))])
        _ = try await database.query(
            "INSERT INTO password_resets (account_id, hash, expires_at) VALUES ($1, $2, now() + interval '1 hour')",
            [.int(victim.id), .bytes(Secrets.hash(reset))])
        _ = try await database.query(
            "INSERT INTO pending_sign_ins (account_id, hash, expires_at) VALUES ($1, $2, now() + interval '1 hour')",
            [.int(victim.id), .bytes(Secrets.hash(ticket))])
        _ = try await database.query(
            """
            INSERT INTO address_confirmations (account_id, address, address_key, link_hash, expires_at)
            VALUES ($1, $2, $2, $3, now() + interval '1 day')
            ON CONFLICT (account_id) DO UPDATE SET address = $2, address_key = $2, link_hash = $3
            """, [.int(victim.id), .text("thief\(victim.id)@example.org"), .bytes(Secrets.hash(reset))])
        _ = try await database.query(
            """
            INSERT INTO provider_identities (issuer, subject, account_id, verified_key)
            VALUES ('https://provider.example', 'thief' || $1::bigint, $1, 'thief@example.org')
            """, [.int(victim.id)])
        _ = try await database.query(
            """
            INSERT INTO reminder_addresses (account_id, channel, address, address_key, state, public_key, secret, created_at)
            VALUES ($1, 'push', $2, $2, 'on', '\\x01', '\\x02', now()), ($1, 'email', $3, $3, 'on', NULL, NULL, now())
            """, [.int(victim.id), .text(thiefsPush), .text("thief\(victim.id)@example.org")])
    }

    /// Whether a grant works, as its holder finds out.
    func works(_ kind: GrantKind) async throws -> Bool {
        switch kind {
        case .tokens:
            do {
                try await server.connect(token: thiefToken).close()
                return true
            } catch is RPCError { return false }
        case .welcomes:
            // A password that is no password: the link itself is looked at first.
            let answer = try await ChatClient(server).ask("account.accept", #"{"token":"\#(welcome)","password":"x"}"#)
            return !answer.contains(#""field":"token""#)
        case .passwordResets:
            let answer = try await ChatClient(server).ask("account.reset", #"{"token":"\#(reset)","password":"x"}"#)
            return !answer.contains(#""field":"token""#)
        case .pendingSignIns:
            // Without a second factor: the ticket itself is looked at first.
            let answer = try await ChatClient(server).ask("account.secondFactor", #"{"ticket":"\#(ticket)"}"#)
            return !answer.contains(#""field":"ticket""#)
        case .addressConfirmations:
            // Whether it would still replace the address; no thief has a connection to try it by after the rescue.
            let database = try await server.database()
            defer { database.close() }
            return try await !database.query(
                "SELECT FROM address_confirmations WHERE account_id = $1", [.int(victim.id)]
            ).isEmpty
        case .providerIdentities:
            let database = try await server.database()
            defer { database.close() }
            return try await !database.query(
                "SELECT FROM provider_identities WHERE account_id = $1", [.int(victim.id)]
            ).isEmpty
        case .calendarFeeds:
            let socket = try RawSocket(port: server.port)
            defer { socket.close() }
            try await socket.send("GET \(calendar) HTTP/1.1\r\nHost: x\r\n\r\n")
            return try await socket.response().status == 200
        case .links:
            let answer = try await ChatClient(server).ask(
                "subscribe", #"{"topic":"session/\#(session)","share":"\#(link)"}"#)
            return answer.contains(#""result""#)
        case .shares:
            let byLink = try await ChatClient(server).watch(share: share, token: shareLink)
            let byPerson = try await ChatClient(server, token: friend.token).watch(share: personShare)
            return byLink.contains(#""result""#) || byPerson.contains(#""result""#)
        case .knownDevices:
            let accounts = await server.server?.environment.services.accounts
            for address in [email, "new\(victim.id)@example.org"] {
                let params = AccountLogin.Params(email: address, password: nil, device: thiefDevice)
                if try await accounts?.knownDevice(params) != nil { return true }
            }
            return false
        case .reminderAddresses:
            let database = try await server.database()
            defer { database.close() }
            return try await database.query(
                "SELECT FROM reminder_addresses WHERE account_id = $1 AND address <> $2",
                [.int(victim.id), .text(email)]
            ).first != nil
        }
    }

    /// The thief's friends watch, with what the thief gave them.
    func watch() async throws {
        _ = try await guest.watch(share: share, token: shareLink)
        _ = try await guest.ask("subscribe", #"{"topic":"session/\#(session)","share":"\#(link)"}"#)
    }

    /// Everybody who watched is cut, and the thief's connection is closed.
    func waitUntilCut() async throws {
        try await guest.waitUntilClosed(share)
        _ = try await eventually("the watcher of the session is cut") {
            guest.frames.contains { $0.contains(#""session/\#(session)""#) && $0.contains(#""closed""#) } ? true : nil
        }
        #expect(try await thief.isClosed(with: .tokenRevoked))
    }
}

/// What ends a theft.
enum Rescue: String, CaseIterable, CustomTestStringConvertible {
    case logoutEverywhere, newPassword, adminSignOut, disableAndEnable, newAddress, promotion, resetByCommand,
        roleByCommand, welcome, resetByMail

    var testDescription: String { rawValue }

    func run(_ account: RobbedAccount, by admin: Official) async throws {
        let (server, id) = (account.server, account.victim.id)
        switch self {
        case .logoutEverywhere: _ = try await account.victim.client.ask("account.logoutEverywhere")
        case .newPassword:
            _ = try await account.victim.client.call(
                AccountChangePassword.self, .init(password: TestServer.password, newPassword: "Another456"))
        case .adminSignOut: _ = try await admin.client.call(AdminSignOutUser.self, .init(account: id))
        case .disableAndEnable:
            _ = try await admin.client.call(AdminDisableUser.self, .init(account: id, reason: "stolen"))
            _ = try await admin.client.call(AdminEnableUser.self, .init(account: id))
        case .newAddress:
            _ = try await admin.client.call(
                AdminEditUser.self,
                .init(account: id, email: "new\(id)@example.org", password: TestServer.password))
        case .promotion:
            _ = try await admin.client.call(
                AdminEditUser.self, .init(account: id, role: .admin, password: TestServer.password))
        case .resetByCommand:
            try await Self.asCommand(server) {
                _ = try await $0.resetPassword(ofEmail: account.email, to: "Another456")
            }
        case .roleByCommand:
            try await Self.asCommand(server) { _ = try await $0.setRole(.lecturer, ofEmail: account.email) }
        case .welcome:
            _ = try await ChatClient(server).call(
                AccountAccept.self, .init(token: account.welcome, password: "Another456"))
        case .resetByMail:
            _ = try await ChatClient(server).call(
                AccountReset.self, .init(token: account.reset, password: "Another456"))
        }
    }

    /// As `campanile user` does: in another process, the server is not asked.
    private static func asCommand(_ server: TestServer, _ body: (Accounts) async throws -> Void) async throws {
        let pool = PostgresPool(
            configuration: server.access.application, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
        try await body(
            Accounts(
                loop: TestDatabase.shared.loop, database: pool, passwords: TestServer.passwords, simulationKey: nil))
        await pool.close()
    }
}
