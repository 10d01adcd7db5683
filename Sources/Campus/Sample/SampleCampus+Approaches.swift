extension SampleCampus {
    /// A path from the network to an entrance.
    struct Approach {
        /// A point near the path where the approach begins.
        var from: (Double, Double)
        var via: [(Double, Double)]
        /// Where steps begin that lead up to the entrance; nil without steps.
        var steps: (Double, Double)?
        /// The entrance.
        var to: (Double, Double)
    }

    static let approaches: [Approach] = [
        // Weaver Library: steps from Bell Walk in the south, level in the north.
        Approach(from: (-20, 106), via: [], steps: (-20, 117.5), to: (-20, 122)),
        Approach(from: (-60, 190), via: [(-30, 187)], steps: nil, to: (-20, 178)),
        // Founders Hall: steps from the Old Quad in the south, level in the north.
        Approach(from: (-205, 190), via: [], steps: (-205, 200), to: (-205, 205)),
        Approach(from: (-272, 250), via: [(-240, 248), (-210, 246)], steps: nil, to: (-205, 239)),
        // Chemistry Building: level from the South Quad in the east, steps in the south.
        Approach(from: (-260, -212), via: [], steps: nil, to: (-275, -212)),
        Approach(from: (-300, -246), via: [], steps: (-300, -233), to: (-300, -229)),
        // Mathematics Tower: level in the north, steps from the South Quad in the west.
        Approach(from: (-22, -70), via: [], steps: nil, to: (-22, -88)),
        Approach(from: (-60, -105), via: [], steps: (-43, -105), to: (-39, -105)),
    ]

    /// The edges between junctions, those of the approaches, and the path to the running track.
    static let allEdges: [Edge] = edges + approachEdges + trackEdges

    /// From the sports grounds straight to the middle of the track's north-eastern bend.
    private static let trackEdges: [Edge] = junctions["TG"].map { [Edge([$0, trackCourse[14]], .footway)] } ?? []

    private static let approachEdges: [Edge] = approaches.flatMap { approach in
        let line = [joint(near: approach.from)] + approach.via + [approach.steps ?? approach.to]
        let walk = Edge(line, .footway)
        return approach.steps.map { [walk, Edge([$0, approach.to], .steps)] } ?? [walk]
    }
}
