/// The part of GeoJSON (RFC 7946) that campuses are written in.
public enum GeoJSON {
    /// The largest file that is read, in bytes.
    public static let geoJSONBytesMax = 64 * 1024 * 1024

    /// A geometry. `MultiPoint`, `MultiLineString` and `GeometryCollection` are refused with their name.
    public enum Geometry: Sendable, Equatable {
        /// A `Point`.
        case point(GeoPoint)
        /// A `LineString` of at least two positions.
        case lineString([GeoPoint])
        /// A `Polygon`: closed rings of at least four positions.
        case polygon(GeoPolygon)
        /// A `MultiPolygon`.
        case multiPolygon([GeoPolygon])

        /// The polygons of a `Polygon` or `MultiPolygon`; empty for the others.
        public var polygons: [GeoPolygon] {
            switch self {
            case .polygon(let polygon): [polygon]
            case .multiPolygon(let polygons): polygons
            case .point, .lineString: []
            }
        }
    }

    /// A feature: a geometry with properties.
    public struct Feature: Sendable, Equatable {
        /// The `id`, a number written as text; nil when missing.
        public var id: String?
        /// The properties whose values are text, numbers or booleans, as text; others are left out.
        public var properties: [String: String]
        /// The geometry; nil when it is `null`.
        public var geometry: Geometry?

        /// A feature from its parts.
        public init(id: String? = nil, properties: [String: String] = [:], geometry: Geometry?) {
            self.id = id
            self.properties = properties
            self.geometry = geometry
        }
    }

    /// A feature collection.
    public struct FeatureCollection: Sendable, Equatable {
        /// The `name` member that many tools write; not part of RFC 7946.
        public var name: String?
        /// The features in file order.
        public var features: [Feature]

        /// A collection from its parts.
        public init(name: String? = nil, features: [Feature]) {
            self.name = name
            self.features = features
        }
    }
}

/// Why GeoJSON could not be read. Feature indices count from 0, as in the file's `features` array.
public enum GeoJSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file is larger than ``GeoJSON/geoJSONBytesMax``.
    case tooLarge(bytes: Int)
    /// The bytes are not JSON.
    case notJSON(reason: String)
    /// The top level is not a `FeatureCollection`.
    case notACollection
    /// Something is wrong with one feature.
    case feature(index: Int, reason: String)
    /// There is no zone in the file.
    case noZones

    /// One plain fact and what to do about it.
    public var description: String {
        switch self {
        case .tooLarge(let bytes):
            "the GeoJSON file has \(bytes) bytes, more than \(GeoJSON.geoJSONBytesMax): leave out what is not a zone"
        case .notJSON(let reason): "the file is not valid JSON (\(reason)): it may be truncated, export it again"
        case .notACollection: "the top level is not a FeatureCollection: wrap the features in one (RFC 7946 §3.3)"
        case .feature(let index, let reason): "feature \(index): \(reason)"
        case .noZones: "the file holds no zones: give polygon features with the properties kind=zone, ref and name"
        }
    }
}
