import Postgres
import Wire

/// Secrets in the database that all servers of a campus share.
struct StoredSecrets: Sendable {
    let database: PostgresPool

    /// Returns the secret with this name; the first server that asks for it creates it.
    /// - Throws: ``Postgres/PostgresError``, and errors of `make`.
    func secret(_ name: String, make: () throws -> [UInt8]) async throws -> [UInt8] {
        let sql = "SELECT value FROM reminder_keys WHERE name = $1"
        if let row = try await database.query(sql, [.text(name)]).first { return try row.bytes("value") }
        _ = try await database.query(
            "INSERT INTO reminder_keys VALUES ($1, $2) ON CONFLICT DO NOTHING", [.text(name), .bytes(try make())])
        guard let row = try await database.query(sql, [.text(name)]).first else {
            throw RPCError(.internalError, "a secret could not be kept")
        }
        return try row.bytes("value")
    }
}
