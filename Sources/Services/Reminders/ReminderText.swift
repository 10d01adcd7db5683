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
            title: "\(title) starts in \(span(begins.seconds(since: now)))",
            body: "\(LocalTime.text(begins)), \(place)",
            path: "/events/\(id)", tag: "event/\(id)", action: "View event")
    }

    static func eventChange(
        _ news: EventNews, of id: Int64, title: String, place: String, begins: Timestamp, reason: String?
    ) -> ReminderText {
        let when = "\(LocalTime.text(begins)), \(place)"
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
}

extension MailPage {
    /// Mail with a reminder.
    /// - Parameters:
    ///   - link: Link to the web app; nil without a path.
    ///   - unsubscribe: Link to the page that stops such mails.
    init(_ words: ReminderText, link: String?, unsubscribe: String?) {
        self.init(
            title: words.title, paragraphs: [words.body], button: link.map { Link(label: words.action, url: $0) },
            foot: unsubscribe.map {
                Foot(
                    text: "You get this email because you turned on reminders.",
                    link: Link(label: "Unsubscribe", url: $0))
            })
    }
}
