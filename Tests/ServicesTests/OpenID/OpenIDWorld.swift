import Delivery
import EventLoop
import Foundation
import OpenID
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

/// Sign-in by a provider that misbehaves on demand, over a database and a mail server of the test's own.
struct OpenIDWorld: Sendable {
    /// A provider that all tests share: making its keys takes longer than a test.
    private static let shared = Task { try await TestPython.start("openid") }
    static let workers = WorkerPool(label: "openid-tests", concurrentMax: 4, waitingMax: 256)

    let mail: AccountMailWorld
    let provider: TestPython
    let openID: OpenIDSignIn
    var pool: PostgresPool { mail.pool }
    var accounts: Accounts { mail.accounts }
    var clock: TestClock { mail.clock }

    /// - Parameters:
    ///   - cases: Cases of `openid.py`, each a provider of this name.
    ///   - isOwn: Whether the provider is this test's alone, because the test changes it.
    init(_ cases: [String], isOwn: Bool = false, change: (inout ProviderSettings) -> Void = { _ in }) async throws {
        provider = isOwn ? try await TestPython.start("openid") : try await Self.shared.value
        let settings = Self.settings(provider, cases, change)
        mail = try await AccountMailWorld(
            providers: Dictionary(settings.map { ($0.issuer, $0.label) }) { first, _ in first })
        openID = Self.signIn(mail, settings)
    }

    init(mail: AccountMailWorld, provider: TestPython, openID: OpenIDSignIn) {
        (self.mail, self.provider, self.openID) = (mail, provider, openID)
    }

    private static func settings(
        _ provider: TestPython, _ cases: [String], _ change: (inout ProviderSettings) -> Void = { _ in }
    ) -> [ProviderSettings] {
        cases.map { name in
            var settings = ProviderSettings(
                name: name, label: "Campus ID", issuer: "http://127.0.0.1:\(provider.port)/\(name)",
                clientID: "campanile", credential: .secret("s3cret&+/ %"))
            change(&settings)
            return settings
        }
    }

    private static func signIn(_ mail: AccountMailWorld, _ settings: [ProviderSettings]) -> OpenIDSignIn {
        let clock = mail.clock
        return OpenIDSignIn(
            loop: mail.world.loop, database: mail.pool, accounts: mail.accounts, settings: settings,
            site: AccountMailWorld.site, now: { clock.now }, logger: TestDatabase.logger)
    }

    /// Another server over the same database.
    func another(_ cases: [String]) -> OpenIDSignIn { Self.signIn(mail, Self.settings(provider, cases)) }

    func close() async { await mail.close() }

    /// Changes what the provider does.
    func control(_ query: String) async throws { try await provider.control(query) }

    // MARK: The way of a browser

    /// A person at the provider.
    struct Person: Encodable {
        var sub: String
        var email: String?
        var isVerified: Bool?
        var name: String?

        enum CodingKeys: String, CodingKey {
            case sub, email
            case isVerified = "email_verified"
            case name = "preferred_username"
        }
    }

    /// What a browser brings back from the provider.
    struct Visit {
        let secret: String
        /// The form that the provider has the browser post.
        let form: String
    }

    /// Begins an attempt, and signs in at the provider.
    func visit(_ name: String, as person: Person? = nil, _ openID: OpenIDSignIn? = nil) async throws -> Visit {
        let secret = Secrets.makeToken()
        var url = try await (openID ?? self.openID).start(name, secretHash: Secrets.base64URL(Secrets.hash(secret)))
        if let person {
            let json = String(decoding: try JSONEncoder().encode(person), as: UTF8.self)
            url += "&person=" + (json.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        }
        let answer = try await Self.workers.run { [url] in
            HTTPFetch(url: url, headers: ["Accept: application/json"], allowsPlain: true, answerBytesMax: 10_000)
                .perform()
        }
        guard case .answered(200, let body) = answer else { throw RPCError(.internalError, "\(answer)") }
        let members = try JSONDecoder().decode([String: String].self, from: Data(body))
        return Visit(secret: secret, form: try required(members["form"]))
    }

    func finish(_ name: String, _ visit: Visit, _ openID: OpenIDSignIn? = nil) async throws -> OpenIDProof {
        let ticket = try await (openID ?? self.openID).finish(name) { () throws(OpenIDFailure) in
            try Callback(form: Array(visit.form.utf8))
        }
        return OpenIDProof(ticket: ticket, secret: visit.secret)
    }

    /// The whole way to a ticket.
    func prove(_ name: String, as person: Person? = nil) async throws -> OpenIDProof {
        try await finish(name, try await visit(name, as: person))
    }

    /// Why no ticket is given; nil if one is.
    func failure(_ name: String) async throws -> OpenIDFailure? {
        do {
            _ = try await prove(name)
            return nil
        } catch let failure as OpenIDFailure {
            return failure
        }
    }

    func redeem(_ proof: OpenIDProof) async throws -> AccountFinishOpenID.Result {
        try await openID.redeem(.init(ticket: proof.ticket, secret: proof.secret), client: "tests").0
    }

    /// Makes an account for a person at the provider.
    func register(
        _ name: String, as person: Person, username: String = World.name(), email: String? = nil
    ) async throws -> (SignedIn, Identity) {
        let proof = try await prove(name, as: person)
        return try await openID.register(
            .init(ticket: proof.ticket, secret: proof.secret, username: username, email: email), client: "tests",
            isSeen: true)
    }

    /// Connects a person at the provider with the caller's account.
    func connect(
        _ name: String, as person: Person, with identity: Identity, password: String = AccountMailWorld.password
    ) async throws -> AccountProviders.Result {
        let proof = try await prove(name, as: person)
        return try await openID.connect(
            .init(ticket: proof.ticket, secret: proof.secret, password: password), by: identity)
    }

    /// Whether a person at the provider signs in, and to which account.
    func account(_ name: String, as person: Person) async throws -> Int64? {
        try await redeem(try await prove(name, as: person)).signedIn?.account.id
    }
}
