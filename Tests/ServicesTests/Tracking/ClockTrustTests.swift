import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("A server whose clock is behind")
struct ClockTrustTests {
    private let start = TestClock().now

    private func ahead(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

    @Test(
        "A server whose clock is behind refuses nothing for good while no device agrees, and later what most devices contradict"
    )
    func votes() {
        var trust = ClockTrust()
        #expect(!trust.isTrusted(uptime: 0))
        trust.note([ahead(3_600)], of: 1, now: start, uptime: 0)
        #expect(!trust.isTrusted(uptime: 0))
        #expect(trust.warning(uptime: 0) == nil)
        trust.note([ahead(-1)], of: 2, now: start, uptime: 0)
        #expect(trust.isTrusted(uptime: 0))
        for account in [3, 4] as [Int64] { trust.note([ahead(3_601)], of: account, now: start, uptime: 0) }
        #expect(!trust.isTrusted(uptime: 0))
        #expect(trust.warning(uptime: 0)?.contains("3 devices are ahead of it and 1 agree") == true)
        // A device's latest request counts; what was recorded offline says nothing.
        trust.note([ahead(-7_200)], of: 3, now: start, uptime: 0)
        #expect(!trust.isTrusted(uptime: 0))
        for account in [3, 4] as [Int64] { trust.note([ahead(0)], of: account, now: start, uptime: 0) }
        #expect(trust.isTrusted(uptime: 0))
        // One wrong time among many right ones is the receiver's fault.
        trust.note([ahead(-2), ahead(-1), ahead(3_600)], of: 5, now: start, uptime: 0)
        #expect(trust.counts(uptime: 0) == (4, 1))
    }

    @Test("A clock's votes expire with time and when the clock jumps; their number is bounded")
    func ends() {
        var trust = ClockTrust()
        trust.note([start], of: 1, now: start, uptime: 0)
        let later = ClockTrust.votesNanosecondsMax + 1
        let moved = start.advanced(bySeconds: Double(later) / 1e9)
        #expect(!trust.isTrusted(uptime: later))
        trust.note([moved], of: 1, now: moved, uptime: later)
        #expect(trust.isTrusted(uptime: later))
        // Set back by an hour: who agreed with the clock before says nothing of it now.
        let back = moved.advanced(bySeconds: -3_600)
        trust.note([back.advanced(bySeconds: -7_200)], of: 1, now: back, uptime: later)
        #expect(!trust.isTrusted(uptime: later))
        for account in 0..<Int64(ClockTrust.votesMax + 100) {
            trust.note([back], of: account, now: back, uptime: later)
        }
        #expect(trust.counts(uptime: later).agreeing == ClockTrust.votesMax)
    }

    @Test("A clock is in doubt when the database's clock differs, and not trusted because it agrees")
    func database() {
        var trust = ClockTrust()
        trust.note(databaseAheadSeconds: 0.2)
        #expect(!trust.isTrusted(uptime: 0))
        trust.note([start], of: 1, now: start, uptime: 0)
        #expect(trust.isTrusted(uptime: 0))
        trust.note(databaseAheadSeconds: 3_600)
        #expect(!trust.isTrusted(uptime: 0))
        #expect(trust.warning(uptime: 0) == "the server's clock is 3600 s behind the database's: set both by NTP")
        trust.note(databaseAheadSeconds: nil)
        #expect(trust.isTrusted(uptime: 0))
    }

    @Test("The kernel has one vote on the clock, if it says that the clock is kept right")
    func kernel() {
        var trust = ClockTrust()
        trust.note(isSynchronised: true)
        #expect(trust.isTrusted(uptime: 0))
        trust.note([ahead(3_600)], of: 1, now: start, uptime: 0)
        #expect(trust.isTrusted(uptime: 0))
        trust.note([ahead(3_600)], of: 2, now: start, uptime: 0)
        #expect(!trust.isTrusted(uptime: 0))
        trust.note(databaseAheadSeconds: 3_600)
        trust.note([ahead(0)], of: 1, now: start, uptime: 0)
        #expect(!trust.isTrusted(uptime: 0))
    }

    @Test("A server asks its kernel about the clock when it compares itself with the database")
    func compared() async throws {
        let world = try await World()
        let clock = TestClock(start: .now)
        for isSynchronised in [true, false] {
            let server = ServerClock(
                now: { clock.now }, uptime: { clock.nanoseconds }, isSynchronised: { isSynchronised },
                logger: TestDatabase.logger)
            try await server.compare(with: world.pool)
            let future = clock.now.advanced(bySeconds: 3_600)
            if isSynchronised {
                try server.check([future], of: 1, now: clock.now)
            } else {
                let error = #expect(throws: RPCError.self) { try server.check([future], of: 1, now: clock.now) }
                #expect(error?.registered == .unavailable)
            }
        }
    }

    @Test(
        "A server whose clock is behind asks devices to keep their locations too, and counts what they report as votes")
    func reports() async throws {
        let world = try await World()
        let clock = ServerClock(
            now: { world.clock.now }, uptime: { world.clock.nanoseconds }, isSynchronised: { false },
            logger: TestDatabase.logger)
        let sharing = Sharing(
            loop: world.loop, database: world.pool, openings: world.writer, hub: world.hub, clock: clock)
        let (one, other) = (try await world.member(), try await world.member())
        func report(_ seconds: Double, _ who: Identity) async throws {
            _ = try await sharing.report(
                .init(lat: 0, lon: 0, accuracy: 5, source: .gps, at: world.clock.now.advanced(bySeconds: seconds)),
                by: who)
        }
        let early = await refusal(.unavailable) { try await report(3_600, one) }
        #expect(early?.data?.retryAfter == ClockTrust.retrySeconds)
        // Another device agrees with the clock: now the first one is wrong.
        try await report(0, other)
        let late = await refusal(.invalidParams) { try await report(3_600, one) }
        #expect(late?.data?.field == "at")
    }

    @Test("A clock is compared with that of a database on another machine, and with none on this one")
    func comparedWithDatabase() async throws {
        let world = World(access: try await MigratedDatabase.shared.own(), patience: .seconds(30))
        let administrator = try await PostgresConnection.connect(
            configuration: world.access.administrator, loop: TestDatabase.shared.loop)
        let (role, name) = (world.access.application.user ?? "", world.access.application.database ?? "")
        // The test's clock stands still, at another time than PostgreSQL's; a database on this machine has no say.
        let clock = ServerClock(
            now: { [start] in start }, uptime: { 0 }, isSynchronised: { false }, logger: TestDatabase.logger)
        try await clock.compare(with: world.pool)
        #expect(clock.warning == nil)
        try await administrator.script(
            """
            CREATE SCHEMA elsewhere;
            GRANT USAGE ON SCHEMA elsewhere TO \(role);
            CREATE FUNCTION elsewhere.inet_server_addr() RETURNS inet LANGUAGE sql AS $$ SELECT '192.0.2.1'::inet $$;
            ALTER ROLE \(role) IN DATABASE \(name) SET search_path = elsewhere, pg_catalog, public;
            """)
        for (seconds, says) in [
            (3_600.0, "the server's clock is 3600 s behind the database's"),
            (-7_200, "the server's clock is 7200 s ahead of the database's"), (0, nil),
        ] as [(Double, String?)] {
            try await administrator.script(
                """
                CREATE OR REPLACE FUNCTION elsewhere.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
                    $$ SELECT to_timestamp(\(ahead(seconds).milliseconds / 1_000)) $$;
                """)
            // Connections read the path when they are made.
            let again = World(access: world.access, patience: .seconds(30))
            try await clock.compare(with: again.pool)
            if let says { #expect(clock.warning?.hasPrefix(says) == true, "\(clock.warning ?? "none")") }
            #expect((clock.warning == nil) == (says == nil))
            await again.close()
        }
        administrator.close()
        await world.close()
    }

    @Test("A server whose clock is behind asks devices to keep their points, and has them all once its clock is right")
    func kept() async throws {
        let world = try await World()
        var runs: [(who: Identity, session: Session, points: [TrackPoint])] = []
        for _ in 0..<3 {
            let who = try await world.member()
            let session = try await world.start(who)
            runs.append((who, session, steadyRun(1...20, from: session.startedAt.advanced(bySeconds: 3_600))))
        }
        for run in runs {
            let error = await refusal(.unavailable) { try await world.send(run.points, to: run.session, as: run.who) }
            #expect(error?.data?.retryAfter == ClockTrust.retrySeconds)
            #expect(error?.data?.field == "serverTime")
            let stop = await refusal(.unavailable) {
                try await world.stop(run.session, at: run.points.last?.time, as: run.who)
            }
            #expect(stop?.data?.retryAfter == ClockTrust.retrySeconds)
        }
        #expect(world.serverClock.warning != nil)
        world.clock.advance(bySeconds: 3_620)
        for run in runs {
            let result = try await world.send(run.points, to: run.session, as: run.who)
            #expect((result.stored, result.refused) == (20, []))
            _ = try await world.stop(run.session, at: run.points.last?.time, as: run.who)
        }
        #expect(world.serverClock.warning == nil)
    }
}
