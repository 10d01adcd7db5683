import Testing

@testable import Campus

@Suite("Finding the zone of a position")
struct ZoneIndexTests {
    private static func square(_ south: Double, _ west: Double, size: Double = 1) throws -> GeoPolygon {
        try GeoBox(south: south, west: west, north: south + size, east: west + size).polygon()
    }

    private static func zone(_ id: Int64, _ polygons: GeoPolygon...) -> Zone {
        Zone(id: id, ref: "\(id)", name: "Zone \(id)", polygons: polygons)
    }

    @Test("a shared border, a shared corner and an overlap belong to the lowest id, whatever the order")
    func borders() throws {
        let zones = [
            Self.zone(30, try Self.square(0, 0)), Self.zone(10, try Self.square(0, 1)),
            Self.zone(20, try Self.square(0.5, 0.5)),
        ]
        for order in [zones, zones.reversed()] {
            let index = ZoneIndex(zones: order)
            #expect(index.zone(at: try GeoPoint(latitude: 0.2, longitude: 1))?.id == 10)
            #expect(index.zone(at: try GeoPoint(latitude: 0.7, longitude: 0.7))?.id == 20)
            #expect(index.zone(at: try GeoPoint(latitude: 0.2, longitude: 0.2))?.id == 30)
            #expect(index.zone(at: try GeoPoint(latitude: 1, longitude: 2))?.id == 10)
            #expect(index.zone(at: try GeoPoint(latitude: 3, longitude: 3)) == nil)
            #expect(index.zone(id: 20)?.name == "Zone 20")
            #expect(index.zone(id: 21) == nil)
        }
    }

    @Test("the index answers as a search through all zones does, for 20,000 seeded positions")
    func agreesWithSearch() throws {
        var generator = SeededGenerator(seed: 7)
        let zones = try (1...60 as ClosedRange<Int64>).map { id in
            Self.zone(
                id,
                try Self.square(
                    .random(in: -5...5, using: &generator), .random(in: -5...5, using: &generator),
                    size: .random(in: 0.1...2, using: &generator)))
        }
        let index = ZoneIndex(zones: zones)
        for _ in 0..<20_000 {
            let point = try GeoPoint(
                latitude: .random(in: -6...8, using: &generator), longitude: .random(in: -6...8, using: &generator))
            #expect(index.zone(at: point)?.id == zones.first { $0.contains(point) }?.id)
        }
    }

    @Test("a zone on both sides of the antimeridian is two polygons that meet there")
    func antimeridian() throws {
        let index = ZoneIndex(zones: [
            Self.zone(1, try Self.square(0, 179), try Self.square(0, -180))
        ])
        for longitude in [179.5, 180, -180, -179.5] {
            #expect(index.zone(at: try GeoPoint(latitude: 0.5, longitude: longitude))?.id == 1)
        }
        #expect(index.zone(at: try GeoPoint(latitude: 0.5, longitude: 0)) == nil)
    }

    @Test("no zones at all is an index that finds nothing")
    func empty() throws {
        let index = ZoneIndex(zones: [])
        #expect(index.box == nil)
        #expect(index.zone(at: try GeoPoint(latitude: 0, longitude: 0)) == nil)
    }

    @Test("a grid covers its box without holes, with unique refs, near the wished number of cells")
    func grid() throws {
        let box = try GeoBox(south: 42.0478, west: -87.6841, north: 42.0644, east: -87.6677)
        for target in [1, 2, 6, 12, 40, 676, 10_000] {
            let drafts = try ZoneIndex.grid(over: box, targetCells: target)
            #expect(Set(drafts.map(\.ref)).count == drafts.count)
            #expect(abs(drafts.count - min(target, 676)) <= max(1, target / 4), "\(target): \(drafts.count)")
            let index = ZoneIndex(zones: drafts.enumerated().map { Zone(id: Int64($0 + 1), draft: $1) })
            var generator = SeededGenerator(seed: 3)
            for _ in 0..<1_000 {
                let point = try GeoPoint(
                    latitude: .random(in: box.south...box.north, using: &generator),
                    longitude: .random(in: box.west...box.east, using: &generator))
                #expect(index.zone(at: point) != nil)
            }
            #expect(drafts.first?.ref == "A1")
        }
        let line = try GeoBox(south: 1, west: 1, north: 1, east: 2)
        #expect(throws: GeoError.ringFlat) { try ZoneIndex.grid(over: line) }
    }
}
