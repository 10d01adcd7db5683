/// The subset of GeoJSON (RFC 7946) that campus data uses.
public enum GeoJSON {
    /// Maximum size of a file, in bytes.
    public static let geoJSONBytesMax = 64 * 1024 * 1024

    /// A geometry. Other types (`MultiPoint`, `MultiLineString`, `GeometryCollection`) are refused with an error that
    /// names the type.
    public enum Geometry: Sendable, Equatable {
        case point(GeoPoint)
        /// A `LineString` of at least two positions.
        case lineString([GeoPoint])
        /// A `Polygon`: closed rings of at least four positions.
        case polygon(GeoPolygon)
        case multiPolygon([GeoPolygon])

        /// The polygons of a `Polygon` or `MultiPolygon`; empty for other geometries.
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
        /// The `id`, with a number converted to text; nil if missing.
        public var id: String?
        /// The properties with text, number or boolean values, as text; others are left out.
        public var properties: [String: String]
        /// The geometry; nil if it is `null`.
        public var geometry: Geometry?

        public init(id: String? = nil, properties: [String: String] = [:], geometry: Geometry?) {
            self.id = id
            self.properties = properties
            self.geometry = geometry
        }
    }

    public struct FeatureCollection: Sendable, Equatable {
        /// The `name` member that many tools write; not part of RFC 7946.
        public var name: String?
        /// The features in file order.
        public var features: [Feature]

        public init(name: String? = nil, features: [Feature]) {
            self.name = name
            self.features = features
        }
    }
}

/// The reason why GeoJSON could not be read. Feature indices count from 0, as in the file's `features` array.
public enum GeoJSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file is larger than ``GeoJSON/geoJSONBytesMax``.
    case tooLarge(bytes: Int)
    /// The bytes are not JSON.
    case notJSON(reason: String)
    /// The top level is not a `FeatureCollection`.
    case notACollection
    /// One feature is invalid.
    case feature(index: Int, reason: String)
    /// The file contains neither a zone nor anything of a network.
    case noZones

    /// The error and its remedy.
    public var description: String {
        switch self {
        case .tooLarge(let bytes):
            "the GeoJSON file has \(bytes) bytes, more than \(GeoJSON.geoJSONBytesMax): leave out everything that is not a zone"
        case .notJSON(let reason): "the file is not valid JSON (\(reason)): it may be truncated, export it again"
        case .notACollection: "the top level is not a FeatureCollection: wrap the features in one (RFC 7946 §3.3)"
        case .feature(let index, let reason): "feature \(index): \(reason)"
        case .noZones:
            "the file has no zones: give polygon features with the properties kind=zone, ref and name, or tagged paths and rooms"
        }
    }
}
