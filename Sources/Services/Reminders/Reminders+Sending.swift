import Delivery
import EventLoop
import Postgres
import Wire

/// Sending of one reminder: checks that it still applies, composes its text and hands it over.
extension Reminders {
    /// Largest time in seconds for which a push service may keep a reminder.
    static let pushSecondsMax = 86_400.0

    /// Sends a reminder if it still applies.
    /// - Throws: Only if nothing was handed over.
    func attempt(_ row: OutboxRow) async throws -> Settlement {
        let at = now()
        guard row.expiresAt > at else { return .dropped("it was too late") }
        guard let target = try await target(of: row, at: at) else { return .dropped("the address is gone") }
        if let reason = Self.objection(row, target) { return .dropped(reason) }
        if let until = try await held(row, at: at) {
            return until < row.expiresAt ? .putOff(until) : .dropped("it would come too late")
        }
        let words: ReminderText
        switch try await self.words(for: row, target, at: at) {
        case .no(let reason): return .dropped(reason)
        case .later(let until): return .putOff(until)
        case .yes(let found): words = found.limited
        }
        return try await handOver(words, row, target, at: at)
    }

    private func target(of row: OutboxRow, at: Timestamp) async throws -> ReminderTarget? {
        guard let address = row.addressID else { return nil }
        let kind = if case .chosen(let kind) = row.kind { kind.rawValue } else { "" }
        let rows = try await database.query(
            ReminderTarget.sql,
            [
                .int(address), .int(row.account), .text(kind),
                .timestamp(at.advanced(bySeconds: -Timestamp.daySeconds).milliseconds),
            ])
        return try rows.first.map { try ReminderTarget($0) }
    }

    private static func objection(_ row: OutboxRow, _ target: ReminderTarget) -> String? {
        switch row.kind {
        case .code: if target.state != "unconfirmed" { return "the address needs no code" }
        case .trial: if target.state != "on" { return "the address is not confirmed" }
        case .chosen:
            if target.state != "on" { return "the address is not confirmed" }
            if !target.isWanted { return "it is not chosen any more" }
        }
        // Codes have a separate limit, and restore an address that reached this one.
        guard row.kind != .code, target.sentToday >= sentPerDayMax[row.channel] ?? 0 else { return nil }
        return "too many were sent to the address today"
    }

    /// Time until which the recipient must not be disturbed.
    private func held(_ row: OutboxRow, at: Timestamp) async throws -> Timestamp? {
        guard !row.isUrgent, case .chosen = row.kind, let until = try await heldUntil([row.account])[row.account] else {
            return nil
        }
        return until > at ? until : nil
    }

    // MARK: Text

    /// Whether a reminder still applies, and its text.
    enum Finding {
        case yes(ReminderText)
        case later(Timestamp)
        case no(String)
    }

    private func words(for row: OutboxRow, _ target: ReminderTarget, at: Timestamp) async throws -> Finding {
        switch row.kind {
        case .trial: return .yes(.trial)
        case .code:
            guard let address = row.addressID, let code = try await makeCode(for: address) else {
                return .no("the address needs no code")
            }
            return .yes(.code(code))
        case .chosen:
            if row.payload.event != nil { return try await eventWords(row, at: at) }
            if row.payload.conversation != nil { return try await messageWords(row, target, at: at) }
            if let notice = row.payload.notice { return try await noticeWords(notice, for: row.account, at: at) }
            if row.payload.workout != nil { return try await workoutWords(row, at: at) }
            if let group = row.payload.group { return try await groupWords(group, for: row.account) }
            guard let title = row.payload.title, let body = row.payload.body else { return .no("it has no text") }
            return .yes(ReminderText(title: title, body: body, path: row.payload.path ?? "/", tag: row.dedupe))
        }
    }

    private static let eventSQL = """
        SELECT e.title, e.place, e.state, e.starts_at, e.ends_at, e.cancel_reason, event_visible(e, $2::bigint) AS is_visible,
            p.answer, coalesce(p.is_waiting, false) AS is_waiting
        FROM events e LEFT JOIN event_people p ON p.event_id = e.id AND p.account_id = $2::bigint WHERE e.id = $1
        """

    private func eventWords(_ row: OutboxRow, at: Timestamp) async throws -> Finding {
        guard let event = row.payload.event else { return .no("it has no text") }
        let rows = try await database.query(Self.eventSQL, [.int(event), .int(row.account)])
        guard let found = rows.first, try found.optionalBool("is_visible") == true else {
            return .no("the event is not open to its person any more")
        }
        let begins = Timestamp(milliseconds: try found.timestamp("starts_at"))
        let (title, place, state) = (try found.text("title"), try found.text("place"), try found.text("state"))
        let answer = try found.optionalText("answer").flatMap { EventAnswer(rawValue: $0) }
        let isComing = try (answer == .going || answer == .maybe) && !found.bool("is_waiting")
        guard let news = row.payload.news else {
            guard state == "published" else { return .no("the event does not happen") }
            guard begins.milliseconds == row.payload.startsAt else { return .no("the event was moved") }
            guard isComing else { return .no("its person does not come any more") }
            guard begins > at else { return .no("the event has begun") }
            return .yes(.event(event, title: title, place: place, begins: begins, at: at))
        }
        guard (state == "cancelled") == (news == .cancelled), state != "draft" else {
            return .no("the event has changed since")
        }
        guard Timestamp(milliseconds: try found.timestamp("ends_at")) > at else { return .no("the event is over") }
        if news == .movedUp, !isComing { return .no("its person does not come any more") }
        if news == .invited, answer != nil { return .no("its person has answered") }
        return .yes(
            .eventChange(
                news, of: event, title: title, place: place, begins: begins,
                reason: try found.optionalText("cancel_reason")))
    }

