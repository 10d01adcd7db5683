import Foundation
import Wire

extension PrivateZoneSize {
    /// The requested radius, in metres.
    public var nominalMetres: Double {
        switch self {
        case .tiny: 150
        case .small: 300
        case .medium: 500
        case .large: 1_000
        }
    }
}

/// The grid square that contains a private zone's centre. All centres in one square give the same circle, so that
/// moving the pin, or deleting and recreating the zone, reveals nothing more. The grid's offset is a secret of the
/// account.
public struct ZoneAnchor: Sendable, Hashable {
    /// The side of a square, in metres.
    public static let cellMetres = 100.0
    /// Maximum distance of a location from the middle of its square.
    public static let reachMetres = cellMetres / 2 * 2.0.squareRoot()

    /// Index of the row, counted north from the equator.
    public let row: Int64
    /// Index of the column in this row, counted east from Greenwich.
    public let column: Int64
    /// The middle of the square.
    public let centre: GeoPoint

    /// Finds the square of a location.
    ///
    /// Near a border between squares, a few metres lead to another circle. Both circles contain the location, so their
    /// intersection would reveal more than one of them. An existing zone whose pin is moved therefore keeps its square
    /// while the pin is within ``reachMetres`` of its middle.
    /// - Parameters:
    ///   - held: The zone's current square, if any.
    ///   - mac: HMAC-SHA-256 with the account's secret key.
    public init(of place: GeoPoint, holding held: ZoneAnchor? = nil, mac: ([UInt8]) -> [UInt8]) {
        if let held, held.centre.distance(to: place) <= Self.reachMetres {
            self = held
            return
        }
        let shift = SecretWords(mac(Array("campanile zone grid".utf8)))
        let height = Self.rowDegrees
        let row = (place.latitude / height + shift[0]).rounded(.down)
        let width = Self.columnDegrees(row: row, shift: shift[0])
        let column = (place.longitude / width + shift[1]).rounded(.down)
        self.init(row: Int64(row), column: Int64(column), mac: mac)
    }

    /// Restores a stored square from its indices.
    public init(row: Int64, column: Int64, mac: ([UInt8]) -> [UInt8]) {
        self.row = row
        self.column = column
        let shift = SecretWords(mac(Array("campanile zone grid".utf8)))
        let latitude = (Double(row) + 0.5 - shift[0]) * Self.rowDegrees
        let width = Self.columnDegrees(row: Double(row), shift: shift[0])
        let longitude = (Double(column) + 0.5 - shift[1]) * width
        centre = GeoPoint(
            trustedLatitude: max(-90, min(90, latitude)), longitude: max(-180, min(180, longitude)))
    }

    private static let rowDegrees = cellMetres / (GeoPoint.earthRadiusMetres * .pi / 180)

    private static func columnDegrees(row: Double, shift: Double) -> Double {
        let latitude = (row + 0.5 - shift) * rowDegrees
        // Bounded, because columns would become endless near the poles.
        return rowDegrees / max(0.01, cos(latitude * .pi / 180))
    }
}

/// The suppression zone of a private zone: a circle that is neither centred on the location nor has the requested size.
/// A secret of the account determines it, and it is never disclosed.
public struct SuppressionZone: Sendable, Equatable {
    /// Distance of the circle's centre from the location, as a fraction of the radius. A smaller one would reveal the
    /// location; a larger one would leave it at the edge.
    public static let offsetShare = 0.3...0.7
    /// The radius, as a multiple of the requested one.
    public static let radiusShare = 1.0...1.5
    /// Minimum distance between the circle's edge and any location in the square, in metres.
    public static let marginMetres = 25.0

    public let centre: GeoPoint
    public let radiusMetres: Double

    /// Computes the circle of a square and size; always the same for the same arguments.
    ///
    /// The circles of different sizes are independent: circles that grew around one centre would lead to the location
    /// along a line.
    /// - Parameter mac: HMAC-SHA-256 with the account's secret key.
    public init(_ anchor: ZoneAnchor, size: PrivateZoneSize, mac: ([UInt8]) -> [UInt8]) {
        let words = SecretWords(
            mac(Array("campanile zone \(anchor.row) \(anchor.column) \(size.rawValue)".utf8)))
        func share(_ range: ClosedRange<Double>, _ word: Int) -> Double {
            range.lowerBound + words[word] * (range.upperBound - range.lowerBound)
        }
        let radius = size.nominalMetres * share(Self.radiusShare, 0)
        let most = min(
            Self.offsetShare.upperBound, 1 - (ZoneAnchor.reachMetres + Self.marginMetres) / radius)
        let length = radius * share(Self.offsetShare.lowerBound...most, 1)
        let angle = words[2] * 2 * .pi
        centre = anchor.centre.offset(eastMetres: length * sin(angle), northMetres: length * cos(angle))
        radiusMetres = radius
    }

    /// Whether a point is inside, or may be inside given its accuracy.
    /// - Parameter metres: The accuracy radius of the point.
    public func contains(_ point: GeoPoint, within metres: Double = 0) -> Bool {
        centre.distance(to: point) <= radiusMetres + metres
    }
}

/// Four numbers in 0..<1 from the bytes of a digest.
private struct SecretWords {
    private let words: [Double]

    init(_ digest: [UInt8]) {
        precondition(digest.count >= 32, "a digest of SHA-256")
        words = (0..<4).map { word in
            let bits = digest[(word * 8)..<(word * 8 + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Double(bits >> 11) * 0x1p-53
        }
    }

    subscript(_ index: Int) -> Double { words[index] }
}
