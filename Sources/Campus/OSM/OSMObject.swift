import Foundation

/// A tagged object of an OpenStreetMap file, without its geometry.
struct OSMObject: Equatable {
    enum Kind: String {
        case node, way, relation
    }

    var kind: Kind
    var id: Int64
    var tags: [String: String]

    /// The keys of the objects to import: the expressions of `osmium tags-filter`.
    static let inventoryKeys = [
        "building", "highway", "amenity", "shop", "tourism", "leisure", "office", "landuse", "natural", "waterway",
        "place", "indoor", "room", "entrance", "public_transport", "railway",
    ]

    /// The stable id in a campus document: `way/123`.
    var sourceID: String { "\(kind.rawValue)/\(id)" }

    /// The trimmed name; nil if empty.
    var name: String? {
        guard let name = tags["name"]?.trimmingCharacters(in: .whitespacesAndNewlines), !name.isEmpty else {
            return nil
        }
        return String(name.prefix(CampusDocument.nameCharactersMax))
    }

    /// The trimmed number, such as that of a room; nil if empty.
    var number: String? {
        guard let number = tags["ref"]?.trimmingCharacters(in: .whitespacesAndNewlines), !number.isEmpty else {
            return nil
        }
        return String(number.prefix(CampusDocument.nameCharactersMax))
    }

    var wheelchair: CampusDocument.WheelchairAccess? {
        switch tags["wheelchair"] {
        case "designated": .yes
        case let value?: CampusDocument.WheelchairAccess(rawValue: value)
        case nil: nil
        }
    }

    /// Parses osmium's OPL format (osmium-file-formats(5)): one object per line, fields begin with a letter, `T` are
    /// tags.
    ///
    /// Lines that are not a node, way or relation are skipped.
    static func parse(opl: Data) -> [OSMObject] {
        opl.split(separator: UInt8(ascii: "\n")).compactMap { line in
            var fields = line.split(separator: UInt8(ascii: " ")).makeIterator()
            guard let head = fields.next(), let letter = head.first,
                let id = Int64(String(decoding: head.dropFirst(), as: UTF8.self))
            else { return nil }
            let kind: Kind
            switch letter {
            case UInt8(ascii: "n"): kind = .node
            case UInt8(ascii: "w"): kind = .way
            case UInt8(ascii: "r"): kind = .relation
            default: return nil
            }
            var tags: [String: String] = [:]
            while let field = fields.next() {
                guard field.first == UInt8(ascii: "T") else { continue }
                for tag in field.dropFirst().split(separator: UInt8(ascii: ",")) {
                    let pair = tag.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                    guard pair.count == 2 else { continue }
                    tags[unescaped(pair[0])] = unescaped(pair[1])
                }
            }
            return OSMObject(kind: kind, id: id, tags: tags)
        }
    }

    /// Decodes OPL's escapes: `%20%` is the character U+0020.
    private static func unescaped(_ bytes: Data) -> String {
        guard bytes.contains(UInt8(ascii: "%")) else { return String(decoding: bytes, as: UTF8.self) }
        var text = ""
        for (index, part) in bytes.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).enumerated() {
            let piece = String(decoding: part, as: UTF8.self)
            if index % 2 == 0 {
                text += piece
            } else if let code = UInt32(piece, radix: 16), let scalar = Unicode.Scalar(code) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// The geometries that `osmium export` could build, by object.
struct OSMGeometries {
    private var lines: [String: [GeoPoint]] = [:]
    private var areas: [String: [GeoPolygon]] = [:]
    private var points: [String: GeoPoint] = [:]
    private(set) var box: GeoBox?

    /// Parses one feature per line with ids of `-u type_id`: `n1`, `w2`, and `a3` for areas. An even area number is
    /// twice a way's id; an odd one is twice a relation's id plus one. Lines without a valid feature are skipped: the
    /// objects then count as omitted for lack of a geometry.
    init(geoJSONSequence data: Data) {
        let decoder = JSONDecoder()
        for line in data.split(separator: UInt8(ascii: "\n")) {
            guard let feature = try? decoder.decode(GeoJSON.Feature.self, from: line), let id = feature.id,
                let letter = id.first, let number = Int64(id.dropFirst()), let geometry = feature.geometry
            else { continue }
            switch (letter, geometry) {
            case ("n", .point(let point)): points["node/\(number)"] = point
            case ("w", .lineString(let line)): lines["way/\(number)"] = line
            case ("a", .polygon), ("a", .multiPolygon):
                areas[number % 2 == 0 ? "way/\(number / 2)" : "relation/\(number / 2)"] = geometry.polygons
            default: break
            }
        }
        let everything =
            [GeoBox(around: points.values), GeoBox(around: lines.values.joined())]
            + areas.values.map {
                GeoBox(around: $0.flatMap(\.outer))
            }
        box = everything.compactMap { $0 }.reduce(nil) { $0?.union($1) ?? $1 }
    }

    /// The area of a closed way or a multipolygon.
    func polygons(_ object: OSMObject) -> [GeoPolygon]? { areas[object.sourceID] }

    /// The course of a way, or the outline of the largest part of an area.
    func line(_ object: OSMObject) -> (points: [GeoPoint], isArea: Bool)? {
        if object.tags["area"] != "yes", let line = lines[object.sourceID] { return (line, false) }
        let largest = areas[object.sourceID]?.max { $0.areaSquareMetres < $1.areaSquareMetres }
        return largest.map { ($0.outer, true) }
    }

    /// The position of a node, or the middle of an area's or a line's box.
    func point(_ object: OSMObject) -> GeoPoint? {
        points[object.sourceID]
            ?? areas[object.sourceID].flatMap { GeoBox(around: $0.flatMap(\.outer)) }?.centre
            ?? lines[object.sourceID].flatMap { GeoBox(around: $0) }?.centre
    }
}
