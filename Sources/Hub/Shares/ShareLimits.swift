/// What there is at most of locations and shares, and how long it holds.
public enum ShareLimits {
    /// Accounts whose location is kept.
    public static let locationsMax = 100_000
    /// Without a report for so long a location is old.
    public static let oldSeconds = 60.0
    /// Without a report for so long a location is forgotten.
    public static let keptSeconds = 900.0
    /// How long a pin holds against everything else, and is kept without a report.
    public static let pinSeconds = 7_200.0
    /// Seconds between two positions of an `exact` share.
    public static let exactSeconds = 1.0
    /// Seconds for which what another node told holds.
    public static let voidSeconds = 5.0
    /// Seconds between two times that it is told, or that one has heard of an account; behind that a newer location is known wherever it is
    /// needed.
    public static let leaseSeconds = 2.0
    /// Shares that ended and are remembered.
    static let endedMax = 16_384
    /// Who left a group is not let in for so long, whatever was read of them before: as long as a statement may take.
    static let leftSeconds = 10.0
    /// Who are remembered for that.
    static let leftMax = 16_384
    /// Of a location that was cleared, what another node said of it before is not heard for so long: as long as that may be on its way.
    static let clearedSeconds = 10.0
    /// Accounts that are remembered for that.
    static let clearedMax = 16_384
    /// Shares in one message between nodes.
    static let leasesPerMessageMax = 2_000
    /// Shares that are told of by other nodes as watched.
    static let leasesMax = 100_000
    /// Cells of the map of people that a connection may look at.
    public static let peopleCellsMax = 64
    /// Cells of the map of people that are looked at on this node.
    public static let peopleCellsHereMax = 20_000
    /// People that are told of a cell.
    public static let peoplePerCellMax = 200
    /// Accounts that a receipt names which got the share with the map; of more it says how many.
    public static let seenNamedMax = 1_000
    /// Accounts that are told apart for that.
    static let seenKnownMax = 10_000
    /// Openings that wait to be written down as ended; those beyond end with their share.
    static let closingsMax = 100_000
    /// Who got what on the map and waits to be written down by name; those beyond are counted.
    static let notesMax = 1_000_000
    /// Of them, and of openings, one statement writes so many: it must not outlast its time limit.
    static let notesPerWriteMax = 5_000
    /// Shares that PostgreSQL is asked for at a time.
    static let confirmedMax = 5_000
}

extension Duration {
    /// Whole nanoseconds of a number of seconds.
    static func nanoseconds(ofSeconds seconds: Double) -> UInt64 { seconds > 0 ? UInt64(min(seconds, 1e9) * 1e9) : 0 }
}
