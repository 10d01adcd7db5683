import Campus
import Foundation
import TestSupport
import Wire

@testable import Hub
@testable import HubCore

/// The ladder as it is served, over the sample campus, and people on it. Nothing is dark.
struct LadderCampus: LocationRules {
    /// Of a phone's position, in metres.
    private static let noiseMetres = 8.0
    /// As people walk, m/s.
    static let walkingSpeed = 1.4

    let ladder: PrivacyLadder
    let bounds: GeoBox
    private let buildings: [Building]

    init() {
        let document = SampleCampus.document
        bounds = document.bounds
        buildings = document.buildings.enumerated().map {
            Building(id: Int64($0.offset + 1), name: $0.element.name, polygons: $0.element.polygons)
        }
        let zones = document.zones.enumerated().map { Zone(id: Int64($0.offset + 1), draft: $0.element) }
        ladder = PrivacyLadder(
            zones: ZoneIndex(zones: zones), buildings: BuildingIndex(buildings: buildings), bounds: document.bounds)
    }

    func hidden(_ account: Int64, at position: LatLon, within metres: Double) -> MyLocation.Hidden? { nil }

    func shown(_ fix: LocatedFix, as precision: Wire.Precision) -> SharedLocation { ladder.shown(fix, as: precision) }

    /// Cells of the map of people that hold the campus.
    var cells: [Cell] {
        let (low, high) = (
            Cell(containing: bounds.northWest, zoom: Topic.peopleZoom),
            Cell(containing: bounds.southEast, zoom: Topic.peopleZoom)
        )
        return (low.x...high.x).flatMap { x in
            (low.y...high.y).compactMap { Cell(zoom: Topic.peopleZoom, x: x, y: $0) }
        }
    }

    // MARK: People

    func placeInside(_ generator: inout SeededGenerator) -> GeoPoint {
        while true {
            let polygon = buildings[Int.random(in: buildings.indices, using: &generator)].polygons[0]
            let (low, high) = (polygon.box.southEast, polygon.box.northWest)
            let point = try? GeoPoint(
                latitude: .random(in: low.latitude...high.latitude, using: &generator),
                longitude: .random(in: high.longitude...low.longitude, using: &generator))
            if let point, polygon.contains(point) { return point }
        }
    }

    /// Where somebody is who walks along a course, `step` seconds apart.
    func walk(_ count: Int, step: Double, _ generator: inout SeededGenerator) -> [GeoPoint] {
        let course = SampleCampus.courses[Int.random(in: SampleCampus.courses.indices, using: &generator)]
        let start = Double.random(in: 0..<course.lengthMetres, using: &generator)
        return (0..<count).map { index in
            var rest = (start + Double(index) * step * Self.walkingSpeed).truncatingRemainder(
                dividingBy: course.lengthMetres)
            for (from, to) in zip(course.line, course.line.dropFirst()) {
                let metres = from.distance(to: to)
                guard rest > metres else {
                    let part = metres > 0 ? rest / metres : 0
                    return
                        (try? GeoPoint(
                            latitude: from.latitude + (to.latitude - from.latitude) * part,
                            longitude: from.longitude + (to.longitude - from.longitude) * part)) ?? from
                }
                rest -= metres
            }
            return course.line[0]
        }
    }

    /// What a phone says of a place.
    func fix(
        _ place: GeoPoint, at time: Timestamp, isWalking: Bool, _ generator: inout SeededGenerator
    ) -> LocatedFix {
        // Box and Muller: normal in both directions.
        let radius = Self.noiseMetres * (-log(Double.random(in: 1e-12..<1, using: &generator))).squareRoot()
        let angle = Double.random(in: 0..<2 * .pi, using: &generator)
        return LocatedFix(
            point: place.offset(eastMetres: radius * cos(angle), northMetres: radius * sin(angle)),
            accuracy: Self.noiseMetres * 1.5, speed: isWalking ? Self.walkingSpeed : nil, source: .gps, at: time)
    }

    /// Where an attacker takes somebody to be who has been told this.
    func guess(_ received: SharedLocation) -> GeoPoint {
        guard let lat = received.lat, let lon = received.lon else { return bounds.centre }
        return (try? GeoPoint(latitude: lat, longitude: lon)) ?? bounds.centre
    }
}

extension StoredShare {
    static let ladderSecret: Int64 = 12_345

    /// A share of an owner's that began at a time.
    init(_ id: Int64, of owner: Int64, _ audience: ShareAudience, _ precision: Wire.Precision, at time: Timestamp) {
        self.init(
            id: id, owner: owner, username: "owner\(owner)", name: "Owner", audience: audience,
            person: audience == .person ? 1 : nil, precision: precision, startedAt: time, chosenAt: time,
            expiresAt: time.advanced(bySeconds: 8 * 3_600), secret: Self.ladderSecret, version: id)
    }
}

extension ShareFeed {
    /// From now on only the test has it look: no timer does between two of its turns.
    func sweepOnlyOnDemand() { registry.isSweeping = true }

    func knowsShares(of account: Int64) -> Bool { registry.known.contains(account) }

    /// On the map of people, in the cells that somebody looks at here.
    var peoplePublished: Int { registry.people.values.reduce(0) { $0 + $1.publishedCommon.people.count } }

    func shows(_ share: Int64) -> Bool {
        registry.shares[share].map { current($0).location != nil && $0.published.location != nil } ?? false
    }

    /// What it tells other nodes of shares and of the map of people.
    var sentToOthers: [String] {
        let shares = registry.shares.values.filter { registry.leases[$0.share.id] != nil }.map {
            "\($0.share.id) \($0.own as Any)"
        }
        return (shares + registry.peopleSent.map { "\($0.key) \($0.value.people)" }).sorted()
    }

    /// What it has heard of them from another.
    var receivedFromOthers: [String] {
        let shares = registry.shares.values.filter { !$0.viewers.isEmpty }.map {
            "\($0.share.id) \($0.others.values.first?.shown as Any)"
        }
        return (shares + registry.people.map { "\($0.key) \($0.value.others.values.first?.people ?? [])" }).sorted()
    }
}
