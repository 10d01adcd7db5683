import Foundation
import Testing
import Wire

@testable import Campus

/// A stand-in for HMAC-SHA-256: 32 bytes that depend on every byte of key and message.
func testMac(_ key: UInt64) -> ([UInt8]) -> [UInt8] {
    { message in
        var state = key
        for byte in message { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 &+ 0x9E37_79B9_7F4A_7C15 }
        var generator = SeededGenerator(seed: state)
        return (0..<4).flatMap { _ in withUnsafeBytes(of: generator.next().bigEndian) { Array($0) } }
    }
}

@Suite("What is dark of a private zone")
struct SecretZoneTests {
    @Test(
        "the home is always inside by the margin, never in the middle, and the circle is as large as it was asked for or larger"
    )
    func inside() throws {
        var generator = SeededGenerator(seed: 1)
        for key in 0..<2_000 {
            let home = try GeoPoint(
                latitude: Double.random(in: -70...70, using: &generator),
                longitude: Double.random(in: -179...179, using: &generator))
            for size in PrivateZoneSize.allCases {
                let mac = testMac(UInt64(key))
                let anchor = ZoneAnchor(of: home, mac: mac)
                #expect(anchor.centre.distance(to: home) <= ZoneAnchor.reachMetres + 0.5)
                let zone = SuppressionZone(anchor, size: size, mac: mac)
                let offset = zone.centre.distance(to: anchor.centre)
                #expect(offset >= zone.radiusMetres * SuppressionZone.offsetShare.lowerBound - 1)
                #expect(offset <= zone.radiusMetres * SuppressionZone.offsetShare.upperBound + 1)
                #expect(zone.radiusMetres >= size.nominalMetres)
                #expect(zone.radiusMetres <= size.nominalMetres * 1.5)
                #expect(zone.centre.distance(to: home) <= zone.radiusMetres - SuppressionZone.marginMetres + 2)
            }
        }
    }

    @Test(
        "a zone made again, and a pin moved within its square, have the same circle; another account and another size have not"
    )
    func fixed() throws {
        let home = try GeoPoint(latitude: 42.05, longitude: -87.67)
        let mac = testMac(7)
        let anchor = ZoneAnchor(of: home, mac: mac)
        let zone = SuppressionZone(anchor, size: .small, mac: mac)
        // From the middle of the square all places within half its side are in it.
        for (east, north) in [(0.0, 0.0), (48, 0), (-48, 48), (0, -48)] {
            let moved = anchor.centre.offset(eastMetres: east, northMetres: north)
            #expect(SuppressionZone(ZoneAnchor(of: moved, mac: mac), size: .small, mac: mac) == zone)
        }
        #expect(ZoneAnchor(row: anchor.row, column: anchor.column, mac: mac) == anchor)
        #expect(SuppressionZone(ZoneAnchor(of: home, mac: testMac(8)), size: .small, mac: testMac(8)) != zone)
        let medium = SuppressionZone(anchor, size: .medium, mac: mac)
        // Not the same circle grown: two of them would lead to the place along a line.
        let turn = abs(anchor.centre.bearing(to: medium.centre) - anchor.centre.bearing(to: zone.centre))
        #expect(turn > 1)
    }

    @Test("a pin moved a little across the border of a square keeps the zone's circle; one that is moved away does not")
    func borders() throws {
        let mac = testMac(9)
        let anchor = ZoneAnchor(of: try GeoPoint(latitude: 42.05, longitude: -87.67), mac: mac)
        let across = anchor.centre.offset(eastMetres: 60, northMetres: 0)
        #expect(ZoneAnchor(of: across, mac: mac) != anchor)
        #expect(ZoneAnchor(of: across, holding: anchor, mac: mac) == anchor)
        let away = anchor.centre.offset(eastMetres: 80, northMetres: 0)
        #expect(ZoneAnchor(of: away, holding: anchor, mac: mac) != anchor)
        // Even there it is inside.
        let zone = SuppressionZone(anchor, size: .small, mac: mac)
        #expect(zone.centre.distance(to: across) <= zone.radiusMetres - SuppressionZone.marginMetres + 2)
    }

    @Test("the squares of two accounts do not lie on each other")
    func shifted() throws {
        let home = try GeoPoint(latitude: 42.05, longitude: -87.67)
        let middles = Set((0..<50).map { ZoneAnchor(of: home, mac: testMac($0)).centre })
        #expect(middles.count == 50)
    }

