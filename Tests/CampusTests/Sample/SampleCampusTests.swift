import Foundation
import Testing

@testable import Campus

@Suite("The sample campus")
struct SampleCampusTests {
    private let campus = SampleCampus.document

    @Test("every building, area and zone has a sound outline, every id and ref is unique")
    func sound() {
        #expect(campus.buildings.count >= 25)
        #expect(campus.buildings.allSatisfy { $0.polygons.count == 1 && $0.name?.isEmpty == false })
        #expect(campus.areas.allSatisfy { $0.polygons.count == 1 })
        #expect(campus.zones.allSatisfy { $0.polygons.count == 1 })
        #expect(campus.ways.allSatisfy { $0.line.count >= 2 })
        let ids =
            campus.buildings.map(\.sourceID) + campus.ways.map(\.sourceID) + campus.places.map(\.sourceID)
            + campus.areas.map(\.sourceID)
        #expect(Set(ids).count == ids.count)
        #expect(Set(campus.zones.map(\.ref)).count == campus.zones.count)
    }

    @Test("every room has its own code and outline, and lies in its building; names and hours are listed")
    func rooms() throws {
        let coded = campus.rooms.filter { $0.listing.code != nil }
        #expect(coded.count > 100)
        #expect(Set(coded.map(\.listing.code)).count == coded.count)
        #expect(Set(campus.rooms.map(\.building)).count == 4)
        for room in campus.rooms {
            let building = try #require(campus.buildings.first { $0.sourceID == room.building }, "\(room)")
            #expect(room.polygons.first?.contains(room.point) == true, "\(room)")
            #expect(room.listing.code?.hasPrefix("\(building.listing.code ?? "").") ?? true, "\(room)")
            #expect(room.listing.level != nil, "\(room)")
        }
        let library = try #require(campus.buildings.first { $0.name == "Weaver Library" })
        #expect(library.listing.otherNames.contains("Weberbibliothek"))
        #expect(library.listing.openingHours?.hasPrefix("Mo-Fr 08:00-22:00") == true)
        #expect(campus.places.count { $0.listing.openingHours != nil } >= 8)
    }

    @Test("the zones cover the bounds without holes and without overlaps")
    func zonesCover() throws {
        let zones = campus.zones.enumerated().map { Zone(id: Int64($0 + 1), draft: $1) }
        let index = ZoneIndex(zones: zones)
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<5_000 {
            let point = try GeoPoint(
                latitude: .random(in: campus.bounds.south...campus.bounds.north, using: &generator),
                longitude: .random(in: campus.bounds.west...campus.bounds.east, using: &generator))
            #expect(index.zone(at: point) != nil)
            #expect(zones.count { $0.contains(point) } == 1)
        }
    }

    @Test("no way leads through a building or the lake, and no building stands in the lake or on another one")
    func believable() {
        let lake = campus.areas.first { $0.kind == .water }?.polygons ?? []
        for way in campus.ways {
            for (start, end) in zip(way.line, way.line.dropFirst()) {
                for part in stride(from: 0.05, to: 1, by: 0.1) {
                    let point = start.moved(toward: end, fraction: part)
                    #expect(lake.allSatisfy { !$0.contains(point) }, "\(way.sourceID) \(way.name ?? "")")
                    for building in campus.buildings where building.polygons[0].contains(point) {
                        Issue.record("\(way.sourceID) \(way.name ?? "") leads through \(building.name ?? "")")
                    }
                }
            }
        }
        for building in campus.buildings {
            for corner in building.polygons[0].outer {
                #expect(lake.allSatisfy { !$0.contains(corner) }, "\(building.name ?? "") stands in the lake")
                for other in campus.buildings where other != building && other.polygons[0].contains(corner) {
                    Issue.record("\(building.name ?? "") overlaps \(other.name ?? "")")
                }
            }
        }
    }

    @Test("the paths make one net: every junction is reached from the bell tower, without steps too")
    func connected() {
        for stepFree in [false, true] {
            var reached: Set<String> = ["M"]
            var grew = true
            while grew {
                grew = false
                for edge in SampleCampus.edges where !(stepFree && edge.kind == .steps) {
                    if reached.contains(edge.from) != reached.contains(edge.to) {
                        reached.formUnion([edge.from, edge.to])
                        grew = true
                    }
                }
            }
            #expect(reached == Set(SampleCampus.junctions.keys))
        }
    }

