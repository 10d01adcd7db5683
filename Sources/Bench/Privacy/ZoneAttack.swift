import Campus
import Foundation

/// A published route from home, cut at the zone, with the additional information about it.
struct ShownCommute: Sendable {
    /// Start of the visible route.
    let edge: PlanePoint
    /// Difference between the session's published distance and the length of the visible route, in metres.
    let surplusMetres: Double
    /// True if the rest of the route is in one piece, so that only its beginning is missing.
    let isWhole: Bool
}

/// Attacks by strangers on routes that end at a private zone.
enum ZoneAttack {
    /// The published attack on circular zones: the circle that best fits the ends of routes (Hassan et al., "Analysis
    /// of Privacy Protections in Fitness Tracking Social Networks", USENIX Security 2018). Least squares, first of the
    /// algebraic, then of the geometric distance.
    /// - Returns: Nil if there are too few ends.
    static func circle(_ commutes: [ShownCommute]) -> (centre: PlanePoint, radius: Double)? {
        let points = commutes.map(\.edge)
        guard Set(points).count >= 3, var fit = algebraicCircle(points) else { return nil }
        for _ in 0..<50 {
            guard let step = geometricStep(points, fit.centre, fit.radius) else { break }
            fit.centre.east += step[0]
            fit.centre.north += step[1]
            fit.radius += step[2]
            if abs(step[0]) + abs(step[1]) + abs(step[2]) < 1e-6 { break }
        }
        // Ends on a short arc fit a circle of any size.
        guard fit.radius.isFinite, fit.radius > 0, fit.radius < 5_000 else { return nil }
        return fit
    }

    private static func algebraicCircle(_ points: [PlanePoint]) -> (centre: PlanePoint, radius: Double)? {
        // x² + y² = 2ax + 2by + c
        var sums = [[Double]](repeating: [Double](repeating: 0, count: 4), count: 3)
        for point in points {
            let row = [2 * point.east, 2 * point.north, 1]
            let value = point.east * point.east + point.north * point.north
            for i in 0..<3 {
                for j in 0..<3 { sums[i][j] += row[i] * row[j] }
                sums[i][3] += row[i] * value
            }
        }
        guard let found = solved(sums) else { return nil }
        let square = found[2] + found[0] * found[0] + found[1] * found[1]
        guard square > 0 else { return nil }
        return (PlanePoint(east: found[0], north: found[1]), square.squareRoot())
    }

    /// One Gauss-Newton step.
    private static func geometricStep(_ points: [PlanePoint], _ centre: PlanePoint, _ radius: Double) -> [Double]? {
        var sums = [[Double]](repeating: [Double](repeating: 0, count: 4), count: 3)
        for point in points {
            let metres = max(1e-9, centre.distance(to: point))
            let row = [(centre.east - point.east) / metres, (centre.north - point.north) / metres, -1]
            for i in 0..<3 {
                for j in 0..<3 { sums[i][j] += row[i] * row[j] }
                sums[i][3] -= row[i] * (metres - radius)
            }
        }
        return solved(sums)
    }

    /// The solution of three linear equations by Gaussian elimination; nil if there is no unique one.
    private static func solved(_ equations: [[Double]]) -> [Double]? {
        var rows = equations
        for i in 0..<3 {
            guard let pivot = (i..<3).max(by: { abs(rows[$0][i]) < abs(rows[$1][i]) }), abs(rows[pivot][i]) > 1e-9
            else { return nil }
            rows.swapAt(i, pivot)
            for j in 0..<3 where j != i {
                let share = rows[j][i] / rows[i][i]
                for k in i..<4 { rows[j][k] -= share * rows[i][k] }
            }
        }
        return (0..<3).map { rows[$0][3] / rows[$0][$0] }
    }

    /// The attack by published distances: finds the node whose distance along the streets from each end matches the
    /// surplus of the session's distance over its route (Dhondt et al., "A Run a Day Won't Keep the Hacker Away", CCS
    /// 2022).
    static func byDistance(_ commutes: [ShownCommute], on graph: StreetGraph) -> PlanePoint? {
        let commutes = commutes.filter(\.isWhole)
        guard !commutes.isEmpty else { return nil }
        var errors = [Double](repeating: 0, count: graph.nodes.count)
        var ways: [Int: StreetGraph.Ways] = [:]
        let metresMax = (commutes.map(\.surplusMetres).max() ?? 0) + 400
        for commute in commutes {
            let node = graph.nearest(to: commute.edge)
            let found = ways[node] ?? graph.ways(from: node, metresMax: metresMax)
            ways[node] = found
            for index in errors.indices {
                let miss = min(found.metres[index], metresMax + 400) - commute.surplusMetres
                errors[index] += miss * miss
            }
        }
        return errors.indices.min { errors[$0] < errors[$1] }.map { graph.nodes[$0] }
    }

    /// The best attack on the product's circles with knowledge of the method: guesses any street node at a possible
    /// distance from the circle's centre.
    static func byMethod(
        _ commutes: [ShownCommute], on graph: StreetGraph, _ generator: inout SplitMix
    ) -> PlanePoint? {
        guard let (centre, radius) = circle(commutes) else { return nil }
        let reach = ZoneAnchor.reachMetres
        let low = SuppressionZone.offsetShare.lowerBound * radius - reach
        let high = SuppressionZone.offsetShare.upperBound * radius + reach
        let near = graph.nodes.filter { (low...high).contains(centre.distance(to: $0)) }
        return near.randomElement(using: &generator)
    }
}
