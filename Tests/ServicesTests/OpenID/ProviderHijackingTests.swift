import OpenID
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

/// The classes of account pre-hijacking (Sudhodanan and Paverd, arXiv 2205.10174) with an identity provider. PreHijackingTests has the
/// others.
@Suite("Account pre-hijacking by a provider")
struct ProviderHijackingTests {
    typealias Person = OpenIDWorld.Person

    private let world: OpenIDWorld
    private let victim = Person(sub: "victim", email: "victim@example.org", isVerified: true)
    private let attacker = Person(sub: "attacker", email: "attacker@example.org", isVerified: true)

    init() async throws {
        world = try await OpenIDWorld(["normal", "es256"]) { if $0.name == "es256" { $0.label = "Trojan ID" } }
    }

    @Test(
        "Classic-federated merge: a password that was registered first is not that of the account the victim makes by a provider"
    )
    func merge() async throws {
        let (attackers, _) = try await world.mail.registerProvisionally("victim@example.org", password: "Attack3rs")
        let (victims, _) = try await world.register("normal", as: victim)
        #expect(victims.account.id != attackers.account.id && victims.account.isEmailConfirmed)
        #expect(try await world.account("normal", as: victim) == victims.account.id)
        // The password opens the attacker's own account at most.
        let signedIn = try await world.accounts.login(
            .init(email: "victim@example.org", password: "Attack3rs"), address: "192.0.2.9", client: "tests"
        ).0
        #expect(signedIn.account.id == attackers.account.id)
        await world.close()
    }

    @Test(
        "Without a mail server, an account that took the victim's address is not merged either, and stays the attacker's"
    )
    func mergeWithoutMail() async throws {
        let accounts = Accounts(
            loop: world.mail.world.loop, database: world.pool, passwords: world.accounts.passwords, simulationKey: nil)
        let openID = OpenIDSignIn(
            loop: world.mail.world.loop, database: world.pool, accounts: accounts, settings: world.openID.settings,
            site: AccountMailWorld.site)
        _ = try await accounts.register(
            .init(username: World.name(), email: "victim@example.org", password: "Attack3rs"), address: "192.0.2.1",
            client: "tests")
        let proof = try await world.prove("normal", as: victim)
        let result = try await openID.redeem(.init(ticket: proof.ticket, secret: proof.secret), client: "tests").0
        #expect(result.signedIn == nil && result.next == .connect)
        await world.close()
    }

    @Test(
        "Unexpired session: devices and grants that the attacker made before the victim took the account over are gone")
    func session() async throws {
        // The attacker's own identity, with the victim's address, which the provider has not verified.
        let (attackers, identity) = try await world.register(
            "normal", as: Person(sub: "attacker"), email: "victim@example.org")
        let session = try await world.mail.world.start(identity)
        _ = try await world.mail.world.tracking.makeLink(identity, .init(session: session.id))
        _ = try await world.mail.reset(try await world.mail.token(for: "victim@example.org"))
        #expect(await (try? world.accounts.authenticate(token: attackers.token)) == nil)
        #expect(try await world.pool.query("SELECT FROM links WHERE revoked_at IS NULL").isEmpty)
        #expect(try await world.account("normal", as: Person(sub: "attacker")) == nil)
        await world.close()
    }

    @Test(
        "Trojan identifier: what ends a theft ends the attacker's identity, and a reset the owner's; the mail about the password names them"
    )
    func identifier() async throws {
        for (index, way) in ["reset", "operator", "change", "logout"].enumerated() {
            let email = "victim\(index)@example.org"
            let own = Person(sub: "own\(index)", email: email, isVerified: true)
            let trojan = Person(sub: "trojan\(index)", email: "attacker@example.org", isVerified: true)
            let (signedIn, owner) = try await world.mail.register(email)
            let stolen = try await world.accounts.login(
                .init(email: email, password: AccountMailWorld.password), address: "192.0.2.66", client: "tests"
            ).1
            _ = try await world.connect("normal", as: own, with: owner)
            _ = try await world.connect("es256", as: trojan, with: stolen)
            #expect(try await world.account("es256", as: trojan) == signedIn.account.id)
            switch way {
            case "reset": _ = try await world.mail.reset(try await world.mail.token(for: email))
            case "operator": _ = try await world.accounts.resetPassword(ofEmail: email, to: "N3wPassword")
            case "change":
                _ = try await world.accounts.changePassword(
                    owner, .init(password: AccountMailWorld.password, newPassword: "N3wPassword"))
            default: _ = try await world.accounts.logoutEverywhere(owner)
            }
            #expect(try await world.account("es256", as: trojan) == nil, "\(way)")
            // The provider may have verified the address for its former owner.
            let isReset = ["reset", "operator"].contains(way)
            #expect(try await world.account("normal", as: own) == (isReset ? nil : signedIn.account.id), "\(way)")
            try await world.mail.settle()
            let notices = world.mail.mails(to: email).filter {
                $0.object("headers").text("subject") == "Your password was changed"
            }
            #expect(notices.count == (way == "logout" ? 0 : 1), "\(way)")
            let ended = isReset ? "Campus ID, Trojan ID" : "Trojan ID"
            for notice in notices {
                #expect(notice.text("plain").contains("These no longer log you in: \(ended)."), "\(way)")
                #expect(notice.text("plain").contains("by the operator") == (way == "operator"))
            }
        }
        await world.close()
    }

    @Test("A provisional account connects no identity, so none waits in it for the victim")
    func provisional() async throws {
        let (_, identity) = try await world.mail.registerProvisionally("victim@example.org", password: "Attack3rs")
        #expect(
            await refusal(.forbidden) {
                try await world.connect("normal", as: attacker, with: identity, password: "Attack3rs")
            } == MethodAccess.needsConfirmedAddress)
        await world.close()
    }

    @Test(
        "Unexpired change of the address: one that an attacker's account began never confirms the victim's"
    )
    func addressChange() async throws {
        let (_, identity) = try await world.register("normal", as: Person(sub: "attacker"), email: "a@example.org")
        _ = try await world.accounts.changeEmail(identity, .init(email: "victim@example.org", password: ""))
        let proof = try await world.mail.confirmation(to: "victim@example.org")
        let (victims, owner) = try await world.register("es256", as: victim)
        for params in [AccountConfirmEmail.Params(code: proof.code), .init(token: proof.token)] {
            #expect(await (try? world.accounts.confirmEmail(owner, params)) == nil)
            // Not even with the mail's code in the attacker's hands: the address has an owner.
            #expect(await (try? world.accounts.confirmEmail(identity, params)) == nil)
        }
        #expect(try await world.accounts.own(owner).account.id == victims.account.id)
        #expect(try await world.account("normal", as: Person(sub: "attacker")) != victims.account.id)
        await world.close()
    }

    @Test(
        "Non-verifying provider: an address that it does not verify opens no account, is not confirmed, and ends when its owner proves it"
    )
    func nonVerifying() async throws {
        let claimed = Person(sub: "attacker", email: "victim@example.org", isVerified: false)
        let (attackers, _) = try await world.register("normal", as: claimed)
        #expect(attackers.account.confirmBy != nil)
        let (victims, _) = try await world.register("es256", as: victim)
        #expect(victims.account.id != attackers.account.id && victims.account.isEmailConfirmed)
        #expect(try await world.account("normal", as: claimed) == attackers.account.id)
        _ = try await world.mail.reset(try await world.mail.token(for: "victim@example.org"))
        #expect(try await world.account("normal", as: claimed) != victims.account.id)
        #expect(await world.mail.logsIn("victim@example.org", "N3wPassword"))
        await world.close()
    }
}
