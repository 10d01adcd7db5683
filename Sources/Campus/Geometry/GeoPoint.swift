import Foundation

/// A position on the WGS 84 ellipsoid, in degrees.
///
/// A value is always valid: initialisers and decoding reject coordinates that are not finite or out of range. It is
/// encoded as `{"latitude":…,"longitude":…}`.
public struct GeoPoint: Sendable, Hashable {
    /// Degrees north of the equator, −90…90.
    public let latitude: Double
    /// Degrees east of Greenwich, −180…180. Both ends denote the same meridian; the value is kept as given.
    public let longitude: Double

    /// The mean radius of the earth (IUGG R₁), in metres. All distances here are measured on this sphere.
    public static let earthRadiusMetres = 6_371_008.8

    /// Creates a position from coordinates in degrees.
    /// - Throws: ``GeoError/latitude(_:)`` or ``GeoError/longitude(_:)`` if one is not finite or out of range.
    public init(latitude: Double, longitude: Double) throws(GeoError) {
        guard latitude.isFinite, abs(latitude) <= 90 else { throw .latitude(latitude) }
        guard longitude.isFinite, abs(longitude) <= 180 else { throw .longitude(longitude) }
        self.init(trustedLatitude: latitude, longitude: longitude)
    }

    /// Creates a position without validation, for coordinates computed from valid ones.
    init(trustedLatitude latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The great-circle distance in metres (haversine formula, sphere of ``earthRadiusMetres``).
    ///
    /// Within 0.5 % of the distance on the ellipsoid; accurate to rounding at the scale of a campus. Symmetric, never
    /// negative.
    public func distance(to other: GeoPoint) -> Double {
        let halfLatitude = (other.latitude - latitude) * .pi / 360
        let halfLongitude = (other.longitude - longitude) * .pi / 360
        let sinLatitude = sin(halfLatitude)
        let sinLongitude = sin(halfLongitude)
        let square =
            sinLatitude * sinLatitude
            + cos(latitude * .pi / 180) * cos(other.latitude * .pi / 180) * sinLongitude * sinLongitude
        // Rounding can make the square slightly larger than 1 for antipodes.
        return 2 * Self.earthRadiusMetres * asin(min(1, square.squareRoot()))
    }

    /// The initial bearing of the great circle to `other`, in degrees clockwise from north, 0..<360.
    ///
    /// Zero if both points are the same.
    public func bearing(to other: GeoPoint) -> Double {
        let phi1 = latitude * .pi / 180
        let phi2 = other.latitude * .pi / 180
        let delta = (other.longitude - longitude) * .pi / 180
        let degrees =
            atan2(sin(delta) * cos(phi2), cos(phi1) * sin(phi2) - sin(phi1) * cos(phi2) * cos(delta)) * 180 / .pi
        let positive = degrees < 0 ? degrees + 360 : degrees
        return positive >= 360 ? 0 : positive
    }

    /// The point `eastMetres` and `northMetres` away, on the plane that touches the earth here.
    ///
    /// Intended for the scale of a campus (error below 0.1 % up to 10 km, away from the poles). The latitude is clamped
    /// to ±90; the longitude wraps at ±180.
    public func offset(eastMetres: Double, northMetres: Double) -> GeoPoint {
        let metresPerDegree = Self.earthRadiusMetres * .pi / 180
        let north = max(-90, min(90, latitude + northMetres / metresPerDegree))
        let shrink = max(1e-9, cos(latitude * .pi / 180))
        let east = longitude + eastMetres / (metresPerDegree * shrink)
        return GeoPoint(trustedLatitude: north, longitude: Self.wrapped(east))
    }

    /// The offset of `other` on the plane that touches the earth here; the inverse of
    /// ``offset(eastMetres:northMetres:)``.
    func planeOffset(to other: GeoPoint) -> (eastMetres: Double, northMetres: Double) {
        let metresPerDegree = Self.earthRadiusMetres * .pi / 180
        return (
            (other.longitude - longitude) * metresPerDegree * cos(latitude * .pi / 180),
            (other.latitude - latitude) * metresPerDegree
        )
    }

    /// The point at a fraction of the straight line to `other`, taking the shorter way at ±180°.
    func moved(toward other: GeoPoint, fraction: Double) -> GeoPoint {
        var delta = other.longitude - longitude
        if delta > 180 { delta -= 360 }
        if delta < -180 { delta += 360 }
        return GeoPoint(
            trustedLatitude: latitude + (other.latitude - latitude) * fraction,
            longitude: Self.wrapped(longitude + delta * fraction))
    }

    private static func wrapped(_ longitude: Double) -> Double {
        guard abs(longitude) > 180 else { return longitude }
        let turned = (longitude + 180).truncatingRemainder(dividingBy: 360)
        return turned < 0 ? turned + 180 : turned - 180
    }
}

extension GeoPoint: Codable {
    private enum CodingKeys: String, CodingKey {
        case latitude, longitude
    }

    /// Decodes and validates.
    /// - Throws: `DecodingError.dataCorrupted` with ``GeoError``'s message if a coordinate is out of range.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let latitude = try values.decode(Double.self, forKey: .latitude)
        let longitude = try values.decode(Double.self, forKey: .longitude)
        do {
            try self.init(latitude: latitude, longitude: longitude)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.description))
        }
    }
}
