import Foundation

extension SampleCampus {
    /// Junctions of paths by name, in metres east and north of the origin.
    static let junctions: [String: (Double, Double)] = {
        var all: [String: (Double, Double)] = [
            // The loop around the campus, clockwise from the west gate.
            "G": (-660, 60), "NW": (-570, 370), "N1": (-300, 430), "N2": (-60, 445), "N3": (215, 420),
            "NE": (520, 395), "E1": (672, 180), "E2": (676, -160), "SE": (560, -390), "S3": (230, -435),
            "S2": (0, -455), "S1": (-250, -430), "SW": (-600, -440), "W1": (-672, -190),
            // The Old Quad: corners, middles of the sides, centre.
            "Q1": (-260, 190), "QN": (-160, 190), "Q2": (-60, 190), "QE": (-60, 105), "Q3": (-60, 20),
            "QS": (-160, 20), "Q4": (-260, 20), "QW": (-260, 105), "QC": (-160, 105),
            // The South Quad.
            "R1": (-260, -65), "R2": (-60, -65), "RE": (-60, -150), "R3": (-60, -235), "RS": (-160, -235),
            "R4": (-260, -235), "RW": (-260, -150), "RC": (-160, -150),
            // The bell tower's square, the walks north and south of it.
            "M": (110, 95), "T": (110, -110), "H1": (-300, 310), "H2": (-60, 315), "H3": (140, 300),
            // West: the avenue and the way to the sports grounds.
            "V1": (-460, 95), "V2": (-450, -80), "TG": (-420, -190),
            // The arboretum.
            "A1": (-210, -330), "A2": (-30, -345), "A3": (120, -320),
            // Ends of the flights of steps.
            "X1": (-260, -20), "X2": (-260, -28), "X3": (-60, -20), "X4": (-60, -28),
            "X5": (190, 40), "X6": (196, 36), "X7": (124, 190), "X8": (125, 198),
        ]
        for (name, degrees) in [("LE", 0.0), ("LN", 90), ("LNW", 135), ("LW", 180), ("LSW", 225), ("LS", 270)] {
            all[name] = shore(degrees, beyond: shorePathMetres)
        }
        return all
    }()

    static let ring = [
        "G", "NW", "N1", "N2", "N3", "NE", "E1", "E2", "SE", "S3", "S2", "S1", "SW", "W1", "G",
    ]

    /// A section of path between two junctions.
    struct Edge {
        var from: String
        var to: String
        var kind: CampusDocument.WayKind
        var name: String?
        var via: [(Double, Double)]

        init(
            _ from: String, _ to: String, _ kind: CampusDocument.WayKind = .footway, _ name: String? = nil,
            via: [(Double, Double)] = []
        ) {
            self.from = from
            self.to = to
            self.kind = kind
            self.name = name
            self.via = via
        }

        /// A straight path beside the junctions.
        init(_ line: [(Double, Double)], _ kind: CampusDocument.WayKind) {
            self.init("", "", kind, via: line)
        }
    }

    static let edges: [Edge] = ringEdges + shoreEdges + quadEdges + linkEdges

    private static let ringEdges: [Edge] = {
        // Bends between the junctions, so that the loop looks natural.
        let bends: [String: [(Double, Double)]] = [
            "G": [(-655, 180), (-630, 290)], "NW": [(-500, 410), (-400, 425)], "N1": [(-180, 442)], "N2": [(80, 440)],
            "N3": [(330, 418), (430, 420)], "NE": [(600, 350), (650, 270)], "E1": [(688, 60), (690, -60)],
            "E2": [(650, -270)], "SE": [(470, -425), (350, -440)], "S3": [(120, -450)], "S2": [(-130, -448)],
            "S1": [(-360, -445), (-480, -462)], "SW": [(-645, -390), (-668, -300)], "W1": [(-676, -60)],
        ]
        return zip(ring, ring.dropFirst()).map { Edge($0, $1, .path, "Campus Loop", via: bends[$0] ?? []) }
    }()

    private static let shoreEdges: [Edge] = {
        let stops: [(String, Double)] = [
            ("LE", 0), ("LN", 90), ("LNW", 135), ("LW", 180), ("LSW", 225), ("LS", 270), ("LE", 360),
        ]
        return zip(stops, stops.dropFirst()).map { start, end in
            let via = stride(from: start.1 + 7.5, to: end.1, by: 7.5).map { shore($0, beyond: shorePathMetres) }
            return Edge(start.0, end.0, .footway, "Shore Path", via: via)
        }
    }()

