import Bus
import Postgres

/// The campus's bus keys, stored in its database.
enum NodeKeys {
    /// Age from which a key seals messages: each server has read it by then.
    static let unusedSeconds = 15.0

    /// Error for a database without a key. The schema's migration creates one.
    struct Missing: Error, CustomStringConvertible {
        let description = "the database has no key for its servers: make one with SELECT node_key_rotate()"
    }

    /// Reads the keys.
    /// - Throws: ``Missing``, and database errors.
    static func read(_ pool: PostgresPool) async throws -> (sealing: BusKey, others: [BusKey]) {
        let rows = try await pool.query(
            """
            SELECT number::bigint AS number, key, created_at <= clock_timestamp() - make_interval(secs => $1) AS is_known
            FROM node_keys ORDER BY created_at DESC LIMIT $2
            """, [.double(unusedSeconds), .int(Int64(BusKeyring.keysMax))])
        let keys = try rows.compactMap { row -> (key: BusKey, isKnown: Bool)? in
            guard let number = UInt8(exactly: try row.int("number")),
                let key = BusKey(number: number, bytes: try row.bytes("key"))
            else { return nil }
            return (key, try row.bool("is_known"))
        }
        guard let sealing = keys.first(where: \.isKnown) ?? keys.last else { throw Missing() }
        return (sealing.key, keys.map(\.key).filter { $0 != sealing.key })
    }

    /// A keyring with the keys.
    static func ring(_ pool: PostgresPool) async throws -> BusKeyring {
        let (sealing, others) = try await read(pool)
        return BusKeyring(sealing, others: others)
    }
}
