import Foundation
import Synchronization
import Wire

/// Evaluates quiet hours with the daylight saving time of the tz database.
final class QuietHoursCalendar: Sendable {
    /// Largest number of cached settings; a further one clears the cache.
    static let keptMax = 1_000

    /// State of quiet hours at a time.
    struct Window: Sendable, Equatable {
        /// Start of the current quiet hours; nil outside them.
        var since: Timestamp?
        /// Time of the next change.
        var changesAt: Timestamp
    }

    private struct Known {
        var window: Window
        /// Earliest time for which the entry is valid; a clock that is set back before it invalidates the entry.
        var from: Timestamp
    }
    private let known = Mutex<[QuietHours: Known]>([:])

    /// Window at a time; nil for malformed hours. O(1) for cached settings until their next change.
    func window(of hours: QuietHours, at now: Timestamp) -> Window? {
        if let known = known.withLock({ $0[hours] }), known.from <= now, now < known.window.changesAt {
            return known.window
        }
        guard let window = Self.window(of: hours, at: now) else { return nil }
        known.withLock { known in
            if known.count >= Self.keptMax { known.removeAll() }
            known[hours] = Known(window: window, from: max(now, window.since ?? now))
        }
        return window
    }

    /// Computes the window at a time without the cache.
    static func window(of hours: QuietHours, at now: Timestamp) -> Window? {
        guard let from = minutes(hours.from), let to = minutes(hours.to), from != to,
            let zone = Inputs.timeZone(hours.timeZone)
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1_000)
        let today = calendar.startOfDay(for: date)
        var next: Timestamp?
        // Hours that started two days ago can last until now where a time zone skipped a day.
        for day in -2...2 {
            guard let midnight = calendar.date(byAdding: .day, value: day, to: today),
                let start = moment(from, on: midnight, in: calendar),
                let end = moment(to, on: midnight, plusDays: to < from ? 1 : 0, in: calendar), start < end
            else { continue }
            if start <= now, now < end { return Window(since: start, changesAt: end) }
            if start > now { next = min(next ?? start, start) }
        }
        return next.map { Window(since: nil, changesAt: $0) }
    }

    /// Instant of a local time. A time skipped by daylight saving maps to the transition; of a repeated time the first instance counts.
    private static func moment(
        _ minutes: Int, on midnight: Date, plusDays days: Int = 0, in calendar: Calendar
    ) -> Timestamp? {
        guard let day = calendar.date(byAdding: .day, value: days, to: midnight) else { return nil }
        var parts = calendar.dateComponents([.year, .month, .day], from: day)
        parts.hour = minutes / 60
        parts.minute = minutes % 60
        guard let date = calendar.date(from: parts) else { return nil }
        let shown = calendar.dateComponents([.hour, .minute], from: date)
        guard shown.hour != parts.hour || shown.minute != parts.minute else { return Timestamp(date) }
        return Timestamp(calendar.timeZone.nextDaylightSavingTimeTransition(after: day) ?? date)
    }

    /// Minutes since midnight of a time such as `22:00`; nil for malformed text.
    static func minutes(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - Int(UInt8(ascii: "0")) }
        guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return hour < 24 && minute < 60 ? hour * 60 + minute : nil
    }
}
