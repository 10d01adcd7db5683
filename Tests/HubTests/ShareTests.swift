import Campus
import Foundation
import Synchronization
import TestSupport
import Testing
import WebSocket
import Wire

@testable import Hub
@testable import HubCore

/// Shares as they are stored in a test, and what is written down.
final class ShareMemory: ShareStore {
    private struct State {
        var shares: [StoredShare] = []
        var closed: [Int64] = []
        var seen: [AccessLogEntry] = []
        var more: [Int64: Int] = [:]
        var parts: [Int] = []
        var isAway = false
        var held: Int64?
    }
    private let state = Mutex(State())

    struct Away: Error {}

    func store(_ share: StoredShare) {
        state.withLock { state in
            state.shares.removeAll { $0.id == share.id }
            state.shares.append(share)
        }
    }

    /// As a PostgreSQL that does not answer who shares what.
    func set(isAway: Bool) { state.withLock { $0.isAway = isAway } }
    func end(_ id: Int64) { state.withLock { $0.shares.removeAll { $0.id == id } } }
    var closed: [Int64] { state.withLock { $0.closed } }
    var seen: [AccessLogEntry] { state.withLock { $0.seen } }
    var more: [Int64: Int] { state.withLock { $0.more } }
    /// How many were written at a time.
    var parts: [Int] { state.withLock { $0.parts } }
    /// What is written of a share takes until there is none any more.
    func hold(_ share: Int64?) { state.withLock { $0.held = share } }

    func shares(of account: Int64) async throws -> [StoredShare] {
        try state.withLock { state in
            guard !state.isAway else { throw Away() }
            return state.shares.filter { $0.owner == account }
        }
    }
    func shares(_ ids: [Int64]) async throws -> [StoredShare] {
        state.withLock { $0.shares.filter { ids.contains($0.id) } }
    }
    func members(of groups: [Int64]) async throws -> [Int64: Set<Int64>] { [:] }
    func close(openings: [Int64], at time: Timestamp) async throws { state.withLock { $0.closed += openings } }
    func log(_ seen: [AccessLogEntry], more: [Int64: Int]) async throws {
        state.withLock { $0.parts.append(seen.count) }
        while state.withLock({ state in seen.contains { $0.share == state.held } }) {
            try await Task.sleep(for: .milliseconds(5))
        }
        try state.withLock {
            guard !$0.isAway else { throw Away() }
            $0.seen += seen
            $0.more.merge(more) { $0 + $1 }
        }
    }
}

/// A campus of two buildings, west and east of Greenwich, and dark from a latitude on.
final class TwoBuildings: LocationRules {
    private let border = Mutex(50.0)

    func setBorder(_ latitude: Double) { border.withLock { $0 = latitude } }

    func hidden(_ account: Int64, at position: LatLon, within metres: Double) -> MyLocation.Hidden? {
        position.latitude > border.withLock { $0 } ? .zone : nil
    }
    func shown(_ fix: LocatedFix, as precision: Wire.Precision) -> SharedLocation {
        guard precision != .exact else { return SharedLocation(exact: fix) }
        let isEast = fix.position.longitude > 0
        return SharedLocation(
            lat: 1, lon: isEast ? 1 : -1, accuracy: 50,
            place: LocationPlace(kind: .building, id: isEast ? 2 : 1, name: nil), onCampus: true, at: fix.at)
    }
}

@Suite("Shares in the hub")
struct ShareTests {
    let stage = Stage(firstTickDelay: .seconds(3_600))
    let memory = ShareMemory()
    let rules = TwoBuildings()

    func share(
        _ precision: Wire.Precision, id: Int64 = 5, audience: ShareAudience = .person, owner: Int64 = 9,
        group: Int64? = nil
    ) async -> StoredShare {
        let share = StoredShare(
            id: id, owner: owner, username: "owner\(owner)", name: "Owner", audience: audience,
            person: audience == .person ? 1 : nil, group: group, precision: precision, startedAt: stage.clock.now,
            chosenAt: stage.clock.now, expiresAt: stage.clock.now.advanced(bySeconds: 7_200), secret: 12_345,
            version: id)
        memory.store(share)
        await stage.hub.shares.setStore(memory, rules: rules)
        return share
    }

    func report(
        _ longitude: Double, latitude: Double = 1, owner: Int64 = 9, speed: Double = 3, accuracy: Double = 5
    ) async throws {
        try await stage.hub.shares.locate(
            LocatedFix(
                point: try GeoPoint(latitude: latitude, longitude: longitude), accuracy: accuracy, heading: 90,
                speed: speed, source: .gps, at: stage.clock.now), of: owner)
    }

    func watch(_ share: StoredShare, opening: Int64 = 1) async throws -> RecordingViewer {
        let viewer = stage.viewer()
        try await stage.hub.shares.watch(
            viewer, share, account: 1, opening: opening, byLink: false, reply: RecordingViewer.reply(.share(share.id)))
        return viewer
    }

    func updates(_ viewer: RecordingViewer) async throws -> [ShareUpdate] {
        await viewer.take().flatMap(\.messages).compactMap {
            try? WireJSON.decode(Push<ShareUpdate>.self, from: RecordingViewer.payload(of: $0.frame)).params.data
        }
    }

