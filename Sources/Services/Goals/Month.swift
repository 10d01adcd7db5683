import Foundation
import Wire

/// A month of the Gregorian calendar in a time zone.
struct Month: Sendable {
    /// Year and month, such as `2026-11`.
    let name: String
    /// First instant of the month.
    let start: Timestamp
    /// First instant of the following month.
    let end: Timestamp

    /// The month that contains an instant.
    init(_ moment: Timestamp, in zone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let date = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1_000)
        let parts = calendar.dateComponents([.year, .month], from: date)
        let year = parts.year ?? 1970
        let month = parts.month ?? 1
        let padded = month < 10 ? "0\(month)" : "\(month)"
        name = "\(year)-\(padded)"
        start = Self.beginning(year, month, calendar)
        end = month == 12 ? Self.beginning(year + 1, 1, calendar) : Self.beginning(year, month + 1, calendar)
    }

    private static func beginning(_ year: Int, _ month: Int, _ calendar: Calendar) -> Timestamp {
        let date = calendar.date(from: DateComponents(year: year, month: month, day: 1)) ?? .distantPast
        return Timestamp(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()))
    }

    /// Time zone by its IANA name.
    /// - Throws: ``Wire/RPCError`` with the field `timeZone`.
    static func zone(_ name: String) throws -> TimeZone {
        guard let zone = Inputs.timeZone(name) else {
            throw RPCError.invalid("timeZone", "is not a time zone, such as Europe/Berlin or UTC")
        }
        return zone
    }
}
