import Foundation
import Testing
import Wire

@testable import Campus

@Suite("The network of a campus document")
struct NetworkCodingTests {
    private static func collection(_ features: String...) -> Data {
        Data(#"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#.utf8)
    }

    private static func feature(_ geometry: String, _ coordinates: String, _ tags: String, id: String? = nil) -> String
    {
        """
        {"type":"Feature"\(id.map { ",\"id\":\"\($0)\"" } ?? ""),"properties":{\(tags)},\
        "geometry":{"type":"\(geometry)","coordinates":\(coordinates)}}
        """
    }

    @Test("A network that was encoded is the same when it is decoded, ids and positions included")
    func roundTrip() throws {
        let network = [
            OSMObject(
                kind: .node, id: 12_345_678_901, tags: ["door": "yes", "name": "Größe"],
                point: try GeoPoint(latitude: 51.0255432, longitude: -13.7290001)),
            OSMObject(kind: .node, id: -7, point: nil),
            OSMObject(kind: .way, id: 3, tags: ["highway": "steps"], nodes: [12_345_678_901, -7, 12_345_678_901]),
            OSMObject(kind: .relation, id: 9, members: [.init(kind: .way, id: 3, role: "outer")]),
        ]
        #expect(try NetworkCoding.network(NetworkCoding.bytes(network)) == network)
        #expect(try NetworkCoding.network(NetworkCoding.bytes([])) == [])
    }

    @Test("Each shortened or changed encoding is refused, or is another network; none ends the process")
    func broken() throws {
        let bytes = NetworkCoding.bytes([
            OSMObject(kind: .node, id: 1, tags: ["a": "b"], point: try GeoPoint(latitude: 1, longitude: 2)),
            OSMObject(kind: .way, id: 1, tags: ["highway": "path"], nodes: [1, 1]),
        ])
        for count in 0..<bytes.count {
            #expect(throws: BinaryFrameError.self) { try NetworkCoding.network(Array(bytes.prefix(count))) }
        }
        for index in bytes.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                var changed = bytes
                changed[index] = value
                _ = try? NetworkCoding.network(changed)
            }
        }
    }

    @Test("Paths, rooms and doors of GeoJSON are objects, and the paths and places among them are on the map")
    func geoJSON() throws {
        let document = try CampusDocument(
            zonesGeoJSON: Self.collection(
                Self.feature("LineString", "[[8,51],[8.001,51]]", #""highway":"footway","name":"Walk""#, id: "way/12"),
                Self.feature("Point", "[8.001,51]", #""entrance":"yes","door":"yes""#),
                Self.feature(
                    "Polygon", "[[[8.001,51],[8.002,51],[8.002,51.001],[8.001,51]]]",
                    #""indoor":"room","ref":"1.02","level":"0""#, id: "room"),
                Self.feature("Point", "[8.0015,51.0005]", #""amenity":"cafe","name":"Bean""#)))
        let ways = document.network.filter { $0.kind == .way }
        #expect(ways.map(\.sourceID).contains("way/12") && ways.count == 2)
        let walk = try #require(ways.first { $0.id == 12 })
        let room = try #require(ways.first { $0.id != 12 })
        #expect(room.id < 0 && room.tags["ref"] == "1.02")
        let door = try #require(document.network.first { $0.tags["door"] == "yes" })
        #expect(walk.nodes.last == door.id && room.nodes.first == door.id && room.nodes.last == door.id)
        #expect(document.ways.map(\.name) == ["Walk"])
        #expect(document.places.map(\.name).contains("Bean"))
        #expect(document.zones.isEmpty && document.bounds.east == 8.002)
    }

    @Test("The id of a feature without a number stays the same when other features are added before it")
    func stableIDs() throws {
        let path = Self.feature("LineString", "[[8,51],[8.001,51]]", #""highway":"footway""#, id: "north")
        let other = Self.feature("LineString", "[[8,52],[8.001,52]]", #""highway":"footway""#, id: "south")
        let one = try CampusDocument(zonesGeoJSON: Self.collection(path)).network
        let both = try CampusDocument(zonesGeoJSON: Self.collection(other, path)).network
        #expect(Set(one.map(\.sourceID)).isSubset(of: Set(both.map(\.sourceID))))
    }

    @Test("The network of a second file meets the first one's at nodes of the same position")
    func joining() throws {
        var campus = try CampusDocument(
            zonesGeoJSON: Self.collection(
                Self.feature("LineString", "[[8,51],[8.001,51]]", #""highway":"footway""#, id: "way/1")))
        campus.takeZones(
            of: try CampusDocument(
                zonesGeoJSON: Self.collection(
                    Self.feature("LineString", "[[8.001,51],[8.002,51]]", #""highway":"corridor""#, id: "way/2"))))
        let ways = campus.network.filter { $0.kind == .way }
        #expect(ways.count == 2 && ways[0].nodes.last == ways[1].nodes.first)
        #expect(campus.network.count { $0.kind == .node } == 3)
    }
}