    @Test("A building is told at its looks alone, whatever moves between them, and with the look's time")
    func looks() async throws {
        let share = await share(.building)
        try await report(-0.5)
        await stage.hub.shares.changed(share)
        let viewer = try await watch(share)
        _ = try await updates(viewer)
        var received: [ShareUpdate] = []
        // An hour of going through the door every second.
        for second in 0..<3_600 {
            stage.clock.advance(bySeconds: 1)
            try await report(second % 2 == 0 ? 0.5 : -0.5)
            await stage.hub.shares.runSweep()
            received += try await updates(viewer)
        }
        #expect(received.count == 60)
        let times = received.compactMap { $0.location?.at.milliseconds }
        #expect(Set(times.map { $0 % 60_000 }) == [12_345])
        #expect(received.allSatisfy { $0.location?.speed == nil && abs($0.location?.lon ?? 0) == 1 })
    }

    @Test(
        "An exact position is told at most once a second; without news it is old after 60 s, and after 15 minutes nothing"
    )
    func ages() async throws {
        let share = await share(.exact)
        try await report(0.1)
        await stage.hub.shares.changed(share)
        let viewer = try await watch(share)
        _ = try await updates(viewer)
        for step in 1...10 {
            stage.clock.advance(bySeconds: 0.2)
            try await report(0.1 + Double(step) / 100)
        }
        #expect(try await updates(viewer).count == 2)
        stage.clock.advance(bySeconds: 59)
        await stage.hub.shares.runSweep()
        #expect(try await updates(viewer).isEmpty)
        stage.clock.advance(bySeconds: 2)
        await stage.hub.shares.runSweep()
        #expect(try await updates(viewer).map(\.state) == [.old])
        stage.clock.advance(bySeconds: 840)
        await stage.hub.shares.runSweep()
        let last = try await updates(viewer)
        #expect(last.map(\.state) == [ShareState.none] && last[0].location == nil)
        #expect(await stage.hub.shares.location(of: 9) == nil)
    }

    @Test("In a dark place neither position nor time is told, and a share goes on outside of it")
    func dark() async throws {
        let share = await share(.exact)
        try await report(0.1)
        await stage.hub.shares.changed(share)
        let viewer = try await watch(share)
        _ = try await updates(viewer)
        stage.clock.advance(bySeconds: 2)
        try await report(0.1, latitude: 51)
        let hidden = try await updates(viewer)
        #expect(hidden.map(\.state) == [.hidden] && hidden[0].location == nil)
        stage.clock.advance(bySeconds: 2)
        try await report(0.2, latitude: 51)
        #expect(try await updates(viewer).isEmpty)
        stage.clock.advance(bySeconds: 2)
        try await report(0.3)
        #expect(try await updates(viewer).map(\.state) == [.live])
    }

    @Test("Whoever was let in while the share ended gets nothing")
    func race() async throws {
        let share = await share(.exact)
        try await report(0.1)
        await stage.hub.shares.end([share.id])
        await #expect(throws: ShareFeed.ShareClosed.self) { _ = try await watch(share) }
    }

    @Test(
        "The map of people tells 200 of a cell and how many more there are, the same bytes to all but those who block somebody there"
    )
    func people() async throws {
        for number in 1...230 as ClosedRange<Int64> {
            let share = await share(.exact, id: number, audience: .campus, owner: 1_000 + number)
            try await report(0.0001, owner: share.owner)
            await stage.hub.shares.changed(share)
        }
        await stage.hub.blocks.set(7, 1_001, isOn: true)
        let point = try GeoPoint(latitude: 1, longitude: 0.0001)
        let cell = Cell(containing: point, zoom: Topic.peopleZoom)
        let viewers = [stage.viewer(), stage.viewer(), stage.viewer()]
        let pictures = Mutex<[PeopleUpdate]>([])
        for (viewer, account) in zip(viewers, [5, 6, 7] as [Int64]) {
            try await stage.hub.shares.subscribe(viewer, toPeople: cell, as: account) { picture in
                pictures.withLock { $0.append(picture) }
                return Array("{}".utf8)
            }
        }
        let seen = pictures.withLock { $0 }
        #expect(seen.map(\.people.count) == [200, 200, 200] && seen.map(\.more) == [30, 30, 29])
        #expect(seen[0].people == seen[1].people)
        #expect(!seen[2].people.contains { $0.person.account == 1_001 })
        for viewer in viewers { _ = await viewer.take() }
        // A block made now takes them off at once, and not with the next turn.
        await stage.hub.blocks.set(1_002, 6, isOn: true)
        let after = try await viewers[1].take().flatMap(\.messages).map {
            try WireJSON.decode(Push<PeopleUpdate>.self, from: RecordingViewer.payload(of: $0.frame)).params.data
        }
        #expect(after.count == 1 && after[0].full == true)
        #expect(after.first?.people.contains { $0.person.account == 1_002 } == false)
        #expect(await viewers[0].take().isEmpty)
        await stage.hub.shares.writeAccessLog()
        #expect(Set(memory.seen.filter { $0.account == 7 }.map(\.share)).count == 200)
    }
}
