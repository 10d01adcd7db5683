/// A point in time in HTTP's format, to the second (RFC 9110 §5.6.7). Uses no clock and no Foundation.
public struct HTTPDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Seconds since 1970-01-01T00:00:00Z.
    public let seconds: Int64

    /// - Parameter seconds: Seconds since 1970-01-01T00:00:00Z; years 1 to 9999 can be formatted.
    public init(seconds: Int64) { self.seconds = seconds }

    /// Parses any of the three forms: "A recipient that parses a timestamp value in an HTTP field MUST accept all three
    /// HTTP-date formats" (RFC 9110 §5.6.7). Nil for anything else: such a field is ignored.
    /// - Parameter now: The current time, which determines the century of a two-digit year.
    public init?(_ text: String, now: HTTPDate) {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "-" || $0 == "," }).map { String($0) }
        switch words.count {
        case 6 where text.contains("-") && words[5] == "GMT":  // Sunday, 06-Nov-94 08:49:37 GMT
            guard var year = Self.number(words[3], digits: 2) else { return nil }
            // "[…] MUST interpret a timestamp that appears to be more than 50 years in the future as […] the most recent
            // year in the past that had the same last two digits".
            let current = Self.civil(now.seconds / 86_400).year
            year += current / 100 * 100
            if year > current + 50 { year -= 100 }
            self.init(day: words[1], month: words[2], year: year, time: words[4])
        case 6 where words[5] == "GMT":  // Sun, 06 Nov 1994 08:49:37 GMT
            guard let year = Self.number(words[3], digits: 4) else { return nil }
            self.init(day: words[1], month: words[2], year: year, time: words[4])
        case 5:  // Sun Nov  6 08:49:37 1994
            guard let year = Self.number(words[4], digits: 4) else { return nil }
            self.init(day: words[2].count == 1 ? "0" + words[2] : words[2], month: words[1], year: year, time: words[3])
        default: return nil
        }
    }

    private init?(day: String, month: String, year: Int, time: String) {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { String($0) }
        guard let day = Self.number(day, digits: 2), let month = Self.months.firstIndex(of: month),
            (1...31).contains(day), year >= 1, clock.count == 3, let hour = Self.number(clock[0], digits: 2), hour < 24,
            let minute = Self.number(clock[1], digits: 2), minute < 60,
            // 60 is a leap second.
            let second = Self.number(clock[2], digits: 2), second <= 60
        else { return nil }
        let days = Self.days(year: year, month: month + 1, day: day)
        guard Self.civil(days).day == day else { return nil }
        seconds = days * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    }

    private static func number(_ text: String, digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text)
    }

    public static func < (a: HTTPDate, b: HTTPDate) -> Bool { a.seconds < b.seconds }

    /// The date as IMF-fixdate, the form to send: `Sun, 06 Nov 1994 08:49:37 GMT`.
    public var description: String {
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let time = Int(seconds - days * 86_400)
        let (year, month, day) = Self.civil(days)
        // 1970-01-01 was a Thursday.
        let weekday = Self.weekdays[Int((days % 7 + 11) % 7)]
        let padded = String(year)
        return "\(weekday), \(two(day)) \(Self.months[month - 1]) "
            + String(repeating: "0", count: max(0, 4 - padded.count)) + padded
            + " \(two(time / 3_600)):\(two(time / 60 % 60)):\(two(time % 60)) GMT"
    }

    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    // The Gregorian calendar counted in days from 1970-01-01. Years begin in March, so that a leap day is the last of
    // its year. The months before any date then have a fixed number of days, and 400 years have 146,097.

    private static func days(year: Int, month: Int, day: Int) -> Int64 {
        let year = month > 2 ? year : year - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }

    private static func civil(_ days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = Int(days) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
