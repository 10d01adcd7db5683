import Foundation
import Glibc
import Wire

/// Text of a reminder for any channel.
struct ReminderText: Sendable, Equatable {
    /// One-line title.
    var title: String
    /// Text after the title.
    var body: String
    /// Path in the web app; nil for a code, which is entered where it was requested.
    var path: String?
    /// Replacement key: a device shows one notification per tag.
    var tag: String
    /// Label of a mail's button.
    var action = "Open Campanile"

    /// Largest length of a message's excerpt in Unicode scalars; the two following limits apply to all texts, so that a push payload
    /// never exceeds its limit.
    static let messageCharactersMax = 160
    static let titleCharactersMax = 200
    static let bodyCharactersMax = 500

    /// Single line without control characters, truncated to a number of Unicode scalars, because a single character can consist of
    /// thousands of them.
    static func line(_ text: String, max: Int) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(max) {
            line.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(line)
    }

    var limited: ReminderText {
        var words = self
        words.title = Self.line(title, max: Self.titleCharactersMax)
        words.body = Self.line(body, max: Self.bodyCharactersMax)
        return words
    }

    static func code(_ code: String) -> ReminderText {
        ReminderText(
            title: "\(code) is your Campanile code",
            body:
                "Enter \(code) in your reminder settings within 15 minutes. "
                + "If you didn't ask for it, ignore this message.", path: nil, tag: "code")
    }

    static let trial = ReminderText(
        title: "Reminders work", body: "This is your test reminder.", path: "/account", tag: "trial")

    static func event(_ id: Int64, title: String, place: String, begins: Timestamp, at now: Timestamp) -> ReminderText {
        ReminderText(
            title: "\(title) starts in \(span(begins.seconds(since: now)))", body: "\(moment(begins)), \(place)",
            path: "/events/\(id)", tag: "event/\(id)", action: "View event")
    }

    static func eventChange(
        _ news: EventNews, of id: Int64, title: String, place: String, begins: Timestamp, reason: String?
    ) -> ReminderText {
        let when = "\(moment(begins)), \(place)"
        let (line, body) =
            switch news {
            case .invited: ("You're invited: \(title)", when)
            case .changed: ("Changed: \(title)", "Now \(when)")
            case .cancelled: ("Cancelled: \(title)", reason ?? "It was planned for \(when)")
            case .movedUp: ("You got a spot: \(title)", when)
            case .answered: ("Answered: \(title)", when)
            }
        return ReminderText(
            title: line, body: body, path: "/events/\(id)", tag: "event/\(id)", action: "View event")
    }

    /// Reminder of unread messages.
    /// - Parameters:
    ///   - group: Name of the group; nil for a direct conversation.
    ///   - text: Text of the latest message; nil for a reminder that names only the author.
    static func message(
        in conversation: Int64, from name: String, group: String?, text: String?, unread: Int64
    ) -> ReminderText {
        let count = unread >= 100 ? "99+ new messages" : unread > 1 ? "\(unread) new messages" : "A new message"
        return ReminderText(
            title: group.map { "\(name) in \($0)" } ?? name,
            body: text.map { line($0, max: messageCharactersMax) } ?? count, path: "/chats/\(conversation)",
            tag: "chat/\(conversation)", action: "Open chat")
    }

    /// Duration such as `2 hours`, rounded because reminders are sent a few seconds late.
    static func span(_ seconds: Double) -> String {
        func many(_ count: Double, _ unit: String) -> String {
            let whole = max(1, Int(count.rounded()))
            return "\(whole) \(unit)\(whole == 1 ? "" : "s")"
        }
        let minutes = (seconds / 60).rounded()
        if minutes >= 2_880 { return many(minutes / 1_440, "day") }
        if minutes > 180 || minutes.remainder(dividingBy: 60) == 0 { return many(minutes / 60, "hour") }
        return many(minutes, "minute")
    }

    /// Local time of the server (`TZ`) with the name of its zone; a campus has one time zone.
    static func moment(_ at: Timestamp) -> String {
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

/// Plain and HTML version of a mail.
struct ReminderMail {
    let words: ReminderText
    /// Link to the web app; nil without a path.
    let link: String?
    /// Link to the page that stops such mails.
    let unsubscribe: String?

    var plain: String {
        var text = "\(words.title)\n\n\(words.body)\n"
        if let link { text += "\n\(words.action): \(link)\n" }
        if let unsubscribe {
            text += "\n-- \nYou get this email because you turned on reminders.\nUnsubscribe: \(unsubscribe)\n"
        }
        return text
    }

    /// HTML version. It loads no external resources, which would reveal whether the mail was read, and escapes user text.
    var html: String {
        let button =
            link.map {
                "<p style=\"margin:24px 0\"><a class=\"b\" href=\"\(Self.escaped($0))\">\(Self.escaped(words.action))</a></p>"
            }
            ?? ""
        let foot =
            unsubscribe.map {
                "<p class=\"f\">You get this email because you turned on reminders. "
                    + "<a href=\"\(Self.escaped($0))\">Unsubscribe</a></p>"
            } ?? ""
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="supported-color-schemes" content="light dark">
            <title>\(Self.escaped(words.title))</title>
            <style>
            :root { color-scheme: light dark; }
            body { margin: 0; padding: 24px; background: #ffffff; color: #1c1917; font: 16px/1.5 system-ui, sans-serif; }
            main { max-width: 560px; margin: 0 auto; }
            h1 { font-size: 20px; line-height: 1.3; margin: 0 0 12px; }
            a { color: #1d4ed8; }
            a.b {
              display: inline-block; padding: 10px 18px; border-radius: 8px; background: #1d4ed8; color: #ffffff; text-decoration: none;
            }
            .f { margin-top: 32px; font-size: 13px; color: #57534e; }
            @media (prefers-color-scheme: dark) {
              body { background: #1c1917; color: #f5f5f4; }
              a { color: #93c5fd; }
              .f { color: #a8a29e; }
            }
            </style>
            </head>
            <body><main>
            <h1>\(Self.escaped(words.title))</h1>
            <p>\(Self.escaped(words.body))</p>
            \(button)\(foot)
            </main></body>
            </html>

            """
    }

    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
