import Glibc
import Wire

/// Times as the server writes them in mails and notifications.
enum LocalTime {
    /// Local time of the server (`TZ`) with the name of its zone, such as `Mon 2 Nov, 07:30 CET`; a campus has one time zone.
    static func text(_ at: Timestamp) -> String {
        var seconds = time_t(at.milliseconds / 1_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let zone = parts.tm_zone.map { String(cString: $0) } ?? "UTC"
        return "\(days[Int(parts.tm_wday)]) \(parts.tm_mday) \(months[Int(parts.tm_mon)]), "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)) \(zone)"
    }
}
