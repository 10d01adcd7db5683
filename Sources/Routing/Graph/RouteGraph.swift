import Campus
import Foundation

/// The paths of a campus and its buildings as a graph. Immutable and shared: closures, crowd and preferences are
/// ``RouteWeights`` beside it.
///
/// Vertices and edges are numbers. The edges of a vertex are neighbours in all arrays (compressed sparse rows).
public final class RouteGraph: Sendable {
    /// The object of the map that an edge belongs to: a way, a room, a lift.
    public struct Feature: Sendable, Equatable {
        public enum Kind: UInt8, Sendable {
            case path, square, indoors, stairs, lift
        }
        /// The stable id in the source.
        public var sourceID: String
        public var kind: Kind
        /// The name, else the number.
        public var name: String?
    }

    /// An edge before it has its position in the rows.
    struct Edge {
        var source: Int32
        var target: Int32
        var milliseconds: Int32
        var metres: Float
        var kind: PassageKind
        var stepFree: StepFree
        var feature: Int32
        /// Outdoors, so that the heatmap applies.
        var isOutdoors: Bool
    }

    /// A vertex.
    struct Vertex {
        var point: RouteNetwork.GridPoint
        var level: Level?
        /// The node in the source; nil for the inside of a lift or a staircase.
        var node: Int64?
        /// The feature that alone uses the vertex; nil if all may.
        var owner: Int32?
    }

    let vertices: [Vertex]
    /// Vertices by node of the source.
    let verticesByNode: [Int64: [Int32]]
    public let features: [Feature]

    /// The first edge of each vertex, and the number of edges at the end.
    let firstEdge: [Int32]
    let targets: [Int32]
    let sources: [Int32]
    /// Free walking times.
    let milliseconds: [Int32]
    let metres: [Float]
    let kinds: [PassageKind]
    let stepFree: [StepFree]
    let edgeFeatures: [Int32]
    /// The first of ``incomingEdges`` of each vertex.
    let firstIncoming: [Int32]
    let incomingEdges: [Int32]
    /// Unconnected parts: the number of the part of each vertex, and the number of vertices of each part.
    let parts: [Int32]
    let partSizes: [Int32]
    private let largestPart: Int32?

    let crowdCells: CrowdCells
    let landmarks: Landmarks
    let index: EdgeIndex
    let buildings: MappedBuildings
    /// Places to go to, by source id.
    public let destinations: [String: RouteDestination]
    /// Named buildings beside edges, for directions.
    let sights: Sights
    /// Tags of the nodes that directions mention: doors and entrances.
    let doors: [Int64: Door]

    /// A door or an entrance.
    struct Door: Sendable {
        var name: String?
        var isEntrance: Bool
        /// The name of the building on whose outline it lies.
        var building: String?
        /// The side of the building on which it lies: `north`.
        var side: String?
    }

    /// The length of a degree of longitude by one of latitude, in the middle of the campus.
    let longitudeShrink: Double

    public var vertexCount: Int { vertices.count }
    public var edgeCount: Int { targets.count }

    /// Builds the graph. Takes a moment, so call it in the background.
    /// - Throws: ``RouteGraphError`` if the network is empty or too large.
    public init(_ network: RouteNetwork) throws(RouteGraphError) {
        var builder = RouteGraphBuilder(network)
        try builder.build()
        let count = builder.vertices.count
        vertices = builder.vertices
        verticesByNode = builder.verticesByNode
        let latitudes = builder.vertices.map { Double($0.point.latitude) / RouteNetwork.GridPoint.stepsPerDegree }
        longitudeShrink = cos(((latitudes.min() ?? 0) + (latitudes.max() ?? 0)) / 2 * .pi / 180)
        features = builder.features
        doors = builder.doors
        let edges = builder.edges.sorted { ($0.source, $0.target) < ($1.source, $1.target) }
        firstEdge = Self.rows(edges.map(\.source), count: count)
        targets = edges.map(\.target)
        sources = edges.map(\.source)
        milliseconds = edges.map(\.milliseconds)
        metres = edges.map(\.metres)
        kinds = edges.map(\.kind)
        stepFree = edges.map(\.stepFree)
        edgeFeatures = edges.map(\.feature)
        let incoming = edges.indices.sorted { (edges[$0].target, $0) < (edges[$1].target, $1) }
        incomingEdges = incoming.map { Int32($0) }
        firstIncoming = Self.rows(incoming.map { edges[$0].target }, count: count)
        (parts, partSizes) = Self.parts(edges, count: count)
        largestPart = partSizes.enumerated().max { $0.element < $1.element }.map { Int32($0.offset) }
        crowdCells = CrowdCells(edges, vertices)
        landmarks = Landmarks(
            RouteRows(first: firstEdge, neighbours: targets, edges: nil, costs: milliseconds),
            backward: RouteRows(first: firstIncoming, neighbours: sources, edges: incomingEdges, costs: milliseconds),
            parts: parts, partSizes: partSizes)
        index = EdgeIndex(vertices, edges)
        buildings = MappedBuildings(network, vertices, edges)
        destinations = DestinationFinder(builder, edges, index: index).destinations
        sights = Sights(builder, edges, index: index)
    }

