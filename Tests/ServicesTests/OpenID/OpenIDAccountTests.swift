import OpenID
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Accounts and identities at a provider")
struct OpenIDAccountTests {
    typealias Person = OpenIDWorld.Person

    private let world: OpenIDWorld
    private let anna = Person(
        sub: "anna-1", email: "anna@example.org", isVerified: true, name: "anna.berg")

    init() async throws { world = try await OpenIDWorld(["normal", "es256"]) }

    /// Subjects of the mails about identities: log-ins on new devices get mails as well.
    private func subjects(to address: String) async throws -> [String] {
        try await world.mail.settle()
        return world.mail.mails(to: address).map { $0.object("headers").text("subject") }
            .filter { $0.contains("Campus ID") }
    }

    @Test("A verified address is the new account's, confirmed and without a password; afterwards the identity signs in")
    func verified() async throws {
        let first = try await world.redeem(try await world.prove("normal", as: anna))
        #expect(first.next == .register && first.username == "annaberg" && first.label == "Campus ID")
        // Another address than the proved one is not taken.
        let (signedIn, identity) = try await world.register("normal", as: anna, email: "other@example.org")
        #expect(signedIn.account.email == "anna@example.org" && signedIn.account.isEmailConfirmed)
        #expect(signedIn.account.confirmBy == nil && signedIn.message == Registration.success)
        #expect(try await world.account("normal", as: anna) == signedIn.account.id)
        // An identity is its issuer and subject: neither the address nor a name counts.
        #expect(try await world.account("es256", as: anna) == nil)
        #expect(try await world.account("normal", as: Person(sub: "anna-1")) == signedIn.account.id)
        #expect(try await subjects(to: "anna@example.org") == [])
        let list = try await world.openID.list(of: identity)
        #expect(!list.hasPassword && list.providers.map { $0.connectedAt != nil } == [true, false])
        await world.close()
    }

