import Campus
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore

/// Whether something has come to its end.
private final class Ending: Sendable {
    private let state = Atomic<Bool>(false)
    var isOver: Bool { state.load(ordering: .relaxed) }
    func reach() { state.store(true, ordering: .relaxed) }
}

/// What is written down of who got what on the map.
extension ShareTests {
    private func onMap(_ ids: ClosedRange<Int64>) async throws -> Cell {
        for id in ids {
            let share = await share(.exact, id: id, audience: .campus, owner: 1_000 + id)
            try await report(0.0001, owner: share.owner)
            await stage.hub.shares.changed(share)
        }
        return Cell(containing: try GeoPoint(latitude: 1, longitude: 0.0001), zoom: Topic.peopleZoom)
    }

    private func look(_ cell: Cell, as account: Int64) async throws {
        try await stage.hub.shares.subscribe(stage.viewer(), toPeople: cell, as: account) { _ in Array("{}".utf8) }
    }

    @Test("However many get however many shares at once, they are written down a part at a time, and none is lost")
    func parts() async throws {
        let cell = try await onMap(1...60)
        memory.set(isAway: true)
        for account in 1...100 as ClosedRange<Int64> { try await look(cell, as: account) }
        await stage.hub.shares.writeAccessLog()
        #expect(memory.seen.isEmpty)
        memory.set(isAway: false)
        await stage.hub.shares.writeAccessLog()
        #expect(Set(memory.seen.map { "\($0.share) \($0.account)" }).count == 6_000)
        #expect(memory.parts.allSatisfy { $0 <= ShareLimits.entriesPerWriteMax } && memory.parts.count >= 3)
        #expect(memory.more.isEmpty)
    }

    @Test("A stop has its own receipt written down, and does not wait for what is written of others")
    func stopFirst() async throws {
        let cell = try await onMap(1...1)
        memory.hold(1)
        try await look(cell, as: 3)
        let writing = Task { await stage.hub.shares.writeAccessLog() }
        _ = try await eventually("it is being written") { memory.parts == [1] ? true : nil }
        _ = try await onMap(2...2)
        await stage.hub.shares.tickPeople()
        let (other, own) = (Ending(), Ending())
        let stopOther = Task {
            await stage.hub.shares.end([2])
            other.reach()
        }
        _ = try await eventually("it has stopped") { other.isOver ? true : nil }
        #expect(memory.seen.map(\.share) == [2])
        // One's own is waited for, though it was on its way already.
        let stopOwn = Task {
            await stage.hub.shares.end([1])
            own.reach()
        }
        try await Task.sleep(for: .milliseconds(100))
        #expect(!own.isOver)
        memory.hold(nil)
        for task in [writing, stopOther, stopOwn] { await task.value }
        #expect(Set(memory.seen.map(\.share)) == [1, 2])
    }

    @Test("Of those beyond what waits by name it is written down how many they are")
    func beyond() {
        let registry = ShareRegistry()
        registry.entries = (1...5).map {
            AccessLogEntry(share: $0 % 2, account: $0, precision: .exact, at: stage.clock.now)
        }
        registry.countEntries(beyond: 2)
        #expect(registry.entries.map(\.account) == [1, 2])
        #expect(registry.unnamedEntries == [0: 1, 1: 2])
    }

    @Test("Of whom a receipt has only the number nobody is counted again when another share of the same owner changes")
    func countedOnce() async throws {
        let registry = ShareRegistry()
        let person = PersonOnMap(
            share: 1, person: SharingPerson(account: 7, name: "Anna", username: "anna"), precision: .exact,
            state: .live,
            location: SharedLocation(lat: 1, lon: 0, onCampus: true, at: stage.clock.now))
        let accounts = Array(1...Int64(ShareLimits.seenNamedMax + 4))
        registry.log(person, receivedBy: accounts, at: stage.clock.now)
        #expect(registry.entries.count == ShareLimits.seenNamedMax && registry.unnamedEntries == [1: 3])
        registry.forgetSeen(of: 7)
        registry.log(person, receivedBy: accounts, at: stage.clock.now)
        // Their lines may have ended, and are opened again.
        #expect(registry.entries.count == 2 * ShareLimits.seenNamedMax && registry.unnamedEntries == [1: 3])
        registry.log(person, receivedBy: accounts, at: stage.clock.now)
        #expect(registry.entries.count == 2 * ShareLimits.seenNamedMax && registry.unnamedEntries == [1: 3])
        // One that nobody was counted of begins anew, and so does one that has ended.
        registry.end(1)
        registry.log(person, receivedBy: accounts, at: stage.clock.now)
        #expect(registry.unnamedEntries == [1: 6])
    }
}