    private static let quadEdges: [Edge] = [
        Edge("Q1", "QN"), Edge("QN", "Q2"), Edge("Q2", "QE"), Edge("QE", "Q3"), Edge("Q3", "QS"), Edge("QS", "Q4"),
        Edge("Q4", "QW"), Edge("QW", "Q1"), Edge("Q1", "QC"), Edge("Q2", "QC"), Edge("Q3", "QC"), Edge("Q4", "QC"),
        Edge("R1", "R2"), Edge("R2", "RE"), Edge("RE", "R3"), Edge("R3", "RS"), Edge("RS", "R4"), Edge("R4", "RW"),
        Edge("RW", "R1"), Edge("RW", "RC"), Edge("RC", "RE"), Edge("RC", "RS"),
        // Two flights of steps between the quads, and a ramp around each: the Old Quad lies higher.
        Edge("Q4", "X1"), Edge("X1", "X2", .steps, "Quad Steps West"), Edge("X2", "R1"),
        Edge("Q3", "X3"), Edge("X3", "X4", .steps, "Quad Steps East"), Edge("X4", "R2"),
        Edge("Q4", "R1", .footway, "West Ramp", via: [(-275, 0), (-278, -25), (-273, -50)]),
        Edge("Q3", "R2", .footway, "East Ramp", via: [(-46, 0), (-42, -25), (-47, -50)]),
    ]

    private static let linkEdges: [Edge] = [
        // From the quads to the lake.
        Edge("QE", "M", .pedestrian, "Bell Walk", via: [(20, 108)]),
        Edge("M", "X5"), Edge("X5", "X6", .steps, "Lake Steps"), Edge("X6", "LW"),
        Edge("M", "LW", .footway, "Lake Ramp", via: [(165, 85), (225, 60), (255, 20)]),
        Edge("M", "LNW", .footway, nil, via: [(200, 125), (270, 122)]),
        Edge("M", "T", .footway, "Union Walk", via: [(118, 20), (104, -50)]),
        Edge("R2", "T", .footway, nil, via: [(20, -75), (70, -105)]),
        Edge("T", "LSW", .footway, nil, via: [(190, -135), (260, -150)]),
        Edge("RE", "T", .footway, nil, via: [(30, -142)]),
        Edge("T", "A3", .footway, nil, via: [(122, -200), (108, -265)]),
        // North: the halls.
        Edge("M", "X7", .footway), Edge("X7", "X8", .steps, "North Steps"), Edge("X8", "H3"),
        Edge("M", "H3", .footway, "North Ramp", via: [(150, 150), (168, 210), (160, 265)]),
        Edge("H1", "H2", .footway, "Hall Walk", via: [(-180, 316)]),
        Edge("H2", "H3", .footway, "Hall Walk", via: [(40, 305)]),
        Edge("H1", "N1"), Edge("H2", "N2"), Edge("H3", "N3", .footway, nil, via: [(165, 360)]),
        Edge("Q1", "H1", .footway, nil, via: [(-275, 250)]), Edge("Q2", "H2"), Edge("QN", "QC"), Edge("QS", "QC"),
        Edge("N3", "LN", .footway, nil, via: [(310, 350), (400, 250)]),
        Edge("NE", "LN", .footway, nil, via: [(490, 300)]),
        Edge("E2", "LE", .footway, nil, via: [(672, -90)]),
        Edge("S3", "LS", .footway, nil, via: [(300, -370), (400, -290)]),
        Edge("SE", "LS", .footway, nil, via: [(510, -300)]),
        // West.
        Edge("G", "V1", .pedestrian, "Gate Avenue", via: [(-560, 75)]),
        Edge("V1", "QW", .pedestrian, "Gate Avenue", via: [(-360, 105)]),
        Edge("V1", "H1", .cycleway, nil, via: [(-455, 200), (-400, 280)]),
        Edge("V1", "V2"), Edge("V2", "TG"), Edge("V2", "R1", .cycleway, nil, via: [(-360, -82)]),
        Edge("TG", "R4", .footway, nil, via: [(-345, -225), (-300, -246)]),
        Edge("W1", "V2", .path, nil, via: [(-600, -130), (-520, -100)]),
        Edge("TG", "S1", .path, nil, via: [(-365, -260), (-340, -350), (-300, -410)]),
        // The arboretum winds.
        Edge("R4", "A1", .path, "Arboretum Walk", via: [(-255, -275)]),
        Edge("A1", "S1", .path, "Arboretum Walk", via: [(-215, -385)]),
        Edge("A1", "A2", .path, "Arboretum Walk", via: [(-150, -365), (-90, -330)]),
        Edge("A2", "A3", .path, "Arboretum Walk", via: [(50, -370)]),
        Edge("A2", "S2", .path, nil, via: [(-10, -400)]),
        Edge("A2", "RS", .path, nil, via: [(-85, -300)]),
        Edge("A3", "S3", .path, "Arboretum Walk", via: [(170, -385)]),
        // Roads outside the loop and to the car park.
        Edge("NW", "G", .road, "Bellmere Road", via: [(-640, 390), (-700, 260), (-705, 120)]),
        Edge("G", "SW", .road, "Bellmere Road", via: [(-706, -80), (-706, -330), (-660, -450)]),
        Edge("NW", "H1", .service, "Hall Yard", via: [(-520, 340), (-400, 345)]),
    ]

