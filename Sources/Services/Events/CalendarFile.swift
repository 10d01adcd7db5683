import Wire

/// Builds an iCalendar object (RFC 5545) line by line. Escaping keeps any text within its line.
struct CalendarFile: Sendable {
    /// Largest number of octets in a line without its break; includes the leading space of a continuation (§3.1).
    static let lineOctetsMax = 75
    /// Interval after which a program should load a calendar again (RFC 7986 §5.7).
    static let refresh = "PT1H"

    /// Encoded whole lines.
    private(set) var bytes: [UInt8] = []

    /// - Parameter name: Name of the calendar; nil for a file with a single event.
    init(name: String? = nil) {
        line("BEGIN:VCALENDAR")
        line("VERSION:2.0")
        line("PRODID:-//Campanile//Events//EN")
        line("CALSCALE:GREGORIAN")
        guard let name else { return }
        // Each pair has the property of RFC 7986 first, then its non-standard predecessor.
        text("NAME", name)
        text("X-WR-CALNAME", name)
        line("REFRESH-INTERVAL;VALUE=DURATION:\(Self.refresh)")
        line("X-PUBLISHED-TTL:\(Self.refresh)")
    }

    /// An event as a calendar entry.
    struct Entry: Sendable {
        /// Identifier that stays the same for the lifetime of the event.
        let uid: String
        let event: Event
        let changedAt: Timestamp
        /// Whether the calendar's owner answered that they may come.
        var isTentative = false
    }

    /// - Parameter origin: The server's base address, such as `https://campus.example`.
    mutating func add(_ entry: Entry, origin: String) {
        let event = entry.event
        line("BEGIN:VEVENT")
        line("UID:\(entry.uid)")
        // Without a METHOD, DTSTAMP is the last change of the event (§3.8.7.2), so that an unchanged event has the same bytes.
        line("DTSTAMP:\(Self.time(entry.changedAt))")
        line("LAST-MODIFIED:\(Self.time(entry.changedAt))")
        line("SEQUENCE:\(event.revision)")
        line("STATUS:\(Self.status(of: entry))")
        line("DTSTART:\(Self.time(event.details.startsAt))")
        line("DTEND:\(Self.time(event.details.startsAt.advanced(bySeconds: event.details.duration)))")
        text("SUMMARY", event.details.title)
        let reason = event.cancelReason.map { "Cancelled: \($0)" }
        let description = [reason, event.details.description].compactMap(\.self).joined(separator: "\n\n")
        if !description.isEmpty { text("DESCRIPTION", description) }
        text("LOCATION", event.details.place.name)
        if let lat = event.details.place.lat, let lon = event.details.place.lon {
            line("GEO:\(Self.degrees(lat));\(Self.degrees(lon))")
        }
        if let workout = EventWorkouts.all.first(where: { $0.id == event.details.workout }) {
            text("CATEGORIES", workout.label)
        }
        line("URL:\(origin)/events/\(event.id)")
        line("END:VEVENT")
    }

    /// Appends the end of the calendar and returns its bytes.
    mutating func end() -> [UInt8] {
        line("END:VCALENDAR")
        return bytes
    }

    private static func status(of entry: Entry) -> String {
        switch entry.event.state {
        case .draft: "TENTATIVE"
        case .published: entry.isTentative ? "TENTATIVE" : "CONFIRMED"
        case .cancelled: "CANCELLED"
        }
    }

    // MARK: Lines

    /// Appends a property of type TEXT (§3.3.11).
    private mutating func text(_ name: String, _ value: String) { line(name + ":" + Self.escaped(value)) }

    /// Escapes `\`, `;` and `,` and writes line breaks as `\n` (§3.3.11). This includes line breaks that RFC 5545 does not define,
    /// because readers may split lines there. Other control characters except tabs are removed, as TEXT excludes them.
    static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        var wasReturn = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", ";", ",":
                escaped.append("\\")
                escaped.append(scalar)
            case "\n" where wasReturn: break
            case "\n", "\r", "\u{0B}", "\u{0C}", "\u{1C}", "\u{1D}", "\u{1E}", "\u{85}", "\u{2028}", "\u{2029}":
                escaped.append("\\")
                escaped.append("n")
            case "\t": escaped.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: break
            default: escaped.append(scalar)
            }
            wasReturn = scalar == "\r"
        }
        return String(escaped)
    }

    /// Appends a line, folded with CRLF and a space and never within a character (§3.1).
    private mutating func line(_ text: String) {
        var octets = 0
        for scalar in text.unicodeScalars {
            let count = UTF8.width(scalar)
            if octets + count > Self.lineOctetsMax {
                bytes.append(contentsOf: "\r\n ".utf8)
                octets = 1
            }
            bytes.append(contentsOf: UTF8.encode(scalar)!)
            octets += count
        }
        bytes.append(contentsOf: "\r\n".utf8)
    }

    // MARK: Values

    /// Time in UTC (§3.3.5, form 2), without fractions of a second.
    static func time(_ time: Timestamp) -> String {
        let digits = time.description.unicodeScalars.filter { ("0"..."9").contains($0) }.prefix(14)
        let text = String(String.UnicodeScalarView(digits))
        return "\(text.prefix(8))T\(text.dropFirst(8))Z"
    }

    /// Degrees with six decimals, about a tenth of a metre (§3.8.1.6).
    private static func degrees(_ value: Double) -> String {
        let millionths = Int((value * 1_000_000).rounded())
        let digits = String(abs(millionths) % 1_000_000)
        return (millionths < 0 ? "-" : "") + "\(abs(millionths) / 1_000_000)."
            + String(repeating: "0", count: 6 - digits.count) + digits
    }
}