    @Test("a path joins the running track to the sports grounds")
    func trackIsJoined() throws {
        let track = try #require(campus.ways.first { $0.name == "Running Track" })
        let others = campus.ways.filter { $0 != track }
        let joining = others.filter { $0.line.contains { track.line.contains($0) } }
        #expect(joining.count == 1)
        let start = try #require(joining.first?.line.first)
        #expect(others.contains { $0 != joining[0] && $0.line.contains(start) })
    }

    @Test("courses are closed loops of 0.4 to 6 km along the ways, inside the bounds")
    func courses() {
        let positions = Set(campus.ways.flatMap(\.line))
        #expect((6...8).contains(SampleCampus.courses.count))
        for course in SampleCampus.courses {
            #expect(course.line.count > 8, "\(course.name)")
            #expect(course.line.first == course.line.last, "\(course.name)")
            #expect((395...6_000).contains(course.lengthMetres), "\(course.name): \(course.lengthMetres) m")
            #expect(course.line.allSatisfy { positions.contains($0) && campus.bounds.contains($0) }, "\(course.name)")
        }
    }

    @Test("a run along each course passes the filter whole")
    func coursesPassTheFilter() {
        for course in SampleCampus.courses {
            var metres = 0.0
            let fixes = course.line.enumerated().map { index, point in
                if index > 0 { metres += course.line[index - 1].distance(to: point) }
                return GPSFilter.Fix(
                    sequence: Int64(index), point: point, timeMilliseconds: Int64(metres / 3 * 1_000) + 1)
            }
            let outcome = GPSFilter.recompute(activity: course.activity, fixes: fixes)
            #expect(abs(outcome.filter.distanceMetres / course.lengthMetres - 1) < 0.05, "\(course.name)")
        }
    }

    @Test(
        "the sample is drawn for a look at it",
        .enabled(if: ProcessInfo.processInfo.environment["CAMPUS_SVG"] != nil))
    func drawing() throws {
        try SampleDrawing.svg(campus).write(
            toFile: ProcessInfo.processInfo.environment["CAMPUS_SVG"] ?? "", atomically: true, encoding: .utf8)
    }
}

/// The sample campus as a picture.
enum SampleDrawing {
    static func svg(_ campus: CampusDocument) -> String {
        func place(_ point: GeoPoint) -> String {
            let metres = SampleCampus.origin.planeOffset(to: point)
            return String(format: "%.1f,%.1f", metres.eastMetres + 720, 520 - metres.northMetres)
        }
        func path(_ polygons: [GeoPolygon]) -> String {
            let rings: [[GeoPoint]] = polygons.flatMap { [$0.outer] + $0.holes }
            return rings.map { ring in "M\(ring.map(place).joined(separator: " L"))Z" }.joined()
        }
        let colours: [CampusDocument.AreaKind: String] = [
            .water: "#9cc9e8", .green: "#cfe6b8", .wood: "#9fc98b", .pitch: "#d9b48f", .parking: "#dddddd",
            .sand: "#f3e3b3",
        ]
        var body = campus.areas.map {
            "<path d='\(path($0.polygons))' fill='\(colours[$0.kind] ?? "#ccc")' fill-rule='evenodd'/>"
        }
        body += campus.ways.map { way in
            let colour = way.kind == .steps ? "#c33" : way.kind == .road ? "#999" : "#b98"
            let (points, width) = (way.line.map(place).joined(separator: " "), way.kind == .road ? 8 : 3)
            return "<polyline points='\(points)' fill='none' stroke='\(colour)' stroke-width='\(width)'/>"
        }
        body += campus.buildings.map {
            "<path d='\(path($0.polygons))' fill='#c9b8a8' stroke='#876' fill-rule='evenodd'/>"
        }
        body += campus.zones.map { "<path d='\(path($0.polygons))' fill='none' stroke='#44a' stroke-dasharray='6 6'/>" }
        return
            "<svg xmlns='http://www.w3.org/2000/svg' width='1440' height='1040'><rect width='1440' height='1040' fill='#eef0e6'/>\(body.joined(separator: "\n"))</svg>"
    }
}
