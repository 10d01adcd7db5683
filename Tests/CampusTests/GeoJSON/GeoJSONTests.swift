import Foundation
import Testing

@testable import Campus

@Suite("Reading GeoJSON zones")
struct GeoJSONTests {
    private static func zone(_ ref: String?, _ ring: String, type: String = "Polygon", extra: String = "") -> String {
        let properties =
            ref.map { #"{"kind":"zone","ref":"\#($0)","name":"Zone \#($0)"\#(extra)}"# } ?? #"{"kind":"zone"}"#
        return #"{"type":"Feature","properties":\#(properties),"geometry":{"type":"\#(type)","coordinates":\#(ring)}}"#
    }

    private static let square = "[[[0,0],[1,0],[1,1],[0,1],[0,0]]]"

    private static func collection(_ features: String...) -> Data {
        Data(#"{"type":"FeatureCollection","name":"Test","features":[\#(features.joined(separator: ","))]}"#.utf8)
    }

    private static func message(_ data: Data) -> String {
        do {
            _ = try CampusDocument(zonesGeoJSON: data)
            return "accepted"
        } catch {
            return error.description
        }
    }

    @Test("zones with ref and name are read; other kinds are left out and counted")
    func reads() throws {
        let other = #"{"type":"Feature","properties":{"kind":"gate"},"geometry":{"type":"Point","coordinates":[0,0]}}"#
        let campus = try CampusDocument(
            zonesGeoJSON: Self.collection(
                Self.zone("A", Self.square, extra: #","x":[1,{"y":null}],"n":3"#), other,
                Self.zone("B", "[\(Self.square),[[[5,5,9],[6,5,9],[6,6,9],[5,5,9]]]]", type: "MultiPolygon")))
        #expect(campus.name == "Test")
        #expect(campus.zones.map(\.ref) == ["A", "B"])
        #expect(campus.zones.map(\.polygons.count) == [1, 2])
        #expect(campus.bounds == (try GeoBox(south: 0, west: 0, north: 6, east: 6)))
        #expect(campus.counts["other features"]?.skipped == ["kind is not zone": 1])
    }

    @Test("what is wrong is named with the feature's index")
    func errors() {
        let good = Self.zone("A", Self.square)
        for (feature, part) in [
            (Self.zone("A", Self.square), "feature 1: ref A is already used by feature 0"),
            (Self.zone(nil, Self.square), "feature 1: the property ref is missing"),
            (Self.zone("B", "[[[0,0],[1,0],[1,1],[0,1]]]"), "feature 1: a ring is not closed"),
            (Self.zone("B", "[[[0,0],[1,0],[0,0]]]"), "feature 1: a ring has 3 positions"),
            (Self.zone("B", "[[[0,0],[0,91],[1,1],[0,0]]]"), "feature 1: latitude 91.0 is out of range"),
            (Self.zone("B", "[[0,0],[1,0]]"), "feature 1: the coordinates are missing or not nested"),
            (Self.zone("B", "[0,0]", type: "Point"), "feature 1: zone B has no area"),
            (Self.zone("B", "[[0,0]]", type: "MultiPoint"), "feature 1: geometry type MultiPoint is not supported"),
            (#"{"type":"Zone"}"#, "feature 1: it is not a Feature"),
            (#"17"#, "feature 1: it is not a Feature"),
        ] {
            let message = Self.message(Self.collection(good, feature))
            #expect(message.hasPrefix(part), "\(message)")
        }
        #expect(Self.message(Data("[]".utf8)).hasPrefix("the top level is not a FeatureCollection"))
        #expect(Self.message(Self.collection()).hasPrefix("the file has no zones"))
        #expect(Self.message(Self.collection(good).dropLast(2)).hasPrefix("the file is not valid JSON"))
        #expect(Self.message(Data()).hasPrefix("the file is not valid JSON"))
    }

    @Test("an error shows nothing that could move a terminal's cursor, and of a long text little")
    func plainErrors() {
        let type = #"{"type":"Feature","properties":{"ref":"A"},"geometry":{"type":"\u001b[2J\u0085x"}}"#
        #expect(Self.message(Self.collection(type)).contains("type [2Jx is"))
        let marks = String(repeating: "\u{301}", count: 10_000)
        let long = #"{"type":"Feature","properties":{"ref":"A"},"geometry":{"type":"x\#(marks)"}}"#
        #expect(Self.message(Self.collection(long)).utf8.count < 300)
    }

    @Test("a collection written and read again is the same")
    func roundTrip() throws {
        let collection = try GeoJSON.FeatureCollection(data: Self.collection(Self.zone("A", Self.square)))
        #expect(try GeoJSON.FeatureCollection(data: JSONEncoder().encode(collection)) == collection)
    }

    @Test(
        "the twelve real zones are read and every ordinary run starts in one of them", .enabled(if: RealData.isPresent))
    func recife() throws {
        let campus = try CampusDocument(zonesGeoJSON: Data(contentsOf: RealData.recife))
        #expect(campus.zones.count == 12)
        let index = ZoneIndex(zones: campus.zones.enumerated().map { Zone(id: Int64($0 + 1), draft: $1) })
        for file in try RealData.ordinaryRuns() {
            let points = try GPXTrack.read(Data(contentsOf: file)).flatMap(\.points)
            #expect(points.first.flatMap { index.zone(at: $0.point) } != nil, "\(file.lastPathComponent)")
        }
    }
}
