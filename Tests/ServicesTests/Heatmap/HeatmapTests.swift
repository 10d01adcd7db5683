import Campus
import Hub
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Services

/// Who counts, as a test wants it.
private final class Members: HeatmapMembers {
    private let out = Mutex<Set<Int64>>([])
    private let dark = Mutex<Set<Int64>>([])

    func switchOff(_ account: Int64) { _ = out.withLock { $0.insert(account) } }
    func hide(_ account: Int64) { _ = dark.withLock { $0.insert(account) } }

    func isCounted(_ account: Int64) -> Bool { !out.withLock { $0.contains(account) } }
    func isHidden(_ account: Int64, at position: LatLon, within metres: Double) -> Bool {
        dark.withLock { $0.contains(account) }
    }
}

@Suite("The heatmap")
struct HeatmapTests {
    private let clock = TestClock()
    private let members = Members()
    private let hub: Hub
    private let heatmap: Heatmap

    init() {
        let clock = clock
        hub = Hub(loop: TestDatabase.shared.loop, now: { clock.now }, monotonic: { clock.nanoseconds })
        heatmap = Heatmap(
            loop: hub.loop, hub: hub, members: members, secret: [1, 2, 3], now: { clock.now },
            monotonic: { clock.nanoseconds })
    }

    private func note(_ accounts: some Sequence<Int>, longitude: Double = 8, accuracy: Double = 10) {
        for account in accounts {
            heatmap.note(account: Int64(account), position: LatLon(51.5, longitude), accuracy: accuracy)
        }
    }

    /// - Returns: What is shown when the epoch has ended.
    private func end() async -> [HeatCell] {
        // What was noted has arrived.
        _ = await hub.heatmap.published
        clock.advance(bySeconds: 30)
        await heatmap.endEpoch()
        return await hub.heatmap.published.cells
    }

    @Test("The heatmap shows where many people are, at the time of the epoch's end")
    func shown() async throws {
        note(1...30)
        note(31...34, longitude: 8.1)
        let cells = await end()
        let place = HeatmapPlace(containing: try GeoPoint(latitude: 51.5, longitude: 8))
        #expect(cells.count == 1 && cells[0].x == place.x && cells[0].y == place.y && cells[0].people == 30)
        let published = await hub.heatmap.published
        #expect(published.serverTime.milliseconds % 30_000 == 0)
        #expect(published.zoom == 19 && published.peopleMin == 5)
    }

    @Test("The heatmap does not count people who have not switched it on, are hidden, or are located too inexactly")
    func notCounted() async {
        for account in 1...6 { members.switchOff(Int64(account)) }
        for account in 7...12 { members.hide(Int64(account)) }
        note(1...12)
        note(13...18, accuracy: 101)
        // Eight who count are too few.
        note(19...26)
        #expect(await end().isEmpty)
        note(1...18, accuracy: 100)
        note(19...40)
        // 28 of the 40 count.
        #expect([20, 30].contains(await end().first?.people ?? 0))
    }

    @Test(
        "The heatmap leaves out at the next epoch's end people who switch it off, are hidden or are deleted, with or without reports"
    )
    func leaving() async {
        note(1...40)
        #expect(await end().first?.people == 40)
        for account in 1...18 { members.switchOff(Int64(account)) }
        for account in 19...35 { heatmap.forget(account: Int64(account)) }
        #expect(await end().isEmpty)
        // Five are there still; those who are dark now leave too.
        note(19...40)
        for account in 19...40 { members.hide(Int64(account)) }
        note(19...40)
        #expect(await end().isEmpty)
    }

    @Test("The heatmap leaves out people without a report for two minutes")
    func silence() async {
        note(1...40)
        for _ in 1...4 { #expect(await end().first?.people == 40) }
        #expect(await end().isEmpty)
    }

    @Test("The heatmap says along a route what it shows, and nothing about cells that show nothing")
    func along() async throws {
        note(1...40)
        note(41...48, longitude: 8.001)
        _ = await end()
        let result = try await heatmap.along(.init(route: [LatLon(51.5, 7.999), LatLon(51.5, 8.002)]))
        #expect(Set(result.parts.map(\.people)) == [0, 40] && result.parts.count { $0.people == 40 } == 1)
        #expect(result.serverTime == (await hub.heatmap.published.serverTime))
    }

    @Test("The heatmap refuses malformed routes and says what a route is")
    func refused() async throws {
        for route in [
            [LatLon(51.5, 8)], Array(repeating: LatLon(51.5, 8), count: 2_001), [LatLon(51.5, 8), LatLon(51.5, 9)],
            [LatLon(81, 8), LatLon(81, 8)], [LatLon(0, 181), LatLon(0, 181)], [LatLon(.nan, 0), LatLon(0, 0)],
        ] {
            let error = await #expect(throws: RPCError.self) { try await heatmap.along(.init(route: route)) }
            #expect(error?.data?.field == "route")
        }
        _ = try await heatmap.along(.init(route: Array(repeating: LatLon(51.5, 8), count: 2_000)))
    }

    @Test(
        "The heatmap has a secret that all servers share, and that gives other numbers for other cells, windows and ticks"
    )
    func secret() async throws {
        let world = try await World()
        defer { withExtendedLifetime(world) {} }
        let keys = StoredSecrets(database: world.pool)
        let first = try await keys.secret("heatmap") { [UInt8](repeating: 1, count: 32) }
        #expect(try await keys.secret("heatmap") { [UInt8](repeating: 2, count: 32) } == first)
        let (one, same) = (Heatmap.secret(from: first), Heatmap.secret(from: first))
        let place = HeatmapPlace(x: 5, y: 6)
        #expect(one(place, 7, 1) == same(place, 7, 1))
        let others = [
            one(HeatmapPlace(x: 6, y: 5), 7, 1), one(place, 8, 1), one(place, 7, 2),
            Heatmap.secret(from: [9])(place, 7, 1),
        ]
        #expect(Set(others + [one(place, 7, 1)]).count == 5)
    }
}
