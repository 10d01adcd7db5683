import Foundation
import Testing

@testable import Campus

private let osmiumIsInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/osmium")

@Suite("Importing OpenStreetMap extracts", .enabled(if: osmiumIsInstalled))
struct OSMImportTests {
    /// A file in a fresh directory, removed afterwards.
    private static func withFile<Value>(
        _ name: String, _ content: Data, _ body: (URL) throws -> Value
    ) throws -> Value {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("campus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appendingPathComponent(name)
        try content.write(to: file)
        return try body(file)
    }

    /// A 1 km square with nodes in a 5 by 5 lattice numbered 1…25, and the given ways and relations.
    private static func extract(_ body: String, bounds: Bool = true) -> Data {
        let nodes = (0..<25).map { index in
            let tags = index == 12 ? #"<tag k="highway" v="elevator"/>"# : ""
            return #"<node id="\#(index + 1)" version="1" lat="\#(51.5 + Double(index / 5) * 0.002)" "#
                + #"lon="\#(8 + Double(index % 5) * 0.003)">\#(tags)</node>"#
        }
        let box = bounds ? #"<bounds minlat="51.5" minlon="8" maxlat="51.508" maxlon="8.012"/>"# : ""
        return Data("<osm version=\"0.6\">\(box)\(nodes.joined(separator: "\n"))\(body)</osm>".utf8)
    }

    private static func way(_ id: Int, _ nodes: [Int], _ tags: [String: String]) -> String {
        let refs = nodes.map { #"<nd ref="\#($0)"/>"# }.joined()
        let list = tags.sorted { $0.key < $1.key }.map { #"<tag k="\#($0.key)" v="\#($0.value)"/>"# }.joined()
        return #"<way id="\#(id)" version="1">\#(refs)\#(list)</way>"#
    }

    @Test("buildings, ways, lifts, places and areas are sorted, what is left out is counted with its reason")
    func sorts() throws {
        let body = [
            Self.way(
                1, [1, 2, 7, 6, 1],
                ["building": "yes", "name": "Hall, A=B 100%", "building:levels": "3", "amenity": "library"]),
            Self.way(2, [3, 4, 9, 8, 3], ["building": "no"]),
            Self.way(3, [1, 7, 13], ["highway": "footway", "name": "Weg"]),
            Self.way(4, [13, 14], ["highway": "steps"]),
            Self.way(5, [14, 15], ["highway": "steps", "ramp:wheelchair": "yes", "wheelchair": "limited"]),
            Self.way(6, [16, 17, 22, 21, 16], ["highway": "pedestrian", "area": "yes"]),
            Self.way(7, [18, 19], ["highway": "construction"]),
            Self.way(8, [18, 19, 24, 23, 18], ["natural": "water", "name": "Teich"]),
            Self.way(9, [19, 20], ["highway": "motorway"]),
            Self.way(10, [19, 20, 25], ["building": "yes"]),
        ].joined(separator: "\n")
        let campus = try Self.withFile("a.osm", Self.extract(body)) { try OSMImport().read($0) }
        #expect(campus.bounds == (try GeoBox(south: 51.5, west: 8, north: 51.508, east: 8.012)))
        #expect(campus.buildings.map(\.sourceID) == ["way/1"])
        #expect(campus.buildings[0].name == "Hall, A=B 100%")
        #expect(campus.buildings[0].levels == 3)
        #expect(campus.ways.map(\.sourceID) == ["way/3", "way/4", "way/5", "way/6", "way/9"])
        #expect(campus.ways.map(\.isStepFree) == [true, false, true, true, true])
        #expect(campus.ways.map(\.isArea) == [false, false, false, true, false])
        #expect(campus.ways.map(\.isWalkable) == [true, true, true, true, false])
        #expect(campus.ways[2].wheelchair == .limited)
        #expect(campus.places.map(\.kind) == ["lift", "library"])
        #expect(campus.areas.map(\.kind) == [.water])
        #expect(campus.counts["buildings"]?.found == 3)
        #expect(campus.counts["buildings"]?.skipped == ["tagged building=no": 1, "broken or incomplete outline": 1])
        #expect(campus.counts["other ways"]?.imported == 0)
    }

    private static func node(_ id: Int, _ tags: [String: String], lat: Double = 51.504, lon: Double = 8.006) -> String {
        let list = tags.sorted { $0.key < $1.key }.map { #"<tag k="\#($0.key)" v="\#($0.value)"/>"# }.joined()
        return #"<node id="\#(id)" version="1" lat="\#(lat)" lon="\#(lon)">\#(list)</node>"#
    }

    @Test("Rooms, entrances and stops with a name or a number are places; the others are counted with the reason")
    func indoors() throws {
        let body = [
            Self.node(101, ["indoor": "room", "name": "Lab 2"]), Self.node(102, ["indoor": "room", "ref": "0.117"]),
            Self.node(103, ["indoor": "room"]), Self.node(104, ["entrance": "main", "name": "North door"]),
            Self.node(105, ["entrance": "yes", "ref": "B"]), Self.node(106, ["entrance": "yes"]),
            Self.node(107, ["entrance": "no", "name": "Walled up"]),
            Self.node(108, ["public_transport": "platform", "name": "Campus Nord"]),
            Self.node(109, ["public_transport": "stop_position", "name": "Campus Nord"]),
            Self.node(110, ["railway": "tram_stop", "name": "Campus Süd"]),
            Self.node(111, ["highway": "bus_stop", "public_transport": "platform", "name": "West Gate"]),
            Self.way(12, [1, 2, 7, 6, 1], ["indoor": "room", "room": "class", "name": "Hall A"]),
        ].joined(separator: "\n")
        let campus = try Self.withFile("a.osm", Self.extract(body)) { try OSMImport().read($0) }
        let places = campus.places.filter { $0.kind != "lift" }.map { "\($0.kind) \($0.name ?? "")" }.sorted()
        #expect(
            places == [
                "bus_stop West Gate", "entrance B", "entrance North door", "platform Campus Nord", "room 0.117",
                "room Hall A", "room Lab 2", "tram_stop Campus Süd",
            ])
        #expect(campus.counts["rooms"]?.skipped == ["without a name": 1])
        #expect(campus.counts["entrances"]?.skipped == ["without a name": 1])
        #expect(campus.counts["stops"]?.skipped == ["the stop position of the vehicle, not the platform": 1])
    }

    @Test("What spans the globe, a country or the 180th meridian is no campus, and the reason says what to do")
    func extent() throws {
        let here = Self.node(201, ["amenity": "cafe", "name": "Here"])
        func trouble(_ lat: Double, _ lon: Double) throws -> String? {
            let there = Self.node(202, ["amenity": "cafe", "name": "There"], lat: lat, lon: lon)
            let data = Self.extract(here + there, bounds: false)
            return try Self.withFile("a.osm", data) { try OSMImport().read($0) }.extentTrouble
        }
        #expect(try trouble(51.505, 8.01) == nil)
        #expect(try trouble(51.9, 8.01) == nil)
        #expect(
            try trouble(53.5, 8.01)?.contains("by 221 km, and a campus at most 100 km: cut it to the campus") == true)
        #expect(try trouble(51.505, -171.9)?.contains("spans") == false)
        #expect(try trouble(51.505, -179.9)?.contains("spans 187 degrees") == true)
        let pacific = try GeoBox(south: -17, west: -179.99, north: -16.9, east: 179.99)
        #expect(CampusDocument(bounds: pacific).extentTrouble?.contains("180th meridian") == true)
        #expect(try CampusDocument(bounds: GeoBox(south: -90, west: -180, north: 90, east: 180)).extentTrouble != nil)
    }

    @Test("without bounds in the header the box around everything is used")
    func missingBounds() throws {
        let data = Self.extract(Self.way(3, [1, 7, 13, 25], ["highway": "footway"]), bounds: false)
        let campus = try Self.withFile("a.osm", data) { try OSMImport().read($0) }
        #expect(campus.bounds == (try GeoBox(south: 51.5, west: 8, north: 51.508, east: 8.012)))
    }

    @Test("named areas that cover the campus become the zones, smaller ones first; otherwise there is a grid")
    func zones() throws {
        let path = Self.way(9, [1, 7, 13, 19, 25], ["highway": "footway"])
        let quarters = [
            Self.way(1, [1, 3, 13, 11, 1], ["landuse": "education", "name": "South-west"]),
            Self.way(2, [3, 5, 15, 13, 3], ["landuse": "education", "name": "South-east"]),
            Self.way(3, [11, 15, 25, 21, 11], ["leisure": "park", "name": "North"]),
            path,
        ].joined()
        let named = try Self.withFile("a.osm", Self.extract(quarters)) { try OSMImport().read($0) }
        #expect(Set(named.zones.prefix(2).map(\.ref)) == ["way/1", "way/2"])
        #expect(named.zones.last?.name == "North")
        #expect(named.counts["zones from named areas"]?.imported == 3)
        let grid = try Self.withFile("a.osm", Self.extract(path)) { try OSMImport().read($0) }
        #expect(grid.zones.first?.ref == "A1")
        #expect(grid.counts["zones from a grid"]?.imported == grid.zones.count)
    }

    @Test("a truncated file, other content, another ending, a missing file and an empty map are told apart")
    func refusals() throws {
        let whole = Self.extract(Self.way(3, [1, 7], ["highway": "footway"]))
        func error(_ name: String, _ data: Data) throws -> OSMImportError? {
            try Self.withFile(name, data) { file in
                #expect(throws: OSMImportError.self) { try OSMImport().read(file) }
            }
        }
        guard case .refused(let reason) = try error("a.osm", whole.dropLast(30)) else {
            Issue.record("a truncated file is refused")
            return
        }
        #expect(reason.contains("XML parsing error at line"))
        guard case .refused(let other) = try error("a.osm", Data("<gpx/>".utf8)) else {
            Issue.record("other XML is refused")
            return
        }
        #expect(other.contains("gpx"))
        guard case .refused = try error("a.osm.pbf", Data(repeating: 7, count: 1_000)) else {
            Issue.record("a broken pbf is refused")
            return
        }
        #expect(try error("a.txt", whole) == .fileKind(name: "a.txt"))
        #expect(
            try error("a.osm", Self.extract("").prefix(0) + Data("<osm version=\"0.6\"></osm>".utf8))
                == .nothingOnTheMap(name: "a.osm"))
        #expect(throws: OSMImportError.notReadable(name: "none.osm")) {
            try OSMImport().read(URL(fileURLWithPath: "/nowhere/none.osm"))
        }
    }