    /// All ways of the sample: the edges, the approaches of the buildings, and the running track.
    static let ways: [CampusDocument.Way] = {
        let paths = zip(allEdges, courses(of: allEdges)).enumerated().map { index, path in
            CampusDocument.Way(
                sourceID: "way/\(-firstWay - index)", kind: path.0.kind, name: path.0.name,
                line: path.1.map { at($0.0, $0.1) }, isStepFree: path.0.kind != .steps)
        }
        let lane = CampusDocument.Way(
            sourceID: trackID, kind: .path, name: "Running Track", line: trackCourse.map { at($0.0, $0.1) })
        return paths + [lane]
    }()

    private static let firstWay = 1_001
    static let trackID = "way/-1000"

    /// The courses of edges, with the points where approaches join them.
    static func courses(of edges: [Edge]) -> [[(Double, Double)]] {
        let joints = approaches.map { joint(near: $0.from) }
        return edges.map { edge in
            let course = course(edge)
            var joined = Array(course.prefix(1))
            for (start, end) in zip(course, course.dropFirst()) {
                joined += inside(joints, start, end)
                joined.append(end)
            }
            return joined
        }
    }

    /// The joints that are on a segment, except for its ends, in their order.
    private static func inside(
        _ joints: [(Double, Double)], _ start: (Double, Double), _ end: (Double, Double)
    ) -> [(Double, Double)] {
        var found: [(joint: (Double, Double), share: Double)] = []
        for joint in joints {
            let near = nearest(joint, start, end)
            guard near.metres < 0.01, near.share > 0.001, near.share < 0.999 else { continue }
            found.append((joint, near.share))
        }
        return found.sorted { $0.share < $1.share }.map(\.joint)
    }

    /// The nearest point of the paths between the junctions.
    static func joint(near point: (Double, Double)) -> (Double, Double) {
        let segments = edges.filter { $0.kind != .steps }.map(course).flatMap { zip($0, $0.dropFirst()) }
        let found = segments.map { nearest(point, $0, $1) }.min { $0.metres < $1.metres }
        return found?.point ?? point
    }

    private static func nearest(
        _ point: (Double, Double), _ start: (Double, Double), _ end: (Double, Double)
    ) -> (point: (Double, Double), share: Double, metres: Double) {
        let (east, north) = (end.0 - start.0, end.1 - start.1)
        let length = max(.leastNormalMagnitude, east * east + north * north)
        let share = max(0, min(1, ((point.0 - start.0) * east + (point.1 - start.1) * north) / length))
        let near = (start.0 + east * share, start.1 + north * share)
        return (near, share, hypot(near.0 - point.0, near.1 - point.1))
    }

    /// The edge's course: a smooth curve through its bends, with a position about every ``curveStepMetres``.
    static func line(_ edge: Edge) -> [GeoPoint] { course(edge).map { at($0.0, $0.1) } }

    static func course(_ edge: Edge) -> [(Double, Double)] {
        guard let from = junctions[edge.from], let to = junctions[edge.to] else { return edge.via }
        return smooth([from] + edge.via + [to])
    }

    /// The course along junctions. Of several edges between two of them it takes the first that is not a road.
    static func route(_ stops: [String]) -> [GeoPoint] {
        var points: [GeoPoint] = []
        for (from, to) in zip(stops, stops.dropFirst()) {
            let joining = edges.filter {
                ($0.from, $0.to) == (from, to) || ($0.from, $0.to) == (to, from)
            }
            guard let edge = joining.first(where: { $0.kind != .road }) ?? joining.first else { return [] }
            let course = edge.from == from ? line(edge) : line(edge).reversed()
            points += points.isEmpty ? course : Array(course.dropFirst())
        }
        return points
    }

    private static let curveStepMetres = 8.0

    /// A Catmull-Rom spline through all points.
    private static func smooth(_ points: [(Double, Double)]) -> [(Double, Double)] {
        guard points.count > 2 else { return points }
        var result: [(Double, Double)] = [points[0]]
        for index in 0..<points.count - 1 {
            let before = points[max(0, index - 1)]
            let start = points[index]
            let end = points[index + 1]
            let after = points[min(points.count - 1, index + 2)]
            let length = hypot(end.0 - start.0, end.1 - start.1)
            let steps = max(1, Int((length / curveStepMetres).rounded()))
            for step in 1..<max(2, steps) where steps > 1 {
                let part = Double(step) / Double(steps)
                result.append(
                    (
                        spline(before.0, start.0, end.0, after.0, part),
                        spline(before.1, start.1, end.1, after.1, part)
                    ))
            }
            result.append(end)
        }
        return result
    }

    private static func spline(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ t: Double) -> Double {
        let linear = c - a
        let square = 2 * a - 5 * b + 4 * c - d
        let cube = 3 * b - a - 3 * c + d
        return b + 0.5 * t * (linear + t * (square + t * cube))
    }
}