    @Test("what may be in a dark place is dark, and so is what is no position")
    func inexact() throws {
        let mac = testMac(3)
        let home = try GeoPoint(latitude: 42.05, longitude: -87.67)
        let zone = SuppressionZone(ZoneAnchor(of: home, mac: mac), size: .small, mac: mac)
        let places = SuppressionAreas(zones: [zone], residences: nil)
        let outside = zone.centre.offset(eastMetres: zone.radiusMetres + 100, northMetres: 0)
        let at = LatLon(outside.latitude, outside.longitude)
        #expect(places.hidden(at: at) == nil)
        #expect(places.hidden(at: at, within: 50) == nil)
        #expect(places.hidden(at: at, within: 150) == .zone)
        #expect(places.hidden(at: LatLon(91, 0)) == .zone)
        #expect(places.hidden(at: LatLon(.nan, 0)) == .zone)
    }

    @Test(
        "what is less exact than a kilometre is dark for whoever has a dark place, wherever it is, and for nobody else")
    func anywhere() throws {
        let mac = testMac(3)
        let home = try GeoPoint(latitude: 42.05, longitude: -87.67)
        let zone = SuppressionZone(ZoneAnchor(of: home, mac: mac), size: .small, mac: mac)
        let box = try GeoBox(south: 42.05, west: -87.67, north: 42.051, east: -87.669)
        let residences = ResidenceIndex(
            buildings: [Building(id: 1, name: nil, polygons: [try box.polygon()], isResidence: true)], zones: [])
        let far = LatLon(10, 10)
        for (places, why) in [
            (SuppressionAreas(zones: [zone], residences: residences), MyLocation.Hidden.zone),
            (SuppressionAreas(zones: [], residences: residences), .residence),
        ] {
            #expect(places.hidden(at: far, within: SuppressionAreas.inexactMetresMax) == nil)
            #expect(places.hidden(at: far, within: SuppressionAreas.inexactMetresMax + 1) == why)
            #expect(places.hidden(at: far, within: .nan) == why)
        }
        #expect(SuppressionAreas(zones: [], residences: nil).hidden(at: far, within: 100_000) == nil)
    }
}

@Suite("Finding residences")
struct ResidenceIndexTests {
    @Test("what is found is what is as near as that, however inexact the point is, and few residences are looked at")
    func nearby() throws {
        var generator = SeededGenerator(seed: 4)
        let middle = try GeoPoint(latitude: 42.05, longitude: -87.67)
        let halls = try (0..<400).map { id in
            let low = middle.offset(
                eastMetres: Double.random(in: -5_000...5_000, using: &generator),
                northMetres: Double.random(in: -5_000...5_000, using: &generator))
            let high = low.offset(
                eastMetres: Double.random(in: 10...80, using: &generator),
                northMetres: Double.random(in: 10...80, using: &generator))
            let box = try GeoBox(
                south: low.latitude, west: low.longitude, north: high.latitude, east: high.longitude)
            return Building(id: Int64(id), name: nil, polygons: [try box.polygon()], isResidence: true)
        }
        let index = ResidenceIndex(buildings: halls, zones: [])
        let boxes = halls.compactMap { $0.polygons.first?.box }
        let grid = BoxGrid(boxes)
        var (dark, asked) = (0, 0)
        for _ in 0..<500 {
            let point = middle.offset(
                eastMetres: Double.random(in: -6_000...6_000, using: &generator),
                northMetres: Double.random(in: -6_000...6_000, using: &generator))
            for metres in [0.0, 20, 300, 1_000] {
                let reach = max(ResidenceIndex.marginMetres, metres)
                let nearest = boxes.map { box -> Double in
                    let (low, high) = (
                        point.planeOffset(to: GeoPoint(trustedLatitude: box.south, longitude: box.west)),
                        point.planeOffset(to: GeoPoint(trustedLatitude: box.north, longitude: box.east))
                    )
                    let (east, north) = (
                        max(0, low.eastMetres, -high.eastMetres), max(0, low.northMetres, -high.northMetres)
                    )
                    return (east * east + north * north).squareRoot()
                }
                // Within rounding either is right.
                guard let least = nearest.min(), abs(least - reach) > 0.01 else { continue }
                #expect(index.contains(point, within: metres) == (least <= reach))
                dark += least <= reach ? 1 : 0
            }
            let area = GeoBox(
                trustedSouth: point.latitude, west: point.longitude, north: point.latitude, east: point.longitude
            ).grown(byMetres: 300)
            var seen: [Int] = []
            #expect(
                !grid.contains(touching: area) {
                    seen.append($0); return false
                })
            #expect(
                Set(seen) == Set(boxes.indices.filter { boxes[$0].intersects(area) }) && seen.count == Set(seen).count)
            asked += seen.count
        }
        #expect((100..<1_900).contains(dark))
        #expect(asked < 500 * 400 / 50)
    }
}
