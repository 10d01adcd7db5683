import Campus
import EventLoop
import Foundation
import Hub
import Postgres
import Routing
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Closures for a period")
struct TimedClosureTests {
    /// The service of routes over the sample campus, with a clock that the test moves.
    private static func make(_ world: World) async throws -> Routes {
        _ = try await CampusStore(database: world.pool).store(SampleCampus.document, name: nil)
        let clock = world.clock
        let sharing = Sharing(
            loop: world.loop, database: world.pool, openings: world.writer, hub: world.hub, clock: world.serverClock)
        let routes = Routes(
            loop: world.loop, database: world.pool, hub: world.hub, campus: world.campus,
            events: Events(loop: world.loop, database: world.pool, hub: world.hub, campus: world.campus),
            sharing: sharing, now: { clock.now })
        await routes.reload()
        return routes
    }

    private static func close(_ object: String, _ world: World, from: Double, until: Double?) async throws {
        let now = world.clock.now
        _ = try await world.pool.query(
            """
            INSERT INTO closures (id, object, kind, name, latitude, longitude, starts_at, ends_at)
            VALUES (gen_random_uuid(), $1, 'lift', 'Lift', 51.5, 8, $2, $3)
            """,
            [
                .text(object), .timestamp(now.advanced(bySeconds: from).milliseconds),
                .optional(timestamp: until.map { now.advanced(bySeconds: $0).milliseconds }),
            ])
    }

    @Test("A planned closure begins and ends at its times, also if the clock jumps over them, forwards and back")
    func jumps() async throws {
        let world = World(access: try await MigratedDatabase.shared.own())
        let routes = try await Self.make(world)
        let lift = try #require(SampleCampus.document.places.first { $0.kind == "lift" }?.sourceID)
        try await Self.close(lift, world, from: 100, until: 200)
        await routes.reloadClosures()
        for (seconds, isClosed) in [(50.0, false), (51, true), (98, true), (2, false), (-60, true), (-1_000, false)] {
            world.clock.advance(bySeconds: seconds)
            await routes.tick()
            #expect(await routes.conditions.closed == (isClosed ? [lift] : []), "\(seconds)")
            #expect(await routes.present().closures.count == (isClosed ? 1 : 0))
        }
        await world.close()
    }

    @Test("Closures that ended long ago are removed, others stay")
    func pruning() async throws {
        let world = World(access: try await MigratedDatabase.shared.own())
        let routes = try await Self.make(world)
        try await Self.close("way/1", world, from: -40 * 86_400, until: -31 * 86_400)
        try await Self.close("way/2", world, from: -40 * 86_400, until: -29 * 86_400)
        try await Self.close("way/3", world, from: -40 * 86_400, until: nil)
        try await routes.prune()
        let left = try await world.pool.query("SELECT object FROM closures ORDER BY object")
        #expect(try left.map { try $0.text("object") } == ["way/2", "way/3"])
        await world.close()
    }
}
