import Postgres
import Wire

/// Reminder settings.
extension Reminders {
    /// Largest number of reminders before an event.
    static let leadsMax = 5
    static let leadMinutes = 5...10_080
    static let unreadMinutes = 1...1_440
    static let unreadMinutesDefault = 10

    static let chosenSQL = """
        SELECT coalesce(s.choices, reminder_choices_default()) AS choices,
            coalesce(s.leads, reminder_leads_default())::bigint[] AS leads, coalesce(s.unread_minutes, $2) AS unread_minutes,
            coalesce(s.hides_text, false) AS hides_text
        FROM (SELECT $1::bigint AS id) a LEFT JOIN reminder_settings s ON s.account_id = a.id
        """

    /// Returns the caller's reminder settings and channels.
    /// - Throws: ``Postgres/PostgresError``.
    public func settings(of identity: Identity) async throws -> ReminderSettings {
        let account = identity.account.id
        let rows = try await database.query(
            Self.chosenSQL, [.int(account), .int(Int64(Self.unreadMinutesDefault))])
        guard let row = rows.first else { throw RPCError(.internalError, "there are no settings") }
        var settings = try Self.chosen(row)
        settings.channels = try await channels(of: account)
        return settings
    }

    private static func chosen(_ row: PostgresRow) throws -> ReminderSettings {
        let choices = Set(try row.textArray("choices"))
        return ReminderSettings(
            channels: [],
            kinds: ReminderKind.allCases.map { kind in
                .init(
                    kind: kind, channels: ReminderChannel.allCases.filter { choices.contains("\(kind)/\($0)") })
            }, leads: try row.intArray("leads").map { Int($0) }, unreadMinutes: Int(try row.int("unread_minutes")),
            hidesText: try row.bool("hides_text"))
    }

    private func channels(of account: Int64) async throws -> [ReminderSettings.Channel] {
        let rows = try await database.query(
            "SELECT channel, address, state, reason, client, created_at FROM reminder_addresses WHERE account_id = $1 ORDER BY id",
            [.int(account)])
        var channels = ReminderChannel.allCases.map {
            ReminderSettings.Channel(channel: $0, state: available.contains($0) ? .off : .unavailable)
        }
        for row in rows {
            guard let state = ReminderChannelState(rawValue: try row.text("state")),
                let place = try channels.firstIndex(where: { $0.channel.rawValue == (try row.text("channel")) })
            else { continue }
            let isThere = channels[place].state != .unavailable
            if channels[place].channel == .push {
                channels[place].browsers =
                    (channels[place].browsers ?? []) + [
                        .init(
                            endpoint: try row.text("address"), client: try row.optionalText("client"),
                            since: Timestamp(milliseconds: try row.timestamp("created_at")), state: state)
                    ]
                // The channel is on if at least one browser works.
                if isThere, channels[place].state != .on { channels[place].state = state }
            } else {
                channels[place].address = try row.text("address")
                if isThere { channels[place].state = state }
            }
            channels[place].reason = channels[place].state == .dead ? try row.optionalText("reason") : nil
        }
        return channels
    }

    /// Changes the given settings.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func save(_ params: RemindersSaveSettings.Params, of identity: Identity) async throws -> ReminderSettings {
        let account = identity.account.id
        let leads = try params.leads.map(Self.checked(leads:))
        if let minutes = params.unreadMinutes, !Self.unreadMinutes.contains(minutes) {
            throw RPCError.invalid("unreadMinutes", "must be 1 to 1,440")
        }
        guard Set((params.kinds ?? []).map(\.kind)).count == params.kinds?.count ?? 0 else {
            throw RPCError.invalid("kinds", "must have each kind once")
        }
        try await database.transaction { transaction in
            // Serialises changes, so that settings that are not given keep their values.
            _ = try await transaction.query("SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE", [.int(account)])
            let rows = try await transaction.query(
                Self.chosenSQL, [.int(account), .int(Int64(Self.unreadMinutesDefault))])
            guard let row = rows.first else { throw RPCError(.internalError, "there are no settings") }
            var chosen = try Self.chosen(row)
            for choice in params.kinds ?? [] {
                guard let place = chosen.kinds.firstIndex(where: { $0.kind == choice.kind }) else { continue }
                chosen.kinds[place] = choice
            }
            let choices = Set(chosen.kinds.flatMap { choice in choice.channels.map { "\(choice.kind)/\($0)" } })
            _ = try await transaction.query(
                """
                INSERT INTO reminder_settings (account_id, choices, leads, unread_minutes, hides_text)
                VALUES ($1, $2, $3::bigint[]::integer[], $4, $5)
                ON CONFLICT (account_id) DO UPDATE SET choices = excluded.choices, leads = excluded.leads,
                    unread_minutes = excluded.unread_minutes, hides_text = excluded.hides_text
                """,
                [
                    .int(account), .textArray(choices.sorted()), .intArray((leads ?? chosen.leads).map { Int64($0) }),
                    .int(Int64(params.unreadMinutes ?? chosen.unreadMinutes)),
                    .bool(params.hidesText ?? chosen.hidesText),
                ])
        }
        return try await settings(of: identity)
    }

    private static func checked(leads: [Int]) throws -> [Int] {
        guard leads.count <= leadsMax else { throw RPCError.invalid("leads", "are at most \(leadsMax)") }
        for (index, lead) in leads.enumerated() where !leadMinutes.contains(lead) {
            throw RPCError.invalid("leads[\(index)]", "must be 5 to 10,080 minutes")
        }
        return Set(leads).sorted(by: >)
    }
}
