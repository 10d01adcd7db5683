import Authenticators
import CampanileClient
import Foundation
import Postgres
import Server
import TestSupport
import Testing
import Wire

/// Nothing goes around the second factor of a whole server.
@Suite("Second factors under attack")
struct SecondFactorAttackTests {
    private static func email(_ person: ChatPerson) -> String { "\(person.username)@example.org" }
    private static let proof = OwnershipProof(password: TestServer.password)

    /// Sets an authenticator app up.
    private func addTOTP(_ client: ChatClient) async throws -> (totp: TOTP, codes: [String]) {
        let begun = try await client.call(AccountBeginTOTP.self, .init(proof: Self.proof))
        let totp = TOTP(secret: Self.base32(begun.secret))
        let codes = try await client.call(AccountConfirmTOTP.self, .init(code: Self.code(totp)))
        return (totp, codes.recoveryCodes)
    }

    private static func code(_ totp: TOTP, steps: Int64 = 0) -> String {
        totp.code(ofStep: TOTP.step(at: Timestamp.now.milliseconds / 1_000) + steps) ?? ""
    }

    private static func base32(_ text: String) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let bits = text.flatMap { letter in
            let value = alphabet.firstIndex(of: letter) ?? 0
            return (0..<5).map { value >> (4 - $0) & 1 }
        }
        return stride(from: 0, to: bits.count / 8 * 8, by: 8).map { start in
            bits[start..<(start + 8)].reduce(0) { $0 << 1 | UInt8($1) }
        }
    }

    @Test("Neither a reset link, a welcome link, hello nor HTTP goes around the second factor")
    func around() async throws {
        let server = try await Shared.server
        let person = try await ChatPerson(server)
        let (_, codes) = try await addTOTP(person.client)
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query(
            "UPDATE totp_secrets SET confirmed_at = now() - interval '8 days' WHERE account_id = $1", [.int(person.id)])
        // Of an address that nobody confirmed, a reset would remove it.
        _ = try await database.query(
            "UPDATE accounts SET email_confirmed_at = now() WHERE id = $1", [.int(person.id)])
        let guest = try await ChatClient(server)
        let login = AccountLogin.Params(email: Self.email(person), password: TestServer.password)
        let refused = try await guest.refusal(AccountLogin.self, login)
        #expect(refused?.registered == .secondFactorRequired)
        let ticket = refused?.data?.ticket ?? ""
        // The ticket is no token.
        #expect(try await guest.ask("account.me").contains("1001"))
        await #expect(throws: RPCError.self) { try await server.connect(token: ticket).close() }
        for token in [ticket, person.token] {
            let body = #"{"jsonrpc":"2.0","id":1,"method":"account.me"}"#
            let socket = try RawSocket(port: server.port)
            defer { socket.close() }
            try await socket.send(
                "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer \(token)\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(try await socket.response().status == (token == ticket ? 401 : 200))
        }
        #expect(try await server.personalData("/account/data.json", of: ticket).status != 200)
        // A link that resets the password signs nobody in, and leaves the app.
        let link = "a-reset-link-\(person.id)"
        _ = try await database.query(
            "INSERT INTO password_resets VALUES (sha256($1), $2, now() + interval '1 hour')",
            [.bytes(Array(link.utf8)), .int(person.id)])
        _ = try await guest.call(AccountReset.self, .init(token: link, password: "Another456"))
        // It ended the ticket.
        #expect(
            try await guest.refusal(AccountSecondFactor.self, .init(ticket: ticket, recoveryCode: codes[0]))?.registered
                == .notFound)
        let again = AccountLogin.Params(email: Self.email(person), password: "Another456")
        #expect(try await guest.refusal(AccountLogin.self, again)?.registered == .secondFactorRequired)
        let welcome = "a-welcome-link-\(person.id)"
        _ = try await database.query(
            "INSERT INTO welcomes VALUES ($2, sha256($1), now() + interval '1 hour')",
            [.bytes(Array(welcome.utf8)), .int(person.id)])
        let accepted = try await guest.refusal(AccountAccept.self, .init(token: welcome, password: "Third4567"))
        #expect(accepted?.registered == .secondFactorRequired)
        #expect(try await guest.ask("account.me").contains("1001"))
        let done = try await guest.call(
            AccountSecondFactor.self, .init(ticket: accepted?.data?.ticket ?? "", recoveryCode: codes[0]))
        #expect(done.account.id == person.id)
        #expect(try await guest.ask("account.me").contains(#""result""#))
    }

    @Test(
        "An admin without a second factor may do nothing that admins may, until one is added; another admin removes it")
    func gate() async throws {
        let server = try await TestServer.start { $0.adminSecondFactor = .required }
        let (ada, bob) = (try await ChatPerson(server), try await ChatPerson(server))
        let database = try await server.database()
        _ = try await database.query(
            "UPDATE accounts SET role = 'admin' WHERE id IN ($1, $2)", [.int(ada.id), .int(bob.id)])
        let client = try await ChatClient(server, token: ada.token)
        for method in APIRegistry.methods {
            guard case .roles(let roles) = method.access, roles.contains(.admin) else { continue }
            let answer = try await client.ask(method.name)
            #expect(answer.contains("two-step log-in") && answer.contains("1002"), "\(method.name): \(answer)")
        }
        for level in [NoticeLevel.info, .emergency] {
            let notice = NoticesPublish.Params(
                id: UUID().uuidString, audience: .campus, title: "Leave the building", level: level)
            #expect(try await client.refusal(NoticesPublish.self, notice) == MethodAccess.needsSecondFactor)
        }
        #expect(
            try await client.refusal(NoticesPreview.self, .init(audience: .campus)) == MethodAccess.needsSecondFactor)
        #expect(try await client.ask("account.secondFactors").contains(#""isRequired":true"#))
        // It takes effect at once, on this connection.
        _ = try await addTOTP(client)
        #expect(try await client.ask("admin.users").contains(#""result""#))
        let removal = try await client.refusal(AccountRemoveTOTP.self, .init(proof: Self.proof))
        #expect(removal?.registered == .conflict)
        // An admin who signs in by a passkey has both factors.
        let second = try await ChatClient(server, token: bob.token)
        let begun = try await second.call(AccountBeginPasskey.self, .init(proof: Self.proof))
        var device = SoftwareAuthenticator()
        let answer = device.register(begun.challenge)
        let added = try await second.call(
            AccountAddPasskey.self,
            .init(name: "Key", clientDataJSON: answer.clientDataJSON, authenticatorData: answer.authenticatorData))
        #expect(added.recoveryCodes?.count == 10)
        #expect(try await second.ask("admin.users").contains(#""result""#))
        (device.counter, device.userHandle) = (2, begun.user)
        let guest = try await ChatClient(server)
        let signed = device.sign(try await guest.call(AccountBeginPasskeyLogin.self, Empty()).challenge)
        let params = AccountPasskeyLogin.Params(
            passkey: .init(
                id: signed.id, clientDataJSON: signed.clientDataJSON, authenticatorData: signed.authenticatorData,
                signature: signed.signature, userHandle: signed.userHandle))
        #expect(try await guest.call(AccountPasskeyLogin.self, params).account.id == bob.id)
        #expect(try await guest.ask("admin.users").contains(#""result""#))
        #expect(
            try await ChatClient(server).refusal(AccountPasskeyLogin.self, params)?.message.contains("used already")
                == true)
        // Another admin resets it; the account is signed out, and the log says so.
        let reset = AdminResetSecondFactor.Params(account: ada.id, password: TestServer.password)
        _ = try await second.call(AdminResetSecondFactor.self, reset)
        #expect(try await client.isClosed(with: .tokenRevoked))
        #expect(try await second.refusal(AdminResetSecondFactor.self, reset)?.registered == .conflict)
        #expect(try await second.ask("admin.audit").contains("user.resetSecondFactor"))
        let back = try await ChatClient(server)
        _ = try await back.call(AccountLogin.self, .init(email: Self.email(ada), password: TestServer.password))
        #expect(try await back.ask("admin.users").contains("two-step log-in"))
        database.close()
        await server.stop()
    }
}