    /// The start of each row in a sorted list of row numbers.
    private static func rows(_ sorted: [Int32], count: Int) -> [Int32] {
        var first = [Int32](repeating: 0, count: count + 1)
        for row in sorted { first[Int(row) + 1] += 1 }
        for row in 0..<count { first[row + 1] += first[row] }
        return first
    }

    /// Numbers the unconnected parts.
    private static func parts(_ edges: [Edge], count: Int) -> (parts: [Int32], sizes: [Int32]) {
        var parents = Array(Int32(0)..<Int32(count))
        func root(_ vertex: Int32) -> Int32 {
            var vertex = vertex
            while parents[Int(vertex)] != vertex {
                parents[Int(vertex)] = parents[Int(parents[Int(vertex)])]
                vertex = parents[Int(vertex)]
            }
            return vertex
        }
        for edge in edges {
            let (one, other) = (root(edge.source), root(edge.target))
            if one != other { parents[Int(max(one, other))] = min(one, other) }
        }
        var numbers: [Int32: Int32] = [:]
        var sizes: [Int32] = []
        let parts = (0..<Int32(count)).map { vertex in
            let root = root(vertex)
            let number = numbers[root] ?? Int32(sizes.count)
            if numbers.updateValue(number, forKey: root) == nil { sizes.append(0) }
            sizes[Int(number)] += 1
            return number
        }
        return (parts, sizes)
    }

    /// The outgoing edges of a vertex.
    func edges(of vertex: Int32) -> Range<Int32> { firstEdge[Int(vertex)]..<firstEdge[Int(vertex) + 1] }

    /// Whether both ends of an edge are on a level; nil stands for outdoors.
    func isOn(_ level: Level?, _ edge: Int32) -> Bool {
        vertices[Int(sources[Int(edge)])].level == level && vertices[Int(targets[Int(edge)])].level == level
    }

    /// The middle of an edge.
    func middle(of edge: Int32) -> GeoPoint? {
        guard let from = vertices[Int(sources[Int(edge)])].point.point,
            let to = vertices[Int(targets[Int(edge)])].point.point
        else { return nil }
        return from.moved(to: to, share: 0.5)
    }

    /// Whether an edge is on a small part that is not connected to the largest one.
    func isOnIsland(_ edge: Int32) -> Bool {
        let part = parts[Int(sources[Int(edge)])]
        return part != largestPart && partSizes[Int(part)] < RouteLimits.islandVerticesMin
    }

    /// The position of a vertex; nil if there is no such vertex.
    public func position(of vertex: Int) -> Route.Point? {
        guard vertices.indices.contains(vertex) else { return nil }
        return vertices[vertex].point.point.map { Route.Point(point: $0, level: vertices[vertex].level) }
    }

    /// Bytes of the arrays, without names.
    public var approximateBytes: Int {
        vertices.count * (MemoryLayout<Vertex>.stride + 4 * 4) + targets.count * (4 * 6 + 3) + landmarks.bytes
            + crowdCells.bytes
            + index.bytes + buildings.bytes
    }
}

/// The reason why a network is no graph.
public enum RouteGraphError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The source has no path that people may walk on.
    case noPaths
    /// The source has more than ``RouteLimits/verticesMax`` points on paths or ``RouteLimits/edgesMax`` connections.
    case tooLarge
    /// The source is larger than ``RouteLimits/sideDegreesMax``.
    case tooWide

    public var description: String {
        switch self {
        case .noPaths: "the map has no paths to walk on: give an extract with footways, streets or corridors"
        case .tooLarge:
            "the map has more than \(RouteLimits.verticesMax) points or \(RouteLimits.edgesMax) connections: cut it to the campus"
        case .tooWide: "the map spans more than \(RouteLimits.sideDegreesMax) degrees: cut it to the campus"
        }
    }
}
