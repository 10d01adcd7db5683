import Testing

@testable import Campus

@Suite("Rooms and listings of OpenStreetMap objects")
struct RoomImportTests {
    private func listing(_ tags: [String: String]) -> CampusDocument.Listing {
        .init(tags: tags, name: tags["name"])
    }

    @Test("Names in all languages are kept once, and the code, hours, website and phone are read")
    func listing() {
        let one = listing([
            "name": "Bau", "alt_name": "Fakultät; Bau ;APB", "loc_ref": "APB", "name:en": "Building", "old_name": "",
            "opening_hours": "24/7", "contact:website": "https://example.org/x", "contact:phone": "+49 351",
            "level": "0,5",
        ])
        #expect(one.otherNames == ["Fakultät", "Building"])
        #expect(one.code == "APB" && one.openingHours == "24/7" && one.level == "0.5")
        #expect(one.website == "https://example.org/x" && one.phone == "+49 351")
    }

    @Test(
        "What is no address or too long is left out",
        arguments: ["javascript:alert(1)", "example.org", "https://", "http://a b", "https://x\"y", "data:text/html,x"])
    func website(address: String) {
        #expect(listing(["website": address]).website == nil)
        #expect(listing(["opening_hours": String(repeating: "x", count: 256)]).openingHours == nil)
    }

    @Test(
        "The first level of a tag is kept as Simple Indoor Tagging writes it",
        arguments: [
            ("0", "0"), ("-1", "-1"), ("0;2", "0"), ("-1-3", "-1"), ("1-3", "1"), ("0,5", "0.5"), ("0.50", "0.5"),
            ("GF", "0"), ("EG", "0"), ("-0", "0"), ("-0.5", "-0.5"), (" 2 ", "2"), ("+1", "1"),
        ])
    func levels(tag: String, level: String) {
        #expect(CampusDocument.Listing.level(tag) == level)
    }

    @Test("What is no level is none", arguments: ["", ";", "roof", "1e3", "999", "--1", "1..2", "0x1"])
    func noLevels(tag: String) {
        #expect(CampusDocument.Listing.level(tag) == nil)
    }

    @Test("A point inside an outline with a bay is found, not the middle of the box")
    func innerPoint() throws {
        func point(_ x: Double, _ y: Double) throws -> GeoPoint { try GeoPoint(latitude: y, longitude: x) }
        let ring = try [(0.0, 0.0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3), (0, 0)].map(point)
        let polygon = try GeoPolygon(outer: ring)
        #expect(!polygon.contains(polygon.box.centre))
        #expect(polygon.contains(polygon.innerPoint))
    }

    @Test("A room belongs to the smallest building around it")
    func smallest() throws {
        func box(_ half: Double) throws -> [GeoPolygon] {
            [try GeoBox(south: -half, west: -half, north: half, east: half).polygon()]
        }
        let inside = try GeoPoint(latitude: 0, longitude: 0)
        let outside = try GeoPoint(latitude: 1, longitude: 1)
        var document = CampusDocument(
            bounds: try GeoBox(south: -1, west: -1, north: 1, east: 1),
            buildings: [
                .init(sourceID: "way/1", polygons: try box(0.2)), .init(sourceID: "way/2", polygons: try box(0.1)),
            ])
        document.rooms = [.init(sourceID: "way/3", point: inside), .init(sourceID: "way/4", point: outside)]
        document.assignRoomsToBuildings()
        #expect(document.rooms.map(\.building) == ["way/2", nil])
    }
}
