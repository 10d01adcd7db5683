import Bus
import EventLoop
import Logging
import Metrics
import Postgres

/// Check of NATS and of the nodes that are connected to it, for `doctor`.
public enum NodesCheck {
    /// Conflicts among the servers that use a database now, as they would report them.
    public static func troubles(_ pool: PostgresPool) async throws -> [String] {
        let living = try await NodeRoster.living(pool)
        let troubles = living.indices.flatMap { index in
            let life = living[index]
            let others = living.indices.filter { $0 != index && living[$0].overlaps(life) }.map { living[$0].server }
            return NodeRoster.troubles(life.server, others: others).map { "\(life.server.name): \($0)" }
        }
        return Set(troubles).sorted()
    }

    /// Result of the check.
    public enum Finding: Sendable, Equatable {
        /// No connection within the time limit, with the reason as far as it is known.
        case unreachable(String)
        /// Names of the nodes of this database from which heartbeats were received.
        case nodes([String])
    }

    /// Connects as a node of this database's campus, receives heartbeats, and disconnects.
    /// - Parameters:
    ///   - connectingMax: Time limit for connecting.
    ///   - listening: Time for receiving the other nodes' heartbeats, which they send once a second.
    /// - Throws: Database errors and `NATSConfiguration.Invalid`.
    public static func run(
        _ configuration: NodesConfiguration, pool: PostgresPool, loop: EventLoop, connectingMax: Duration,
        listening: Duration
    ) async throws -> Finding {
        let bus = try NATSBus(
            configuration.nats, keys: try await NodeKeys.ring(pool), campus: try await Nodes.campus(of: pool),
            node: try BusNode(name: configuration.name), loop: loop, timing: configuration.timing,
            logger: Logger(label: "campanile.doctor") { _ in SwiftLogNoOpLogHandler() })
        let deadline = ContinuousClock.now + connectingMax
        while bus.state != .connected, ContinuousClock.now < deadline { await loop.sleep(for: .milliseconds(20)) }
        if case .disconnected(_, let reason) = bus.state {
            await bus.close()
            return .unreachable(reason)
        }
        await loop.sleep(for: listening)
        let names = bus.nodes.map(\.name)
        await bus.close()
        return .nodes(names)
    }
}
