import Foundation

/// An object of an OpenStreetMap file: its tags, and what the file says of its geometry.
public struct OSMObject: Codable, Equatable, Sendable {
    public enum Kind: String, Codable, Sendable {
        case node, way, relation
    }

    /// An object of a relation and its role there (`outer`).
    public struct Member: Codable, Equatable, Sendable {
        public var kind: Kind
        public var id: Int64
        public var role: String

        public init(kind: Kind, id: Int64, role: String) {
            self.kind = kind
            self.id = id
            self.role = role
        }
    }

    public var kind: Kind
    public var id: Int64
    public var tags: [String: String]
    /// The position of a node; nil for other objects.
    public var point: GeoPoint?
    /// The nodes of a way in their order. The extract may lack some.
    public var nodes: [Int64] = []
    /// The members of a relation.
    public var members: [Member] = []

    public init(
        kind: Kind, id: Int64, tags: [String: String] = [:], point: GeoPoint? = nil, nodes: [Int64] = [],
        members: [Member] = []
    ) {
        self.kind = kind
        self.id = id
        self.tags = tags
        self.point = point
        self.nodes = nodes
        self.members = members
    }

    /// The keys of the objects to import: the expressions of `osmium tags-filter`.
    static let inventoryKeys = [
        "building", "highway", "amenity", "shop", "tourism", "leisure", "office", "landuse", "natural", "waterway",
        "place", "indoor", "room", "entrance", "public_transport", "railway",
    ]

    /// The keys that routes need beside ``inventoryKeys``.
    static let routingKeys = ["door", "barrier", "kerb", "stairs"]

    /// The stable id in a campus document: `way/123`.
    public var sourceID: String { "\(kind.rawValue)/\(id)" }

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

    /// Parses osmium's OPL format (osmium-file-formats(5)): one object per line, fields begin with a letter. `T` are
    /// tags, `x` and `y` a position, `N` the nodes of a way, `M` the members of a relation.
    ///
    /// Lines that are not a node, way or relation are skipped.
    static func parse(opl: Data) -> [OSMObject] {
        [UInt8](opl).split(separator: UInt8(ascii: "\n")).compactMap { line in
            var fields = line.split(separator: UInt8(ascii: " ")).makeIterator()
            guard let head = fields.next(), let letter = head.first, let kind = Kind(letter: letter),
                let id = number(head.dropFirst())
            else { return nil }
            var object = OSMObject(kind: kind, id: id, tags: [:])
            var (longitude, latitude): (Double?, Double?)
            while let field = fields.next() {
                let value = field.dropFirst()
                switch field.first {
                case UInt8(ascii: "T"): object.addTags(value)
                case UInt8(ascii: "x"): longitude = Double(String(decoding: value, as: UTF8.self))
                case UInt8(ascii: "y"): latitude = Double(String(decoding: value, as: UTF8.self))
                case UInt8(ascii: "N"): object.nodes = value.split(separator: UInt8(ascii: ",")).compactMap(node)
                case UInt8(ascii: "M"): object.members = value.split(separator: UInt8(ascii: ",")).compactMap(member)
                default: break
                }
            }
            if let longitude, let latitude { object.point = try? GeoPoint(latitude: latitude, longitude: longitude) }
            return object
        }
    }

    private mutating func addTags(_ list: ArraySlice<UInt8>) {
        for tag in list.split(separator: UInt8(ascii: ",")) {
            let pair = tag.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            tags[Self.unescaped(pair[0])] = Self.unescaped(pair[1])
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? { Int64(String(decoding: digits, as: UTF8.self)) }

    /// A node of a way: `n12`.
    private static func node(_ item: ArraySlice<UInt8>) -> Int64? {
        item.first == UInt8(ascii: "n") ? number(item.dropFirst().prefix { $0 != UInt8(ascii: "x") }) : nil
    }

    /// A member of a relation: `w12@outer`.
    private static func member(_ item: ArraySlice<UInt8>) -> Member? {
        let parts = item.split(separator: UInt8(ascii: "@"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let letter = parts[0].first, let kind = Kind(letter: letter),
            let id = number(parts[0].dropFirst())
        else { return nil }
        return Member(kind: kind, id: id, role: unescaped(parts[1]))
    }

    /// Decodes OPL's escapes: `%20%` is the character U+0020.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
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

extension OSMObject.Kind {
    /// The kind by the first letter of a line or a member.
    fileprivate init?(letter: UInt8) {
        switch letter {
        case UInt8(ascii: "n"): self = .node
        case UInt8(ascii: "w"): self = .way
        case UInt8(ascii: "r"): self = .relation
        default: return nil
        }
    }
}

/// The geometries that `osmium export` could build, by object.
struct OSMGeometries {
    private var lines: [String: [GeoPoint]] = [:]
    private var areas: [String: [GeoPolygon]] = [:]
    private var points: [String: GeoPoint] = [:]
    private(set) var box: GeoBox?

    /// The geometries of features that are objects of a network.
    init(_ features: [(object: OSMObject, geometry: GeoJSON.Geometry)]) {
        for (object, geometry) in features {
            switch geometry {
            case .point(let point): points[object.sourceID] = point
            case .lineString(let line): lines[object.sourceID] = line
            case .polygon, .multiPolygon: areas[object.sourceID] = geometry.polygons
            }
        }
    }

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
