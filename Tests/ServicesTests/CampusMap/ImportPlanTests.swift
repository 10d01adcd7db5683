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

    @Test("Zones of a file beside the extract win over its grid, and nothing is said of a grid")
    func zonesBeside() async throws {
        let world = World(access: try await MigratedDatabase.shared.own())
        let store = CampusStore(database: world.pool)
        _ = try await store.store(document(["A", "B", "C"]), name: "North")
        var merged = try document(["G1", "G2"], isGrid: true)
        merged.takeZones(of: try document(["A", "B"]))
        #expect(merged.zones.map(\.ref) == ["A", "B"])
        #expect(!merged.hasGridOfZones && merged.counts["zones"]?.imported == 2)
        #expect(try await store.plan(merged).warnings == [])
        await world.close()
    }

    @Test("An import stores the network, in parts if it is large, and one without a network leaves it as it is")
    func network() async throws {
        let world = World(access: try await MigratedDatabase.shared.own())
        let store = CampusStore(database: world.pool)
        var campus = try document(["A", "B", "C"])
        _ = try await store.store(campus, name: "North")
        #expect(try await store.network() == nil)
        #expect(try await store.networkVersion() == 0)
        campus.network = try (1...60_000).map {
            OSMObject(
                kind: .node, id: $0 * 7_919, point: try GeoPoint(latitude: Double(515_000_000 + $0) / 1e7, longitude: 8)
            )
        }
        _ = try await store.store(campus, name: nil)
        let stored = try #require(try await store.network())
        #expect(stored.bytes.count > CampusStore.networkPartBytesMax)
        #expect(try NetworkCoding.network(stored.bytes) == campus.network)
        campus.network = []
        _ = try await store.store(campus, name: nil)
        #expect(try await store.networkVersion() == stored.version)
        await world.close()
    }

    @Test("It is told before anything changes, and an update of the same campus is in no doubt")
    func plan() async throws {
        let world = World(access: try await MigratedDatabase.shared.own())
        let store = CampusStore(database: world.pool)
        _ = try await store.store(document(["A", "B", "C"]), name: "North")
        let version = try await store.version()
        let update = try await store.plan(document(["A", "B", "D"]))
        #expect(update.campus == "North" && update.warnings == [])
        let zones = try #require(update.changes.first { $0.table == "zones" })
        #expect((zones.kept, zones.removed) == (2, zones.present - 2))
        let grid = try await store.plan(document(["G1", "G2"], isGrid: true))
        #expect(grid.warnings.map { $0.contains("a grid would replace") } == [true])
        let elsewhere = try await store.plan(document(["A"], south: -33)).warnings
        #expect(elsewhere.map { $0.contains("of another place") } == [true])
        // Each is said, so that --force is given for all of them.
        var both = try document(["G1", "G2"], south: -33, isGrid: true)
        both.bounds = try GeoBox(south: -33, west: 8, north: -31, east: 8.01)
        let warnings = try await store.plan(both).warnings
        #expect(warnings.count == 3, "\(warnings)")
        #expect(warnings.first?.contains("a campus at most 100 km") == true)
        #expect(try await store.version() == version)
        // The same grid again is an update.
        _ = try await store.store(document(["G1", "G2"], isGrid: true), name: nil)
        #expect(try await store.plan(document(["G1", "G2"], isGrid: true)).warnings == [])
        await world.close()
    }
}
