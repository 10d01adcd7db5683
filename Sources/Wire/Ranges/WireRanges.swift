// The named ranges of the Protocol article. Each number of a parameter has one of them; a test compares them with the article.

/// Limits for all messages.
public enum WireLimit {
    /// Largest integer that every JSON reader represents exactly (RFC 7493 §2.2): 2⁵³ - 1. Every number of a request is within ± this
    /// value, integer or not.
    public static let numberMax: Int64 = 9_007_199_254_740_991
    /// Highest number of bytes of one string in its JSON form, including escapes. The longest text of a method has 4,000 characters, which
    /// are 48,000 bytes if each is escaped as two UTF-16 units.
    public static let stringBytesMax = 65_536
    /// Highest number of members of one object.
    public static let membersMax = 64
}

/// Range of ids of accounts, sessions, events and other table rows.
public enum ObjectIDRange: WireRange {
    /// From 1 to 2⁵³ - 1.
    public static let allowed = 1...WireLimit.numberMax
}
/// Id of an object.
public typealias ObjectID<Value: WireNumbers> = Within<ObjectIDRange, Value> where Value.Number == Int64

/// Range of offsets in topics and conversations.
public enum LogOffsetRange: WireRange {
    /// From 0, before the first publication, to 2⁵³ - 1.
    public static let allowed = 0...WireLimit.numberMax
}
/// Offset in a log.
public typealias LogOffset<Value: WireNumbers> = Within<LogOffsetRange, Value> where Value.Number == Int64

/// Range of epochs of logs.
public enum LogEpochRange: WireRange {
    /// From 0 to 2⁵³ - 1.
    public static let allowed = 0...WireLimit.numberMax
}
/// Epoch of a log.
public typealias LogEpoch<Value: WireNumbers> = Within<LogEpochRange, Value> where Value.Number == Int64

/// Range of revisions and versions: a PostgreSQL `integer` that can be incremented.
public enum RevisionRange: WireRange {
    /// From 0 to 2³¹ - 2.
    public static let allowed: ClosedRange<Int> = 0...2_147_483_646
}
/// Revision of an object.
public typealias Revision<Value: WireNumbers> = Within<RevisionRange, Value> where Value.Number == Int

/// Range of page limits, capacities and minutes: a PostgreSQL `integer`. Each method has a narrower range.
public enum CountRange: WireRange {
    /// From 0 to 2³¹ - 1.
    public static let allowed: ClosedRange<Int> = 0...2_147_483_647
}
/// A count.
public typealias Count<Value: WireNumbers> = Within<CountRange, Value> where Value.Number == Int

/// Range of latitudes in degrees.
public enum LatitudeRange: WireRange {
    public static let allowed: ClosedRange<Double> = -90...90
}
/// Degrees north of the equator.
public typealias Latitude<Value: WireNumbers> = Within<LatitudeRange, Value> where Value.Number == Double

/// Range of longitudes in degrees.
public enum LongitudeRange: WireRange {
    public static let allowed: ClosedRange<Double> = -180...180
}
/// Degrees east of Greenwich.
public typealias Longitude<Value: WireNumbers> = Within<LongitudeRange, Value> where Value.Number == Double

/// Range of durations in seconds.
public enum SecondsRange: WireRange {
    /// From 0 to 2³¹ - 1, which is 68 years.
    public static let allowed: ClosedRange<Double> = 0...2_147_483_647
}
/// Duration in seconds.
public typealias Seconds<Value: WireNumbers> = Within<SecondsRange, Value> where Value.Number == Double

/// Range of quantities that a service checks individually: metres, metres per second, kilometres, zoom levels, coordinates of shapes.
public enum QuantityRange: WireRange {
    /// The limits for all numbers.
    public static let allowed = -Double(WireLimit.numberMax)...Double(WireLimit.numberMax)
}
/// A measured quantity.
public typealias Quantity<Value: WireNumbers> = Within<QuantityRange, Value> where Value.Number == Double
