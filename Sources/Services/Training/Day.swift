import Foundation
import Wire

/// Days of parameters, and arithmetic with days.
enum Day {
    /// First day that a client may state.
    static let first = "1900-01-01"
    /// Seconds by which the most eastern time zone is ahead of UTC (`Pacific/Kiritimati`): there it is tomorrow already.
    static let easternmostSeconds = 14 * 3_600.0
    /// Seconds by which the most western time zone is behind UTC (`Etc/GMT+12`): there it is still yesterday.
    static let westernmostSeconds = 12 * 3_600.0

    /// Validates a day that is not in the future anywhere on Earth.
    /// - Throws: ``Wire/RPCError`` naming `field`.
    static func past(_ text: String, _ field: String, now: Timestamp) throws -> String {
        let day = try valid(text, field)
        guard day >= first else { throw RPCError.invalid(field, "must not be before 1900") }
        guard day <= latest(now) else { throw RPCError.invalid(field, "must not be in the future") }
        return day
    }

    /// Validates a day between 1900 and 2999.
    /// - Throws: ``Wire/RPCError`` naming `field`.
    static func valid(_ text: String, _ field: String) throws -> String {
        guard let day = CalendarDay(text), (1_900...2_999).contains(day.year) else {
            throw RPCError.invalid(field, "is a day such as 2026-11-28")
        }
        return day.description
    }

    /// Present day of the most eastern time zone.
    static func latest(_ now: Timestamp) -> String {
        CalendarDay(now.advanced(bySeconds: easternmostSeconds)).description
    }

    /// Present day of the most western time zone.
    static func earliest(_ now: Timestamp) -> String {
        CalendarDay(now.advanced(bySeconds: -westernmostSeconds)).description
    }

    /// Day of an instant in a time zone.
    static func day(of time: Timestamp, in zone: TimeZone) -> String {
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000)
        return CalendarDay(time.advanced(bySeconds: Double(zone.secondsFromGMT(for: date)))).description
    }

    /// Days since 1970-01-01 of a valid day.
    static func number(_ day: String) -> Int {
        guard let day = CalendarDay(day) else { return 0 }
        // Years from March, so that a leap day is the last day of its year.
        let year = day.month > 2 ? day.year : day.year - 1
        let month = (day.month + 9) % 12
        return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day.day - 1 - 719_468
    }

    /// Day after a number of days, which may be negative.
    static func adding(_ days: Int, to day: String) -> String {
        // Days since 0000-03-01, in eras of 400 years, which all have the same length.
        let days = number(day) + days + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let ofEra = days - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * ofYear + 2) / 153
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        func padded(_ value: Int, _ width: Int) -> String {
            String(repeating: "0", count: max(0, width - "\(value)".count)) + "\(value)"
        }
        return "\(padded(year, 4))-\(padded(month < 10 ? month + 3 : month - 9, 2))-"
            + padded(ofYear - (153 * month + 2) / 5 + 1, 2)
    }
}
