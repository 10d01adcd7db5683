import Foundation
import Testing

@testable import Campus

@Suite("Positions, boxes and polygons")
struct GeoPointTests {
    @Test("coordinates that are not finite or out of range make no position")
    func rejectsInvalid() throws {
        for (latitude, longitude) in [
            (90.000001, 0), (-90.1, 0), (0, 180.1), (0, -181), (Double.nan, 0), (0, .nan), (.infinity, 0),
            (0, -.infinity),
        ] {
            #expect(throws: GeoError.self) { try GeoPoint(latitude: latitude, longitude: longitude) }
        }
        _ = try GeoPoint(latitude: 90, longitude: -180)
        _ = try GeoPoint(latitude: -90, longitude: 180)
    }

    @Test("decoding validates like building does")
    func decodingValidates() throws {
        let point = try GeoPoint(latitude: -8.05, longitude: -34.9)
        #expect(try JSONDecoder().decode(GeoPoint.self, from: JSONEncoder().encode(point)) == point)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(GeoPoint.self, from: Data(#"{"latitude":91,"longitude":0}"#.utf8))
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(GeoBox.self, from: Data(#"{"south":2,"north":1,"west":0,"east":1}"#.utf8))
        }
    }

    @Test("distances on the mean sphere: a degree of meridian, a known pair, antipodes, across the antimeridian")
    func distances() throws {
        let degree = GeoPoint.earthRadiusMetres * .pi / 180
        let origin = try GeoPoint(latitude: 0, longitude: 0)
        #expect(abs(origin.distance(to: try GeoPoint(latitude: 1, longitude: 0)) - degree) < 1e-6)
        #expect(abs(origin.distance(to: try GeoPoint(latitude: 0, longitude: 180)) - 180 * degree) < 1e-3)
        let east = try GeoPoint(latitude: 0, longitude: 179.5)
        let west = try GeoPoint(latitude: 0, longitude: -179.5)
        #expect(abs(east.distance(to: west) - degree) < 1e-6)
        // Paris to London, 343.5 km on the mean sphere.
        let paris = try GeoPoint(latitude: 48.8566, longitude: 2.3522)
        let london = try GeoPoint(latitude: 51.5074, longitude: -0.1278)
        #expect(abs(paris.distance(to: london) - 343_556) < 100)
        #expect(paris.distance(to: paris) == 0)
    }

    @Test("bearings are clockwise from north")
    func bearings() throws {
        let origin = try GeoPoint(latitude: 0, longitude: 0)
        #expect(origin.bearing(to: try GeoPoint(latitude: 1, longitude: 0)) == 0)
        #expect(abs(origin.bearing(to: try GeoPoint(latitude: 0, longitude: 1)) - 90) < 1e-9)
        #expect(abs(origin.bearing(to: try GeoPoint(latitude: -1, longitude: 0)) - 180) < 1e-9)
        #expect(abs(origin.bearing(to: try GeoPoint(latitude: 0, longitude: -1)) - 270) < 1e-9)
    }

    @Test("an offset in metres lies at that distance, and wraps at the antimeridian")
    func offsets() throws {
        let start = try GeoPoint(latitude: 51.5, longitude: 8)
        #expect(abs(start.distance(to: start.offset(eastMetres: 300, northMetres: 400)) - 500) < 0.1)
        let edge = try GeoPoint(latitude: 0, longitude: 179.9999)
        #expect(edge.offset(eastMetres: 100, northMetres: 0).longitude < -179.99)
    }

    @Test("a polygon holds its edges and the edges of its holes, not the inside of a hole")
    func polygonContains() throws {
        func ring(_ low: Double, _ high: Double) throws -> [GeoPoint] {
            try [(low, low), (low, high), (high, high), (high, low), (low, low)].map {
                try GeoPoint(latitude: $0.0, longitude: $0.1)
            }
        }
        let polygon = try GeoPolygon(outer: ring(0, 10), holes: [ring(4, 6)])
        for (latitude, longitude, inside) in [
            (1.0, 1.0, true), (0, 5, true), (10, 10, true), (5, 5, false), (4, 5, true), (11, 5, false), (5, -1, false),
        ] {
            let point = try GeoPoint(latitude: latitude, longitude: longitude)
            #expect(polygon.contains(point) == inside, "\(latitude), \(longitude)")
        }
        #expect(abs(try GeoPolygon(outer: ring(0, 0.01)).areaSquareMetres - 1_236_000) < 1_000)
    }

    @Test("open, short, flat and antimeridian-crossing rings are refused with what to do")
    func polygonRefuses() throws {
        func points(_ pairs: [(Double, Double)]) throws -> [GeoPoint] {
            try pairs.map { try GeoPoint(latitude: $0.0, longitude: $0.1) }
        }
        let open = try points([(0, 0), (0, 1), (1, 1), (1, 0)])
        let short = try points([(0, 0), (0, 1), (0, 0)])
        let flat = try points([(0, 0), (0, 1), (0, 2), (0, 0)])
        let across = try points([(0, 179), (0, -179), (1, -179), (0, 179)])
        #expect(throws: GeoError.ringOpen) { try GeoPolygon(outer: open) }
        #expect(throws: GeoError.ringTooShort(positions: 3)) { try GeoPolygon(outer: short) }
        #expect(throws: GeoError.ringFlat) { try GeoPolygon(outer: flat) }
        #expect(throws: GeoError.ringCrossesAntimeridian) { try GeoPolygon(outer: across) }
    }
}
