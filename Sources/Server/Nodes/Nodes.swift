import Bus
import EventLoop
import Foundation
import Hub
import Logging
import Postgres
import Services

/// How a server works together with others over the same database.
public struct NodesConfiguration: Sendable {
    /// Where they meet.
    public var nats: NATSConfiguration
    /// What the operator calls this one; see `BusNode`.
    public var name: String
    /// All nodes of a campus have the same.
    public var timing = BusTiming()

    /// - Parameters:
    ///   - nats: Where they meet.
    ///   - name: What the operator calls this one.
    public init(nats: NATSConfiguration, name: String = Self.defaultName) {
        self.nats = nats
        self.name = name
    }

    /// The machine's name, as far as a node's may have it.
    public static var defaultName: String {
        let name = ProcessInfo.processInfo.hostName.utf8.prefix(BusLimits.nodeNameBytesMax).map { byte -> UInt8 in
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): byte
            default: UInt8(ascii: "-")
            }
        }
        return name.isEmpty ? "node" : String(decoding: name, as: UTF8.self)
    }
}

/// A server's way to the other nodes of its campus.
enum Nodes {
    /// What tells one campus's subjects at NATS from another's: nodes over one database meet, and no others, whatever they were told. A
    /// number of the PostgreSQL cluster's own, and the database's in it.
    static func campus(of pool: PostgresPool) async throws -> String {
        let row = try await pool.query(
            """
            SELECT (SELECT system_identifier FROM pg_control_system())::text AS cluster,
                (SELECT oid FROM pg_database WHERE datname = current_database())::text AS database
            """
        ).first
        return "\(try row?.text("cluster") ?? "")-\(try row?.text("database") ?? "")"
    }

    /// The bus: NATS when one is named, else one that has nobody to tell.
    static func bus(
        _ configuration: NodesConfiguration?, keys: BusKeyring, pool: PostgresPool, loop: EventLoop, metrics: BusMetrics
    ) async throws -> any Bus {
        guard let configuration else {
            return LocalBus(node: try BusNode(name: "alone"), loop: loop, metrics: metrics)
        }
        return try NATSBus(
            configuration.nats, keys: keys, campus: try await campus(of: pool),
            node: try BusNode(name: configuration.name),
            loop: loop, timing: configuration.timing, metrics: metrics)
    }

    /// Joins the other nodes: the hub, and what services tell each other.
    static func join(_ bus: any Bus, _ services: ServiceSet, _ backing: NodeServices) async throws {
        let hub = services.hub
        try await hub.join(bus, backing: backing)
        await services.accounts.setRevocationAnnouncer { tokens, cause in
            Task { await hub.tell(revoked: tokens, cause) }
        }
        // On the hub's loop already: in the order of the commits.
        await services.publications.setAnnouncer { topic, epoch, fresh in
            hub.assumeIsolated { $0.tell(fresh, topic: topic, epoch: epoch) }
        }
        await services.campusWatch.show()
    }
}
