import Foundation

extension GeoJSON.Geometry: Codable {
    private enum CodingKeys: String, CodingKey {
        case type, coordinates
    }

    /// Decodes and validates positions and rings; a third coordinate (elevation) is ignored.
    /// - Throws: ``GeoJSONProblem`` with the defect.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard let type = try? values.decode(String.self, forKey: .type) else {
            throw GeoJSONProblem("the geometry has no type: give Point, LineString, Polygon or MultiPolygon")
        }
        func coordinates<Value: Decodable>(_ shape: Value.Type) throws -> Value {
            do {
                return try values.decode(shape, forKey: .coordinates)
            } catch is DecodingError {
                throw GeoJSONProblem("the coordinates are missing or not nested as a \(type) needs (RFC 7946 §3.1)")
            }
        }
        switch type {
        case "Point": self = .point(try Self.point(coordinates([Double].self)))
        case "LineString":
            let line = try coordinates([[Double]].self).map(Self.point)
            guard line.count >= 2 else { throw GeoJSONProblem("a LineString needs at least two positions") }
            self = .lineString(line)
        case "Polygon": self = .polygon(try Self.polygon(coordinates([[[Double]]].self)))
        case "MultiPolygon":
            let polygons = try coordinates([[[[Double]]]].self).map(Self.polygon)
            guard !polygons.isEmpty else { throw GeoJSONProblem("a MultiPolygon needs at least one polygon") }
            self = .multiPolygon(polygons)
        default:
            throw GeoJSONProblem(
                "geometry type \(shown(type, scalarsMax: 40)) is not supported: give Point, LineString, Polygon or MultiPolygon"
            )
        }
    }

    private static func point(_ position: [Double]) throws -> GeoPoint {
        guard position.count >= 2 else { throw GeoJSONProblem("a position needs longitude and latitude") }
        do {
            return try GeoPoint(latitude: position[1], longitude: position[0])
        } catch {
            throw GeoJSONProblem("\(error.description) (GeoJSON positions are longitude first)")
        }
    }

    private static func polygon(_ rings: [[[Double]]]) throws -> GeoPolygon {
        guard let outer = rings.first else { throw GeoJSONProblem("a Polygon needs an outer ring") }
        do {
            return try GeoPolygon(outer: outer.map(point), holes: rings.dropFirst().map { try $0.map(point) })
        } catch let error as GeoError {
            throw GeoJSONProblem(error.description)
        }
    }

    /// Encodes by RFC 7946 §3.1, longitude first.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        func positions(_ points: [GeoPoint]) -> [[Double]] { points.map { [$0.longitude, $0.latitude] } }
        func rings(_ polygon: GeoPolygon) -> [[[Double]]] { ([polygon.outer] + polygon.holes).map(positions) }
        switch self {
        case .point(let point):
            try values.encode("Point", forKey: .type)
            try values.encode([point.longitude, point.latitude], forKey: .coordinates)
        case .lineString(let line):
            try values.encode("LineString", forKey: .type)
            try values.encode(positions(line), forKey: .coordinates)
        case .polygon(let polygon):
            try values.encode("Polygon", forKey: .type)
            try values.encode(rings(polygon), forKey: .coordinates)
        case .multiPolygon(let polygons):
            try values.encode("MultiPolygon", forKey: .type)
            try values.encode(polygons.map(rings), forKey: .coordinates)
        }
    }
}

extension GeoJSON.Feature: Codable {
    private enum CodingKeys: String, CodingKey {
        case type, id, properties, geometry
    }

    /// Decodes one feature.
    /// - Throws: ``GeoJSONProblem`` with the defect.
    public init(from decoder: any Decoder) throws {
        guard let values = try? decoder.container(keyedBy: CodingKeys.self),
            (try? values.decode(String.self, forKey: .type)) == "Feature"
        else { throw GeoJSONProblem("it is not a Feature: set type to Feature (RFC 7946 §3.2)") }
        id = (try? values.decodeIfPresent(Scalar.self, forKey: .id))?.text
        let all = try? values.decodeIfPresent([String: Scalar].self, forKey: .properties)
        properties = (all ?? [:]).compactMapValues(\.text)
        geometry = try values.decodeIfPresent(GeoJSON.Geometry.self, forKey: .geometry)
    }

    /// Encodes by RFC 7946 §3.2; all properties are text.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode("Feature", forKey: .type)
        try values.encodeIfPresent(id, forKey: .id)
        try values.encode(properties, forKey: .properties)
        try values.encode(geometry, forKey: .geometry)
    }

    /// Text, a number or a boolean as text; nil for other values.
    private struct Scalar: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            guard let value = try? decoder.singleValueContainer() else {
                text = nil
                return
            }
            if let string = try? value.decode(String.self) {
                text = string
            } else if let flag = try? value.decode(Bool.self) {
                text = flag ? "true" : "false"
            } else if let whole = try? value.decode(Int64.self) {
                text = String(whole)
            } else if let number = try? value.decode(Double.self) {
                text = String(number)
            } else {
                text = nil
            }
        }
    }
}

extension GeoJSON.FeatureCollection: Codable {
    private enum CodingKeys: String, CodingKey {
        case type, name, features
    }

    /// Decodes a collection.
    /// - Throws: ``GeoJSONError`` with the index of the invalid feature.
    public init(from decoder: any Decoder) throws {
        guard let values = try? decoder.container(keyedBy: CodingKeys.self),
            (try? values.decode(String.self, forKey: .type)) == "FeatureCollection",
            var list = try? values.nestedUnkeyedContainer(forKey: .features)
        else { throw GeoJSONError.notACollection }
        name = try? values.decodeIfPresent(String.self, forKey: .name)
        features = []
        while !list.isAtEnd {
            do {
                features.append(try list.decode(GeoJSON.Feature.self))
            } catch let problem as GeoJSONProblem {
                throw GeoJSONError.feature(index: features.count, reason: problem.reason)
            }
        }
    }

    /// Parses a GeoJSON file.
    /// - Throws: ``GeoJSONError``.
    public init(data: Data) throws(GeoJSONError) {
        guard data.count <= GeoJSON.geoJSONBytesMax else { throw .tooLarge(bytes: data.count) }
        do {
            self = try JSONDecoder().decode(Self.self, from: data)
        } catch let error as GeoJSONError {
            throw error
        } catch DecodingError.dataCorrupted(let context) {
            // Foundation puts the line and column into the underlying error.
            let detail = (context.underlyingError as NSError?)?.userInfo[NSDebugDescriptionErrorKey] as? String
            throw .notJSON(reason: shown(detail ?? context.debugDescription, scalarsMax: 200))
        } catch {
            throw .notACollection
        }
    }

    /// Encodes by RFC 7946 §3.3.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode("FeatureCollection", forKey: .type)
        try values.encodeIfPresent(name, forKey: .name)
        try values.encode(features, forKey: .features)
    }
}

/// The defect of one feature, before its index is known.
public struct GeoJSONProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The defect and its remedy.
    public let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    public var description: String { reason }
}
