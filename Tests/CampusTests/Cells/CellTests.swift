import Foundation
import Testing

@testable import Campus

@Suite("Cells and viewports (B-2)")
struct CellTests {
    private static func points(_ count: Int) -> [GeoPoint] {
        (0..<count).map { _ in
            GeoPoint(trustedLatitude: .random(in: -85...85), longitude: .random(in: -180..<180))
        }
    }

    @Test("cells are the tiles of web maps: known places are where map servers have them")
    func known() throws {
        // By the formulas of the OpenStreetMap wiki, "Slippy map tilenames".
        let evanston = try GeoPoint(latitude: 42.0554, longitude: -87.6759)
        #expect(Cell(containing: evanston, zoom: 17) == Cell(zoom: 17, x: 33_614, y: 48_629))
        let greenwich = try GeoPoint(latitude: 51.4779, longitude: 0)
        #expect(Cell(containing: greenwich, zoom: 1) == Cell(zoom: 1, x: 1, y: 0))
        #expect(Cell(containing: greenwich, zoom: 0) == Cell(zoom: 0, x: 0, y: 0))
    }

    @Test(
        "a point is in exactly one cell of a zoom, whose box holds it, and in that cell's ancestors",
        arguments: [2, 11, 17, 20])
    func containment(zoom: UInt8) throws {
        for point in Self.points(2_000) {
            let cell = Cell(containing: point, zoom: zoom)
            let box = cell.box
            // The box is computed with rounding, about a micrometre.
            #expect(point.latitude < box.north + 1e-9 && point.latitude > box.south - 1e-9)
            #expect(point.longitude < box.east + 1e-9 && point.longitude > box.west - 1e-9)
            #expect(cell.ancestor(zoom: zoom - 1) == Cell(containing: point, zoom: zoom - 1))
            #expect(cell.ancestor(zoom: zoom) == cell)
        }
    }

    @Test("the poles and both ends of longitude are in cells that there are")
    func edges() throws {
        for (latitude, longitude) in [(90.0, 180.0), (-90, -180), (90, -180), (-90, 180), (85.06, 0)] {
            let cell = Cell(containing: try GeoPoint(latitude: latitude, longitude: longitude), zoom: 20)
            #expect(Cell(zoom: cell.zoom, x: cell.x, y: cell.y) == cell)
        }
        #expect(Cell(zoom: 3, x: 8, y: 0) == nil && Cell(zoom: 21, x: 0, y: 0) == nil)
    }

    @Test("a viewport's cells hold every point of it, are few, and no larger than need be")
    func viewport() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<400 {
            let south = Double.random(in: -70...70, using: &generator)
            let west = Double.random(in: -170...170, using: &generator)
            let size = pow(10, Double.random(in: -4...1, using: &generator))
            let box = try GeoBox(
                south: south, west: west, north: min(89, south + size * 0.6), east: min(180, west + size))
            let zoom = Double.random(in: 0...19, using: &generator)
            let view = Viewport(box: box, zoom: zoom)
            #expect(!view.cells.isEmpty && view.cells.count <= Viewport.cellsMax)
            #expect(Set(view.cells).count == view.cells.count)
            #expect(Double(view.level) <= max(zoom, Double(Viewport.levels[0])))
            for _ in 0..<20 {
                let point = GeoPoint(
                    trustedLatitude: .random(in: box.south...box.north, using: &generator),
                    longitude: .random(in: box.west...box.east, using: &generator))
                #expect(view.cells.contains(Cell(containing: point, zoom: view.level)))
            }
            // The next finer level would have been too many, or finer than the map.
            guard let finer = Viewport.levels.first(where: { $0 > view.level }) else { continue }
            #expect(
                Double(finer) > zoom || Cell.covering(box, zoom: finer, cellsMax: Viewport.cellsMax) == nil)
        }
    }

    @Test("the whole world is one viewport")
    func world() throws {
        let view = Viewport(box: try GeoBox(south: -90, west: -180, north: 90, east: 180), zoom: 22)
        #expect(view.cells.count == 16 && view.level == 2)
    }
}
