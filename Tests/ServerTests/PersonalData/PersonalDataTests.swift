import Campus
import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Services

/// Somebody of whom there is something everywhere, with a word in it that is nowhere else.
struct Traces: Sendable {
    let word = "zq" + UUID().uuidString.filter { $0 != "-" }.prefix(10).lowercased()
    let server: TestServer
    let who: ChatPerson
    let friend: ChatPerson
    let group: Int64
    let run: TestRun

    /// What a person leaves by using all of it.
    init(_ server: TestServer) async throws {
        self.server = server
        who = try await ChatPerson(server, lastName: word)
        friend = try await ChatPerson(server, lastName: "Friend")
        let direct = try await who.match(friend)
        group = try await who.makeGroup("Lunch", with: [friend])
        try await friend.join(group)
        _ = try await who.client.call(GroupRename.self, .init(conversation: group, name: "Lunch \(word)"))
        _ = try await who.makeGroup("Alone \(word)", with: [])
        try await who.send("direct \(word)", in: direct)
        for number in 0..<3 { try await who.send("group \(number) \(word)", in: group) }
        let edited = try await who.send("first \(word)", in: group)
        _ = try await who.client.call(
            ChatEdit.self, .init(conversation: group, message: edited, text: "second \(word)"))
        _ = try await friend.client.call(
            ChatReact.self, .init(conversation: group, message: edited, emoji: .thumb, on: true))
        let connection = try await server.connect(token: who.token)
        run = try await TestRun(
            connection, account: .init(id: who.id, username: who.username, role: .student, email: "", simulated: false),
            audience: .public, title: "Run \(word)")
        try await run.run(20)
        _ = try await connection.call(TrackingLink.self, .init(session: await run.id))
        _ = try await connection.call(TrackingStop.self, SessionTimeParams(session: await run.id))
        await connection.close()
        _ = try await who.client.call(
            SavedSave.self, .init(clientId: UUID().uuidString, name: "Home \(word)", lat: 51.4, lon: 8.1))
        try await wantEverythingKept()
        _ = try await who.client.call(SearchesNote.self, .init(text: "cafe \(word)"))
        _ = try await who.client.call(
            SafetyReport.self, .init(id: UUID().uuidString, account: friend.id, reason: .other, note: "note \(word)"))
        _ = try await who.client.call(
            AccountUpdateProfile.self,
            .init(
                degree: "Degree \(word)", interests: ["running"], home: .init(lat: 51.4, lon: 8.1, name: "Dorm \(word)")
            ))
        _ = try await who.client.call(AccountSaveSettings.self, .init(theme: .dark))
        try await share()
        try await train()
        try await trainTogether()
        for (audience, days) in [("private", 3.0), ("public", -1), ("public", 4)] {
            try await event(audience, days)
        }
    }

    private func wantEverythingKept() async throws {
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query(
            "INSERT INTO privacy_settings (account_id, visits, searches) VALUES ($1, true, true)", [.int(who.id)])
        _ = try await database.query(
            "INSERT INTO username_changes VALUES ($1, $2, now())", [.int(who.id), .text(word)])
        _ = try await database.query(
            "INSERT INTO visits VALUES ($1, 'building', 1, current_date)", [.int(who.id)])
        _ = try await database.query(
            "INSERT INTO provider_identities VALUES ('https://provider.example', $2, $1, $3)",
            [.int(who.id), .text("subject \(word)"), .text("\(who.username)@example.org")])
        _ = try await database.query(
            """
            INSERT INTO account_mails (kind, account_id, address, client, created_at, expires_at, next_at)
            VALUES ('reset', NULL, $2, NULL, now(), now(), now()), ('password_changed', $1, $2, $3, now(), now(), now())
            """, [.int(who.id), .text("\(who.username)@example.org"), .text(word)])
        for row in [
            """
            passkeys (account_id, credential_id, algorithm, public_key, sign_count, is_backup_eligible, is_backed_up, name)
            VALUES ($1, $2::text::bytea, -7, '', 0, false, false, $2)
            """,
            "totp_secrets (account_id, secret, confirmed_at) VALUES ($1, $2::text::bytea, now())",
            "recovery_codes (account_id, hash) VALUES ($1, $2::text::bytea)",
            "pending_sign_ins (account_id, hash, expires_at) VALUES ($1, $2::text::bytea, now() + interval '1 hour')",
        ] {
            _ = try await database.query("INSERT INTO \(row)", [.int(who.id), .text(word)])
        }
        _ = try await database.query("INSERT INTO factor_guesses VALUES ($1, 1, now())", [.int(who.id)])
        _ = try await database.query("INSERT INTO account_changes VALUES ($1, 'names', now())", [.int(who.id)])
    }

