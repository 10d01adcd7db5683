import OpenID
import Postgres
import Wire

/// An identity that a provider has just proved, as it is stored until the page redeems it.
struct OpenIDTicket: Sendable {
    let provider: String
    let issuer: String
    let subject: String
    /// Address that the provider has of the person; nil if it gives none that can be one.
    let email: String?
    /// Whether the provider has verified it.
    let isVerified: Bool
    /// Suggestion for a user name.
    let username: String?

    init(_ row: PostgresRow) throws {
        provider = try row.text("provider")
        issuer = try row.text("issuer")
        subject = try row.text("subject")
        email = try row.optionalText("email")
        isVerified = try row.bool("is_verified")
        username = try row.optionalText("username")
    }

    var proof: SignInProof { .provider(issuer: issuer, subject: subject) }

    /// The address as a comparison key, if the provider has verified it.
    var verifiedKey: String? { isVerified ? email.map(Inputs.key) : nil }

    /// A user name that U-1 allows, made of a person's names or of the address; nil if they do not give one.
    static func suggestion(_ identity: ProvenIdentity) -> String? {
        let address = identity.email.map { [String($0.prefix { $0 != "@" })] } ?? []
        let plain = (identity.names + address).map { text in
            String(
                text.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) })
        }
        return plain.map { String($0.prefix(Registration.usernameLength.upperBound)) }
            .first {
                $0.count >= Registration.usernameLength.lowerBound && (try? Registration.requireUnreserved($0)) != nil
            }
    }
}

/// Tickets in PostgreSQL.
extension OpenIDSignIn {
    /// The same for a ticket that is unknown, used, late or of another page, so that nobody learns which.
    static let unknownTicket = RPCError(
        .notFound, "this sign-in is over or was begun in another tab: start again", field: "ticket")

    /// Stores a ticket for an identity.
    func makeTicket(
        for identity: ProvenIdentity, of provider: String, _ secretHash: [UInt8]
    ) async throws -> String {
        let ticket = Secrets.makeToken()
        let email = identity.email.flatMap { Registration.isEmail($0) ? $0 : nil }
        _ = try await database.query(
            """
            INSERT INTO openid_tickets
                (hash, secret_hash, provider, issuer, subject, email, is_verified, username, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9))
            """,
            [
                .bytes(Secrets.hash(ticket)), .bytes(secretHash), .text(provider), .text(identity.issuer),
                .text(identity.subject), .optional(email), .bool(email != nil && identity.isEmailVerified),
                .optional(OpenIDTicket.suggestion(identity)), .double(Self.ticketSeconds),
            ])
        return ticket
    }

    private static let ticketIs = "hash = $1 AND secret_hash = $2 AND expires_at > now()"

    private static func proof(_ params: OpenIDProof) -> [PostgresValue] {
        [.bytes(Secrets.hash(params.ticket)), .bytes(Secrets.hash(params.secret))]
    }

    /// Reads a ticket without using it up.
    /// - Throws: ``unknownTicket``, ``Postgres/PostgresError``.
    func ticket(_ params: OpenIDProof) async throws -> OpenIDTicket {
        let rows = try await database.query(
            "SELECT * FROM openid_tickets WHERE \(Self.ticketIs)", Self.proof(params))
        guard let row = rows.first else { throw Self.unknownTicket }
        return try OpenIDTicket(row)
    }

    /// Uses a ticket up.
    /// - Throws: ``unknownTicket``, ``Postgres/PostgresError``.
    static func use(_ params: OpenIDProof, in transaction: PostgresTransaction) async throws -> OpenIDTicket {
        let rows = try await transaction.query(
            "DELETE FROM openid_tickets WHERE \(ticketIs) RETURNING *", proof(params))
        guard let row = rows.first else { throw unknownTicket }
        return try OpenIDTicket(row)
    }
}