    @Test("A new account keeps the rules of registration, and the ticket stays valid for another attempt")
    func rules() async throws {
        let (taken, _) = try await world.mail.register("bert@example.org")
        let proof = try await world.prove("normal", as: anna)
        func register(_ username: String) async throws -> SignedIn {
            try await world.openID.register(
                .init(ticket: proof.ticket, secret: proof.secret, username: username), client: "tests", isSeen: true
            ).0
        }
        for name in ["", "ab", "anna.berg", "admin", taken.account.username] {
            #expect(await refusal(.rejected) { try await register(name) }?.data?.field == "username")
        }
        _ = try await register(World.name())
        #expect(await refusal(.notFound) { try await register(World.name()) } == OpenIDSignIn.unknownTicket)
        let limited = Accounts(
            loop: world.mail.world.loop, database: world.pool, passwords: world.accounts.passwords, simulationKey: nil,
            domains: try required(EmailDomains("campus.example")))
        let openID = OpenIDSignIn(
            loop: world.mail.world.loop, database: world.pool, accounts: limited, settings: world.openID.settings,
            site: AccountMailWorld.site)
        let other = try await world.prove("es256", as: Person(sub: "2", email: "x@example.org", isVerified: true))
        #expect(
            await refusal(.rejected) {
                try await openID.register(
                    .init(ticket: other.ticket, secret: other.secret, username: World.name()), client: "tests",
                    isSeen: true
                ).0
            }?.data?.field == "email")
        await world.close()
    }

    @Test(
        "An address that is not verified makes a provisional account, and does not disclose whether it has an account")
    func unverified() async throws {
        _ = try await world.mail.register("anna@example.org")
        for person in [
            Person(sub: "1", email: "anna@example.org", isVerified: false),
            Person(sub: "2", email: "anna@example.org"),
            Person(sub: "3"), Person(sub: "4", email: "nonsense", isVerified: true),
        ] {
            let result = try await world.redeem(try await world.prove("normal", as: person))
            #expect(result.next == .register && !result.isEmailVerified)
        }
        let (signedIn, identity) = try await world.register("normal", as: Person(sub: "3"), email: "carl@example.org")
        #expect(signedIn.account.confirmBy != nil && !signedIn.account.isEmailConfirmed)
        // The person corrects the address without a password, which the account does not have.
        _ = try await world.accounts.changeEmail(identity, .init(email: "carla@example.org", password: ""))
        let code = try await world.mail.confirmation(to: "carla@example.org").code
        #expect(try await world.accounts.confirmEmail(identity, .init(code: code)).account.isEmailConfirmed)
        // From then on it takes a password.
        #expect(
            await refusal(.invalidCredentials) {
                try await world.accounts.changeEmail(
                    identity, .init(email: "d@example.org", password: "Secr3tPassw0rd"))
            } == Accounts.noPassword)
        await world.close()
    }

    @Test(
        "An older account whose address nobody has confirmed changes it without the password that it lacks; the old one gets a mail"
    )
    func unconfirmed() async throws {
        let (_, identity) = try await world.register("normal", as: Person(sub: "3"), email: "typo@example.org")
        // As an account that was made while the server sent no mail.
        _ = try await world.pool.query(
            "UPDATE accounts SET confirm_by = NULL WHERE id = $1", [.int(identity.account.id)])
        let changed = try await world.accounts.changeEmail(identity, .init(email: "carl@example.org", password: ""))
        #expect(changed.account.email == "typo@example.org" && changed.confirming == "carl@example.org")
        let code = try await world.mail.confirmation(to: "carl@example.org").code
        let own = try await world.accounts.confirmEmail(identity, .init(code: code))
        #expect(own.account.email == "carl@example.org" && own.account.isEmailConfirmed)
        try await world.mail.settle()
        let subjects = world.mail.mails(to: "typo@example.org").map { $0.object("headers").text("subject") }
        #expect(subjects.last == "Your email was changed")
        #expect(
            await refusal(.invalidCredentials) {
                try await world.accounts.changeEmail(identity, .init(email: "d@example.org", password: ""))
            } == Accounts.noPassword)
        // An account with a password needs it, confirmed or not.
        let (_, other) = try await world.mail.register("eve@example.org")
        _ = try await world.pool.query(
            "UPDATE accounts SET email_confirmed_at = NULL WHERE id = $1", [.int(other.account.id)])
        #expect(
            await refusal(.invalidParams) {
                try await world.accounts.changeEmail(other, .init(email: "d@example.org", password: ""))
            } == Accounts.needsPassword)
        await world.close()
    }

    @Test("An operator who does not believe the provider's addresses gets them confirmed by mail")
    func disbelieved() async throws {
        let world = try await OpenIDWorld(["normal"]) { $0.verifiesEmail = false }
        _ = try await world.mail.register("anna@example.org")
        #expect(try await world.redeem(try await world.prove("normal", as: anna)).next == .register)
        #expect(try await world.register("normal", as: anna).0.account.confirmBy != nil)
        await world.close()
    }

    @Test(
        "An account that has the address is connected by its password alone; the owner gets a mail, and one again after the end"
    )
    func connect() async throws {
        let (owner, identity) = try await world.mail.register("anna@example.org")
        #expect(try await world.redeem(try await world.prove("normal", as: anna)).next == .connect)
        #expect(await refusal(.rejected) { try await world.register("normal", as: anna) } == Registration.emailTaken)
        let error = await refusal(.invalidCredentials) {
            try await world.connect("normal", as: anna, with: identity, password: "Wrong12345")
        }
        #expect(error?.data?.field == "password")
        #expect(try await world.account("normal", as: anna) == nil)
        let list = try await world.connect("normal", as: anna, with: identity)
        #expect(list.hasPassword && list.providers[0].connectedAt != nil)
        #expect(try await world.account("normal", as: anna) == owner.account.id)
        #expect(try await subjects(to: "anna@example.org") == ["Campus ID now logs you in"])
        // Neither a second identity of the provider, nor the same with another account.
        #expect(
            await refusal(.conflict) {
                try await world.connect("normal", as: Person(sub: "anna-2"), with: identity)
            } != nil)
        let (_, other) = try await world.mail.register("bert@example.org")
        #expect(await refusal(.conflict) { try await world.connect("normal", as: anna, with: other) } != nil)
        let params = AccountDisconnectOpenID.Params(provider: "normal", password: "Wrong12345")
        #expect(await refusal(.invalidCredentials) { try await world.openID.disconnect(params, by: identity) } != nil)
        let right = AccountDisconnectOpenID.Params(provider: "normal", password: AccountMailWorld.password)
        let after = try await world.openID.disconnect(right, by: identity)
        #expect(after.providers[0].connectedAt == nil)
        #expect(await refusal(.notFound) { try await world.openID.disconnect(right, by: identity) } != nil)
        #expect(try await world.account("normal", as: anna) == nil)
        #expect(
            try await subjects(to: "anna@example.org")
                == ["Campus ID now logs you in", "Campus ID no longer logs you in"])
        await world.close()
    }

    @Test("The end of an identity logs out the devices that it has signed in, and no share or link of theirs stays")
    func disconnect() async throws {
        let (_, identity) = try await world.mail.register("anna@example.org")
        _ = try await world.connect("normal", as: anna, with: identity)
        let thief = try required(try await world.redeem(try await world.prove("normal", as: anna)).signedIn)
        let stolen = try await world.accounts.authenticate(token: thief.token)
        let session = try await world.mail.world.start(stolen)
        _ = try await world.mail.world.tracking.makeLink(stolen, .init(session: session.id))
        _ = try await world.openID.disconnect(
            .init(provider: "normal", password: AccountMailWorld.password), by: identity)
        #expect(await (try? world.accounts.authenticate(token: thief.token)) == nil)
        #expect(try await world.pool.query("SELECT FROM links WHERE revoked_at IS NULL").isEmpty)
        #expect(try await world.accounts.own(identity).account.id == identity.account.id)
        await world.close()
    }

    @Test("An account without a password cannot lose its only way in, and gets a password by mail; then it can")
    func noPassword() async throws {
        let (signedIn, identity) = try await world.register("normal", as: anna)
        #expect(await world.mail.logsIn("anna@example.org", "") == false)
        let params = AccountDisconnectOpenID.Params(provider: "normal", password: "N3wPassword")
        for refused in [
            await refusal(.invalidCredentials, { try await world.openID.disconnect(params, by: identity) }),
            await refusal(.invalidCredentials) {
                try await world.accounts.changePassword(
                    identity, .init(password: "Secr3tPassw0rd", newPassword: "N3wPassword"))
            },
            await refusal(.invalidCredentials) {
                try await world.connect("es256", as: anna, with: identity, password: "N3wPassword")
            },
        ] { #expect(refused == Accounts.noPassword) }
        // Signing out everywhere leaves it the way in.
        _ = try await world.accounts.logoutEverywhere(identity)
        #expect(try await world.account("normal", as: anna) == signedIn.account.id)
        _ = try await world.mail.reset(try await world.mail.token(for: "anna@example.org"))
        #expect(await world.mail.logsIn("anna@example.org", "N3wPassword"))
        // A reset ends every identity. The owner connects it again.
        #expect(try await world.account("normal", as: anna) == nil)
        let now = try await world.accounts.login(
            .init(email: "anna@example.org", password: "N3wPassword"), address: "192.0.2.1", client: "tests"
        ).1
        _ = try await world.connect("normal", as: anna, with: now, password: "N3wPassword")
        #expect(try await world.openID.disconnect(params, by: now).providers[0].connectedAt == nil)
        await world.close()
    }

    @Test("A disabled account is not opened, and an account that is signed out while it signs in gets no token")
    func disabled() async throws {
        let (signedIn, _) = try await world.register("normal", as: anna)
        let account = signedIn.account
        _ = try await world.pool.query("UPDATE accounts SET disabled_at = now() WHERE id = $1", [.int(account.id)])
        #expect(
            await refusal(.rejected) { try await world.redeem(try await world.prove("normal", as: anna)) }
                == Accounts.disabled)
        _ = try await world.pool.query("UPDATE accounts SET disabled_at = NULL WHERE id = $1", [.int(account.id)])
        _ = try await world.pool.query("DELETE FROM provider_identities WHERE account_id = $1", [.int(account.id)])
        let issuer = try required(world.openID.settings(of: "normal")).issuer
        #expect(
            await refusal(.notFound) {
                try await world.accounts.signIn(
                    account, client: "tests", device: nil, proof: .provider(issuer: issuer, subject: anna.sub)
                ).0
            } == Accounts.identityGone)
        await world.close()
    }
}
