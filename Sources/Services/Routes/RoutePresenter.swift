import Campus
import Foundation
import Routing
import Wire

/// Makes of a route what clients receive. Used on workers.
struct RoutePresenter: Sendable {
    /// Length of the parts of a line whose cells are compared, in metres.
    private static let partMetres = 20.0
    /// Highest number of parts of one straight line.
    private static let partsMax = 500

    let weights: RouteWeights
    /// Published people by cell.
    let people: [HeatmapPlace: Int]
    /// Server time.
    let now: Timestamp

    /// - Parameter isPoint: The destination is a position.
    func info(_ route: Route, isPoint: Bool, reasons: [RouteReason] = []) -> RouteInfo {
        let seconds = Self.tenth(Double(route.milliseconds) / 1_000)
        let crowd = Self.tenth(Double(route.crowdMilliseconds(in: weights)) / 1_000)
        return RouteInfo(
            seconds: seconds, metres: Self.tenth(route.metres), arrival: now.advanced(bySeconds: seconds),
            reasons: reasons, crowdSeconds: crowd > 0 ? crowd : nil,
            entry: isPoint ? .point : Self.entry(route.entry),
            points: route.points.map {
                RoutePoint(
                    lat: Self.degrees($0.point.latitude), lon: Self.degrees($0.point.longitude),
                    level: $0.level?.description)
            },
            uncertain: route.uncertain.map { [$0.lowerBound, $0.upperBound] }, legs: route.legs.map(Self.leg),
            crowd: crowdParts(route))
    }

    private static func tenth(_ value: Double) -> Double { (value * 10).rounded() / 10 }
    private static func degrees(_ value: Double) -> Double { (value * 1e7).rounded() / 1e7 }

    private static func entry(_ entry: RouteDestination.Entry) -> RouteEntry {
        switch entry {
        case .door: .door
        case .entrance: .entrance
        case .edge: .edge
        }
    }

    private static func leg(_ leg: RouteLeg) -> RouteLegInfo {
        var info = RouteLegInfo(
            kind: kind(leg.kind), turn: .straight, name: leg.name, past: leg.past, indoors: leg.isIndoors,
            fromLevel: leg.from?.description, toLevel: leg.to?.description, metres: tenth(leg.metres),
            seconds: tenth(Double(leg.milliseconds) / 1_000), first: leg.points.lowerBound, last: leg.points.upperBound,
            text: leg.text)
        switch leg.turn {
        case .start: info.turn = .start
        case .straight: info.turn = .straight
        case .slightLeft: info.turn = .slightLeft
        case .left: info.turn = .left
        case .sharpLeft: info.turn = .sharpLeft
        case .slightRight: info.turn = .slightRight
        case .right: info.turn = .right
        case .sharpRight: info.turn = .sharpRight
        case .enter(let building, let entrance):
            (info.turn, info.building, info.entrance) = (.enter, building, entrance)
        case .leave: info.turn = .leave
        }
        return info
    }

    private static func kind(_ kind: PassageKind) -> RouteLegInfo.Kind {
        switch kind {
        case .path: .path
        case .steps: .steps
        case .escalator: .escalator
        case .lift: .lift
        }
    }

    /// The crowded parts outdoors. Indoors a cell holds the people of all levels.
    private func crowdParts(_ route: Route) -> [RouteCrowdPart] {
        guard !people.isEmpty else { return [] }
        var parts: [RouteCrowdPart] = []
        for index in route.points.indices.dropLast() {
            let (from, to) = (route.points[index], route.points[index + 1])
            guard from.level == nil, to.level == nil else { continue }
            let count = max(
                1, min(Self.partsMax, Int((from.point.distance(to: to.point) / Self.partMetres).rounded(.up))))
            var most = 0
            for part in 0..<count {
                let share = (Double(part) + 0.5) / Double(count)
                let (one, other) = (from.point, to.point)
                guard
                    let middle = try? GeoPoint(
                        latitude: one.latitude + (other.latitude - one.latitude) * share,
                        longitude: one.longitude + (other.longitude - one.longitude) * share)
                else { continue }
                most = max(most, people[HeatmapPlace(containing: middle)] ?? 0)
            }
            guard most > 0 else { continue }
            if let last = parts.indices.last, parts[last].last == index, parts[last].people == most {
                parts[last].last = index + 1
            } else {
                parts.append(RouteCrowdPart(first: index, last: index + 1, people: most))
            }
        }
        return parts
    }
}
