import Foundation

/// The raster that positions of one picture are rounded to (B-3).
///
/// Whole numbers of 10⁻⁷ degrees throughout, so that every implementation decodes the very same positions. A position is
/// `origin + (x · lonStep, y · latStep)`; rounding to the nearest point of the raster moves it by at most ``errorMetresMax``.
public struct PositionGrid: Sendable, Hashable {
    /// How far a position may be from what is shown, metres, by default.
    public static let errorMetresDefault = 0.5
    /// Units of a degree.
    public static let unitsPerDegree = 10_000_000.0
    /// The longest a degree gets on the WGS 84 ellipsoid, metres: of latitude at the poles, of longitude at the equator.
    private static let degreeMetresMax = 111_694.0
    /// What rounding to a whole unit adds, metres.
    private static let unitErrorMetres = 0.008

    /// Latitude of x = y = 0, in units.
    public var originLat: Int32
    /// Longitude of x = y = 0, in units.
    public var originLon: Int32
    /// Units of latitude between two rows, 1 or more.
    public var latStep: UInt16
    /// Units of longitude between two columns, 1 or more.
    public var lonStep: UInt16

    public init(originLat: Int32, originLon: Int32, latStep: UInt16, lonStep: UInt16) {
        (self.originLat, self.originLon, self.latStep, self.lonStep) = (originLat, originLon, latStep, lonStep)
    }

    /// The widest raster that keeps to an error.
    /// - Parameters:
    ///   - origin: A corner of the picture.
    ///   - latitudes: Of the picture, degrees; the error is kept within them.
    ///   - errorMetresMax: Metres, 0.1 to 100.
    public init(origin: LatLon, latitudes: ClosedRange<Double>, errorMetresMax: Double = errorMetresDefault) {
        originLat = Self.units(origin.latitude, limit: 90)
        originLon = Self.units(origin.longitude, limit: 180)
        // Half a step in each direction is the most a position is moved; both together are √2 of that.
        let step = (max(0.1, min(errorMetresMax, 100)) - Self.unitErrorMetres) * 2.0.squareRoot()
        latStep = Self.step(step / Self.degreeMetresMax)
        // Where a degree of longitude is longest.
        let nearest = latitudes.contains(0) ? 0 : min(abs(latitudes.lowerBound), abs(latitudes.upperBound))
        lonStep = Self.step(step / (Self.degreeMetresMax * max(0.01, cos(nearest * .pi / 180))))
    }

    private static func step(_ degrees: Double) -> UInt16 { UInt16(clamping: Int(max(1, degrees * unitsPerDegree))) }

    private static func units(_ degrees: Double, limit: Double) -> Int32 {
        // 180 degrees are 1.8 · 10⁹ units: they fit. NaN is nobody's position.
        degrees.isNaN ? 0 : Int32((max(-limit, min(degrees, limit)) * unitsPerDegree).rounded())
    }

    /// The raster's nearest point.
    public func point(_ position: LatLon) -> Point {
        Point(
            x: Self.nearest(Int(Self.units(position.longitude, limit: 180)) - Int(originLon), Int(lonStep)),
            y: Self.nearest(Int(Self.units(position.latitude, limit: 90)) - Int(originLat), Int(latStep)))
    }

    /// `value / step` rounded, half away from zero.
    private static func nearest(_ value: Int, _ step: Int) -> Int32 {
        Int32(clamping: (value + (value < 0 ? -step : step) / 2) / step)
    }

    /// The position of a point, degrees.
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
