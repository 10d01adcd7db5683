import Foundation

@testable import Campus
import Routing
@testable import Wire

extension FuzzTarget {
    static let geography = [
        FuzzTarget("gpx", inputBytesMax: 2048, run: GeographyRules.gpx),
        FuzzTarget("geojson", inputBytesMax: 2048, run: GeographyRules.geoJSON),
        FuzzTarget("osm-objects", inputBytesMax: 512, run: GeographyRules.osmObjects),
        FuzzTarget("osm-import", inputBytesMax: 2048, run: GeographyRules.osmImport),
        FuzzTarget("route-graph", inputBytesMax: 2048, run: GeographyRules.routeGraph),
        FuzzTarget("campus-document", inputBytesMax: 2048, run: GeographyRules.document),
    ]
}

/// Tracks and maps from files.
private enum GeographyRules {
    // MARK: GPX

    static func gpx(_ input: [UInt8]) throws {
        let data = Data(input)
        let timed = try tracks(data, requiringTimes: true)
        let loose = try tracks(data, requiringTimes: false)
        if let timed { try demandEqual(loose, timed, "asking for times changes nothing where they are") }
        guard let loose else { return }
        try demand(!loose.isEmpty && loose.allSatisfy { !$0.points.isEmpty }, "a track has points")
        for track in loose {
            try demand(track.name.map { !$0.isEmpty && $0.count <= 200 } ?? true, "names keep to their limit")
            try demand((track.name?.utf8.count ?? 0) <= 1024, "names keep to their bytes")
            for point in track.points {
                try demand(point.elevationMetres?.isFinite ?? true, "elevations are finite")
                try checkPoint(point.point)
            }
            try checkFilter(track)
        }
        guard let again = written(loose) else { return }
        try demandEqual(
            try tracks(Data(again.utf8), requiringTimes: false), loose, "a track written again is the same")
    }

    private static func tracks(_ data: Data, requiringTimes: Bool) throws -> [GPXTrack]? {
        do throws(GPXError) {
            return try GPXTrack.read(data, requiringTimes: requiringTimes)
        } catch {
            try demandPlain(error.description)
            return nil
        }
    }

    /// Nil with times before 1970, which the wire's form has not.
    private static func written(_ tracks: [GPXTrack]) -> String? {
        var text = "<gpx>"
        for track in tracks {
            text += "<trk>"
            if let name = track.name {
                let escaped = name.unicodeScalars.map { "&#\($0.value);" }.joined()
                text += "<name>\(escaped)</name>"
            }
            for segment in track.segments {
                text += "<trkseg>"
                for point in segment {
                    text += "<trkpt lat='\(point.point.latitude)' lon='\(point.point.longitude)'>"
                    if let metres = point.elevationMetres { text += "<ele>\(metres)</ele>" }
                    if let milliseconds = point.timeMilliseconds {
                        guard Timestamp.millisecondsRange.contains(milliseconds) else { return nil }
                        text += "<time>\(Timestamp(milliseconds: milliseconds))</time>"
                    }
                    text += "</trkpt>"
                }
                text += "</trkseg>"
            }
            text += "</trk>"
        }
        return text + "</gpx>"
    }

    private static func checkFilter(_ track: GPXTrack) throws {
        for activity in [GPSFilter.Activity.run, .cycle] {
            let distance = GPSFilter.recompute(activity: activity, fixes: track.fixes()).filter.distanceMetres
            try demand(distance.isFinite && distance >= 0, "a distance is a number of metres")
        }
    }

    private static func checkPoint(_ point: GeoPoint) throws {
        try demand(
            abs(point.latitude) <= 90 && abs(point.longitude) <= 180, "positions are on the globe: \(point)")
    }

    // MARK: GeoJSON

    static func geoJSON(_ input: [UInt8]) throws {
        let data = Data(input)
        do {
            let collection = try GeoJSON.FeatureCollection(data: data)
            let again = try GeoJSON.FeatureCollection(data: JSONEncoder().encode(collection))
            try demandEqual(again, collection, "a collection written again is the same")
        } catch let error as GeoJSONError {
            try demandPlain(error.description)
        }
        do {
            try checkZones(try CampusDocument(zonesGeoJSON: data))
        } catch let error as GeoJSONError {
            try demandPlain(error.description)
        }
    }

    private static func checkZones(_ document: CampusDocument) throws {
        try demand(Set(document.zones.map(\.ref)).count == document.zones.count, "refs are unique")
        let index = ZoneIndex(
            zones: document.zones.enumerated().map { Zone(id: Int64($0.offset + 1), draft: $0.element) })
        for zone in document.zones {
            try demand((1...CampusDocument.zoneRefCharactersMax).contains(zone.ref.count), "refs keep to their limit")
            try demand((1...CampusDocument.nameCharactersMax).contains(zone.name.count), "names keep to their limit")
            for point in zone.polygons.flatMap(\.outer) {
                try demand(document.bounds.contains(point), "the bounds hold all zones")
                try demand(index.zone(at: point) != nil, "a zone's corner is in a zone")
            }
        }
    }

