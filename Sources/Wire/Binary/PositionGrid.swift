import Foundation

/// Raster to which the positions of one area feed are rounded (B-3).
///
/// All numbers are integers of 10⁻⁷ degrees, so that every implementation decodes identical positions. A position is
/// `origin + (x · lonStep, y · latStep)`. Rounding to the nearest point moves a position by at most the error for which the raster was
/// created.
public struct PositionGrid: Sendable, Hashable {
    /// Default of the largest distance in metres between a position and its rounded point.
    public static let errorMetresDefault = 0.5
    /// Units per degree.
    public static let unitsPerDegree = 10_000_000.0
    /// Longest degree on the WGS 84 ellipsoid in metres: of latitude at the poles, of longitude at the equator.
    private static let degreeMetresMax = 111_694.0
    /// Error in metres that rounding to a whole unit adds.
    private static let unitErrorMetres = 0.008

    /// Latitude of x = y = 0, in units.
    public var originLat: Int32
    /// Longitude of x = y = 0, in units.
    public var originLon: Int32
    /// Units of latitude between two rows, at least 1.
    public var latStep: UInt16
    /// Units of longitude between two columns, at least 1.
    public var lonStep: UInt16

    public init(originLat: Int32, originLon: Int32, latStep: UInt16, lonStep: UInt16) {
        (self.originLat, self.originLon, self.latStep, self.lonStep) = (originLat, originLon, latStep, lonStep)
    }

    /// The coarsest raster that keeps an error.
    /// - Parameters:
    ///   - origin: A corner of the area.
    ///   - latitudes: Latitudes of the area in degrees, within which the error is kept.
    ///   - errorMetresMax: Metres, 0.1 to 100.
    public init(origin: LatLon, latitudes: ClosedRange<Double>, errorMetresMax: Double = errorMetresDefault) {
        originLat = Self.units(origin.latitude, limit: 90)
        originLon = Self.units(origin.longitude, limit: 180)
        // Rounding moves a position by at most half a step in each direction, together √2 of that.
        let step = (max(0.1, min(errorMetresMax, 100)) - Self.unitErrorMetres) * 2.0.squareRoot()
        latStep = Self.step(step / Self.degreeMetresMax)
        // The latitude of the area with the longest degree of longitude.
        let nearest = latitudes.contains(0) ? 0 : min(abs(latitudes.lowerBound), abs(latitudes.upperBound))
        lonStep = Self.step(step / (Self.degreeMetresMax * max(0.01, cos(nearest * .pi / 180))))
    }

    private static func step(_ degrees: Double) -> UInt16 { UInt16(clamping: Int(max(1, degrees * unitsPerDegree))) }

    private static func units(_ degrees: Double, limit: Double) -> Int32 {
        // 180 degrees are 1.8 · 10⁹ units, which fit. NaN is not a position.
        degrees.isNaN ? 0 : Int32((max(-limit, min(degrees, limit)) * unitsPerDegree).rounded())
    }

    /// Nearest point of the raster.
    public func point(_ position: LatLon) -> Point {
        Point(
            x: Self.nearest(Int(Self.units(position.longitude, limit: 180)) - Int(originLon), Int(lonStep)),
            y: Self.nearest(Int(Self.units(position.latitude, limit: 90)) - Int(originLat), Int(latStep)))
    }

    /// `value / step` rounded, half away from zero.
    private static func nearest(_ value: Int, _ step: Int) -> Int32 {
        Int32(clamping: (value + (value < 0 ? -step : step) / 2) / step)
    }

    /// Position of a point in degrees.
    public func position(_ point: Point) -> LatLon {
        LatLon(
            Double(Int(originLat) + Int(point.y) * Int(latStep)) / Self.unitsPerDegree,
            Double(Int(originLon) + Int(point.x) * Int(lonStep)) / Self.unitsPerDegree)
    }

    /// A point of the raster.
    public struct Point: Sendable, Hashable {
        /// Columns east of the origin.
        public var x: Int32
        /// Rows north of the origin.
        public var y: Int32

        public init(x: Int32, y: Int32) { (self.x, self.y) = (x, y) }
    }
}
