import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore

@Suite("Which members of a live group an account sees")
struct LiveGroupPrivacyTests {
    /// The tests make the ticks.
    private let stage = Stage(firstTickDelay: .seconds(600))
    private var hub: Hub { stage.hub }

    private func join(_ group: StoredLiveGroup, _ account: Int64) async throws -> GroupViewer {
        try await GroupViewer(group, as: account, on: hub, loop: stage.loop)
    }

    private func names(_ group: StoredLiveGroup, for account: Int64) async -> [String] {
        await hub.liveGroups.rendition(of: group, for: account).members.map(\.username)
    }

    /// Host 1 and member 2 take part, 3 is invited, 4 has declined.
    private static let group = StoredLiveGroup.test([1, 2]).with(3, .invited).with(4, .left)

    @Test(
        "The host sees everybody, a member those who take part, and an invited person the host",
        arguments: [true, false])
    func renditions(_ isInMemory: Bool) async throws {
        let group = Self.group
        if isInMemory { _ = try await join(group, 1) }
        #expect(await names(group, for: 1) == ["user1", "user2", "user3", "user4"])
        #expect(await names(group, for: 2) == ["user1", "user2"])
        #expect(await names(group, for: 3) == ["user1", "user3"])
        #expect(await names(group, for: 4) == ["user1", "user4"])
        for account: Int64 in 1...4 {
            #expect(await hub.liveGroups.rendition(of: group, for: account).participants == 2)
        }
        await hub.blocks.set(3, 2, isOn: true)
        #expect(await hub.liveGroups.rendition(of: group, for: 3).participants == 1)
    }

    @Test("Invitations and declines are published to the host alone; joining and leaving to all")
    func publications() async throws {
        var group = Self.group
        let (host, two) = (try await join(group, 1), try await join(group, 2))
        func change(_ account: Int64, _ state: LiveMemberState?) async {
            group = group.with(account, state)
            await hub.liveGroups.changed(group)
            await hub.tickNow()
        }
        await change(5, .invited)
        #expect(try await host.member(5)?.state == .invited)
        await change(3, nil)
        #expect(try await host.member(3) == nil)
        await change(5, .left)
        await hub.refresh(two.viewer, topics: [.workout(group.id)], isSlow: true)
        let received = try await two.everything()
        for name in ["user3", "user4", "user5"] { #expect(!received.contains(name)) }

        await change(5, .joined)
        #expect(try await two.member(5)?.state == .joined)
        await change(4, nil)
        await change(5, .left)
        #expect(try await two.members().keys.sorted() == ["user1", "user2"])
        #expect(try await host.member(5)?.state == .left)
        await change(5, nil)
        #expect(try await host.members().keys.sorted() == ["user1", "user2"])
        #expect(!(try await two.everything().contains("user4")))
    }

    @Test("A blocked member learns nothing of an invited person, nor of the block")
    func blocks() async throws {
        let group = Self.group
        let two = try await join(group, 2)
        await hub.blocks.set(3, 2, isOn: true)
        await hub.liveGroups.changed(group.with(3, nil))
        await hub.tickNow()
        #expect(!(try await two.everything().contains("user3")))
    }

    @Test(
        "A member that a block separates from the host is refused by a state from before the block",
        arguments: [true, false])
    func blockOfHost(_ isInMemory: Bool) async throws {
        let group = StoredLiveGroup.test()
        let host = isInMemory ? try await join(group, 1) : nil
        await hub.blocks.set(2, 1, isOn: true)
        await #expect(throws: LiveGroupFeed.NotAMember.self) { _ = try await join(group, 2) }
        #expect(await hub.liveGroups.update(group.id, by: 2, .set(1), sharesZone: nil) == .notAMember)
        // Another change that was read before the block.
        await hub.liveGroups.changed(group.with(4, .joined))
        await #expect(throws: LiveGroupFeed.NotAMember.self) { _ = try await join(group.with(4, .joined), 2) }
        if let host { #expect(try await host.member(2) == nil) }
    }

    @Test("A group stays in doubt while other changes are applied")
    func doubt() async throws {
        let memory = GroupMemory()
        let group = StoredLiveGroup.test()
        memory.store(group)
        memory.set(isAway: true)
        await hub.liveGroups.setStore(memory)
        let two = try await join(group, 2)
        await hub.tickNow()
        try await two.read()
        await hub.liveGroups.markInDoubt(group.id)
        let changed = group.with(4, .joined)
        await hub.liveGroups.changed(changed)
        #expect(await hub.liveGroups.update(group.id, by: 1, .set(1), sharesZone: nil) == .inDoubt)
        await hub.tickNow()
        #expect(try await two.read().isEmpty)
        memory.store(changed.with(2, nil))
        memory.set(isAway: false)
        _ = try await eventually("the member is cut off") { try await two.read().last?.type == .closed ? true : nil }
    }

    @Test("An account sees in its own row that it shares the zone, also without progress")
    func ownZone() async throws {
        let group = StoredLiveGroup.test(sharing: [1, 2])
        #expect(await hub.liveGroups.rendition(of: group, for: 2).members.map(\.sharesZone) == [true, true, false])
        let memory = GroupMemory()
        memory.store(group)
        memory.set(isAway: true)
        await hub.liveGroups.setStore(memory)
        _ = try await join(group, 1)
        await hub.liveGroups.markInDoubt(group.id)
        #expect(await hub.liveGroups.rendition(of: group, for: 2).members.map(\.sharesZone) == [false, true])
        memory.set(isAway: false)
    }

    @Test("A position is newer than the former one, also when that came from a node with a clock that is ahead")
    func clocks() async throws {
        let group = StoredLiveGroup.test()
        _ = try await join(group, 1)
        let ahead = stage.clock.now.advanced(bySeconds: 60)
        await hub.liveGroups.inOneIteration { $0.rooms[group.id]?[2]?.updatedAt = ahead }
        #expect(await hub.liveGroups.update(group.id, by: 2, .set(1), sharesZone: nil) == .accepted)
        let updatedAt = await hub.liveGroups.inOneIteration { $0.rooms[group.id]?[2]?.updatedAt }
        #expect(updatedAt == Timestamp(milliseconds: ahead.milliseconds + 1))
    }
}
