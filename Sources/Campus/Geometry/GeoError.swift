/// The reason why coordinates do not form a position, a box or a polygon.
public enum GeoError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The latitude is not finite or outside −90…90.
    case latitude(Double)
    /// The longitude is not finite or outside −180…180.
    case longitude(Double)
    /// The south edge of a box lies north of its north edge.
    case boxUpsideDown
    /// The west edge of a box lies east of its east edge; a box cannot cross the antimeridian.
    case boxCrossesAntimeridian
    /// A ring has fewer than four positions.
    case ringTooShort(positions: Int)
    /// A ring's last position is not its first.
    case ringOpen
    /// A ring encloses no area: its positions lie on one line.
    case ringFlat
    /// An edge of a ring is longer than 180° of longitude, so the ring crosses the antimeridian.
    case ringCrossesAntimeridian

    /// The error and its remedy.
    public var description: String {
        switch self {
        case .latitude(let value): "latitude \(value) is out of range: give degrees from -90 to 90"
        case .longitude(let value): "longitude \(value) is out of range: give degrees from -180 to 180"
        case .boxUpsideDown: "the south edge lies north of the north edge: swap them"
        case .boxCrossesAntimeridian: "the west edge lies east of the east edge: split the box at the 180th meridian"
        case .ringTooShort(let positions):
            "a ring has \(positions) positions: give at least 4, the last equal to the first"
        case .ringOpen: "a ring is not closed: repeat its first position at the end"
        case .ringFlat: "a ring encloses no area: its positions must not all lie on one line"
        case .ringCrossesAntimeridian: "a ring crosses the 180th meridian: split the polygon there (RFC 7946 §3.1.9)"
        }
    }
}
