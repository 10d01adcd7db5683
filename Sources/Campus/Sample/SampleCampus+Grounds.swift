import Foundation

extension SampleCampus {
    /// Distance of the shore path from the water, in metres.
    static let shorePathMetres = 16.0

    /// A point of the lake's shore, at an angle from its centre in degrees counter-clockwise from east.
    static func shore(_ degrees: Double, beyond: Double = 0) -> (Double, Double) {
        let angle = degrees * .pi / 180
        let radius = 150 + 17 * sin(2 * angle + 0.6) + 11 * sin(3 * angle - 0.4) + 5 * sin(5 * angle) + beyond
        return (450 + radius * 1.12 * cos(angle), -20 + radius * 1.2 * sin(angle))
    }

    /// A running track by the rules of World Athletics: two straights of 84.39 m, bends of 36.5 m radius.
    /// - Parameter lane: The distance from the inner edge, in metres.
    /// - Returns: A closed line.
    static func track(lane: Double) -> [(Double, Double)] {
        let points = stadium(radius: 36.5 + lane)
        return points + points.prefix(1)
    }

    static let trackCourse = track(lane: 1.2)

    private static let firstArea = 501

    /// The outline of a track around (−520, −300) with straights from east to west; not closed.
    private static func stadium(radius: Double) -> [(Double, Double)] {
        func bend(_ centre: Double, _ from: Double) -> [(Double, Double)] {
            stride(from: from, through: from + 180, by: 10).map { degrees in
                let angle = degrees * .pi / 180
                return (-520 + centre + radius * cos(angle), -300 + radius * sin(angle))
            }
        }
        return bend(42.195, -90) + bend(-42.195, 90)
    }

    /// Surfaces, drawn in this order.
    static let areas: [CampusDocument.Area] = {
        func rectangle(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> [(Double, Double)] {
            [(west, south), (east, south), (east, north), (west, north)]
        }
        let water: [(Double, Double)] = stride(from: 0.0, to: 360, by: 4).map { shore($0) }
        let island: [(Double, Double)] = stride(from: 0.0, to: 360, by: 20).map { degrees -> (Double, Double) in
            let angle = degrees * Double.pi / 180
            return (500 + 20 * cos(angle), 20 + 14 * sin(angle))
        }
        let waterline: [(Double, Double)] = stride(from: 286.0, through: 330, by: 4).map { shore($0) }
        let dune: [(Double, Double)] = stride(from: 330.0, through: 286, by: -4).map { shore($0, beyond: 12) }
        let garden: [(Double, Double)] = [
            (-290, -270), (-60, -265), (90, -290), (150, -330), (180, -420), (0, -440), (-230, -418),
        ]
        let wood: [(Double, Double)] = [
            (-180, -380), (-110, -375), (-60, -360), (-30, -385), (-60, -425), (-170, -420),
        ]
        let list: [(CampusDocument.AreaKind, String?, [GeoPolygon])] = [
            (.green, "Old Quad", polygon(rectangle(-254, 26, -66, 184))),
            (.green, "South Quad", polygon(rectangle(-254, -229, -66, -71))),
            (.green, "Arboretum", polygon(garden)),
            (.wood, "Arboretum Wood", polygon(wood)),
            (.wood, nil, polygon([(540, 300), (610, 310), (655, 220), (620, 180), (560, 230)])),
            (.green, "Hall Green", polygon(rectangle(-50, 335, 130, 400))),
            (.water, "Bellmere", polygon(water, holes: [island])),
            (.green, "Heron Island", polygon(island)),
            (.sand, "Bellmere Beach", polygon(waterline + dune)),
            (.pitch, "Running Track", polygon(stadium(radius: 46), holes: [stadium(radius: 36.5)])),
            (.pitch, "Football Pitch", polygon(rectangle(-569, -328, -471, -272))),
            (.pitch, "Tennis Courts", polygon(rectangle(-620, -420, -560, -380))),
            (.pitch, "Hockey Pitch", polygon(rectangle(-500, -430, -405, -375))),
            (.parking, "West Car Park", polygon(rectangle(-620, 110, -550, 190))),
            (.parking, "Hall Car Park", polygon(rectangle(-480, 350, -410, 395))),
        ]
        return list.enumerated().map { index, entry in
            .init(sourceID: "way/\(-firstArea - index)", kind: entry.0, name: entry.1, polygons: entry.2)
        }
    }()

    /// Nine zones that cover the bounds without gaps: neighbours share the corners of their border.
    static let zones: [ZoneDraft] = {
        let northWest: (Double, Double) = (-340, 240)
        let northMiddle: (Double, Double) = (60, 250)
        let northEast: (Double, Double) = (230, 235)
        let middleWest: (Double, Double) = (-330, -40)
        let middleEast: (Double, Double) = (215, -45)
        let southWest: (Double, Double) = (-320, -255)
        let southEast: (Double, Double) = (210, -265)
        let westEdge: (Double, Double) = (-720, -110)
        let list: [(String, String, [(Double, Double)])] = [
            ("NH", "North Halls", [(-720, 240), northWest, northMiddle, northEast, (240, 520), (-720, 520)]),
            ("NS", "North Shore", [middleEast, (720, -20), (720, 520), (240, 520), northEast]),
            ("SS", "South Shore", [southEast, (220, -520), (720, -520), (720, -20), middleEast]),
            ("OQ", "Old Quad", [middleWest, (20, -45), northMiddle, northWest]),
            ("BT", "Bell Tower", [(20, -45), middleEast, northEast, northMiddle]),
            ("SQ", "South Quad", [southWest, southEast, middleEast, (20, -45), middleWest]),
            ("WG", "West Gate", [westEdge, middleWest, northWest, (-720, 240)]),
            ("SF", "Sports Fields", [(-720, -520), (-310, -520), southWest, middleWest, westEdge]),
            ("AR", "Arboretum", [(-310, -520), (220, -520), southEast, southWest]),
        ]
        return list.map { ZoneDraft(ref: $0.0, name: $0.1, polygons: polygon($0.2)) }
    }()
}
