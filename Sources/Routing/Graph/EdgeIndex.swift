import Campus
import Foundation

/// Finds the paths near a point: edges by squares of a grid.
struct EdgeIndex: Sendable {
    /// Side of a square, in steps of ``RouteNetwork/GridPoint``: about 55 m from south to north.
    private static let side = 5_000
    /// Maximum number of squares of an edge; an edge with more is compared with every point.
    private static let squaresMax = 1_000

    private struct Square: Hashable {
        var row: Int
        var column: Int
    }

    /// A position on an edge.
    struct Hit {
        var edge: Int32
        /// The position on the edge, as a fraction from its source.
        var share: Double
        var point: GeoPoint
        var metres: Double
    }

    private var squares: [Square: [Int32]] = [:]
    private var long: [Int32] = []
    private let ends: [(from: RouteNetwork.GridPoint, to: RouteNetwork.GridPoint)]

    var bytes: Int { squares.values.reduce(0) { $0 + $1.count * 4 + 48 } + ends.count * 16 }

    /// Indexes the paths of a graph, each in one direction.
    init(_ vertices: [RouteGraph.Vertex], _ edges: [RouteGraph.Edge]) {
        ends = edges.map { (vertices[Int($0.source)].point, vertices[Int($0.target)].point) }
        for (number, edge) in edges.enumerated() where edge.kind == .path && edge.source < edge.target {
            let (low, high) = (Self.square(ends[number].from), Self.square(ends[number].to))
            let rows = min(low.row, high.row)...max(low.row, high.row)
            let columns = min(low.column, high.column)...max(low.column, high.column)
            guard rows.count * columns.count <= Self.squaresMax else {
                long.append(Int32(number))
                continue
            }
            for row in rows {
                for column in columns { squares[Square(row: row, column: column), default: []].append(Int32(number)) }
            }
        }
    }

    private static func square(_ point: RouteNetwork.GridPoint) -> Square {
        // Positive numbers, so that the division rounds to one side.
        Square(row: (Int(point.latitude) + 1_000_000_000) / side, column: (Int(point.longitude) + 2_000_000_000) / side)
    }

    /// The edges with a square within a distance of a point. An edge with several squares may come several times.
    private func visit(around point: GeoPoint, metres: Double, _ body: (Int32) -> Void) {
        let centre = Self.square(RouteNetwork.GridPoint(point))
        let rowMetres =
            Double(Self.side) / RouteNetwork.GridPoint.stepsPerDegree * GeoPoint.earthRadiusMetres * .pi / 180
        let columnMetres = rowMetres * max(0.05, cos(point.latitude * .pi / 180))
        let (rows, columns) = (Int(metres / rowMetres) + 1, Int(metres / columnMetres) + 1)
        long.forEach(body)
        for row in centre.row - rows...centre.row + rows {
            for column in centre.column - columns...centre.column + columns {
                squares[Square(row: row, column: column)]?.forEach(body)
            }
        }
    }

    /// The edges with a square within a distance of a point.
    func edges(around point: GeoPoint, metres: Double) -> Set<Int32> {
        var found: Set<Int32> = []
        visit(around: point, metres: metres) { found.insert($0) }
        return found
    }

    /// The nearest position on an edge for which `isUsable` is true; of equally near edges that with the lowest number.
    /// - Returns: Nil if there is none within `metres`.
    func nearest(
        to point: GeoPoint, metres: Double = RouteLimits.approachMetresMax, isUsable: (Int32) -> Bool
    ) -> Hit? {
        // On the plane that touches the earth at the point, with degrees of latitude as units.
        let shrink = cos(point.latitude * .pi / 180)
        // Near first: most points lie beside a path.
        for radius in [metres / 6, metres] {
            var best: (edge: Int32, share: Double, square: Double)?
            visit(around: point, metres: radius) { edge in
                let (share, square) = project(point, edge, shrink)
                guard (square, edge) < (best?.square ?? .infinity, best?.edge ?? .max), isUsable(edge) else { return }
                best = (edge, share, square)
            }
            if let best, let hit = hit(best.edge, best.share, from: point), hit.metres <= radius { return hit }
        }
        return nil
    }

    /// The share of an edge that is nearest to a point, and the square of the distance.
    private func project(_ point: GeoPoint, _ edge: Int32, _ shrink: Double) -> (share: Double, square: Double) {
        let (from, to, scale) = (ends[Int(edge)].from, ends[Int(edge)].to, RouteNetwork.GridPoint.stepsPerDegree)
        let (x, y) = (Double(from.longitude) / scale, Double(from.latitude) / scale)
        let (dx, dy) = ((Double(to.longitude) / scale - x) * shrink, Double(to.latitude) / scale - y)
        let (px, py) = ((point.longitude - x) * shrink, point.latitude - y)
        let length = dx * dx + dy * dy
        let share = length > 0 ? max(0, min(1, (px * dx + py * dy) / length)) : 0
        let (east, north) = (px - share * dx, py - share * dy)
        return (share, east * east + north * north)
    }

    private func hit(_ edge: Int32, _ share: Double, from point: GeoPoint) -> Hit? {
        guard let from = ends[Int(edge)].from.point, let to = ends[Int(edge)].to.point else { return nil }
        let position = from.moved(to: to, share: share)
        return Hit(edge: edge, share: share, point: position, metres: point.distance(to: position))
    }
}