    private func train() async throws {
        let (workout, removed, training) = (UUID().uuidString, UUID().uuidString, UUID().uuidString)
        _ = try await who.client.call(BodySave.self, .init(heightCentimetres: 170, goals: [.buildMuscle]))
        _ = try await who.client.call(BodySaveWeight.self, .init(date: "2026-01-02", kilograms: 70))
        _ = try await who.client.call(
            BodySaveInjury.self,
            .init(id: UUID().uuidString, type: .pain, area: .knee, from: "2026-01-01", note: "knee \(word)"))
        for id in [workout, removed] {
            _ = try await who.client.call(WorkoutsSave.self, .init(id: id, plan: TrainingPlans.plan("Workout \(word)")))
        }
        _ = try await who.client.call(WorkoutsRemove.self, .init(workout: removed))
        // The copy that the friend gives stays the person's own, and the other way round.
        let theirs = UUID().uuidString
        _ = try await friend.client.call(WorkoutsSave.self, .init(id: theirs, plan: TrainingPlans.plan("Theirs")))
        _ = try await friend.client.call(WorkoutsShare.self, .init(workout: theirs, buddy: who.username))
        let shared = UUID().uuidString
        _ = try await who.client.call(WorkoutsSave.self, .init(id: shared, plan: TrainingPlans.plan("Shared")))
        _ = try await who.client.call(WorkoutsShare.self, .init(workout: shared, buddy: friend.username))
        let started = try await who.client.call(
            TrainingStart.self, .init(id: training, workout: workout, startedAt: .now, device: UUID().uuidString))
        var set = try #require(started.sets.first)
        (set.state, set.at) = (.done, .now)
        _ = try await who.client.call(
            TrainingRecord.self,
            .init(
                training: training, generation: 1, sets: [set], pulse: [.init(at: started.startedAt, bpm: 120)]))
        _ = try await who.client.call(
            TrainingFinish.self, .init(training: training, endedAt: .now, note: "training \(word)"))
        _ = try await who.client.call(InsightsSaveGoals.self, .init(daySteps: 8_000))
        _ = try await who.client.call(InsightsSaveDay.self, .init(date: "2026-01-02", steps: 9_000))
    }

    private func share() async throws {
        let started = try await who.client.call(
            SharingStart.self,
            .init(
                clientId: UUID().uuidString, audience: .person, username: friend.username, precision: .zone,
                expiresIn: 600))
        _ = try await who.client.call(
            LocationReport.self, .init(lat: 51.4965, lon: 8.0, accuracy: 10, source: .gps))
        _ = try await friend.client.ask("subscribe", "{\"topic\":\"share/\(started.share.id)\"}")
        _ = try await friend.client.call(
            SharingAsk.self, .init(clientId: UUID().uuidString, username: who.username))
        _ = try await who.client.call(
            PrivacySaveZone.self,
            .init(clientId: UUID().uuidString, name: "Home \(word)", lat: 51.5, lon: 8.01, size: .small))
    }

    private func trainTogether() async throws {
        let database = try await server.database()
        defer { database.close() }
        for (host, members) in [(who.id, [who.id, friend.id]), (friend.id, [friend.id, who.id])] {
            _ = try await database.query(
                """
                WITH g AS (INSERT INTO live_groups (id, host_id, workout_id, plan, exercises, created_at, active_at)
                    VALUES (gen_random_uuid(), $1, gen_random_uuid(), $2::text::jsonb, '{}', now(), now()) RETURNING id)
                INSERT INTO live_group_members (group_id, account_id, state, since)
                SELECT g.id, m, 'joined', now() FROM g, unnest($3::bigint[]) m
                """,
                [
                    .int(host), .text("{\"title\":\"\(host == who.id ? word : "Theirs")\"}"), .intArray(members),
                ])
        }
    }

