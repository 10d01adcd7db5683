/// Limits of locations and shares, in number and time.
public enum ShareLimits {
    /// Largest number of accounts with a location.
    public static let locationsMax = 100_000
    /// Seconds without a report after which a location is old.
    public static let oldSeconds = 60.0
    /// Seconds without a report after which a location is forgotten.
    public static let keptSeconds = 900.0
    /// Seconds for which a pin overrides all reports, and is kept without one.
    public static let pinSeconds = 7_200.0
    /// Seconds between two positions of an `exact` share.
    public static let exactSeconds = 1.0
    /// Seconds after which another node's state is dropped, unless it is sent again.
    public static let voidSeconds = 5.0
    /// Seconds between two announcements of the same lease, shown location or located account. After this time a newer location is
    /// known wherever it is needed.
    public static let leaseSeconds = 2.0
    /// Largest number of ended shares that are remembered.
    static let endedMax = 16_384
    /// Seconds for which a member that left a group is refused, whatever was read before: the longest time of a database statement.
    static let leftSeconds = 10.0
    /// Largest number of members that are remembered for that.
    static let leftMax = 16_384
    /// Seconds for which other nodes' earlier messages about a cleared location are ignored: the longest time that a message is in
    /// flight.
    static let clearedSeconds = 10.0
    /// Largest number of accounts that are remembered for that.
    static let clearedMax = 16_384
    /// Largest number of shares in one message between nodes.
    static let leasesPerMessageMax = 2_000
    /// Largest number of shares that other nodes announce as watched.
    static let leasesMax = 100_000
    /// Largest number of cells of the map of people that a connection may view.
    public static let peopleCellsMax = 64
    /// Largest number of cells of the map of people that are viewed at this node.
    public static let peopleCellsHereMax = 20_000
    /// Largest number of people that are published in a cell.
    public static let peoplePerCellMax = 200
    /// Largest number of accounts that a receipt names as having received the share with the map; further ones are counted.
    public static let seenNamedMax = 1_000
    /// Largest number of accounts that are distinguished for that.
    static let seenKnownMax = 10_000
    /// Largest number of ended openings that wait to be written; further ones end with their share.
    static let closingsMax = 100_000
    /// Largest number of named access-log entries that wait to be written; further ones are counted.
    static let entriesMax = 1_000_000
    /// Largest number of entries, and of openings, in one statement, which must not outlast its time limit.
    static let entriesPerWriteMax = 5_000
    /// Largest number of shares in one read that confirms them.
    static let confirmedMax = 5_000
}

extension Duration {
    /// Whole nanoseconds of a number of seconds.
    static func nanoseconds(ofSeconds seconds: Double) -> UInt64 { seconds > 0 ? UInt64(min(seconds, 1e9) * 1e9) : 0 }
}
