import Wire

/// A day of the Gregorian calendar, such as a birthday, without a time zone.
struct CalendarDay: Comparable, CustomStringConvertible {
    let year: Int
    let month: Int
    let day: Int

    /// - Parameter text: ISO 8601 date such as `2003-04-30`; other forms and non-existent days produce nil.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month),
            (1...Self.days(of: month, in: year)).contains(day)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The day in UTC, independent of the server's location.
    init(_ time: Timestamp) {
        // The wire form begins with the date.
        guard let day = Self(String(time.description.prefix(10))) else {
            preconditionFailure("the wire form of a time begins with its day")
        }
        self = day
    }

    /// Whole years from this day to `other`. A birthday on February 29th counts as March 1st in other years.
    func years(until other: CalendarDay) -> Int {
        other.year - year - ((other.month, other.day) < (month, day) ? 1 : 0)
    }

    /// ISO 8601 date such as `2003-04-30`.
    var description: String {
        func padded(_ value: Int, _ width: Int) -> String {
            String(repeating: "0", count: max(0, width - "\(value)".count)) + "\(value)"
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    static func < (a: CalendarDay, b: CalendarDay) -> Bool { (a.year, a.month, a.day) < (b.year, b.month, b.day) }

    private static func days(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
