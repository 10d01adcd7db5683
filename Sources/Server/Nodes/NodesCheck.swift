import Bus
import EventLoop
import Logging
import Metrics
import Postgres

/// A look at NATS and who is there, for `doctor`.
public enum NodesCheck {
    /// What is wrong with the servers that use a database now, as they would say themselves.
    public static func troubles(_ pool: PostgresPool) async throws -> [String] {
        let living = try await NodeRoster.living(pool)
        let troubles = living.indices.flatMap { index in
            let life = living[index]
            let others = living.indices.filter { $0 != index && living[$0].overlaps(life) }.map { living[$0].server }
            return NodeRoster.troubles(life.server, others: others).map { "\(life.server.name): \($0)" }
        }
        return Set(troubles).sorted()
    }

    /// What was found.
    public enum Finding: Sendable, Equatable {
        /// No connection in time; why, as far as that is known.
        case unreachable(String)
        /// The names of the nodes that serve this database, as they were heard.
        case nodes([String])
    }

    /// Connects as a node of this database's campus, listens, and leaves.
    /// - Parameters:
    ///   - connectingMax: How long the connection may take.
    ///   - listening: How long the others may take to be heard; they beat once a second.
    /// - Throws: What the database says, and `NATSConfiguration.Invalid`.
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
