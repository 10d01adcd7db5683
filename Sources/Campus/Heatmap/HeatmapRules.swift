import Wire

/// The parameters of the heatmap. <doc:Heatmap#Reasons-for-the-rules> explains which attack each rule prevents.
public enum HeatmapRules {
    /// The k of k-anonymity: a cell that is shown disappears below this many people, and its value changes only after this many have
    /// moved. To appear, a cell needs ``appearMin``.
    public static let peopleMin = 5
    /// Minimum people for a cell to appear: an attacker with k - 1 accounts still sees at least k other people.
    public static let appearMin = 2 * peopleMin - 1
    /// Displayed numbers are multiples of it, and secret numbers are below it.
    public static let step = 5
    /// Per this many people in a cell, one more must come or go before the next evaluation.
    public static let peoplePerMover = 4
    /// Zoom of the cells: about 76 m at the equator, 57 m in the middle latitudes.
    public static let zoom: UInt8 = 19
    /// Length of an epoch. Positions are counted at the end of each epoch.
    public static let epochSeconds: Int64 = 30
    /// A person without a position for this long is not counted.
    public static let silenceSecondsMax: Int64 = 120
    /// Length of a window, in epochs. Within it, each person's coming and going can each change a cell's value once.
    public static let windowEpochs: Int64 = 120
    /// Maximum accuracy radius of a counted position, in metres.
    public static let accuracyMax = 100.0
    /// Maximum number of people counted.
    public static let peopleMax = 100_000

    /// The largest publishable number not above `people`, which must be at least 10, and the distance to the next one.
    /// The numbers are 10, 15, 20, 30, 40, 60, 80, 120 and so on: each step is a third to a half of the number.
    static func level(below people: Int) -> (level: Int, step: Int) {
        var (level, step) = (2 * Self.step, Self.step)
        while level + step <= people {
            level += step
            // The steps double at 20, 40, 80 and so on.
            if level == 4 * step { step *= 2 }
        }
        return (level, step)
    }

    /// The epoch that contains a time.
    public static func epoch(at time: Timestamp) -> Int64 {
        Int64((Double(time.milliseconds) / Double(epochSeconds * 1000)).rounded(.down))
    }
}

/// A cell of ``HeatmapRules/zoom``, as a number.
public struct HeatmapPlace: Sendable, Hashable, Comparable {
    /// The row in the upper half, the column in the lower.
    public let bits: UInt64

    public init(bits: UInt64) { self.bits = bits }

    /// - Parameters:
    ///   - x: Column.
    ///   - y: Row.
    public init(x: UInt32, y: UInt32) { bits = UInt64(y) << 32 | UInt64(x) }

    /// The cell that contains a point.
    public init(containing point: GeoPoint) {
        let cell = Cell(containing: point, zoom: HeatmapRules.zoom)
        self.init(x: cell.x, y: cell.y)
    }

    public var x: UInt32 { UInt32(truncatingIfNeeded: bits) }
    public var y: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }

    /// Orders by row, then by column.
    public static func < (one: HeatmapPlace, other: HeatmapPlace) -> Bool { one.bits < other.bits }
}

/// A counted person and the cell that contains the person.
public struct HeatmapPerson: Sendable, Equatable {
    public var account: Int64
    public var place: HeatmapPlace

    public init(account: Int64, place: HeatmapPlace) {
        self.account = account
        self.place = place
    }
}
