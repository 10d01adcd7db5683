import OpenID
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Attempts to sign in by a provider")
struct OpenIDAttemptTests {
    private let world: OpenIDWorld

    init() async throws { world = try await OpenIDWorld(["normal", "aud-list"]) }

    private func isUnknown(_ body: () async throws -> some Sendable) async -> Bool {
        do {
            _ = try await body()
            return false
        } catch {
            return error as? OpenIDFailure == .unknownAttempt
        }
    }

    @Test("An answer works once, within ten minutes, and for the provider of its attempt alone")
    func once() async throws {
        let visit = try await world.visit("normal")
        #expect(await isUnknown { try await world.finish("aud-list", visit) })
        _ = try await world.finish("normal", visit)
        #expect(await isUnknown { try await world.finish("normal", visit) })
        let late = try await world.visit("normal")
        _ = try await world.pool.query("UPDATE openid_attempts SET expires_at = now()")
        #expect(await isUnknown { try await world.finish("normal", late) })
        for form in [
            "", "state=", "code=x", "state=\(Secrets.makeToken())&code=x", "%zz", visit.form + "&" + visit.form,
        ] {
            #expect(await isUnknown { try await world.finish("normal", .init(secret: "", form: form)) }, "\(form)")
        }
        await world.close()
    }

    @Test("A ticket opens nothing without the secret of the page that began, works once, and ends")
    func ticket() async throws {
        // Whoever makes a victim open the address of an answer has no page with the secret, and the victim's page has another one.
        let person = OpenIDWorld.Person(sub: "7", email: "anna@example.org", isVerified: true)
        let (registered, _) = try await world.register("normal", as: person)
        let proof = try await world.prove("normal", as: person)
        for wrong in [
            OpenIDProof(ticket: proof.ticket, secret: Secrets.makeToken()),
            OpenIDProof(ticket: proof.ticket, secret: Secrets.base64URL(Secrets.hash(proof.secret))),
            OpenIDProof(ticket: Secrets.makeToken(), secret: proof.secret),
        ] { #expect(await refusal(.notFound) { try await world.redeem(wrong) } == OpenIDSignIn.unknownTicket) }
        #expect(try await world.redeem(proof).signedIn?.account.id == registered.account.id)
        #expect(await refusal(.notFound) { try await world.redeem(proof) } == OpenIDSignIn.unknownTicket)
        let late = try await world.prove("normal", as: person)
        _ = try await world.pool.query("UPDATE openid_tickets SET expires_at = now()")
        #expect(await refusal(.notFound) { try await world.redeem(late) } == OpenIDSignIn.unknownTicket)
        try await world.openID.prune()
        #expect(try await world.pool.query("SELECT FROM openid_tickets").isEmpty)
        await world.close()
    }

    @Test("The database has no secret of an attempt, and another server finishes what one began")
    func servers() async throws {
        let visit = try await world.visit("normal")
        let rows = try await world.pool.query(
            "SELECT state_hash, secret_hash, provider FROM openid_attempts")
        #expect(try rows[0].bytes("secret_hash") == Secrets.hash(visit.secret))
        let other = world.another(["normal"])
        let proof = try await world.finish("normal", visit, other)
        #expect(try await world.redeem(proof).next == .register)
        await world.close()
    }

    @Test("More attempts than may wait are refused for a while")
    func limit() async throws {
        _ = try await world.pool.query(
            """
            INSERT INTO openid_attempts SELECT sha256(n::text::bytea), 'normal', '\\x00', now() + interval '1 minute'
            FROM generate_series(1, $1::bigint) n
            """, [.int(OpenIDSignIn.attemptsMax)])
        #expect(await refusal(.rateLimited) { try await world.visit("normal") } != nil)
        _ = try await world.pool.query("UPDATE openid_attempts SET expires_at = now()")
        _ = try await world.prove("normal")
        await world.close()
    }

    @Test("The start demands the hash of a secret and a known provider")
    func start() async throws {
        for secret in ["", "x", String(repeating: "!", count: 43)] {
            #expect(
                await refusal(.invalidParams) { try await world.openID.start("normal", secretHash: secret) } != nil)
        }
        let hash = Secrets.base64URL(Secrets.hash("x"))
        #expect(
            await refusal(.notFound) { try await world.openID.start("other", secretHash: hash) }
                == OpenIDSignIn.unknownProvider)
        await world.close()
    }
}
