import Foundation
import Postgres
import Wire

/// Reminders of planned workouts and of invitations to live groups. They name the workout and nothing of the body data.
extension Reminders {
    /// Seconds before the planned start of a workout.
    static let workoutLeadSeconds = 1_800.0
    /// Seconds after which a reminder of an invitation expires: the group ends by itself then, but one of an event with the event.
    static let invitationSeconds = Together.idleSeconds

    /// Puts reminders of workouts into the outbox that are due within the next minute.
    /// - Returns: Number of new reminders.
    @discardableResult
    func planWorkouts(at: Timestamp) async throws -> Int {
        let rows = try await database.query(
            "SELECT reminder_plan_workouts($1, $2, $3, make_interval(secs => $4), make_interval(secs => $5), $6) AS made",
            [
                .timestamp(at.milliseconds),
                .timestamp(at.advanced(bySeconds: Self.eventPlanSeconds).milliseconds),
                .timestamp(at.advanced(bySeconds: -Self.planLateSecondsMax).milliseconds),
                .double(Self.planOverlapSeconds), .double(Self.workoutLeadSeconds), availableNames,
            ])
        return Int(try rows.first?.int("made") ?? 0)
    }

    /// Puts reminders of an invitation to a live group into the outbox, once for each person and group: a person who declined is not
    /// reminded again.
    /// - Throws: ``Postgres/PostgresError``.
    public func invited(to group: UUID, _ accounts: [Int64]) async throws {
        guard !available.isEmpty, !accounts.isEmpty else { return }
        let id = group.uuidString.lowercased()
        let at = now()
        let event = try await database.query(
            "SELECT e.ends_at FROM live_groups g JOIN events e ON e.id = g.event_id AND e.state = 'published' WHERE g.id = $1",
            [.uuid(id)]
        ).first
        let eventEnd = try event.map { Timestamp(milliseconds: try $0.timestamp("ends_at")) }
        let idle = at.advanced(bySeconds: Self.invitationSeconds)
        try await add(
            accounts, .workout, "together/\(id)", ReminderPayload(group: id), isUrgent: false, due: at,
            expires: max(idle, eventEnd ?? idle))
    }

    private static let workoutSQL = """
        SELECT w.plan ->> 'title' AS title, w.plan ->> 'destinationName' AS place, w.scheduled_at,
            reminder_workout_begun(w, make_interval(secs => $3)) AS is_begun
        FROM workouts w WHERE w.account_id = $1 AND w.id = $2
        """

    /// Composes the reminder of a planned workout from its current plan.
    func workoutWords(_ row: OutboxRow, at: Timestamp) async throws -> Finding {
        guard let id = row.payload.workout else { return .no("it has no text") }
        let parameters: [PostgresValue] = [.int(row.account), .uuid(id), .double(Self.workoutLeadSeconds)]
        guard let found = try await database.query(Self.workoutSQL, parameters).first else {
            return .no("the workout was removed")
        }
        guard try !found.bool("is_begun") else { return .no("the person trains already") }
        guard let start = try found.optionalTimestamp("scheduled_at"), start == row.payload.startsAt else {
            return .no("the workout was moved")
        }
        guard start > at.milliseconds else { return .no("the workout was to begin before") }
        return .yes(
            .workout(
                id, title: try found.text("title"), place: try found.optionalText("place"),
                begins: Timestamp(milliseconds: start), at: at))
    }

    private static let groupSQL = """
        SELECT g.plan ->> 'title' AS title, h.username FROM live_group_members m JOIN live_groups g ON g.id = m.group_id
        JOIN accounts h ON h.id = g.host_id
        WHERE m.group_id = $1 AND m.account_id = $2 AND m.state = 'invited' AND g.ended_at IS NULL AND NOT is_blocked(g.host_id, $2)
        """

    /// Composes the reminder of an invitation, if it still holds.
    func groupWords(_ group: String, for account: Int64) async throws -> Finding {
        guard let found = try await database.query(Self.groupSQL, [.uuid(group), .int(account)]).first else {
            return .no("the invitation does not hold any more")
        }
        return .yes(.invitation(to: group, by: try found.text("username"), title: try found.text("title")))
    }
}

extension ReminderText {
    static func workout(
        _ id: String, title: String, place: String?, begins: Timestamp, at now: Timestamp
    ) -> ReminderText {
        ReminderText(
            title: "\(title) starts in \(span(begins.seconds(since: now)))",
            body: [LocalTime.text(begins), place].compactMap(\.self).joined(separator: ", "), path: "/workouts/\(id)",
            tag: "workout/\(id)", action: "View workout")
    }

    static func invitation(to group: String, by host: String, title: String) -> ReminderText {
        ReminderText(
            title: "\(host) invites you to train together", body: title, path: "/together/\(group)",
            tag: "together/\(group)", action: "View invitation")
    }
}
