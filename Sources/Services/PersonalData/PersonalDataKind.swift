/// A kind of data stored about an account, as exported. A test compares the kinds with the tables that reference accounts, so that a new
/// table is not forgotten.
struct PersonalDataKind: Sendable {
    /// Name in the export.
    let name: String
    /// Query of the rows of account `$1`; its column names are the field names of the export.
    let sql: String
    /// Tables from which the rows come.
    let tables: [String]
    /// Retention in days; nil for the lifetime of the account.
    var days: Int?
    /// Method that erases the data.
    var erase: String?

    /// Tables that reference accounts and are not exported, each with the reason.
    static let notExported = [
        "account_changes": "times of changes within a day",
        "buddies": "pairs: `buddies` has only the caller's half",
        "factor_guesses": "a number of wrong codes within a day",
        "pending_sign_ins": "hashes of sign-ins that wait for minutes",
        "recovery_codes": "hashes of codes",
        "known_devices": "hashes by which devices are recognised: `devices` and `formerDevices` give the devices",
        "event_news": "delivered within seconds, then removed",
        "notice_targets": "what `notices` gives",
        "notice_pruned": "how far a list was shortened",
        "password_resets": "hashes of links that were asked for",
        "points": "`/account/tracks.gpx` gives them",
        "picture_room": "a sum of `pictures`",
        "privacy_keys": "a secret that hides private zones",
        "reminder_plans": "how far reminders are planned, over all accounts",
        "read_spans": "which parts of a conversation one was in: `conversations` gives since when",
        "reminder_codes": "hashes of codes that were asked for",
        "training_removals": "ids of removed workouts and trainings, so that a late request does not bring one back",
        "topics": "names of topics",
        "welcomes": "the hash of a link",
    ]

