import Campus
import Foundation
import Wire

/// Simulated people who stand and walk on the sample campus for an hour, and the positions that a viewer of their share
/// infers from all updates.
struct LadderWorld: Sendable {
    /// An attacker's errors, in metres.
    struct Recovered: Sendable {
        /// Error of the last update alone.
        var single: [Double] = []
        /// Error of the average of all updates in the hour.
        var averaged: [Double] = []

        static func median(_ errors: [Double]) -> Double {
            let sorted = errors.sorted()
            return sorted.isEmpty ? .infinity : sorted[sorted.count / 2]
        }
    }

    /// The published updates, with controls for comparison.
    enum PublishingMethod: Hashable, Sendable {
        /// Updates at a precision of the product.
        case rung(Precision)
        /// Control: each update has independent noise of 100 m, which averaging removes.
        case noise
        /// Control: exact positions, without suppressing the drift of a standing phone.
        case drifting

        static let all: [PublishingMethod] = Precision.allCases.map { .rung($0) } + [.noise, .drifting]

        var name: String {
            switch self {
            case .rung(let precision): precision.rawValue
            case .noise: "control: noise of 100 m"
            case .drifting: "control: exact, drifting"
            }
        }
    }

    static let seconds = 3_600
    static let noiseMetres = 100.0
    /// Noise of a phone's position, in metres.
    private static let fixMetres = 8.0

    let people: Int
    private let ladder: PrivacyLadder
    private let bounds: GeoBox
    private let plane: Plane
    private let buildings: [Building]
    private let graph: StreetGraph

    init(people: Int) {
        let document = SampleCampus.document
        self.people = people
        bounds = document.bounds
        graph = StreetGraph(document)
        plane = graph.plane
        buildings = document.buildings.enumerated().map {
            Building(id: Int64($0.offset + 1), name: $0.element.name, polygons: $0.element.polygons)
        }
        ladder = PrivacyLadder(
            zones: ZoneIndex(
                zones: document.zones.enumerated().map { Zone(id: Int64($0.offset + 1), draft: $0.element) }),
            buildings: BuildingIndex(buildings: buildings), bounds: document.bounds)
    }

    /// Simulates people who stay in one position for an hour, and returns the viewer's errors.
    func standing(seed: UInt64) -> [PublishingMethod: Recovered] {
        var generator = SplitMix(seed)
        var found: [PublishingMethod: Recovered] = [:]
        for _ in 0..<people {
            let place = placeInside(&generator)
            let fixes = (0..<Self.seconds).map { fix(place, second: $0, speed: 0, &generator) }
            for method in PublishingMethod.all {
                let published = updates(fixes, method, &generator)
                guard let last = published.last else { continue }
                found[method, default: Recovered()].single.append(last.distance(to: place))
                let count = Double(published.count)
                let mean = PlanePoint(
                    east: published.reduce(0) { $0 + $1.east } / count,
                    north: published.reduce(0) { $0 + $1.north } / count)
                found[method, default: Recovered()].averaged.append(mean.distance(to: place))
            }
        }
        return found
    }

    /// Simulates people who walk for an hour. At each full minute, records the error of the newest update, and of the
    /// average of the last five minutes.
    func walking(seed: UInt64) -> [PublishingMethod: Recovered] {
        var generator = SplitMix(seed)
        var found: [PublishingMethod: Recovered] = [:]
        for _ in 0..<people {
            let walk = walk(&generator)
            let fixes = walk.enumerated().map { fix($0.element, second: $0.offset, speed: 1.4, &generator) }
            for method in PublishingMethod.all {
                let published = updates(fixes, method, &generator)
                guard !published.isEmpty else { continue }
                for minute in stride(from: 600, to: Self.seconds, by: 60) {
                    let index = published.count * minute / Self.seconds
                    let recent = published[
                        max(0, published.count * (minute - 300) / Self.seconds)...min(index, published.count - 1)]
                    let count = Double(recent.count)
                    let mean = PlanePoint(
                        east: recent.reduce(0) { $0 + $1.east } / count,
                        north: recent.reduce(0) { $0 + $1.north } / count)
                    found[method, default: Recovered()].single.append(
                        published[min(index, published.count - 1)].distance(to: walk[minute]))
                    found[method, default: Recovered()].averaged.append(mean.distance(to: walk[minute]))
                }
            }
        }
        return found
    }

    // MARK: People

    private func placeInside(_ generator: inout SplitMix) -> PlanePoint {
        while true {
            guard let building = buildings.randomElement(using: &generator), let polygon = building.polygons.first
            else {
                return PlanePoint(east: 0, north: 0)
            }
            let low = plane.point(polygon.box.southEast)
            let high = plane.point(polygon.box.northWest)
            let point = PlanePoint(
                east: high.east + generator.uniform() * (low.east - high.east),
                north: low.north + generator.uniform() * (high.north - low.north))
            if polygon.contains(plane.place(point)) { return point }
        }
    }

    private func walk(_ generator: inout SplitMix) -> [PlanePoint] {
        var walk: [PlanePoint] = []
        var at = Int.random(in: graph.nodes.indices, using: &generator)
        while walk.count < Self.seconds {
            let ways = graph.ways(from: at)
            let end = Int.random(in: graph.nodes.indices, using: &generator)
            let path = ways.path(to: end).map { graph.nodes[$0] }
            var rest = 0.0
            for (from, to) in zip(path, path.dropFirst()) {
                let metres = from.distance(to: to)
                while rest < metres {
                    walk.append(from.moved(toward: to, rest / max(metres, 1e-9)))
                    rest += 1.4
                }
                rest -= metres
            }
            at = end
        }
        return Array(walk.prefix(Self.seconds))
    }

    private func fix(_ place: PlanePoint, second: Int, speed: Double, _ generator: inout SplitMix) -> LocatedFix {
        let noisy = PlanePoint(
            east: place.east + generator.normal() * Self.fixMetres / 2.0.squareRoot(),
            north: place.north + generator.normal() * Self.fixMetres / 2.0.squareRoot())
        return LocatedFix(
            point: plane.place(noisy), accuracy: Self.fixMetres * 1.5, speed: speed, source: .gps,
            at: Timestamp(milliseconds: Int64(second) * 1_000))
    }

    // MARK: Updates

    /// The position that a viewer infers from each update. An update that reveals only the campus stands for its
    /// centre.
    private func updates(_ fixes: [LocatedFix], _ method: PublishingMethod, _ generator: inout SplitMix) -> [PlanePoint]
    {
        switch method {
        case .drifting: return fixes.map { plane.point($0.point) }
        case .noise:
            return stride(from: 0, to: fixes.count, by: 60).map { second in
                let point = plane.point(fixes[second].point)
                return PlanePoint(
                    east: point.east + generator.normal() * Self.noiseMetres,
                    north: point.north + generator.normal() * Self.noiseMetres)
            }
        case .rung(let precision):
            let clock = SamplingClock(
                precision, secret: (0..<8).map { _ in UInt8.random(in: 0...255, using: &generator) })
            var held: LocatedFix?
            var published: [PlanePoint] = []
            var next = Timestamp(milliseconds: 0)
            for fix in fixes {
                held = held?.followed(by: fix) ?? fix
                guard let held, precision == .exact || fix.at >= next else { continue }
                if precision != .exact { next = clock.next(after: fix.at) }
                let shown = ladder.shown(held, as: precision)
                if let lat = shown.lat, let lon = shown.lon, let place = try? GeoPoint(latitude: lat, longitude: lon) {
                    published.append(plane.point(place))
                } else {
                    published.append(plane.point(bounds.centre))
                }
            }
            return published
        }
    }
}
