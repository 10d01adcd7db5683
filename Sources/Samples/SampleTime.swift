import Foundation
import Wire

/// Times relative to the start of the demonstration, by the machine's time zone.
struct SampleTime: Sendable {
    /// Shortest time between now and an event of today.
    static let leadSecondsMin = 1_800.0
    /// Time until an event whose hour of today has passed, before it is rounded up to the next half hour.
    static let laterTodaySeconds = 5_400.0
    private static let halfHourSeconds = 1_800.0

    let now: Date
    private let calendar: Calendar

    /// - Parameter now: Time of the start.
    init(now: Date = Date()) {
        self.now = now
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .current
        self.calendar = calendar
    }

    /// Name of the time zone, as goals and quiet hours need it.
    var timeZone: String { calendar.timeZone.identifier }

    /// A coming time: `hour`:`minute` in so many days. A time of today that has passed becomes one later today.
    func coming(inDays days: Int, hour: Int, minute: Int = 0) -> Timestamp {
        let wanted = at(daysFromNow: days, hour: hour, minute: minute)
        guard wanted.timeIntervalSince(now) < Self.leadSecondsMin else { return Self.timestamp(wanted) }
        let later = (now.timeIntervalSince1970 + Self.laterTodaySeconds) / Self.halfHourSeconds
        return Timestamp(milliseconds: Int64(later.rounded(.up) * Self.halfHourSeconds) * 1_000)
    }

    /// A past time: `hour`:`minute` so many days ago.
    func past(days: Int, hour: Int, minute: Int = 0) -> Timestamp {
        Self.timestamp(at(daysFromNow: -days, hour: hour, minute: minute))
    }

    /// So many minutes ago.
    func ago(minutes: Double) -> Timestamp { Self.timestamp(now.addingTimeInterval(-minutes * 60)) }

    private func at(daysFromNow days: Int, hour: Int, minute: Int) -> Date {
        let day = calendar.date(byAdding: .day, value: days, to: calendar.startOfDay(for: now)) ?? now
        // A clock change may leave an hour out of the day.
        return calendar.date(bySettingHour: hour, minute: minute, second: 0, of: day) ?? day
    }

    private static func timestamp(_ date: Date) -> Timestamp {
        Timestamp(milliseconds: Int64(date.timeIntervalSince1970 * 1_000))
    }
}