    static let all: [PersonalDataKind] =
        [
            PersonalDataKind(
                name: "account",
                sql: """
                    SELECT id, username, email, email_confirmed_at, confirm_by, role, created_at, disabled_at, disabled_reason,
                        '/pictures/' || picture_id AS picture FROM accounts WHERE id = $1
                    """,
                tables: ["accounts"]),
            PersonalDataKind(
                name: "newAddress",
                sql: "SELECT address, expires_at FROM address_confirmations WHERE account_id = $1",
                tables: ["address_confirmations"]),
            PersonalDataKind(
                name: "providers",
                sql: """
                    SELECT issuer, subject, verified_key AS verified_address, connected_at, last_used_at FROM provider_identities
                    WHERE account_id = $1 ORDER BY issuer
                    """,
                tables: ["provider_identities"], erase: "account.disconnectOpenID"),
            PersonalDataKind(
                name: "passkeys",
                sql: """
                    SELECT name, created_at, last_used_at, is_backed_up, stopped_at FROM passkeys WHERE account_id = $1 ORDER BY id
                    """,
                tables: ["passkeys"], erase: "account.removePasskey"),
            PersonalDataKind(
                name: "authenticatorApp",
                sql: "SELECT created_at, confirmed_at FROM totp_secrets WHERE account_id = $1",
                tables: ["totp_secrets"], erase: "account.removeTOTP"),
            PersonalDataKind(
                name: "devices",
                sql: """
                    SELECT client, platform, address, created_at, last_used_at FROM tokens
                    WHERE account_id = $1 AND revoked_at IS NULL ORDER BY id
                    """,
                tables: ["tokens"], erase: "account.logoutEverywhere"),
            PersonalDataKind(
                name: "formerDevices",
                sql: """
                    SELECT client, platform, address, created_at, last_used_at, revoked_at FROM tokens
                    WHERE account_id = $1 AND revoked_at IS NOT NULL ORDER BY id
                    """,
                tables: ["tokens"], days: Accounts.expiredKeptDays),
            PersonalDataKind(
                name: "profile",
                sql: """
                    SELECT first_name, last_name, birthday, gender, degree, interests, home_lat, home_lon, home_name, updated_at
                    FROM profiles WHERE account_id = $1
                    """,
                tables: ["profiles"]),
            PersonalDataKind(
                name: "formerUsernames",
                sql:
                    "SELECT username_key AS username, changed_at FROM username_changes WHERE account_id = $1 ORDER BY changed_at",
                tables: ["username_changes"], days: Accounts.usernameHeldDays),
            PersonalDataKind(
                name: "settings",
                sql: "SELECT name, value, changed_at FROM account_settings WHERE account_id = $1 ORDER BY name",
                tables: ["account_settings"]),
            PersonalDataKind(
                name: "sessions",
                sql: """
                    SELECT id, activity, title, state, audience, started_at, ended_at, distance, moving, points,
                        (SELECT json_agg(json_build_object('from', p.from_at, 'to', p.to_at) ORDER BY p.from_at)
                            FROM pauses p WHERE p.session_id = s.id) AS pauses,
                        (SELECT json_agg(json_build_object('createdAt', l.created_at, 'expiresAt', l.expires_at,
                            'revokedAt', l.revoked_at) ORDER BY l.id) FROM links l WHERE l.session_id = s.id) AS links
                    FROM sessions s WHERE account_id = $1 ORDER BY id
                    """, tables: ["sessions", "pauses", "links"]),
            PersonalDataKind(
                name: "goal",
                sql: """
                    SELECT kilometres, time_zone, reset_at FROM goals WHERE account_id = $1
                    """, tables: ["goals"]),
            PersonalDataKind(
                name: "managedPlaces",
                sql: "SELECT id, name FROM places WHERE manager_id = $1 ORDER BY id", tables: ["places"]),
            PersonalDataKind(
                name: "pictures",
                sql: """
                    SELECT '/pictures/' || id AS path, id, purpose, width, height, created_at FROM pictures WHERE owner_id = $1
                    ORDER BY created_at, id
                    """, tables: ["pictures"]),
            PersonalDataKind(
                name: "buddyProfile",
                sql: """
                    SELECT (SELECT to_json(b) FROM buddy_profiles b WHERE b.account_id = a.account_id) AS profile, a.agreed_at
                    FROM buddy_agreements a WHERE a.account_id = $1
                    """, tables: ["buddy_agreements", "buddy_profiles"]),
            PersonalDataKind(
                name: "decisions",
                sql: """
                    SELECT other_id AS account, accepts, at FROM buddy_decisions WHERE account_id = $1 ORDER BY at
                    """,
                tables: ["buddy_decisions"]),
            PersonalDataKind(
                name: "buddies",
                sql: """
                    SELECT a.username, b.matched_at FROM buddies b
                    JOIN accounts a ON a.id = CASE b.low_id WHEN $1 THEN b.high_id ELSE b.low_id END
                    WHERE $1 IN (b.low_id, b.high_id) ORDER BY b.matched_at
                    """, tables: ["buddies"], erase: "buddies.remove"),
            PersonalDataKind(
                name: "blocked",
                sql: """
                    SELECT blocked_id AS account, name, changed_at FROM blocks WHERE blocker_id = $1 AND is_on
                    """,
                tables: ["blocks"], erase: "safety.unblock"),
            PersonalDataKind(
                name: "reports",
                sql: "SELECT reason, note, at, closed_at FROM reports WHERE reporter_id = $1 ORDER BY at",
                tables: ["reports"]),
            PersonalDataKind(
                name: "conversations",
                sql: """
                    SELECT c.id, c.kind, CASE WHEN m.state <> 'left' THEN c.name END AS name, m.role, m.state, m.since,
                        m.read_offset, m.delivered_offset, m.muted_until FROM members m
                    JOIN conversations c ON c.id = m.conversation_id WHERE m.account_id = $1 ORDER BY c.id
                    """, tables: ["members", "conversations"], erase: "group.leave"),
            PersonalDataKind(
                name: "messages",
                sql: """
                    SELECT conversation_id AS conversation, at_offset AS message, at, body, picture_id AS picture, reply_to, edited_at
                    FROM chat_log
                    WHERE author_id = $1 AND kind = 'message' AND deleted_at IS NULL ORDER BY conversation_id, at_offset
                    """, tables: ["chat_log"], erase: "chat.delete"),
            PersonalDataKind(
                name: "retracted",
                sql: """
                    SELECT r.conversation_id AS conversation, r.at_offset AS message, r.body, r.picture_id AS picture, r.at
                    FROM chat_log l JOIN retracted r ON r.conversation_id = l.conversation_id AND r.at_offset = l.at_offset
                    WHERE l.author_id = $1 AND l.kind = 'message'
                        AND r.at > now() - make_interval(days => \(Int(Chat.retractedDaysMax))) ORDER BY r.id
                    """, tables: ["retracted"], days: Int(Chat.retractedDaysMax)),
            PersonalDataKind(
                name: "reactions",
                sql: """
                    SELECT conversation_id AS conversation, at_offset AS message, emoji FROM reactions WHERE account_id = $1
                    ORDER BY conversation_id, at_offset, emoji
                    """,
                tables: ["reactions"], erase: "chat.react"),
            PersonalDataKind(
                name: "chatSettings",
                sql: """
                    SELECT sends_read, sends_delivered, sends_typing FROM chat_settings WHERE account_id = $1
                    """,
                tables: ["chat_settings"]),
            PersonalDataKind(
                name: "events",
                sql: """
                    SELECT id, audience, state, title, description, workout, starts_at, ends_at, place, ST_Y(position) AS lat,
                        ST_X(position) AS lon, zone_id AS zone, capacity, cancel_reason, created_at, changed_at
                    FROM events WHERE owner_id = $1 ORDER BY id
                    """, tables: ["events"], erase: "events.cancel"),
            PersonalDataKind(
                name: "answers",
                sql: """
                    SELECT e.id AS event, e.title, p.answer, p.is_waiting, p.is_saved, p.invited_at, p.answered_at
                    FROM event_people p JOIN events e ON e.id = p.event_id WHERE p.account_id = $1 ORDER BY e.id
                    """, tables: ["event_people"], erase: "events.answer"),
            PersonalDataKind(
                name: "calendar",
                sql: """
                    SELECT made_at FROM calendar_feeds WHERE account_id = $1
                    """, tables: ["calendar_feeds"],
                erase: "events.calendarOff"),
            PersonalDataKind(
                name: "noticesSent",
                sql: """
                    SELECT id, title, body, level, created_at FROM notices WHERE author_id = $1 ORDER BY id
                    """,
                tables: ["notices"], erase: "notices.withdraw"),
            PersonalDataKind(
                name: "notices",
                sql: """
                    SELECT notice_id AS notice, received_at, read_at FROM notice_receipts WHERE account_id = $1 ORDER BY notice_id
                    """,
                tables: ["notice_receipts"]),
            PersonalDataKind(
                name: "noticesToYou",
                sql: """
                    SELECT id, CASE WHEN state <> 'withdrawn' THEN title END AS title,
                        CASE WHEN state <> 'withdrawn' THEN body END AS body, level, state, publish_at, expires_at FROM notices
                    WHERE account_id = $1 AND published_offset IS NOT NULL ORDER BY id
                    """,
                tables: ["notices"]),
            PersonalDataKind(
                name: "noticeSettings",
                sql: """
                    SELECT (SELECT json_agg(z.zone_id) FROM zone_followers z WHERE z.account_id = $1) AS zones,
                        (SELECT json_build_object('from', q.from_time, 'to', q.to_time, 'timeZone', q.time_zone)
                            FROM quiet_hours q WHERE q.account_id = $1) AS quiet_hours,
                        (SELECT h.since_offset FROM notice_holds h WHERE h.account_id = $1) AS held_since
                    WHERE EXISTS (SELECT FROM zone_followers z WHERE z.account_id = $1)
                        OR EXISTS (SELECT FROM quiet_hours q WHERE q.account_id = $1)
                        OR EXISTS (SELECT FROM notice_holds h WHERE h.account_id = $1)
                    """, tables: ["zone_followers", "quiet_hours", "notice_holds"], erase: "notices.saveSettings"),
            PersonalDataKind(
                name: "reminderSettings",
                sql: "SELECT choices, leads, unread_minutes, hides_text FROM reminder_settings WHERE account_id = $1",
                tables: ["reminder_settings"], erase: "reminders.saveSettings"),
            PersonalDataKind(
                name: "reminderAddresses",
                sql: """
                    SELECT channel, address, client, state, reason, created_at FROM reminder_addresses WHERE account_id = $1
                    ORDER BY id
                    """,
                tables: ["reminder_addresses"], erase: "reminders.removeAddress"),
            PersonalDataKind(
                name: "reminders",
                sql: """
                    SELECT kind, channel, payload, due_at, state, sent_at FROM reminders WHERE account_id = $1 ORDER BY id
                    """,
                tables: ["reminders"]),
            PersonalDataKind(
                name: "accountMails",
                sql: """
                    SELECT m.kind, m.address, m.client, m.ended_issuers, m.created_at, m.state, m.sent_at FROM account_mails m
                    JOIN accounts a ON a.id = $1 AND (m.account_id = a.id
                        OR m.kind = 'reset' AND m.address = a.email_key AND a.confirm_by IS NULL)
                    ORDER BY m.id
                    """,
                tables: ["account_mails"], days: AccountMailOutbox.keptDays),
            PersonalDataKind(
                name: "publications",
                sql: """
                    SELECT data, at FROM publications WHERE author_id = $1 ORDER BY topic_id, at_offset
                    """, tables: ["publications"]),
            PersonalDataKind(
                name: "actionsAsAdmin",
                sql: """
                    SELECT at, action, subject_kind, subject_name, details, address FROM audit_log WHERE actor_id =
                    $1 ORDER BY id
                    """,
                tables: ["audit_log"], days: 730),
            PersonalDataKind(
                name: "actionsByAdmins",
                sql: """
                    SELECT at, action, details FROM audit_log WHERE subject_kind = 'user' AND subject_id = $1 ORDER
                    BY id
                    """,
                tables: ["audit_log"], days: 730),
            PersonalDataKind(
                name: "closures",
                sql: """
                    SELECT object, name, reason, starts_at, ends_at, ended_at, created_at FROM closures
                    WHERE account_id = $1 ORDER BY created_at
                    """,
                tables: ["closures"]),
            PersonalDataKind(
                name: "savedPlaces",
                sql: """
                    SELECT s.name, s.lat, s.lon, p.name AS place, s.saved_at FROM saved_places s
                    LEFT JOIN places p ON p.id = s.place_id WHERE s.account_id = $1 ORDER BY s.id
                    """,
                tables: ["saved_places"], erase: "saved.remove"),
            PersonalDataKind(
                name: "searches",
                sql: """
                    SELECT s.text, p.name AS place, s.at FROM searches s LEFT JOIN places p ON p.id = s.place_id
                    WHERE s.account_id = $1 ORDER BY s.at, s.id
                    """, tables: ["searches"],
                days: PersonalPlaces.keptDays, erase: "searches.erase"),
            PersonalDataKind(
                name: "visits",
                sql: """
                    SELECT v.kind, coalesce(b.name, p.name) AS name, v.day FROM visits v
                    LEFT JOIN buildings b ON v.kind = 'building' AND b.id = v.subject_id
                    LEFT JOIN places p ON v.kind = 'place' AND p.id = v.subject_id
                    WHERE v.account_id = $1 ORDER BY v.day, v.kind, v.subject_id
                    """, tables: ["visits"], days: PersonalPlaces.keptDays, erase: "visits.erase"),
            PersonalDataKind(
                name: "privacySettings",
                sql: "SELECT heatmap, visits, searches, residences FROM privacy_settings WHERE account_id = $1",
                tables: ["privacy_settings"], erase: "privacy.saveSettings"),
            PersonalDataKind(
                name: "privateZones",
                sql: "SELECT name, lat, lon, size FROM private_zones WHERE account_id = $1 ORDER BY id",
                tables: ["private_zones"], erase: "privacy.deleteZone"),
            PersonalDataKind(
                name: "shares",
                sql: """
                    SELECT s.id, s.audience, p.username AS person, share_group_name(s) AS group, s.session_id AS session,
                        s.precision, s.started_at, s.expires_at, s.ended_at, s.end_reason AS end,
                        CASE WHEN s.audience = 'campus' THEN coalesce(share_strangers(s.id), 0) WHEN s.ended_at IS NULL THEN 0
                            ELSE s.more END AS more
                    FROM shares s LEFT JOIN accounts p ON p.id = s.person_id WHERE s.account_id = $1 ORDER BY s.id
                    """, tables: ["shares"], days: 30, erase: "sharing.erasePast"),
            PersonalDataKind(
                name: "watchedBy",
                sql: """
                    SELECT s.id AS share, a.username AS watcher, w.precision, w.from_at, w.to_at, w.times FROM shares s
                    CROSS JOIN LATERAL share_viewers(s.id) w LEFT JOIN accounts a ON a.id = w.account_id
                    WHERE s.account_id = $1 ORDER BY w.id
                    """, tables: ["share_watches"], days: 30, erase: "sharing.erasePast"),
            PersonalDataKind(
                name: "watched",
                sql: """
                    SELECT a.username AS owner, w.precision, w.from_at, w.to_at, w.times FROM share_watches w
                    JOIN shares s ON s.id = w.share_id JOIN accounts a ON a.id = s.account_id
                    WHERE w.account_id = $1 ORDER BY w.id
                    """, tables: ["share_watches"], days: 30),
            PersonalDataKind(
                name: "questions",
                sql: """
                    SELECT f.username AS from, t.username AS to, w.state, w.at, CASE WHEN w.to_id = $1 THEN w.answer END AS answer
                    FROM where_requests w
                    JOIN accounts f ON f.id = w.from_id JOIN accounts t ON t.id = w.to_id
                    WHERE $1 IN (w.from_id, w.to_id) ORDER BY w.id
                    """, tables: ["where_requests"], days: 1),
        ] + training + together
}
