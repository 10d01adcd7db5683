import Authenticators
import Postgres
import TestSupport
import Wire

@testable import Services

/// Passkeys and second factors over a database of the test's own, with a mail server and a clock that the test moves.
struct FactorWorld: Sendable {
    let base: AccountMailWorld
    let passkeys: Passkeys
    let factors: SecondFactors
    var accounts: Accounts { base.accounts }
    var pool: PostgresPool { base.pool }

    static let password = AccountMailWorld.password

    init() async throws {
        base = try await AccountMailWorld()
        let clock = base.clock
        passkeys = try await Passkeys.make(
            loop: base.world.loop, database: base.pool, accounts: base.accounts, publicURL: nil, now: { clock.now })
        factors = SecondFactors(
            loop: base.world.loop, database: base.pool, accounts: base.accounts, passkeys: passkeys, now: { clock.now })
    }

    func close() async { await base.close() }

    /// Another server over the same database.
    func another() async throws -> SecondFactors {
        let clock = base.clock
        let accounts = Accounts(
            loop: base.world.loop, database: pool, passwords: Passwords(cost: .init(logN: 4, r: 8, p: 1)),
            simulationKey: nil, mail: base.outbox)
        let passkeys = try await Passkeys.make(
            loop: base.world.loop, database: pool, accounts: accounts, publicURL: nil, now: { clock.now })
        return SecondFactors(
            loop: base.world.loop, database: pool, accounts: accounts, passkeys: passkeys, now: { clock.now })
    }

    /// Adds a passkey.
    @discardableResult
    func add(
        _ device: SoftwareAuthenticator, to identity: Identity, name: String = "Phone"
    ) async throws -> AccountAddPasskey.Result {
        let begun = try await passkeys.begin(.init(proof: .init(password: Self.password)), by: identity)
        let answer = device.register(begun.challenge)
        return try await passkeys.add(
            .init(name: name, clientDataJSON: answer.clientDataJSON, authenticatorData: answer.authenticatorData),
            by: identity)
    }

    /// The same, with the account's handle and the next counter.
    func ready(_ device: SoftwareAuthenticator, for identity: Identity) -> SoftwareAuthenticator {
        var ready = device
        ready.userHandle = SoftwareAuthenticator.base64URL(passkeys.challenges.handle(of: identity.account.id))
        if ready.counter > 0 { ready.counter += 1 }
        return ready
    }

    func signature(_ device: SoftwareAuthenticator, _ challenge: String) -> PasskeySignature {
        let answer = device.sign(challenge)
        return PasskeySignature(
            id: answer.id, clientDataJSON: answer.clientDataJSON, authenticatorData: answer.authenticatorData,
            signature: answer.signature, userHandle: answer.userHandle)
    }

    @discardableResult
    func signIn(_ device: SoftwareAuthenticator, _ challenge: String? = nil) async throws -> Identity {
        let challenge = challenge ?? passkeys.beginSignIn().challenge
        return try await passkeys.signIn(.init(passkey: signature(device, challenge)), client: "tests").1
    }

    /// Sets an authenticator app up.
    func addTOTP(to identity: Identity) async throws -> (totp: TOTP, codes: [String]) {
        _ = try await factors.beginTOTP(.init(proof: .init(password: Self.password)), by: identity)
        let rows = try await pool.query(
            "SELECT secret FROM totp_secrets WHERE account_id = $1", [.int(identity.account.id)])
        let totp = TOTP(secret: try required(rows.first).bytes("secret"))
        let codes = try await factors.confirmTOTP(.init(code: code(totp)), by: identity).recoveryCodes
        return (totp, codes)
    }

    /// The present code, or one of another step.
    func code(_ totp: TOTP, steps: Int64 = 0) -> String {
        totp.code(ofStep: TOTP.step(at: base.clock.now.milliseconds / 1_000) + steps) ?? ""
    }

    /// The ticket of a sign-in by password.
    func ticket(_ email: String, _ password: String = password) async throws -> String {
        let error = await refusal {
            _ = try await accounts.login(
                .init(email: email, password: password), address: "192.0.2.9", client: "tests")
        }
        return try required(error?.data?.ticket)
    }

    /// The error that `body` throws.
    func refusal(_ body: () async throws -> Void) async -> RPCError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? RPCError ?? RPCError(.internalError, "\(error)")
        }
    }

    /// Subjects of the mails to an address, without those about new devices.
    func subjects(to email: String) async throws -> [String] {
        try await base.settle()
        return base.mails(to: email).map { $0.object("headers").text("subject") }.filter { !$0.hasPrefix("New login") }
    }

    func makeAdmin(_ identity: Identity) async throws -> Identity {
        _ = try await pool.query("UPDATE accounts SET role = 'admin' WHERE id = $1", [.int(identity.account.id)])
        var account = identity.account
        account.role = .admin
        return Identity(account: account, tokenID: identity.tokenID, adminsNeedFactor: true)
    }
}
