import Campus
import Testing

@testable import Services

@Suite("What an import would replace")
struct ImportPlanTests {
    private func document(_ refs: [String], south: Double = 51.5, isGrid: Bool = false) throws -> CampusDocument {
        let zones = try refs.enumerated().map { index, ref in
            let edge = south + Double(index) * 0.001
            return ZoneDraft(
                ref: ref, name: ref,
                polygons: [try GeoBox(south: edge, west: 8, north: edge + 0.001, east: 8.001).polygon()])
        }
        var counts = ImportCounts()
        counts.take(isGrid ? "zones from a grid" : "zones", count: zones.count)
        return CampusDocument(
            bounds: try GeoBox(south: south, west: 8, north: south + 0.01, east: 8.01), zones: zones, counts: counts)
    }

    @Test("It is told before anything changes, and an update of the same campus is in no doubt")
    func plan() async throws {
        let world = World(access: try await MigratedDatabase.shared.own())
        let store = CampusStore(database: world.pool)
        _ = try await store.store(document(["A", "B", "C"]), name: "North")
        let version = try await store.version()
        let update = try await store.plan(document(["A", "B", "D"]))
        #expect(update.campus == "North" && update.doubt == nil)
        let zones = try #require(update.changes.first { $0.table == "zones" })
        #expect((zones.kept, zones.removed) == (2, zones.present - 2))
        let grid = try await store.plan(document(["G1", "G2"], isGrid: true))
        #expect(grid.doubt?.contains("a grid would replace") == true)
        #expect(try await store.plan(document(["A"], south: -33)).doubt?.contains("of another place") == true)
        #expect(try await store.version() == version)
        // The same grid again is an update.
        _ = try await store.store(document(["G1", "G2"], isGrid: true), name: nil)
        #expect(try await store.plan(document(["G1", "G2"], isGrid: true)).doubt == nil)
        await world.close()
    }
}
