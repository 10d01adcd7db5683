import Foundation
import Wire

/// The published counts along a route.
public enum HeatmapRoute {
    /// Maximum positions of a route.
    public static let positionsMax = 2_000
    /// Maximum length of a route, in metres.
    public static let lengthMax = 50_000.0
    /// Maximum latitude, in degrees. Cells further north or south are so narrow that a route crosses too many.
    public static let latitudeMax = 80.0
    /// Maximum number of cell edges that a route crosses. A 50 km route crosses more only beyond 68 degrees, or by
    /// detours that make it longer.
    public static let cutsMax = 2_500
    /// Minimum length of a part, in metres. Shorter parts, near a corner of a cell, are skipped.
    static let partMin = 0.01

    /// Published number of people by cell.
    public static func people(in cells: [HeatCell]) -> [HeatmapPlace: Int] {
        Dictionary(cells.map { (HeatmapPlace(x: $0.x, y: $0.y), $0.people) }, uniquingKeysWith: { one, _ in one })
    }

    /// The route's parts, in order and without gaps. Neighbouring parts with the same number are merged.
    /// O(positions + edges of cells).
    /// - Parameters:
    ///   - route: At least 2 positions, none beyond ``latitudeMax``.
    ///   - people: The published numbers, from ``people(in:)``.
    /// - Returns: Nil if the route is longer than ``lengthMax`` or crosses more than ``cutsMax`` edges.
    public static func parts(of route: [GeoPoint], over people: [HeatmapPlace: Int]) -> [HeatmapAlong.Part]? {
        let lengths = zip(route, route.dropFirst()).map { $0.distance(to: $1) }
        guard lengths.reduce(0, +) <= lengthMax else { return nil }
        let legs = zip(route, route.dropFirst()).map { (from: Spot($0), to: Spot($1, near: $0)) }
        guard legs.reduce(0, { $0 + $1.from.cutCount(to: $1.to) }) <= cutsMax else { return nil }
        var parts: [HeatmapAlong.Part] = []
        var gone = 0.0
        for (index, length) in lengths.enumerated() {
            let (from, to) = legs[index]
            var last = 0.0
            for cut in from.cuts(to: to) + [1] where (cut - last) * length > partMin || cut == 1 {
                let middle = from.point((last + cut) / 2, to: to)
                add(gone + last * length, gone + cut * length, people[middle] ?? 0, to: &parts)
                last = cut
            }
            gone += length
        }
        return parts
    }

    private static func add(_ from: Double, _ to: Double, _ people: Int, to parts: inout [HeatmapAlong.Part]) {
        guard to > from || parts.isEmpty else { return }
        if let last = parts.indices.last, parts[last].people == people {
            parts[last].to = to
        } else {
            parts.append(HeatmapAlong.Part(from: parts.last?.to ?? from, to: to, people: people))
        }
    }

    /// A point in the plane with cells as units.
    private struct Spot {
        let column: Double
        let row: Double
        private static let count = Double(1 << Int(HeatmapRules.zoom))

        init(column: Double, row: Double) { (self.column, self.row) = (column, row) }

        /// - Parameter near: A point on whose side of the date line the result lies.
        init(_ point: GeoPoint, near other: GeoPoint? = nil) {
            var longitude = point.longitude
            if let other {
                if longitude - other.longitude > 180 { longitude -= 360 }
                if longitude - other.longitude < -180 { longitude += 360 }
            }
            let latitude = max(-85.05, min(85.05, point.latitude)) * .pi / 180
            column = (longitude + 180) / 360 * Self.count
            row = (1 - asinh(tan(latitude)) / .pi) / 2 * Self.count
        }

        /// Number of cell edges between two points; at most one of each kind is missing, at the ends.
        func cutCount(to other: Spot) -> Int {
            Int(abs(other.column.rounded(.down) - column.rounded(.down)))
                + Int(abs(other.row.rounded(.down) - row.rounded(.down)))
        }

        /// The crossings of cell edges on the way to another point, as fractions of the way, in order.
        func cuts(to other: Spot) -> [Double] {
            func cuts(_ from: Double, _ to: Double) -> [Double] {
                guard from != to else { return [] }
                let (low, high) = (min(from, to), max(from, to))
                return stride(from: low.rounded(.up), through: high.rounded(.down), by: 1)
                    .map { ($0 - from) / (to - from) }
            }
            return (cuts(column, other.column) + cuts(row, other.row)).filter { $0 > 0 && $0 < 1 }.sorted()
        }

        func point(_ part: Double, to other: Spot) -> HeatmapPlace {
            let x = (column + (other.column - column) * part).rounded(.down)
            let y = (row + (other.row - row) * part).rounded(.down)
            let around = x < 0 ? x + Self.count : x >= Self.count ? x - Self.count : x
            return HeatmapPlace(x: UInt32(around), y: UInt32(max(0, min(y, Self.count - 1))))
        }
    }
}