    @Test("a missing tool says how to install it")
    func missingTool() throws {
        try Self.withFile("a.osm", Self.extract("")) { file in
            let error = #expect(throws: OSMImportError.osmiumMissing) {
                try OSMImport(osmium: file.deletingLastPathComponent().appendingPathComponent("osmium")).read(file)
            }
            #expect(error?.description == "osmium not found: install it with apt-get install osmium-tool")
        }
    }

    @Test("a tool that writes too much or takes too long is stopped")
    func limits() throws {
        var tool = try OsmiumTool(
            executable: URL(fileURLWithPath: "/bin/sh"), outputBytesMax: 1_000, timeoutSeconds: 60)
        #expect(throws: OSMImportError.outputTooLarge(bytesMax: 1_000)) { try tool.run(["-c", "exec yes"]) }
        #expect(try tool.run(["-c", "echo fine; head -c 100000 /dev/zero >&2"]) == Data("fine\n".utf8))
        tool = try OsmiumTool(executable: URL(fileURLWithPath: "/bin/sh"), outputBytesMax: 1_000, timeoutSeconds: 0.2)
        #expect(throws: OSMImportError.timeout(seconds: 0.2)) { try tool.run(["-c", "exec sleep 600"]) }
    }

    @Test("the university extract: everything it holds is imported or accounted for", .enabled(if: RealData.isPresent))
    func northwestern() throws {
        let campus = try OSMImport().read(RealData.northwestern)
        if ProcessInfo.processInfo.environment["CAMPUS_TABLE"] != nil { print(campus.counts.table) }
        func row(_ category: String) -> [Int] {
            [campus.counts[category]?.imported ?? -1, campus.counts[category]?.found ?? -1]
        }
        // The file: 467 ways + 6 relations + 2 nodes tagged building, two of them building=no.
        #expect(row("buildings") == [471, 475])
        #expect(row("footways") == [680, 680])
        #expect(row("steps") == [46, 46])
        #expect(row("lifts") == [2, 2])
        #expect(campus.buildings.count == 471)
        #expect(campus.ways.count { $0.kind == .footway } == 680)
        #expect(campus.ways.count { $0.kind == .steps } == 46)
        #expect(campus.places.count { $0.kind == "lift" } == 2)
        #expect(campus.bounds == (try GeoBox(south: 42.0478, west: -87.6841, north: 42.0644, east: -87.6677)))
        #expect(campus.zones.count == 12)
        #expect(try OSMImport().read(RealData.northwestern) == campus)
        #expect(Set(campus.ways.map(\.sourceID)).count == campus.ways.count)
    }
}
