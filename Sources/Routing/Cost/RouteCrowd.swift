import Campus
import Foundation
import Wire

/// The crowd as routes see it: the published cells of the heatmap, and nothing else. A route therefore reveals nothing
/// that the heatmap hides (B-9).
public struct RouteCrowd: Sendable, Equatable {
    /// Share of a cell's area on which people walk: a path of 3 m across a cell of 57 m.
    static let walkedShare = 0.05
    /// Constants of Weidmann's relation of speed and density: the shape, and the density at which nobody moves, in
    /// people per square metre.
    static let (shape, densityMax) = (1.913, 5.4)
    /// Maximum factor of a walking time, in thousandths.
    static let factorMax = 10_000
    /// Length of the equator in the projection of the cells, in metres.
    private static let equatorMetres = 40_075_016.686

    public static let none = RouteCrowd([])

    private let people: [HeatmapPlace: Int]

    public init(_ cells: [HeatCell]) { people = HeatmapRoute.people(in: cells) }

    public var isEmpty: Bool { people.isEmpty }

    /// The area of a cell on which people walk, in square metres.
    public static func walkedSquareMetres(_ place: HeatmapPlace) -> Double {
        let rows = Double(1 << Int(HeatmapRules.zoom))
        let latitude = atan(sinh(.pi * (1 - 2 * (Double(place.y) + 0.5) / rows)))
        let side = equatorMetres * cos(latitude) / rows
        return side * side * walkedShare
    }

    /// The factor by which walking in a cell takes longer than alone.
    public func slowness(in place: HeatmapPlace) -> Double { Double(factor(place, aversion: 1)) / 1000 }

    /// The factor of walking times in a cell, in thousandths, at least 1,000.
    ///
    /// Weidmann 1993: v(D) = v0 (1 - exp(-1.913 (1/D - 1/5.4))).
    /// - Parameter aversion: Factor of the density.
    func factor(_ place: HeatmapPlace, aversion: Double) -> Int {
        guard let people = people[place], people > 0 else { return 1000 }
        let density = Double(people) * aversion / Self.walkedSquareMetres(place)
        guard density < Self.densityMax else { return Self.factorMax }
        let speed = 1 - exp(-Self.shape * (1 / density - 1 / Self.densityMax))
        return max(1000, Int(min(Double(Self.factorMax), (1000 / speed + 0.5).rounded(.down))))
    }
}

/// The heatmap's cells along each edge outdoors. Indoors the cells of all levels are one, so the crowd does not count.
struct CrowdCells: Sendable {
    /// Maximum length of a part of an edge, in metres. The cell of a part is that of its middle.
    static let partMetresMax = 20.0
    /// Maximum number of parts of an edge.
    static let partsMax = 500

    /// The first of ``cells`` of each edge.
    private var first: [Int32]
    /// Numbers in ``places``.
    private var cells: [Int32] = []
    private var places: [HeatmapPlace] = []

    var bytes: Int { (first.count + cells.count) * 4 + places.count * 8 }

    init(_ edges: [RouteGraph.Edge], _ vertices: [RouteGraph.Vertex]) {
        var numbers: [HeatmapPlace: Int32] = [:]
        first = [0]
        first.reserveCapacity(edges.count + 1)
        for edge in edges {
            if edge.isOutdoors, let from = vertices[Int(edge.source)].point.point,
                let to = vertices[Int(edge.target)].point.point
            {
                let count = max(1, min(Self.partsMax, Int((from.distance(to: to) / Self.partMetresMax).rounded(.up))))
                for part in 0..<count {
                    let share = (Double(part) + 0.5) / Double(count)
                    let latitude = from.latitude + (to.latitude - from.latitude) * share
                    let longitude = from.longitude + (to.longitude - from.longitude) * share
                    guard let middle = try? GeoPoint(latitude: latitude, longitude: longitude) else { continue }
                    let place = HeatmapPlace(containing: middle)
                    let number = numbers[place] ?? Int32(places.count)
                    if numbers.updateValue(number, forKey: place) == nil { places.append(place) }
                    cells.append(number)
                }
            }
            first.append(Int32(cells.count))
        }
    }

    /// The factor of each cell, in thousandths.
    func factors(_ crowd: RouteCrowd, aversion: Double) -> [Int] { places.map { crowd.factor($0, aversion: aversion) } }

    /// A walking time in the crowd: the mean factor of the edge's parts, rounded up.
    func time(_ milliseconds: Int32, of edge: Int, _ factors: [Int]) -> Int64 {
        let parts = first[edge]..<first[edge + 1]
        guard !parts.isEmpty else { return Int64(milliseconds) }
        var sum = 0
        for part in parts { sum += factors[Int(cells[Int(part)])] }
        let divisor = Int64(1000 * parts.count)
        return (Int64(milliseconds) * Int64(sum) + divisor - 1) / divisor
    }
}
