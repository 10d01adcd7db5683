import Bus
import EventLoop
import Foundation
import Hub
import Logging
import Postgres
import Services

/// Configuration of a server that works together with others over the same database.
public struct NodesConfiguration: Sendable {
    /// NATS servers that connect the nodes.
    public var nats: NATSConfiguration
    /// Name of this node; see `BusNode`.
    public var name: String
    /// Timing of the bus, equal on all nodes of a campus.
    public var timing = BusTiming()

    /// - Parameters:
    ///   - nats: NATS servers that connect the nodes.
    ///   - name: Name of this node.
    public init(nats: NATSConfiguration, name: String = Self.defaultName) {
        self.nats = nats
        self.name = name
    }

    /// Name of the machine, with other characters than those of a node's name replaced.
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

/// Connection of a server to the other nodes of its campus.
enum Nodes {
    /// Identifier that separates the NATS subjects of different campuses, so that only nodes with the same database meet, whatever their
    /// configuration. It consists of the PostgreSQL cluster's system identifier and the database's OID.
    static func campus(of pool: PostgresPool) async throws -> String {
        let row = try await pool.query(
            """
            SELECT (SELECT system_identifier FROM pg_control_system())::text AS cluster,
                (SELECT oid FROM pg_database WHERE datname = current_database())::text AS database
            """
        ).first
        return "\(try row?.text("cluster") ?? "")-\(try row?.text("database") ?? "")"
    }

    /// Bus of the node: NATS if configured, otherwise a local bus without other nodes.
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

    /// Joins the other nodes: the hub, and messages between services.
    static func join(_ bus: any Bus, _ services: ServiceSet, _ backing: NodeServices) async throws {
        let hub = services.hub
        try await hub.join(bus, backing: backing)
        await services.accounts.setRevocationAnnouncer { tokens, cause in
            Task { await hub.announceRevokedTokens(tokens, cause) }
        }
        // This already runs on the hub's loop, in the order of the commits.
        await services.publications.setAnnouncer { topic, epoch, fresh in
            hub.logs.assumeIsolated { $0.announce(fresh, topic: topic, epoch: epoch) }
        }
        await services.campusWatch.show()
    }
}
