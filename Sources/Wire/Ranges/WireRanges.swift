// The named ranges of the Protocol article. Each number of a parameter has one; a test compares with the article.

/// The general bounds of the wire.
public enum WireLimit {
    /// The largest whole number that every JSON reader keeps exactly (RFC 7493 §2.2): 2⁵³ - 1. No number of a request, whole
    /// or not, is larger or below its negative.
    public static let numberMax: Int64 = 9_007_199_254_740_991
    /// Bytes of one string as it is written in JSON, escapes included. The longest text that a method takes has 4,000
    /// characters, which are 48,000 bytes when each is escaped as two UTF-16 units.
    public static let stringBytesMax = 65_536
    /// Members of one object.
    public static let membersMax = 64
}

/// Numbers of accounts, sessions, events and all else that a table numbers.
public enum ObjectIDRange: WireRange {
    /// From 1 to 2⁵³ - 1.
    public static let allowed = 1...WireLimit.numberMax
}
/// The id of an object.
public typealias ObjectID<Value: WireNumbers> = Within<ObjectIDRange, Value> where Value.Number == Int64

/// Positions in a log and in a conversation.
public enum LogOffsetRange: WireRange {
    /// From 0, before the first publication, to 2⁵³ - 1.
    public static let allowed = 0...WireLimit.numberMax
}
/// An offset in a log.
public typealias LogOffset<Value: WireNumbers> = Within<LogOffsetRange, Value> where Value.Number == Int64

/// Epochs of logs.
public enum LogEpochRange: WireRange {
    /// From 0 to 2⁵³ - 1.
    public static let allowed = 0...WireLimit.numberMax
}
/// An epoch of a log.
public typealias LogEpoch<Value: WireNumbers> = Within<LogEpochRange, Value> where Value.Number == Int64

/// Revisions and versions: a PostgreSQL `integer` to which one can be added.
public enum RevisionRange: WireRange {
    /// From 0 to 2³¹ - 2.
    public static let allowed: ClosedRange<Int> = 0...2_147_483_646
}
/// A revision of an object.
public typealias Revision<Value: WireNumbers> = Within<RevisionRange, Value> where Value.Number == Int

/// Limits of pages, capacities, minutes: a PostgreSQL `integer`. Each method says which of them it takes.
public enum CountRange: WireRange {
    /// From 0 to 2³¹ - 1.
    public static let allowed: ClosedRange<Int> = 0...2_147_483_647
}
/// A count.
public typealias Count<Value: WireNumbers> = Within<CountRange, Value> where Value.Number == Int

/// Degrees of latitude.
public enum LatitudeRange: WireRange {
    /// From pole to pole.
    public static let allowed: ClosedRange<Double> = -90...90
}
/// Degrees north of the equator.
public typealias Latitude<Value: WireNumbers> = Within<LatitudeRange, Value> where Value.Number == Double

/// Degrees of longitude.
public enum LongitudeRange: WireRange {
    /// Once around.
    public static let allowed: ClosedRange<Double> = -180...180
}
/// Degrees east of Greenwich.
public typealias Longitude<Value: WireNumbers> = Within<LongitudeRange, Value> where Value.Number == Double

/// Durations in seconds.
public enum SecondsRange: WireRange {
    /// From 0 to 2³¹ - 1, 68 years.
    public static let allowed: ClosedRange<Double> = 0...2_147_483_647
}
/// A duration in seconds.
public typealias Seconds<Value: WireNumbers> = Within<SecondsRange, Value> where Value.Number == Double

/// Quantities that a service judges one by one: metres, metres a second, kilometres, zooms, coordinates of shapes.
public enum QuantityRange: WireRange {
    /// The general bounds.
    public static let allowed = -Double(WireLimit.numberMax)...Double(WireLimit.numberMax)
}
/// A measured quantity.
public typealias Quantity<Value: WireNumbers> = Within<QuantityRange, Value> where Value.Number == Double
