import Campus
import EventLoop
import Routing
import Synchronization
import Wire

/// The map of one import, on which routes are computed. Immutable and shared.
struct RouteMap: Sendable {
    /// Version of the campus at the import.
    let version: Int64
    let network: RouteNetwork
    let graph: RouteGraph
    /// Everything that can be closed.
    let closable: [ClosablePart]
    private let closableIndex: [String: Int]

    /// Decodes a network and builds its graph. Takes up to seconds, so call it on a worker.
    /// - Throws: ``Wire/BinaryFrameError``, ``Routing/RouteGraphError``.
    init(version: Int64, bytes: [UInt8]) throws {
        self.version = version
        network = RouteNetwork(try NetworkCoding.network(bytes))
        graph = try RouteGraph(network)
        closable = network.closableParts()
        closableIndex = Dictionary(
            closable.enumerated().map { ($1.sourceID, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func closable(_ sourceID: String) -> ClosablePart? { closableIndex[sourceID].map { closable[$0] } }
}

/// The conditions that change the costs of a map's paths.
struct RouteConditions: Sendable {
    /// Source ids of what is closed.
    var closed: Set<String> = []
    var crowd: RouteCrowd = .none
    /// The cells of ``crowd``.
    var cells: [HeatCell] = []
    /// Grows with each other crowd.
    var crowdNumber: UInt64 = 0
    /// Published people by cell.
    var people: [HeatmapPlace: Int] = [:]
}

/// The memory of searches. A search takes one and gives it back.
final class RouteFinders: Sendable {
    private let free = Mutex<[RouteFinder]>([])

    func with<Value>(_ body: (inout RouteFinder) throws -> Value) rethrows -> Value {
        var finder = free.withLock { $0.popLast() } ?? RouteFinder()
        defer { free.withLock { $0.append(finder) } }
        return try body(&finder)
    }

    /// Forgets memory for graphs of another size.
    func clear() { free.withLock { $0 = [] } }
}
