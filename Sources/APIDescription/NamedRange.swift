import Wire

/// Named ranges of numbers.
public enum NamedRange {
    /// Name and bounds as JSON numbers, in the order of the Protocol article.
    public static var all: [(name: String, isWhole: Bool, low: String, high: String)] {
        func named<Range: WireRange>(_ range: Range.Type) -> (name: String, isWhole: Bool, low: String, high: String) {
            (
                "\(range)".replacing("Range", with: ""), Range.Number.self is any FixedWidthInteger.Type,
                Range.Number.text(Range.allowed.lowerBound), Range.Number.text(Range.allowed.upperBound)
            )
        }
        return [
            named(ObjectIDRange.self), named(LogOffsetRange.self), named(LogEpochRange.self), named(RevisionRange.self),
            named(CountRange.self), named(LatitudeRange.self), named(LongitudeRange.self), named(SecondsRange.self),
            named(QuantityRange.self),
        ]
    }
}