    private static let messageSQL = """
        SELECT c.kind, c.name, m.read_offset, m.muted_until, u.author_id, u.body, u.unread
        FROM members m JOIN conversations c ON c.id = m.conversation_id CROSS JOIN LATERAL reminder_unread(c.id, m.account_id) u
        WHERE m.conversation_id = $1 AND m.account_id = $2 AND m.state = 'joined'
        """

    private func messageWords(_ row: OutboxRow, _ target: ReminderTarget, at: Timestamp) async throws -> Finding {
        guard let conversation = row.payload.conversation else { return .no("it has no text") }
        let rows = try await database.query(Self.messageSQL, [.int(conversation), .int(row.account)])
        guard let found = rows.first, try found.int("read_offset") == row.payload.read else {
            return .no("it was read")
        }
        if let muted = try found.optionalTimestamp("muted_until"), muted > at.milliseconds { return .no("it is muted") }
        // The connected client shows the messages; check again later whether they were read.
        guard await hub.signals.connected(of: [row.account]).isEmpty else {
            return .later(at.advanced(bySeconds: Self.presentSeconds))
        }
        let author = try found.int("author_id")
        let name = try await people.people([author], seenBy: row.account)[author]?.name ?? "Someone"
        let isGroup = try found.text("kind") == "group"
        // Mails and text messages name the author but omit the text, because other people and intermediate servers can read them.
        let showsText = row.channel == .push && !target.hidesText
        let text = showsText ? (try found.optionalText("body")) ?? "Picture" : nil
        return .yes(
            .message(
                in: conversation, from: name, group: isGroup ? try found.optionalText("name") : nil, text: text,
                unread: try found.int("unread")))
    }

    // MARK: Delivery

    private func handOver(
        _ words: ReminderText, _ row: OutboxRow, _ target: ReminderTarget, at: Timestamp
    ) async throws -> Settlement {
        let send: (@Sendable () -> DeliveryOutcome)? =
            switch row.channel {
            case .push: try pushing(words, row, target, at: at)
            case .email: mailing(words, row, target)
            case .text: texting(words, target)
            }
        guard let send, let workers = workers[row.channel] else { return .dropped("the channel is not set up here") }
        let started = EventLoop.nowNanoseconds
        // A full pool throws before anything is sent.
        let outcome = try await workers.run { send() }
        metrics.took(EventLoop.nowNanoseconds &- started, row.channel)
        switch outcome {
        case .sent: return .sent
        case .later(let reason, let after): return .retry(reason, after: after)
        case .refused(let reason): return .failed(reason)
        case .dead(let reason): return .dead(reason)
        case .doubtful(let reason): return .doubtful(reason)
        }
    }

    private func pushing(
        _ words: ReminderText, _ row: OutboxRow, _ target: ReminderTarget, at: Timestamp
    ) throws -> (@Sendable () -> DeliveryOutcome)? {
        guard let push, let key = target.publicKey, let secret = target.secret else { return nil }
        let kind: ReminderKind? = if case .chosen(let kind) = row.kind { kind } else { nil }
        let payload = try WireJSON.encode(
            PushPayload(
                kind: kind, title: words.title, body: words.body, tag: words.tag, path: words.path ?? "/",
                urgent: row.isUrgent && kind != nil ? true : nil))
        let seconds = Int(min(row.expiresAt.seconds(since: at), Self.pushSecondsMax))
        let urgency: WebPush.Urgency = row.isUrgent || kind == .message ? .high : .normal
        let browser = WebPush.Browser(endpoint: target.address, key: key, secret: secret)
        return {
            push.send(payload, to: browser, tag: words.tag, urgency: urgency, secondsToLive: seconds, now: at)
        }
    }

    private func mailing(
        _ words: ReminderText, _ row: OutboxRow, _ target: ReminderTarget
    ) -> (@Sendable () -> DeliveryOutcome)? {
        guard let mail = configuration.mail, let site = configuration.publicURL, let to = MailAddress(target.address)
        else { return nil }
        var unsubscribe: String?
        if case .chosen(let kind) = row.kind, let address = row.addressID {
            unsubscribe = "\(site)/unsubscribe/\(unsubscribing.make(address: address, kind: kind))"
        }
        let page = MailPage(words, link: words.path.map { site + $0 }, unsubscribe: unsubscribe)
        let message = MailMessage(
            from: mail.from, fromName: "Campanile", to: to, subject: words.title, plain: page.plain, html: page.html,
            id: "campanile-reminder-\(row.id)-\(row.dueAt.milliseconds)", date: row.dueAt, unsubscribeURL: unsubscribe)
        return { mail.server.send(message.bytes(), from: mail.from, to: to) }
    }

    private func texting(_ words: ReminderText, _ target: ReminderTarget) -> (@Sendable () -> DeliveryOutcome)? {
        guard let gateway = configuration.text else { return nil }
        let link = words.path.flatMap { path in configuration.publicURL.map { $0 + path } }
        let text = TextMessage.shortened("\(words.title). \(words.body)", link: link)
        let number = target.address
        return { gateway.send(text, to: number) }
    }
}
