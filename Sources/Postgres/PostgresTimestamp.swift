/// Conversion between milliseconds and the text of a `timestamptz`. Every session is set to ISO style and UTC.
enum PostgresTimestamp {
    private static let millisecondsPerDay: Int64 = 86_400_000
    /// The value for PostgreSQL's `infinity`.
    private static let infinity = Int64.max

    /// PostgreSQL's text, such as `2026-11-20 16:48:41.123+00`. Years before 1 have the suffix `BC`.
    static func text(milliseconds: Int64) -> String {
        if milliseconds == .max { return "infinity" }
        if milliseconds == .min { return "-infinity" }
        let (days, rest) = floorDivide(milliseconds, by: millisecondsPerDay)
        let (year, month, day) = civil(daysSinceEpoch: days)
        let (seconds, fraction) = (rest / 1000, rest % 1000)
        let clock =
            "\(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2)).\(padded(fraction, 3))+00"
        let shownYear = year > 0 ? year : 1 - year
        return "\(padded(shownYear, 4))-\(padded(month, 2))-\(padded(day, 2)) \(clock)\(year > 0 ? "" : " BC")"
    }

    /// Milliseconds since 1970-01-01T00:00:00Z, or nil if the text is not a timestamp. Microseconds are rounded down.
    static func milliseconds(text: UnsafeRawBufferPointer) -> Int64? {
        var cursor = Cursor(bytes: text)
        if cursor.takeWord("infinity") { return infinity }
        if cursor.takeWord("-infinity") { return .min }
        guard let year = cursor.takeNumber(), cursor.take("-"), let month = cursor.takeNumber(), cursor.take("-"),
            let day = cursor.takeNumber(), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        var timeOfDay: Int64 = 0
        if cursor.take(" ") {
            guard let hour = cursor.takeNumber(), cursor.take(":"), let minute = cursor.takeNumber(),
                cursor.take(":"), let second = cursor.takeNumber()
            else { return nil }
            timeOfDay = ((hour * 60 + minute) * 60 + second) * 1000
            if cursor.take(".") { timeOfDay += cursor.takeMilliseconds() }
        }
        guard let offset = cursor.takeOffset() else { return nil }
        let isBeforeChrist = cursor.takeWord(" BC")
        guard cursor.isAtEnd else { return nil }
        let days = daysSinceEpoch(year: isBeforeChrist ? 1 - year : year, month: month, day: day)
        return days * millisecondsPerDay + timeOfDay - offset
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return digits.count >= width ? digits : String(repeating: "0", count: width - digits.count) + digits
    }

    private static func floorDivide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    // The proleptic Gregorian calendar in 400-year eras that begin on March 1st, so leap days come last (Howard Hinnant,
    // "chrono-Compatible Low-Level Date Algorithms").
    private static func civil(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivide(daysSinceEpoch + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = floorDivide(shiftedYear, by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private struct Cursor {
        let bytes: UnsafeRawBufferPointer
        var index = 0

        init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        var isAtEnd: Bool { index == bytes.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        mutating func takeWord(_ word: StaticString) -> Bool {
            let length = word.utf8CodeUnitCount
            guard bytes.count - index >= length else { return false }
            for offset in 0..<length where bytes[index + offset] != word.utf8Start[offset] { return false }
            index += length
            return true
        }

        /// Reads up to seven digits. PostgreSQL's years have at most six.
        mutating func takeNumber() -> Int64? {
            var value: Int64 = 0
            let start = index
            while index < bytes.count, index - start < 7, (48...57).contains(bytes[index]) {
                value = value * 10 + Int64(bytes[index] - 48)
                index += 1
            }
            return index > start ? value : nil
        }

        mutating func takeMilliseconds() -> Int64 {
            var (value, unit): (Int64, Int64) = (0, 100)
            while index < bytes.count, (48...57).contains(bytes[index]) {
                value += Int64(bytes[index] - 48) * unit
                unit /= 10
                index += 1
            }
            return value
        }

        /// Reads a UTC offset in milliseconds east of UTC: `+02`, `-03:30`, `+00:19:32`, or nothing for 0.
        mutating func takeOffset() -> Int64? {
            let sign: Int64 = take("+") ? 1 : take("-") ? -1 : 0
            guard sign != 0 else { return 0 }
            guard let hours = takeNumber() else { return nil }
            var seconds = hours * 3600
            if take(":") { seconds += (takeNumber() ?? 0) * 60 }
            if take(":") { seconds += takeNumber() ?? 0 }
            return sign * seconds * 1000
        }
    }
}
