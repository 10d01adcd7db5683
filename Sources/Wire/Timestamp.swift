import Foundation

/// A time in the wire form of RFC 3339 in UTC with milliseconds, such as `2026-11-20T16:40:00.125Z`.
///
/// The value is an integer number of milliseconds since 1970-01-01T00:00:00Z, so that it compares exactly and passes through PostgreSQL
/// and JSON unchanged.
public struct Timestamp: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// Accepted range: the years 1970 to 9999.
    public static let millisecondsRange: ClosedRange<Int64> = 0...253_402_300_799_999

    /// Seconds of a day without leap seconds.
    public static let daySeconds = 86_400.0

    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64

    /// - Parameter milliseconds: Milliseconds since 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// - Parameter date: Rounded to the nearest millisecond.
    public init(_ date: Date) { milliseconds = Int64((date.timeIntervalSince1970 * 1_000).rounded()) }

    /// Present time of the wall clock, which can jump. Intervals are measured with the monotonic clock instead.
    public static var now: Timestamp { Timestamp(Date()) }

    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    /// - Parameter text: RFC 3339 with any number of fractional digits and `Z` or an offset.
    public init?(_ text: String) {
        let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let date = (try? fractional.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text)) else {
            return nil
        }
        self.init(date)
        guard Self.millisecondsRange.contains(milliseconds) else { return nil }
    }

    /// RFC 3339 form. A time outside ``millisecondsRange`` is clamped. The C library does the conversion, because Foundation's formatter
    /// takes many times as long and every message has several times.
    public var description: String {
        let range = Self.millisecondsRange
        let shown = min(max(milliseconds, range.lowerBound), range.upperBound)
        var seconds = time_t(shown / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return String(unsafeUninitializedCapacity: 24) { text in
            func put(_ number: Int32, _ digits: Int, at start: Int, before mark: StaticString) {
                var rest = number
                for index in stride(from: start + digits - 1, through: start, by: -1) {
                    text[index] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
                text[start + digits] = mark.utf8Start.pointee
            }
            put(parts.tm_year + 1_900, 4, at: 0, before: "-")
            put(parts.tm_mon + 1, 2, at: 5, before: "-")
            put(parts.tm_mday, 2, at: 8, before: "T")
            put(parts.tm_hour, 2, at: 11, before: ":")
            put(parts.tm_min, 2, at: 14, before: ":")
            put(parts.tm_sec, 2, at: 17, before: ".")
            put(Int32(shown % 1_000), 3, at: 20, before: "Z")
            return 24
        }
    }

    /// Returns this time plus `seconds`, rounded to a millisecond and clamped to the range of `Int64`. NaN adds nothing.
    public func advanced(bySeconds seconds: Double) -> Timestamp {
        let step = (seconds * 1_000).rounded()
        guard !step.isNaN else { return self }
        let end: Int64 = step > 0 ? .max : .min
        guard let whole = Int64(exactly: step) else { return Timestamp(milliseconds: end) }
        let (sum, overflows) = milliseconds.addingReportingOverflow(whole)
        return Timestamp(milliseconds: overflows ? end : sum)
    }

    /// Seconds from `other` to this time; negative if this time is earlier.
    public func seconds(since other: Timestamp) -> Double {
        let (difference, overflows) = milliseconds.subtractingReportingOverflow(other.milliseconds)
        return overflows
            ? (Double(milliseconds) - Double(other.milliseconds)) / 1_000 : Double(difference) / 1_000
    }

    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Timestamp(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not an RFC 3339 time of the years 1970 to 9999, such as 2026-11-20T16:40:00.125Z")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
