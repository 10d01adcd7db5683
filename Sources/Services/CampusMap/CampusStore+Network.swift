import Campus
import Postgres
import Wire

/// The objects for routes, which an import writes beside the map.
extension CampusStore {
    /// Maximum bytes of one part of a stored network.
    static let networkPartBytesMax = 256 * 1024
    /// Maximum number of parts of a stored network: 256 MiB.
    static let networkPartsMax = 1_024

    /// Replaces the network. Its version is that of the campus, which the import has raised before.
    static func storeNetwork(_ bytes: [UInt8], in transaction: PostgresTransaction) async throws {
        guard bytes.count <= networkPartBytesMax * networkPartsMax else {
            throw RPCError(.conflict, "the map has too many paths and rooms: cut it to the campus")
        }
        _ = try await transaction.query("DELETE FROM campus_networks")
        for (part, start) in stride(from: 0, to: bytes.count, by: networkPartBytesMax).enumerated() {
            let end = min(start + networkPartBytesMax, bytes.count)
            _ = try await transaction.query(
                """
                INSERT INTO campus_networks (part, version, objects)
                SELECT $1::integer, version, $2::bytea FROM campus WHERE id = 1
                """, [.int(Int64(part)), .bytes(Array(bytes[start..<end]))])
        }
    }

    /// Version of the stored network; 0 if there is none.
    public func networkVersion() async throws -> Int64 {
        try await database.query("SELECT version FROM campus_networks WHERE part = 0").first?.int("version") ?? 0
    }

    /// The encoded network and its version; nil if there is none.
    public func network() async throws -> (version: Int64, bytes: [UInt8])? {
        let rows = try await database.query(
            "SELECT version, objects FROM campus_networks ORDER BY part LIMIT $1", [.int(Int64(Self.networkPartsMax))])
        guard let version = try rows.first?.int("version") else { return nil }
        return (version, try rows.flatMap { try $0.bytes("objects") })
    }
}
