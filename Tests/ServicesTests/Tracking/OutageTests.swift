import Foundation
import Postgres
import TestSupport
import Synchronization
import Testing
import Wire

@testable import Hub
@testable import Services

@Suite("When the database goes away", .serialized)
struct OutageTests {
    /// Sends everything, again until it is acknowledged; gives how often the answer was `unavailable`.
    private func sendAll(
        _ batches: [[TrackPoint]], to session: Session, as who: Identity, in world: World,
        after: @Sendable (Int) async throws -> Void
    ) async throws -> Int {
        var outages = 0
        for (index, batch) in batches.enumerated() {
            async let disturbance: Void = after(index)
            var isAcknowledged = false
            while !isAcknowledged {
                do {
                    try await world.send(batch, to: session, as: who)
                    isAcknowledged = true
                } catch {
                    guard RPCError.clientError(error)?.registered == .unavailable else { throw error }
                    outages += 1
                    await world.loop.sleep(for: .milliseconds(5))
                }
            }
            try await disturbance
            // What was acknowledged is there.
            let stored = try await again { try await world.stored(session) }
            #expect(stored.lastSeq == batch.last?.seq)
            #expect(stored.points.count == Int(stored.count))
        }
        return outages
    }

    private func again<T>(_ body: () async throws -> T) async throws -> T {
        while true {
            do { return try await body() } catch {
                guard RPCError.clientError(error)?.registered == .unavailable else { throw error }
                await TestDatabase.shared.loop.sleep(for: .milliseconds(5))
            }
        }
    }

    private func check(_ run: SyntheticRun, _ session: Session, in world: World) async throws {
        #expect(try await again { try await world.stored(session) } == (try run.expected()))
        #expect(await world.hub.sessions.shown(session.id)?.route == (try run.expectedRoute().asKept))
        #expect(await world.hub.sessions.shown(session.id)?.session.points == run.points.count)
    }

    @Test("connections cut in the middle: unavailable, and sending again stores each point once with the right sums")
    func terminated() async throws {
        let world = World(access: try await MigratedDatabase.shared.own())
        let who = try await world.member()
        let start = world.clock.now
        world.clock.advance(bySeconds: 7_200)
        let run = SyntheticRun(seed: 31, count: 600, start: start)
        let session = try await world.start(who, at: start)
        let administrator = try await PostgresConnection.connect(
            configuration: world.access.administrator, loop: world.loop, logger: TestDatabase.logger)
        defer { administrator.close() }
        var random = SeededGenerator(seed: 31)
        let batches = run.points.cut(sizeMax: 30, using: &random)
        // Some before, some while the group is in flight, some after.
        let database = try #require(world.access.application.database)
        let outages = try await sendAll(batches, to: session, as: who, in: world) { index in
            guard index % 2 == 0 else { return }
            // A group waits for company before it is sent.
            await world.loop.sleep(for: Tracking.groupWindow - .milliseconds(1) + .microseconds(500 * (index % 8)))
            _ = try await administrator.query(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND usename = $2
                """, [.text(database), .text(PrivateCluster.applicationRole)])
        }
        #expect(outages > 0)
        try await check(run, session, in: world)
        await world.close()
    }

    @Test("PostgreSQL killed in the middle: it comes back, and nothing acknowledged is lost or doubled")
    func killed() async throws {
        let cluster = PrivateCluster(
            dataDirectory: try TestDirectory.make("outage"), loop: TestDatabase.shared.loop,
            workers: TestDatabase.shared.workers, logger: TestDatabase.logger)
        let access = try await cluster.start()
        try await MigratedDatabase.migrate(access, directory: MigratedDatabase.migrations)
        let world = World(access: access)
        let who = try await world.member()
        let start = world.clock.now
        world.clock.advance(bySeconds: 7_200)
        let run = SyntheticRun(seed: 32, count: 400, start: start)
        let session = try await world.start(who, at: start)
        var random = SeededGenerator(seed: 32)
        let batches = run.points.cut(sizeMax: 30, using: &random)
        let killed = Mutex<Set<pid_t>>([])
        _ = try await sendAll(batches, to: session, as: who, in: world) { index in
            guard index == 4 || index == 9 else { return }
            let process = try await eventually("PostgreSQL runs, again") { () -> pid_t? in
                let process = await cluster.processID
                return process.flatMap { id in killed.withLock { $0.contains(id) } ? nil : id }
            }
            killed.withLock { _ = $0.insert(process) }
            kill(process, SIGKILL)
        }
        // Whether a batch was under way when it died is chance; that it died, came back and died again is not.
        #expect(killed.withLock { $0.count } == 2)
        try await check(run, session, in: world)
        await world.close()
        await cluster.stop(immediately: true)
    }
}
