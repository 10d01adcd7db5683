import Wire

/// An iCalendar object (RFC 5545), written line by line. Whatever texts hold, they stay within their line.
struct CalendarFile: Sendable {
    /// Octets of a line without its break, the space in front of a continuation included (§3.1).
    static let lineOctetsMax = 75
    /// How often a program should ask for a calendar again (RFC 7986 §5.7).
    static let refresh = "PT1H"

    /// What it is written in, whole lines.
    private(set) var bytes: [UInt8] = []

    /// - Parameter name: What the calendar is called; nil for a file of one event.
    init(name: String? = nil) {
        line("BEGIN:VCALENDAR")
        line("VERSION:2.0")
        line("PRODID:-//Campanile//Events//EN")
        line("CALSCALE:GREGORIAN")
        guard let name else { return }
        // The first of each pair is RFC 7986's, the second what programs understood before it.
        text("NAME", name)
        text("X-WR-CALNAME", name)
        line("REFRESH-INTERVAL;VALUE=DURATION:\(Self.refresh)")
        line("X-PUBLISHED-TTL:\(Self.refresh)")
    }

    /// An event as calendars have it.
    struct Entry: Sendable {
        /// The same as long as the event is there.
        let uid: String
        let event: Event
        let changedAt: Timestamp
        /// Whether the one whose calendar it is comes for certain.
        var isTentative = false
    }

    /// - Parameter origin: The server's own address, such as `https://campus.example`.
    mutating func add(_ entry: Entry, origin: String) {
        let event = entry.event
        line("BEGIN:VEVENT")
        line("UID:\(entry.uid)")
        // Without a METHOD it is when the event was last changed (§3.8.7.2), so that the same event is the same bytes.
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

    /// Ends it.
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

    /// A property of type TEXT (§3.3.11).
    private mutating func text(_ name: String, _ value: String) { line(name + ":" + Self.escaped(value)) }

    /// §3.3.11: `\`, `;` and `,` are escaped, and line breaks written as `\n`: also those that are none to RFC 5545, as readers may split
    /// there. Other control characters but tabs may not stand in a TEXT.
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

    /// §3.1: a long line goes on behind CRLF and a space, never within a character.
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

    /// §3.3.5, form 2: UTC. Parts of a second are left out.
    static func time(_ time: Timestamp) -> String {
        let digits = time.description.unicodeScalars.filter { ("0"..."9").contains($0) }.prefix(14)
        let text = String(String.UnicodeScalarView(digits))
        return "\(text.prefix(8))T\(text.dropFirst(8))Z"
    }

    /// §3.8.1.6: six digits behind the point, which is a tenth of a metre.
    private static func degrees(_ value: Double) -> String {
        let millionths = Int((value * 1_000_000).rounded())
        let digits = String(abs(millionths) % 1_000_000)
        return (millionths < 0 ? "-" : "") + "\(abs(millionths) / 1_000_000)."
            + String(repeating: "0", count: 6 - digits.count) + digits
    }
}