    private func event(_ audience: String, _ days: Double) async throws {
        let database = try await server.database()
        defer { database.close() }
        let start = Timestamp.now.advanced(bySeconds: days * 86_400)
        let rows = try await database.query(
            """
            INSERT INTO events (owner_id, client_id, audience, state, title, description, workout, starts_at, ends_at, place,
                position, capacity, created_at, changed_at)
            VALUES ($1, gen_random_uuid(), $2, 'published', $3, $3, $3, $4, $5, $3, ST_SetSRID(ST_MakePoint(8, 51.5), 4326), 9,
                now(), now()) RETURNING id
            """,
            [
                .int(who.id), .text(audience), .text("Picnic \(word)"), .timestamp(start.milliseconds),
                .timestamp(start.advanced(bySeconds: 3_600).milliseconds),
            ])
        guard days > 3 else { return }
        // Somebody goes to this one.
        let event = try rows[0].int("id")
        _ = try await friend.client.call(EventsAnswer.self, .init(event: event, answer: .going))
        _ = try await who.client.call(
            NoticesPublish.self,
            .init(
                id: UUID().uuidString, audience: .init(kind: .event, event: event), title: "Bring \(word)",
                body: "and more \(word)"))
    }

    func get(_ path: String, as person: ChatPerson?) async throws -> RawResponse {
        if let person { return try await server.personalData(path, of: person.token) }
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        try await socket.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        return try await socket.response()
    }

    /// Tables and columns in which there is a text, or a number of an account. One statement reads a table.
    func places(_ database: PostgresConnection) async throws -> (words: [String], numbers: [String]) {
        let tables = try await database.query(
            """
            SELECT c.relname, array_agg(a.attname::text ORDER BY a.attnum) AS names,
                array_agg(rtrim(format_type(a.atttypid, NULL), '[]') ORDER BY a.attnum) AS types
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'public' AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
                AND c.relname NOT IN ('spatial_ref_sys', 'schema_migrations', 'schema_functions') GROUP BY 1 ORDER BY 1
            """)
        var words: [String] = []
        var numbers: [String] = []
        for row in tables {
            let table = try row.text("relname")
            var conditions: [(name: String, sql: String, isNumber: Bool)] = []
            for (name, type) in zip(try row.textArray("names"), try row.textArray("types")) {
                if type == "bytea" {
                    let sql = [word, who.username].map { "position('\($0)'::bytea IN \"\(name)\") > 0" }
                    conditions.append((name, sql.joined(separator: " OR "), false))
                } else if !Self.wordless.contains(type) {
                    let sql = [word, who.username].map { "\"\(name)\"::text ILIKE '%\($0)%'" }
                    conditions.append((name, sql.joined(separator: " OR "), false))
                }
                // Of a visit it is the number of a building.
                if type == "bigint", Self.naming.contains(name), "\(table).\(name)" != "visits.subject_id" {
                    conditions.append((name, "\"\(name)\" = \(who.id)", true))
                }
            }
            guard !conditions.isEmpty else { continue }
            let found = conditions.enumerated().map { "coalesce(bool_or(\($1.sql)), false) AS c\($0)" }
            let first = try #require(
                try await database.query("SELECT \(found.joined(separator: ", ")) FROM \(table)").first)
            for (number, condition) in conditions.enumerated() where try first.bool("c\(number)") {
                if condition.isNumber {
                    numbers.append("\(table).\(condition.name)")
                } else {
                    words.append("\(table).\(condition.name)")
                }
            }
        }
        return (words, numbers)
    }

    /// Types whose values hold no word.
    static let wordless: Set = [
        "bigint", "integer", "smallint", "boolean", "double precision", "real", "numeric", "date", "interval", "uuid",
        "timestamp with time zone", "geometry", "geography",
    ]

    /// Columns that hold numbers of accounts.
    static let naming: Set = [
        "account_id", "author_id", "owner_id", "reporter_id", "reported_id", "blocker_id", "blocked_id", "other_id",
        "member_id",
        "low_id", "high_id", "host_id", "actor_id", "subject_id", "viewer_id", "from_id",
    ]
}

