import Foundation
import Wire

extension PrivateZoneSize {
    /// The radius that is asked for, in metres.
    public var nominalMetres: Double {
        switch self {
        case .tiny: 150
        case .small: 300
        case .medium: 500
        case .large: 1_000
        }
    }
}

/// The square of the ground that a private zone's place is in: all places in it have the same circle, so that a pin set anew, or a zone
/// made again after it was deleted, tells nothing more. Where the squares lie is a secret of the account.
public struct ZoneAnchor: Sendable, Hashable {
    /// The side of a square, in metres.
    public static let cellMetres = 100.0
    /// The farthest that a place is from the middle of its square.
    public static let reachMetres = cellMetres / 2 * 2.0.squareRoot()

    /// Squares north of the equator.
    public let row: Int64
    /// Squares east of Greenwich, in this row.
    public let column: Int64
    /// The middle of the square.
    public let centre: GeoPoint

    /// The square of a place.
    ///
    /// At a border of squares a few metres make another circle; both hold the place, so their intersection says more than one of them. An
    /// existing zone whose pin is moved keeps its square as long as the pin is within ``reachMetres`` of its middle.
    /// - Parameters:
    ///   - held: The square that the zone has, if any.
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

    /// The square with these numbers, as it was stored.
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
        // Near the poles columns would become endless.
        return rowDegrees / max(0.01, cos(latitude * .pi / 180))
    }
}

/// What of a private zone is dark: a circle that neither holds the place in its middle nor has the size that was asked for, fixed by a
/// secret of the account. Told to nobody.
public struct SuppressionZone: Sendable, Equatable {
    /// How far the middle is from the place, as part of the radius. Less would lead to the place, more would leave it at the edge.
    public static let offsetShare = 0.3...0.7
    /// The radius, as part of the one that was asked for.
    public static let radiusShare = 1.0...1.5
    /// The place, wherever in its square, is inside by at least this.
    public static let marginMetres = 25.0

    /// The middle.
    public let centre: GeoPoint
    /// Metres.
    public let radiusMetres: Double

    /// The circle of a place, the same each time.
    ///
    /// Each size has a circle of its own: one that grew around the same middle would lead to the place along a line.
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

    /// Whether a point is inside, or may be when it is not known better than this.
    public func contains(_ point: GeoPoint, within metres: Double = 0) -> Bool {
        centre.distance(to: point) <= radiusMetres + metres
    }
}

/// Numbers in 0..<1 from the bytes of a digest.
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
