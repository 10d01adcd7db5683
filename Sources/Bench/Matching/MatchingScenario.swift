import EventLoop
import Foundation
import Logging
import Postgres
import Server
import Services
import Wire

/// Measures the time for one deck of suggestions among thousands of profiles, compared with a plain scan of the table
/// of buddy profiles. Checks that people of the preferred gender come first in every deck. Calls the service directly,
/// one deck at a time.
struct MatchingScenario {
    /// Measured decks, each for another account.
    private static let decks = 200
    /// Decks before the measurement, so that statements are prepared and pages are in memory.
    private static let warmUp = 20
    /// Argument of `setseed`, for the same people in every run.
    private static let seed = 0.42
    /// Decisions of each account, so that a deck has people to leave out.
    private static let decisionsEach = 10

    private let profiles: Int

    init(_ options: BenchOptions) { profiles = options.profiles }

    func run() async throws -> BenchReport {
        let directory = NSTemporaryDirectory() + "campanile-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // PostgreSQL does not run as root and must reach its files below.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
        let loop = try EventLoop(label: "bench")
        let access = try await DatabaseAccess.open(
            ServerConfiguration(dataDirectory: directory + "/data", resources: try Resources.find()), loop: loop,
            logger: Logger(label: "campanile.bench"))
        let report: Result<BenchReport, any Error>
        do { report = .success(try await measure(access, loop)) } catch { report = .failure(error) }
        await access.close()
        return try report.get()
    }

    private func measure(_ access: DatabaseAccess, _ loop: EventLoop) async throws -> BenchReport {
        var owner = access.owner
        owner.queryTimeout = .seconds(600)
        let database = try await PostgresConnection.connect(configuration: owner, loop: loop)
        try await database.script(population)
        database.close()
        let pool = PostgresPool(configuration: access.application, loop: loop)
        let buddies = Buddies(loop: loop, database: pool)
        let viewers = try await viewers(pool)
        var (deck, floor) = (LatencyHistogram(), LatencyHistogram())
        var (cards, wrong) = (0, 0)
        for (index, viewer) in viewers.enumerated() {
            let start = LoadLoop.now
            let shown = try await buddies.deck(viewer.identity, .init()).cards
            let between = LoadLoop.now
            _ = try await pool.query("SELECT count(*) FROM buddy_profiles")
            if index >= Self.warmUp {
                deck.record(nanoseconds: between - start)
                floor.record(nanoseconds: LoadLoop.now - between)
            }
            cards += shown.count
            wrong += viewer.isFirst(in: shown) ? 0 : 1
        }
        await pool.close()
        var report = BenchReport(
            scenario: "matching",
            conditions:
                "\(profiles) profiles, \(deck.count) decks of \(cards / max(1, viewers.count)) cards, one at a time")
        report.add("deck p50", deck.milliseconds(quantile: 0.5), "ms")
        report.add("deck p99", deck.milliseconds(quantile: 0.99), "ms")
        report.add("floor: count(*) of the table p50", floor.milliseconds(quantile: 0.5), "ms")
        report.add("floor: count(*) of the table p99", floor.milliseconds(quantile: 0.99), "ms")
        report.add(
            "ratio to the floor (p50)", deck.milliseconds(quantile: 0.5) / floor.milliseconds(quantile: 0.5), "")
        report.add("decks with the preferred gender first", Double(viewers.count - wrong), "")
        if wrong > 0 { report.failure = "\(wrong) decks did not have the preferred gender first" }
        if cards == 0 { report.failure = "no deck had a suggestion" }
        return report
    }

    // MARK: Viewers

    private struct Looking {
        let identity: Identity
        let preference: GenderPreference

        /// Whether all cards of the preferred gender come before the others.
        func isFirst(in cards: [BuddyCard]) -> Bool {
            guard preference != .any else { return true }
            let others = cards.drop { $0.gender.rawValue == preference.rawValue }
            return others.allSatisfy { $0.gender.rawValue != preference.rawValue }
        }
    }

    private func viewers(_ pool: PostgresPool) async throws -> [Looking] {
        try await pool.query(
            """
            SELECT account_id, preferred_gender FROM buddy_profiles WHERE is_active
            ORDER BY hashint8(account_id) LIMIT $1
            """, [.int(Int64(Self.warmUp + Self.decks))]
        ).map { row in
            Looking(
                identity: Identity(
                    account: Account(
                        id: try row.int("account_id"), username: "", role: .student, email: "", simulated: false),
                    tokenID: 0),
                preference: GenderPreference(rawValue: try row.text("preferred_gender")) ?? .any)
        }
    }

    // MARK: Population

    /// SQL for adults of three genders, each with a few random choices. One in ten is inactive; one in five wants only
    /// one gender.
    private var population: String {
        func bits(_ count: Int, of options: Int) -> String {
            (0..<count).map { _ in "(1 << floor(random() * \(options))::int)" }.joined(separator: " | ")
        }
        let times = (0..<6).map { _ in "(1::bigint << (floor(random() * 7) * 8 + floor(random() * 6))::int)" }
        return """
            SELECT setseed(\(Self.seed));
            INSERT INTO accounts (username, username_key, email, email_key, password_hash)
            SELECT n, n, n || '@example.org', n || '@example.org', '-'
            FROM (SELECT 'match' || g AS n FROM generate_series(1, \(profiles)) g) s;
            INSERT INTO profiles (account_id, first_name, last_name, birthday, gender)
            SELECT id, 'First' || id, 'Last' || id, date '1980-01-01' + floor(random() * 9000)::int,
                (ARRAY['female', 'male', 'other'])[1 + floor(random() * 2.2)::int] FROM accounts ORDER BY id;
            INSERT INTO buddy_agreements (account_id, version)
            SELECT account_id, \(Buddies.rulesVersion) FROM profiles;
            INSERT INTO buddy_profiles (account_id, is_active, preferred_gender, is_gender_only, description, times, goals,
                strengths, styles, places, traits, desired_traits, desired_styles)
            SELECT account_id, random() < 0.9, (ARRAY['any', 'female', 'male', 'other'])[1 + floor(random() * 3.2)::int],
                random() < 0.2, repeat('I train in the evening. ', 8), \(times.joined(separator: " | ")),
                \(bits(3, of: 12)), \(bits(3, of: 12)), \(bits(2, of: 12)), \(bits(2, of: 10)), \(bits(3, of: 12)),
                \(bits(3, of: 12)), \(bits(2, of: 12))
            FROM profiles ORDER BY account_id;
            INSERT INTO buddy_decisions (account_id, other_id, accepts)
            SELECT a.id, b.id, random() < 0.3
            FROM accounts a CROSS JOIN generate_series(1, \(Self.decisionsEach)) k
            JOIN accounts b ON b.id = 1 + (a.id * 7919 + k * 104729) % \(profiles) AND b.id <> a.id
            ON CONFLICT DO NOTHING;
            ANALYZE profiles, buddy_agreements, buddy_profiles, buddy_decisions;
            """
    }
}