@Suite("Personal data")
struct PersonalDataTests {
    @Test(
        "Each table that names accounts, or what they wrote or recorded, is part of what a person is given, or there is a reason why not"
    )
    func complete() async throws {
        let database = try await Shared.server.database()
        defer { database.close() }
        let rows = try await database.query(
            """
            SELECT DISTINCT c.relname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN pg_constraint f ON f.conrelid = c.oid AND f.contype = 'f'
                AND f.confrelid IN ('accounts'::regclass, 'chat_log'::regclass, 'sessions'::regclass)
            WHERE n.nspname = 'public' AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
                AND (f.oid IS NOT NULL OR a.attname = ANY ($1::text[]))
            """, [.textArray(Array(Traces.naming))])
        let given = Set(PersonalDataKind.all.flatMap(\.tables)).union(PersonalDataKind.notExported.keys)
        let missing = Set(try rows.map { try $0.text("relname") }).subtracting(given)
        #expect(
            missing.isEmpty, "add these to PersonalDataKind.all, or to notExported with the reason: \(missing.sorted())"
        )
    }

    @Test("A person gets all of it as JSON and the points as GPX, and nobody else does")
    func export() async throws {
        let traces = try await Traces(try await Shared.server)
        let json = try await traces.get("/account/data.json", as: traces.who)
        #expect(json.status == 200 && json.headers["cache-control"] == "no-store")
        #expect(json.headers["content-type"] == "application/json")
        let kinds = try #require(
            (try JSONSerialization.jsonObject(with: Data(json.body)) as? [String: Any])?["kinds"]
                as? [String: [[String: Any]]])
        #expect(kinds["account"]?.first?["username"] as? String == traces.who.username)
        #expect(kinds["messages"]?.count == 5 && kinds["savedPlaces"]?.count == 1 && kinds["searches"]?.count == 1)
        #expect(kinds["retracted"]?.first?["body"] as? String == "first \(traces.word)")
        #expect(kinds["noticeSettings"]?.isEmpty == true)
        let profile = try #require(kinds["profile"]?.first)
        #expect(profile["degree"] as? String == "Degree \(traces.word)" && profile["home_lat"] as? Double == 51.4)
        #expect(kinds["settings"]?.count == 1 && kinds["formerUsernames"]?.first?["username"] as? String == traces.word)
        let event = try #require(kinds["events"]?.last)
        #expect(event["lat"] as? Double == 51.5 && event["lon"] as? Double == 8 && event["capacity"] as? Int == 9)
        #expect(kinds["events"]?.count == 3 && kinds["buddies"]?.count == 1 && kinds["sessions"]?.count == 1)
        #expect(kinds["bodyData"]?.first?["height"] as? Double == 170 && kinds["weights"]?.count == 1)
        #expect(kinds["injuries"]?.first?["note"] as? String == "knee \(traces.word)")
        #expect(
            kinds["workouts"]?.count == 3 && kinds["insightDays"]?.count == 1 && kinds["insightSettings"]?.count == 1)
        let training = try #require(kinds["trainings"]?.first)
        #expect(training["note"] as? String == "training \(traces.word)" && (training["sets"] as? [Any])?.count == 1)
        let bpm = (training["pulse"] as? [[String: Any]])?.first?["bpm"] as? [Any] ?? []
        #expect(bpm.compactMap { $0 as? Int } == [120] && bpm.count == 600)
        for secret in ["password_hash", "hash", "token"] { #expect(!json.text.contains("\"\(secret)\"")) }
        let gpx = try await traces.get("/account/tracks.gpx", as: traces.who)
        #expect(gpx.status == 200 && gpx.headers["link"] == nil)
        let tracks = try GPXTrack.read(Data(gpx.body))
        #expect(tracks.count == 1 && tracks.first?.segments.flatMap(\.self).count == 20)
        #expect(tracks.first?.name?.contains(traces.word) == true)
        for path in ["/account/data.json", "/account/tracks.gpx"] {
            #expect(try await traces.get(path, as: nil).status == 401)
            #expect(
                !(try await traces.get(path, as: traces.friend).text.contains(traces.word)) || path.hasSuffix("json"))
        }
        let kept = try await traces.who.client.call(AccountData.self, .init()).kept
        #expect(
            kept.first { $0.kind == "searches" }.map { $0.count == 1 && $0.days == 90 && $0.erase == "searches.erase" }
                == true)
    }

    @Test("Deleting an account takes its password and its name, and is refused to the last admin")
    func sure() async throws {
        let server = try await Shared.server
        let who = try await ChatPerson(server)
        let wrong = try await who.client.refusal(
            AccountDelete.self, .init(password: "Wrong1234", username: who.username))
        #expect(wrong?.code == 1007)
        let other = try await who.client.refusal(
            AccountDelete.self, .init(password: TestServer.password, username: "somebody"))
        #expect(other?.message == "That is not your username: type it as it is shown")
        _ = try await who.client.call(AccountMe.self, Empty())
    }

    @Test(
        "Of a deleted account nothing is left in any table but what the threat model lists, and a group reads on without its words"
    )
    func erasure() async throws {
        let server = try await Shared.server
        let traces = try await Traces(server)
        let database = try await server.database(queryTimeout: .seconds(120))
        defer { database.close() }
        let before = try await traces.places(database)
        #expect(before.words.count > 8 && before.numbers.count > 8, "the search finds what is there: \(before)")
        let open = try await ChatClient(server, token: traces.friend.token)
        _ = try await open.ask("subscribe", "{\"topic\":\"chat/\(traces.group)\"}")
        let done = try await traces.who.client.call(
            AccountDelete.self, .init(password: TestServer.password, username: traces.who.username))
        #expect(done.message == "Account deleted")
        #expect(try await traces.who.client.isClosed(with: .tokenRevoked))
        let left = try await traces.places(database)
        // The titles of what others go to, until its day is over; an open report, until it is closed; the name of a group that others
        // are in.
        #expect(Set(left.words) == ["events.title", "reports.note", "conversations.name"])
        let event = try await database.query(
            "SELECT place, position IS NULL AND workout IS NULL AND description IS NULL AS bare FROM events WHERE title = $1",
            [.text("Picnic \(traces.word)")])
        #expect(try event.count == 1 && event.first?.text("place") == "-" && event.first?.bool("bare") == true)
        let groups = try await database.query(
            """
            SELECT c.name, m.role FROM conversations c LEFT JOIN members m ON m.conversation_id = c.id AND m.account_id = $1
            WHERE c.name LIKE $2
            """, [.int(traces.friend.id), .text("%\(traces.word)")])
        #expect(try groups.count == 1 && groups.first?.optionalText("role") == "owner", "the group has another owner")
        // Numbers that are nobody's any more.
        #expect(
            Set(left.numbers).isSubset(of: [
                "chat_log.author_id", "chat_log.member_id", "audit_log.actor_id", "audit_log.subject_id",
            ]))
        _ = try await eventually("the words go from open windows") {
            open.events(of: traces.group).count { $0.event.type == .deleted } >= 4 ? true : nil
        }
        let history = try await traces.friend.client.ask("chat.history", "{\"conversation\":\(traces.group)}")
        #expect(!history.contains(traces.word))
        let again = try await ChatClient(server)
        let refused = try await again.refusal(
            AccountLogin.self, .init(email: "\(traces.who.username)@example.org", password: TestServer.password))
        #expect(refused?.code == 1007)
    }

    @Test("What a server leaves undone when it stops amid erasing, another finishes")
    func resumed() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let traces = try await Traces(server)
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query(
            "UPDATE accounts SET is_erased_by_owner = true, erasing_at = now(), disabled_at = now(), disabled_reason = 'is being deleted' WHERE id = $1",
            [.int(traces.who.id)])
        try await server.startAgain()
        _ = try await eventually("the account is gone") {
            try await database.query("SELECT FROM accounts WHERE id = $1", [.int(traces.who.id)]).isEmpty ? true : nil
        }
        await server.stop()
    }
}
