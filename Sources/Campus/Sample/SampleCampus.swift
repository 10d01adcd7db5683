/// A fictional campus, Bellmere University, for `campanile demo` and for tests.
///
/// Drawn in metres around ``origin``, deterministic, and without map data of a real place. The paths meet at named
/// junctions and form one connected network for walking. Four buildings have floors with rooms, lifts and staircases. All
/// ids are negative, because OpenStreetMap does not have the objects.
public enum SampleCampus {
    /// The origin of the drawing; a field in reality.
    public static let origin = GeoPoint(trustedLatitude: 51.5, longitude: 8.0)

    /// A closed loop for sample runners.
    public struct Course: Codable, Sendable, Equatable {
        public var name: String
        public var activity: GPSFilter.Activity
        /// The loop; the last position repeats the first.
        public var line: [GeoPoint]

        /// The length of one lap in metres.
        public var lengthMetres: Double {
            zip(line, line.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
        }
    }

    /// The campus: 9 zones, 32 buildings, paths, steps, a lake, sports grounds.
    public static let document: CampusDocument = {
        let ways = Self.ways
        var counts = ImportCounts()
        counts.take("zones", count: zones.count)
        counts.take("buildings", count: buildings.count)
        counts.take("ways", count: ways.count)
        counts.take("places", count: places.count)
        counts.take("areas", count: areas.count)
        let low = at(-720, -520)
        let high = at(720, 520)
        var document = CampusDocument(
            name: "Bellmere University",
            attribution: "Sample campus of the Campanile project",
            bounds: GeoBox(
                trustedSouth: low.latitude, west: low.longitude, north: high.latitude, east: high.longitude),
            zones: zones, buildings: buildings, ways: ways, places: places, areas: areas, rooms: rooms,
            network: network, counts: counts)
        document.assignRoomsToBuildings()
        return document
    }()

    /// Loops along the paths, from 400 m to about 4 km.
    public static let courses: [Course] = [
        course("Lake Loop", .run, ["LW", "LNW", "LN", "LE", "LS", "LSW", "LW"]),
        course("Campus Loop", .run, ring),
        course("Old Quad Circuit", .run, ["Q1", "QN", "Q2", "QE", "Q3", "QS", "Q4", "QW", "Q1"]),
        course(
            "Two Quads", .run,
            ["Q1", "QN", "Q2", "QE", "Q3", "R2", "RE", "R3", "RS", "R4", "RW", "R1", "Q4", "QW", "Q1"]),
        course("Arboretum Loop", .run, ["R4", "A1", "S1", "S2", "S3", "A3", "A2", "RS", "R4"]),
        course("Bell to Bell", .run, ["M", "H3", "N3", "LN", "LNW", "LW", "M"]),
        Course(name: "Track Lap", activity: .run, line: trackCourse.map { at($0.0, $0.1) }),
        course(
            "Gate to Shore Ride", .cycle,
            ["G", "NW", "N1", "N2", "N3", "LN", "LE", "LS", "S3", "S2", "S1", "SW", "W1", "G"]),
    ]

    /// A position in metres east and north of ``origin``.
    static func at(_ east: Double, _ north: Double) -> GeoPoint {
        origin.offset(eastMetres: east, northMetres: north)
    }

    /// A polygon from corners in metres; closes the ring.
    ///
    /// The drawing is constant and tests prove that its rings are valid; an invalid ring would be left out.
    static func polygon(_ corners: [(Double, Double)], holes: [[(Double, Double)]] = []) -> [GeoPolygon] {
        func ring(_ corners: [(Double, Double)]) -> [GeoPoint] {
            let points = corners.map { at($0.0, $0.1) }
            return points + points.prefix(1)
        }
        guard let polygon = try? GeoPolygon(outer: ring(corners), holes: holes.map(ring)) else { return [] }
        return [polygon]
    }

    private static func course(_ name: String, _ activity: GPSFilter.Activity, _ junctions: [String]) -> Course {
        Course(name: name, activity: activity, line: route(junctions))
    }
}
