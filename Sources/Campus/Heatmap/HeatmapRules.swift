import Wire

/// What the heatmap publishes, and when: see <doc:Sharing#The-heatmap> for what each of the rules is against.
public enum HeatmapRules {
    /// k: a cell is shown only while at least so many people are in it, and its value follows at least so many.
    public static let peopleMin = 5
    /// A cell is never shown first with fewer: whoever brings k - 1 accounts of their own is still among k others.
    public static let appearMin = 2 * peopleMin - 1
    /// What is shown is a multiple of it, and secret numbers are below it.
    public static let step = 5
    /// For so many people in a cell one more must come or go before it is looked at again.
    public static let peoplePerMover = 4
    /// About 76 m at the equator, 57 m in the middle latitudes.
    public static let zoom: UInt8 = 19
    /// People are counted where they are at the end of each.
    public static let epochSeconds: Int64 = 30
    /// Whoever was not heard of for so long is nowhere.
    public static let silenceSecondsMax: Int64 = 120
    /// In so many epochs one coming and one going of each person move a cell's value.
    public static let windowEpochs: Int64 = 120
    /// A position that is known less exactly, in metres, is in no cell.
    public static let accuracyMax = 100.0
    /// People that are counted.
    public static let peopleMax = 100_000

    /// The largest number that can be shown which is not above a number from 10 on, and how far the next one is: 10, 15, 20, 30, 40, 60, 80,
    /// 120 and so on, so that each step is a half or a third of what is shown.
    static func level(below people: Int) -> (level: Int, step: Int) {
        var (level, step) = (2 * Self.step, Self.step)
        while level + step <= people {
            level += step
            // At 20, 40, 80 and so on the steps become twice as long.
            if level == 4 * step { step *= 2 }
        }
        return (level, step)
    }

    /// The number of the epoch that a time is in.
    public static func epoch(at time: Timestamp) -> Int64 {
        Int64((Double(time.milliseconds) / Double(epochSeconds * 1000)).rounded(.down))
    }
}

/// A cell of ``HeatmapRules/zoom``, as a number.
public struct HeatmapPlace: Sendable, Hashable, Comparable {
    /// The row in the upper half, the column in the lower.
    public let bits: UInt64

    /// As ``bits`` has it.
    public init(bits: UInt64) { self.bits = bits }

    /// - Parameters:
    ///   - x: Column.
    ///   - y: Row.
    public init(x: UInt32, y: UInt32) { bits = UInt64(y) << 32 | UInt64(x) }

    /// The one that holds a point.
    public init(containing point: GeoPoint) {
        let cell = Cell(containing: point, zoom: HeatmapRules.zoom)
        self.init(x: cell.x, y: cell.y)
    }

    /// Column.
    public var x: UInt32 { UInt32(truncatingIfNeeded: bits) }
    /// Row.
    public var y: UInt32 { UInt32(truncatingIfNeeded: bits >> 32) }

    /// By row, then by column.
    public static func < (one: HeatmapPlace, other: HeatmapPlace) -> Bool { one.bits < other.bits }
}

/// One who is counted.
public struct HeatmapPerson: Sendable, Equatable {
    /// Who.
    public var account: Int64
    /// Where.
    public var place: HeatmapPlace

    /// Memberwise.
    public init(account: Int64, place: HeatmapPlace) {
        self.account = account
        self.place = place
    }
}
