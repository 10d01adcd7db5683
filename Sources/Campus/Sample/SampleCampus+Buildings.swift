import Foundation

extension SampleCampus {
    /// A building's floor plan.
    enum Plan {
        /// A plain block.
        case block
        /// Two wings at a right angle.
        case angle
        /// Two wings and a court open to one side.
        case horseshoe
        /// Four wings around a court.
        case court
        /// Many corners: a tower or a dome.
        case round
    }

    /// Name, centre (east, north), width, depth, rotation in degrees, plan, storeys.
    typealias Sketch = (String, Double, Double, Double, Double, Double, Plan, Int)

    static let sketches: [Sketch] = [
        // Around the Old Quad.
        ("Founders Hall", -205, 222, 80, 34, 0, .block, 3), ("Chancery", -112, 222, 70, 34, 0, .angle, 3),
        ("Weaver Library", -20, 150, 52, 56, 0, .court, 5), ("Hall of Letters", -24, 62, 44, 50, 0, .horseshoe, 4),
        ("Old Observatory", -296, 150, 34, 34, 0, .round, 2), ("Faculty of Law", -300, 60, 42, 64, 0, .angle, 4),
        // Around the South Quad.
        ("Physics Building", -308, -140, 54, 80, 0, .court, 5),
        ("Chemistry Building", -300, -212, 50, 34, 0, .block, 4),
        ("Mathematics Tower", -22, -105, 34, 34, 0, .block, 11),
        ("Engineering Hall", -14, -190, 60, 62, 0, .horseshoe, 4),
        ("Computing Centre", -210, -37, 58, 24, 0, .block, 3), ("Biology Building", -112, -37, 62, 24, 0, .block, 4),
        // Around the bell tower.
        ("The Campanile", 84, 122, 14, 14, 45, .block, 12), ("Student Union", 62, 40, 64, 54, 0, .angle, 3),
        ("Concert Hall", 192, 170, 46, 46, 0, .round, 3), ("Museum of Bells", 60, 180, 58, 34, -6, .block, 2),
        ("Refectory", 172, -40, 62, 44, 12, .block, 2), ("Medical Centre", 60, -58, 48, 32, -14, .block, 2),
        // The halls in the north.
        ("Ash Hall", -235, 372, 60, 40, 4, .horseshoe, 5), ("Birch Hall", -135, 378, 60, 40, 2, .horseshoe, 5),
        ("Cedar Hall", -190, 270, 76, 24, 0, .block, 5), ("Damson Hall", 20, 270, 80, 26, -4, .block, 6),
        ("Elm Hall", 265, 335, 66, 40, -14, .angle, 5),
        // West.
        ("Gatehouse", -640, 30, 22, 18, 10, .block, 2), ("Visitor Centre", -560, 30, 54, 32, 8, .angle, 2),
        ("Business School", -385, 185, 64, 54, 0, .court, 4), ("Art Studios", -390, 20, 70, 44, 0, .horseshoe, 2),
        // Sports and shore.
        ("Sports Hall", -545, -190, 84, 50, 6, .block, 2), ("Grandstand", -520, -242, 92, 12, 0, .block, 1),
        ("Boathouse", 545, -262, 38, 22, -30, .block, 1), ("Glasshouse", 30, -320, 36, 20, 8, .block, 1),
        ("Lakeside Residence", 620, 240, 26, 80, 16, .angle, 4),
    ]

    /// Names of the residential buildings.
    static let residences: Set = [
        "Ash Hall", "Birch Hall", "Cedar Hall", "Damson Hall", "Elm Hall", "Lakeside Residence",
    ]

    static let buildings: [CampusDocument.Building] = sketches.enumerated().map { index, sketch in
        let (outline, court) = outline(of: sketch)
        let tags = details[sketch.0] ?? [:]
        var building = CampusDocument.Building(
            sourceID: "\(court == nil ? "way" : "relation")/\(-index - 1)", name: sketch.0,
            polygons: polygon(outline, holes: court.map { [$0] } ?? []), levels: sketch.7,
            isResidence: residences.contains(sketch.0), wheelchair: tags["wheelchair"].flatMap { .init(rawValue: $0) },
            listing: .init(tags: tags, name: sketch.0))
        building.entrances = listedEntrances(of: sketch)
        return building
    }

    /// Corners in metres from the origin; a court is a hole.
    static func outline(of sketch: Sketch) -> (outline: [(Double, Double)], court: [(Double, Double)]?) {
        let (_, east, north, width, depth, turn, plan, _) = sketch
        let (outline, court) = floorPlan(plan, width / 2, depth / 2)
        let angle = turn * .pi / 180
        func placed(_ corner: (Double, Double)) -> (Double, Double) {
            (
                east + corner.0 * cos(angle) - corner.1 * sin(angle),
                north + corner.0 * sin(angle) + corner.1 * cos(angle)
            )
        }
        return (outline.map(placed), court.map { $0.map(placed) })
    }

    /// Corners around the centre, for half a width and half a depth; a court is a hole.
    private static func floorPlan(
        _ plan: Plan, _ x: Double, _ y: Double
    ) -> (outline: [(Double, Double)], court: [(Double, Double)]?) {
        let block = [(-x, -y), (x, -y), (x, y), (-x, y)]
        switch plan {
        case .block:
            return (block, nil)
        case .angle:
            return ([(-x, -y), (x, -y), (x, -y * 0.1), (-x * 0.2, -y * 0.1), (-x * 0.2, y), (-x, y)], nil)
        case .horseshoe:
            let inner = x * 0.45
            return (
                [(-x, -y), (x, -y), (x, y), (inner, y), (inner, -y * 0.2), (-inner, -y * 0.2), (-inner, y), (-x, y)],
                nil
            )
        case .court:
            return (
                block, [(-x * 0.45, -y * 0.45), (x * 0.45, -y * 0.45), (x * 0.45, y * 0.45), (-x * 0.45, y * 0.45)]
            )
        case .round:
            return (
                stride(from: 0.0, to: 360, by: 15).map { (x * cos($0 * .pi / 180), y * sin($0 * .pi / 180)) }, nil
            )
        }
    }
}