    // MARK: OpenStreetMap

    static func osmObjects(_ input: [UInt8]) throws {
        let objects = OSMObject.parse(opl: Data(input))
        let lines = input.split(separator: UInt8(ascii: "\n"))
        try demand(objects.count <= lines.count, "an object is a line")
        try demandEqual(
            lines.flatMap { OSMObject.parse(opl: Data($0)) }, objects, "each line is read by itself")
        for object in objects {
            try demand(
                object.name.map { !$0.isEmpty && $0.count <= CampusDocument.nameCharactersMax } ?? true,
                "names keep to their limit")
        }
        let info = OSMImport.bounds(fileinfo: Data(input))
        try demand(info.map { $0.south < $0.north && $0.west < $0.east } ?? true, "bounds have an extent")
        try demandPlain(OsmiumTool.lastLine(Data(input)), bytesMax: 1200)
    }

    /// The input is what the tool writes: OPL, a line with `---`, and a line of GeoJSON for each geometry.
    static func osmImport(_ input: [UInt8]) throws {
        let lines = input.split(separator: UInt8(ascii: "\n"))
        let middle = lines.firstIndex { $0.elementsEqual("---".utf8) } ?? lines.endIndex
        func data(_ lines: some Sequence<ArraySlice<UInt8>>) -> Data { Data(lines.joined(separator: [0x0A])) }
        let objects = OSMObject.parse(opl: data(lines[..<middle]))
        let geometries = OSMGeometries(geoJSONSequence: data(lines[middle...].dropFirst()))
        guard let bounds = geometries.box else { return }
        var campus = OSMCampus(geometries: geometries)
        for object in objects { campus.add(object) }
        do {
            try checkDocument(try campus.document(bounds: bounds, objects: objects, gridTargetCells: 12))
        } catch let error as OSMImportError {
            try demandPlain(error.description)
        }
    }

    /// The input is OPL: a map with paths. Its destinations are reached from each other at the same cost by both searches.
    static func routeGraph(_ input: [UInt8]) throws {
        let graph: RouteGraph
        do {
            graph = try RouteGraph(RouteNetwork(OSMObject.parse(opl: Data(input))))
        } catch {
            return try demandPlain(error.description)
        }
        let profile = RouteProfile(isStepFree: input.count % 2 == 0, speed: 2_000)
        let weights = RouteWeights(graph, profile: profile)
        var finder = RouteFinder()
        let ends = graph.destinations.keys.sorted().prefix(4).map { RouteEnd.object($0) }
        for destination in ends {
            let tree = try? RouteTree(to: destination, weights)
            for start in ends where start != destination {
                let route = try? finder.route(from: start, to: destination, weights)
                let other = try? tree?.route(from: start)
                try demandEqual(other?.cost, route?.cost, "both searches find the same cost")
                guard let route else { continue }
                try demand(route.isOpen(in: weights) && route.cost >= 0 && route.metres.isFinite, "a route is usable")
                try demand(
                    route.legs.allSatisfy { $0.points.upperBound < max(1, route.points.count) }, "legs are on the line")
            }
        }
    }

    private static func checkDocument(_ document: CampusDocument) throws {
        try demand(!document.zones.isEmpty, "a campus has zones")
        try demand(Set(document.zones.map(\.ref)).count == document.zones.count, "refs are unique")
        try demand(document.buildings.allSatisfy { !$0.polygons.isEmpty }, "a building has an outline")
        try demand(document.ways.allSatisfy { $0.line.count >= 2 }, "a way has a course")
        try demand(document.places.allSatisfy { $0.kind.count <= 60 }, "kinds keep to their limit")
        try demand(document.counts["buildings"]?.imported ?? 0 == document.buildings.count, "buildings are counted")
        try demand(document.counts["areas"]?.imported ?? 0 == document.areas.count, "areas are counted")
        let again = try JSONDecoder().decode(CampusDocument.self, from: JSONEncoder().encode(document))
        try demandEqual(again, document, "a document written again is the same")
    }

    // MARK: Documents

    static func document(_ input: [UInt8]) throws {
        guard let document = try? JSONDecoder().decode(CampusDocument.self, from: Data(input)) else { return }
        for polygon in document.zones.flatMap(\.polygons) + document.buildings.flatMap(\.polygons) {
            try demand(polygon.areaSquareMetres.isFinite, "areas are finite")
            for point in polygon.outer { try checkPoint(point) }
            try demand(polygon.outer.allSatisfy(polygon.contains), "a corner is inside")
        }
        let again = try JSONDecoder().decode(CampusDocument.self, from: JSONEncoder().encode(document))
        try demandEqual(again, document, "a document written again is the same")
    }
}
