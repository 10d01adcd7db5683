import Campus
import Foundation
import Testing
import Wire

@testable import Routing

/// From a source to a graph.
@Suite("Networks of routes")
struct RouteNetworkTests {
    private static func read(_ body: String) throws -> RouteNetwork {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("network-\(UUID().uuidString).osm")
        try Data("<?xml version=\"1.0\"?><osm version=\"0.6\">\(body)</osm>".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return RouteNetwork(try OSMImport().readObjects(file))
    }

    private static let nodes = (1...8).map { "<node id=\"\($0)\" lat=\"51.50\($0)\" lon=\"8.0\($0 % 3)\"/>" }.joined()

    @Test("A multipolygon of open ways is an area with its hole, and a way keeps its order without missing nodes")
    func objects() throws {
        let network = try Self.read(
            Self.nodes + """
                <node id="9" lat="51.5" lon="8"><tag k="door" v="a%20 b=c,d"/></node>
                <way id="1"><nd ref="1"/><nd ref="2"/><nd ref="3"/></way>
                <way id="2"><nd ref="1"/><nd ref="4"/><nd ref="3"/></way>
                <way id="3"><nd ref="5"/><nd ref="6"/><nd ref="7"/><nd ref="5"/></way>
                <way id="4"><nd ref="8"/><nd ref="99"/><nd ref="9"/><tag k="highway" v="footway"/></way>
                <relation id="7"><member type="way" ref="1" role="outer"/><member type="way" ref="2" role="outer"/>
                <member type="way" ref="3" role="inner"/><tag k="type" v="multipolygon"/><tag k="highway" v="pedestrian"/></relation>
                <relation id="8"><member type="way" ref="1" role="outer"/><tag k="type" v="multipolygon"/>
                <tag k="highway" v="pedestrian"/></relation>
                """)
        #expect(network.areas.map(\.sourceID) == ["relation/7"])
        #expect(network.areas.first?.outer == [[1, 2, 3, 4, 1]])
        #expect(network.areas.first?.holes == [[5, 6, 7, 5]])
        #expect(network.lines.first { $0.sourceID == "way/4" }?.nodes == [8, 99, 9])
        #expect(network.nodes[9]?.tags == ["door": "a%20 b=c,d"])
        // The missing node interrupts the way.
        #expect(throws: RouteGraphError.self) {
            var alone = network
            alone.areas = []
            return try RouteGraph(alone)
        }
    }

    @Test("GeoJSON with the same tags gives the same routes")
    func geoJSON() throws {
        let drawn = TwoLevels.sketch()
        func position(_ id: Int64) -> GeoPoint { drawn.network.nodes[id]?.point.point ?? SampleCampus.origin }
        var features = drawn.network.nodes.values.filter { !$0.tags.isEmpty }.sorted { $0.id < $1.id }.map {
            GeoJSON.Feature(properties: $0.tags, geometry: .point(position($0.id)))
        }
        features += drawn.network.lines.map {
            GeoJSON.Feature(id: $0.sourceID, properties: $0.tags, geometry: .lineString($0.nodes.map(position)))
        }
        features += try drawn.network.areas.map {
            GeoJSON.Feature(
                id: $0.sourceID, properties: $0.tags,
                geometry: .polygon(try GeoPolygon(outer: $0.outer[0].map(position))))
        }
        let graph = try RouteGraph(RouteNetwork(GeoJSON.FeatureCollection(features: features)))
        let other = try drawn.graph()
        #expect(graph.vertexCount == other.vertexCount && graph.edgeCount == other.edgeCount)
        var finder = RouteFinder()
        let ends = (RouteEnd.point(Sketch.point(-50, -20)), RouteEnd.object("way/110"))
        for profile in [RouteProfile(), RouteProfile(isStepFree: true)] {
            let routes = try [graph, other].map {
                try finder.route(from: ends.0, to: ends.1, RouteWeights($0, profile: profile))
            }
            #expect(routes[0].cost == routes[1].cost && routes[0].legs.map(\.text) == routes[1].legs.map(\.text))
        }
    }

    @Test("Any tags, rings and references make a graph or an error, never a crash")
    func garbage() throws {
        var random = Seeded(state: 3)
        let keys = [
            "highway", "indoor", "level", "repeat_on", "incline", "width", "stairs", "conveying", "door", "entrance",
            "building", "area", "room", "foot", "kerb", "name",
        ]
        let values = [
            "", "yes", "no", "footway", "steps", "elevator", "pedestrian", "room", "corridor", "area", "0-1",
            "-1;99999", "0-99", "1e308", "∞",
            "9%", "-99°", "forward", "9223372036854775807", "up", String(repeating: "x", count: 5_000),
        ]
        func tags(_ random: inout Seeded) -> [String: String] {
            Dictionary(
                (0..<4).map { _ in
                    (keys.randomElement(using: &random) ?? "", values.randomElement(using: &random) ?? "")
                }
            ) { $1 }
        }
        var built = 0
        for _ in 0..<150 {
            var network = RouteNetwork()
            for _ in 0..<12 {
                let id = [Int64.min, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, .max].randomElement(using: &random) ?? 0
                // Some points coincide, some lie on one line.
                let point = RouteNetwork.GridPoint(
                    latitude: 515_000_000 + .random(in: 0...3, using: &random) * 900,
                    longitude: 80_000_000 + .random(in: 0...3, using: &random) * 900)
                network.nodes[id] = .init(id: id, point: point, tags: tags(&random))
            }
            func ids(_ count: Int) -> [Int64] { (0..<count).map { _ in Int64.random(in: -2...9, using: &random) } }
            for number in 0..<4 {
                network.lines.append(
                    .init(
                        sourceID: "way/\(number)", nodes: ids(number),
                        tags: ["highway": "footway"].merging(tags(&random)) { $1 }))
                let ring = ids(number + 3)
                network.areas.append(
                    .init(
                        sourceID: "way/1\(number)", outer: [ring + ring.prefix(1)], holes: [ids(number)],
                        tags: tags(&random).merging(["highway": "pedestrian"]) { $1 }))
            }
            guard let graph = try? RouteGraph(network) else { continue }
            built += 1
            let weights = RouteWeights(
                graph, profile: RouteProfile(isStepFree: built % 2 == 0, speed: 3_000),
                closures: ["node/1", "node/x", "way/0"])
            var finder = RouteFinder()
            let ends = [
                RouteEnd.point(Sketch.point(0, 0)), .object("way/10"), .object("node/1"),
                .point(Sketch.point(30, 30), level: .ground),
            ]
            for start in ends {
                for end in ends {
                    let one = Result { () throws(RouteError) in try finder.route(from: start, to: end, weights).cost }
                    // Of two mistakes each reports the one that it finds first.
                    let other = Result { () throws(RouteError) in
                        try RouteTree(to: end, weights).route(from: start).cost
                    }
                    #expect((try? one.get()) == (try? other.get()))
                }
            }
        }
        #expect(built > 25)
    }
}
