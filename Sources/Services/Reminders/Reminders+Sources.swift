import Delivery
import Foundation
import Postgres
import Wire

/// Reminders on behalf of other services.
extension Reminders {
    /// Seconds between two searches for notices.
    static let noticePlanSeconds = 1.0
    /// Largest number of recipients of a notice that one search processes, so that no statement takes long.
    static let noticePeopleMax: Int64 = 2_000
    /// Largest number of searches before the planned reminders are sent.
    static let noticeSearchesMax = 4
    /// Seconds of delay in which people with an open page can read a notice there; emergencies are not delayed.
    static let noticeDelaySeconds = 10.0
    /// Seconds after which reminders of changes expire.
    static let eventChangeSeconds = 86_400.0

    // MARK: Notices

    /// Puts reminders of published notices into the outbox.
    /// - Returns: False if more remain for the next call.
    /// - Throws: ``Postgres/PostgresError``.
    @discardableResult
    func planNotices(at: Timestamp) async throws -> Bool {
        for _ in 0..<Self.noticeSearchesMax {
            let rows = try await database.query(
                "SELECT reminder_plan_notices($1, $2, make_interval(secs => $3), $4::integer, $5) AS has_more",
                [
                    .timestamp(at.milliseconds),
                    .timestamp(at.advanced(bySeconds: Self.noticeDelaySeconds).milliseconds),
                    .double(Self.eventChangeSeconds), .int(Self.noticePeopleMax), availableNames,
                ])
            guard try rows.first?.bool("has_more") == true else { return true }
        }
        return false
    }

    private static let noticeSQL = """
        SELECT n.title, n.body, n.level, n.state, n.expires_at, notice_for(n, $2) AS is_theirs, EXISTS (SELECT FROM notice_receipts r
            WHERE r.notice_id = n.id AND r.account_id = $2 AND r.read_at IS NOT NULL) AS was_read
        FROM notices n WHERE n.id = $1
        """

    /// Composes the reminder of a notice from its current text.
    func noticeWords(_ notice: Int64, for account: Int64, at: Timestamp) async throws -> Finding {
        guard let found = try await database.query(Self.noticeSQL, [.int(notice), .int(account)]).first,
            try found.text("state") == "published"
        else { return .no("the notice was withdrawn") }
        guard try found.bool("is_theirs") else { return .no("the notice is not for its person any more") }
        guard Timestamp(milliseconds: try found.timestamp("expires_at")) > at else { return .no("the notice expired") }
        guard try !found.bool("was_read") else { return .no("it was read") }
        let title = try found.text("title")
        let isEmergency = try found.text("level") == NoticeLevel.emergency.rawValue
        return .yes(
            ReminderText(
                title: isEmergency ? "Emergency: \(title)" : title, body: try found.optionalText("body") ?? "",
                path: "/notices", tag: "notice/\(notice)", action: "View notices"))
    }

    // MARK: Events

    /// Puts reminders of event changes into the outbox. They are checked again when they are sent.
    /// - Throws: ``Postgres/PostgresError``; repeating the call stores each reminder once.
    public func eventChanged(_ notifications: [EventNotification]) async throws {
        struct Topic: Hashable {
            let event: Int64
            let news: EventNews
        }
        guard !available.isEmpty else { return }
        for (topic, some) in Dictionary(grouping: notifications, by: { Topic(event: $0.event, news: $0.news) }) {
            try await eventChanged(topic.event, topic.news, to: some.map(\.account))
        }
    }

    // MARK: Goals

    /// Puts a reminder into the outbox that the account reached its monthly goal.
    /// - Throws: ``Postgres/PostgresError``.
    public func goalReached(_ goal: Goal, by account: Int64) async throws {
        let at = now()
        let distance = String(format: "%.2f", goal.distance / 1_000)
        try await enqueue(
            Reminder(
                kind: .goal, key: "reached/\(goal.month)", title: "You reached your goal of \(goal.kilometres) km",
                body: "\(distance) km this month. Well done!", path: "/history", due: at,
                expires: at.advanced(bySeconds: Self.eventChangeSeconds)), for: [account])
    }

    // MARK: New accounts

    /// Mails the link to set a password for an account that an admin created. It bypasses the outbox, which would store the link. If the
    /// mail fails, the admin, who sees the link, can pass it on.
    public func welcome(_ account: Account, at address: String, path: String) async {
        guard let mail = configuration.mail, let site = configuration.publicURL, let to = MailAddress(address),
            let workers = workers[.email]
        else { return }
        let words = ReminderText(
            title: "Welcome to Campanile",
            body: "A campus admin created the account \(account.username) for you. "
                + "Set a password within a week to get started.", path: path, tag: "welcome", action: "Set password")
        let page = MailPage(words, link: site + path, unsubscribe: nil)
        let at = now()
        let message = MailMessage(
            from: mail.from, fromName: "Campanile", to: to, subject: words.title, plain: page.plain, html: page.html,
            id: "campanile-welcome-\(account.id)-\(at.milliseconds)", date: at, unsubscribeURL: nil)
        Task {
            let outcome = try? await workers.run { mail.server.send(message.bytes(), from: mail.from, to: to) }
            guard case .sent? = outcome else {
                return logger.warning("a welcome could not be mailed", metadata: ["account": "\(account.id)"])
            }
        }
    }
}
