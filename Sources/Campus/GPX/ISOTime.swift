/// A parser for times in GPX's format: `2020-08-07T09:15:14.123Z`, or with an offset. Without either, they are UTC.
enum ISOTime {
    /// Milliseconds since 1970-01-01T00:00:00Z; nil if the text is not a date and time of the years 1…9999.
    ///
    /// Digits beyond milliseconds are truncated. A leap second (60) counts as the first second of the next minute.
    static func milliseconds(_ text: some StringProtocol) -> Int64? {
        var scanner = Scanner(bytes: Array(text.utf8))
        guard let year = scanner.digits(4), scanner.take("-"), let month = scanner.digits(2), scanner.take("-"),
            let day = scanner.digits(2), scanner.take("T") || scanner.take("t") || scanner.take(" "),
            let hour = scanner.digits(2), scanner.take(":"), let minute = scanner.digits(2), scanner.take(":"),
            let second = scanner.digits(2), year >= 1, (1...12).contains(month),
            (1...daysInMonth(month, year)).contains(day), hour <= 23, minute <= 59, second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if scanner.take(".") {
            guard let value = scanner.fractionMilliseconds() else { return nil }
            fraction = value
        }
        guard let offsetMinutes = scanner.offsetMinutes(), scanner.isAtEnd else { return nil }
        let days = daysSinceEpoch(year: year, month: month, day: day)
        return ((days * 24 + hour) * 60 + minute - offsetMinutes) * 60_000 + second * 1_000 + fraction
    }

    private static func daysInMonth(_ month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since the epoch in the proleptic Gregorian calendar, counted in years that begin in March, so that the leap
    /// day comes last.
    private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private struct Scanner {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
            position += 1
            return true
        }

        /// Consumes an optional character; always true.
        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            _ = take(character)
            return true
        }

        mutating func digits(_ count: Int) -> Int64? {
            guard position + count <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[position..<position + count] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            position += count
            return value
        }

        mutating func fractionMilliseconds() -> Int64? {
            var value: Int64 = 0
            var count = 0
            while let digit = digits(1) {
                if count < 3 { value = value * 10 + digit }
                count += 1
            }
            guard count > 0 else { return nil }
            for _ in min(count, 3)..<3 { value *= 10 }
            return value
        }

        mutating func offsetMinutes() -> Int64? {
            if isAtEnd || take("Z") || take("z") { return 0 }
            let sign: Int64
            if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
            guard let hours = digits(2), skip(":"), let minutes = digits(2), hours <= 23, minutes <= 59 else {
                return nil
            }
            return sign * (hours * 60 + minutes)
        }
    }
}
