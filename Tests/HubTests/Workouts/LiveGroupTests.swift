import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore

@Suite("Live groups at one node")
struct LiveGroupTests {
    /// The tests make the ticks.
    private let stage = Stage(firstTickDelay: .seconds(600))
    private var hub: Hub { stage.hub }

    private func join(_ group: StoredLiveGroup, _ account: Int64) async throws -> GroupViewer {
        try await GroupViewer(group, as: account, on: hub, loop: stage.loop)
    }

    private func apart(_ group: StoredLiveGroup) async -> Set<Int64>? {
        await hub.liveGroups.inOneIteration { $0.rooms[group.id]?.apart }
    }
    private func commonCount(_ group: StoredLiveGroup) async -> Int? {
        await hub.liveGroups.inOneIteration { $0.rooms[group.id]?.common.count }
    }

    private func update(
        _ group: StoredLiveGroup, _ account: Int64, _ position: TrainingPosition
    ) async -> LiveGroupFeed.UpdateOutcome {
        await hub.liveGroups.update(group.id, by: account, position, sharesZone: nil)
    }

    @Test("Updates of a tick are one publication, with the newest position of each member")
    func conflation() async throws {
        let group = StoredLiveGroup.test()
        let viewer = try await join(group, 1)
        _ = try await join(group, 2)
        await hub.tickNow()
        try await viewer.read()
        for set in 1...5 {
            #expect(await update(group, 2, .set(set)) == .accepted)
            #expect(await update(group, 3, .set(set)) == .accepted)
        }
        await hub.tickNow()
        let updates = try await viewer.read()
        #expect(updates.count == 1)
        #expect(updates.first?.members?.map(\.username) == ["user2", "user3"])
        #expect(updates.first?.members?.compactMap(\.position?.set) == [5, 5])
        await hub.tickNow()
        #expect(try await viewer.read().isEmpty)
    }

    @Test("A member that sends too often is published once a second, and its last position arrives")
    func rate() async throws {
        let group = StoredLiveGroup.test()
        let viewer = try await join(group, 1)
        await hub.tickNow()
        try await viewer.read()
        var published = 0
        // Ten seconds with ten updates and five ticks each.
        for tick in 1...50 {
            for step in 0..<2 { #expect(await update(group, 2, .set(tick * 2 + step)) == .accepted) }
            stage.clock.advance(bySeconds: 0.2)
            await hub.tickNow()
            published += try await viewer.read().count
        }
        #expect((10...12).contains(published))
        stage.clock.advance(bySeconds: 1)
        await hub.tickNow()
        #expect(try await viewer.member(2)?.position?.set == 101)
    }

    @Test("Only members that take part can subscribe or send, and only exercises of the plan are taken")
    func membership() async throws {
        let group = StoredLiveGroup.test().with(4, .invited).with(5, .left)
        _ = try await join(group, 1)
        for account: Int64 in [4, 5, 9] {
            await #expect(throws: LiveGroupFeed.NotAMember.self) { _ = try await join(group, account) }
            #expect(await update(group, account, .set(1)) == .notAMember)
        }
        var other = TrainingPosition.set(1)
        other.exercise = "campanile/unknown"
        #expect(await update(group, 2, other) == .unknownExercise)
        #expect(await update(.test(), 1, .set(1)) == .needsDatabase)
        #expect(await update(group, 2, .set(1, phase: .finished)) == .needsDatabase)
    }

    @Test("Neither of two members with a block sees the other, and both see the rest", arguments: [true, false])
    func blocks(_ isBefore: Bool) async throws {
        let group = StoredLiveGroup.test([1, 2, 3])
        if isBefore { await hub.blocks.set(3, 2, isOn: true) }
        let (host, two, three) = (try await join(group, 1), try await join(group, 2), try await join(group, 3))
        if !isBefore {
            #expect(try await two.member(3) != nil)
            await hub.blocks.set(3, 2, isOn: true)
            #expect(try await two.read().last?.gone == ["user3"])
            #expect(try await three.read().last?.gone == ["user2"])
            #expect(try await host.read().allSatisfy { $0.gone == nil })
        }
        let (before, beforeToo) = (try await two.everything().count, try await three.everything().count)
        for account: Int64 in 1...3 { #expect(await update(group, account, .set(Int(account))) == .accepted) }
        await hub.tickNow()
        #expect(try await host.members().values.compactMap(\.position?.set).sorted() == [1, 2, 3])
        #expect(try await two.members().keys.sorted() == ["user1", "user2"])
        #expect(try await three.members().keys.sorted() == ["user1", "user3"])
        #expect(!(try await two.everything().dropFirst(isBefore ? 0 : before)).contains("user3"))
        #expect(!(try await three.everything().dropFirst(isBefore ? 0 : beforeToo)).contains("user2"))

        await hub.blocks.set(3, 2, isOn: false)
        #expect(try await two.member(3)?.position?.set == 3)
        #expect(try await three.member(2)?.position?.set == 2)
    }

    @Test("A viewer with a block gets the common rendition while nobody blocked is in the group")
    func commonRendition() async throws {
        await hub.blocks.set(2, 9, isOn: true)
        let group = StoredLiveGroup.test()
        _ = try await join(group, 2)
        #expect(await apart(group) == [])
        #expect(await commonCount(group) == 1)
        let larger = group.with(9, .joined)
        await hub.liveGroups.changed(larger)
        #expect(await apart(group) == [2, 9])
        #expect(await commonCount(group) == 0)
        await hub.liveGroups.changed(larger.with(9, nil))
        #expect(await apart(group) == [])
        #expect(await commonCount(group) == 1)
    }

    @Test("A block with the host takes the member out", arguments: [true, false])
    func blockOfHost(_ isByHost: Bool) async throws {
        let group = StoredLiveGroup.test()
        let (host, two) = (try await join(group, 1), try await join(group, 2))
        await hub.blocks.set(isByHost ? 1 : 2, isByHost ? 2 : 1, isOn: true)
        #expect(try await two.read().last?.type == .closed)
        #expect(try await two.read().isEmpty)
        #expect(try await host.read().last?.gone == ["user2"])
        #expect(await update(group, 2, .set(1)) == .notAMember)
        await #expect(throws: LiveGroupFeed.NotAMember.self) { _ = try await join(group, 2) }
    }

    @Test("A zone is published only while it is shared, and withdrawn with the sharing")
    func zones() async throws {
        let group = StoredLiveGroup.test(sharing: [2])
        let viewer = try await join(group, 1)
        _ = await update(group, 2, .set(1, zone: 4))
        _ = await update(group, 3, .set(1, zone: 5))
        await hub.tickNow()
        #expect(try await viewer.member(2)?.position?.zone == 4)
        #expect(try await viewer.member(3)?.position?.zone == nil)
        #expect(!(try await viewer.everything().contains("\"zone\":5")))

        await hub.liveGroups.withdrawZone(of: 2, in: group.id)
        await hub.tickNow()
        let shown = try await viewer.member(2)
        #expect(shown?.position?.zone == nil)
        #expect(shown?.sharesZone == false)
        #expect(shown?.position?.set == 1)
        _ = await update(group, 2, .set(2, zone: 3))
        stage.clock.advance(bySeconds: 2)
        await hub.tickNow()
        #expect(try await viewer.member(2)?.position?.set == 2)
        #expect(!(try await viewer.everything().contains("\"zone\":3")))
        // A late member gets no zone either.
        #expect(!(try await join(group, 3).everything().contains("\"zone\"")))
    }

    @Test("A member is present while it has a connection, and gets everything when it returns")
    func presence() async throws {
        let group = StoredLiveGroup.test()
        let host = try await join(group, 1)
        let (phone, watch) = (try await join(group, 2), try await join(group, 2))
        await hub.tickNow()
        #expect(try await host.member(2)?.isPresent == true)
        await hub.disconnect(phone.viewer)
        await hub.tickNow()
        #expect(try await host.member(2)?.isPresent == true)
        await hub.disconnect(watch.viewer)
        await hub.tickNow()
        #expect(try await host.member(2)?.isPresent == false)
        _ = await update(group, 3, .set(7))
        let again = try await join(group, 2)
        #expect(try await again.member(3)?.position?.set == 7)
        await hub.tickNow()
        #expect(try await host.member(2)?.isPresent == true)
    }

    @Test("One member ends and the others go on; leaving and removing cut off at once")
    func ends() async throws {
        var group = StoredLiveGroup.test([1, 2, 3, 4])
        let viewers = [
            try await join(group, 1), try await join(group, 2), try await join(group, 3), try await join(group, 4),
        ]
        _ = await update(group, 2, .set(2))
        group = group.with(2, .finished)
        await hub.liveGroups.changed(group)
        #expect(await update(group, 2, .set(3, phase: .finished)) == .accepted)
        #expect(await update(group, 1, .set(1)) == .accepted)
        await hub.tickNow()
        #expect(try await viewers[0].member(2)?.state == .finished)
        #expect(try await viewers[1].member(1)?.position?.set == 1)

        group = group.with(3, .left)
        await hub.liveGroups.changed(group)
        #expect(try await viewers[2].read().last?.type == .closed)
        group = group.with(4, nil)
        await hub.liveGroups.changed(group)
        #expect(try await viewers[3].read().last?.reason == TopicCloseReason.notShared.rawValue)
        stage.clock.advance(bySeconds: 2)
        _ = await update(group, 1, .set(5))
        await hub.tickNow()
        let shown = try await viewers[0].members()
        #expect(shown["user3"]?.state == .left)
        #expect(shown["user3"]?.position == nil)
        #expect(shown["user4"] == nil)
        for viewer in viewers[2...] { #expect(try await viewer.read().isEmpty) }

        await hub.liveGroups.changed(group.ended())
        for viewer in viewers[...1] {
            #expect(try await viewer.read().last?.reason == TopicCloseReason.groupEnded.rawValue)
        }
        #expect(await hub.liveGroups.inOneIteration { $0.rooms.isEmpty })
        #expect(await hub.liveGroups.roomsOf.isEmpty)
        #expect(await hub.core.subscriptions.isEmpty)
    }

    @Test("A state that was read before a removal does not let the removed member in")
    func outdated() async throws {
        let group = StoredLiveGroup.test()
        await hub.liveGroups.changed(group.with(2, nil))
        await #expect(throws: LiveGroupFeed.Outdated.self) { _ = try await join(group, 2) }
        await hub.liveGroups.changed(group)
        await #expect(throws: LiveGroupFeed.NotAMember.self) { _ = try await join(group.with(2, nil), 2) }
    }

    @Test("While it is in doubt whether a change was committed, nothing is published; PostgreSQL decides")
    func doubt() async throws {
        let memory = GroupMemory()
        let group = StoredLiveGroup.test()
        memory.store(group)
        memory.set(isAway: true)
        await hub.liveGroups.setStore(memory)
        let (host, two) = (try await join(group, 1), try await join(group, 2))
        await hub.tickNow()
        for viewer in [host, two] { try await viewer.read() }
        _ = await update(group, 1, .set(1))
        await hub.liveGroups.markInDoubt(group.id)
        await hub.tickNow()
        #expect(try await two.read().isEmpty)
        #expect(await update(group, 1, .set(2)) == .inDoubt)
        #expect(try await join(group, 3).members().values.allSatisfy { $0.position == nil })
        memory.store(group.with(2, nil))
        memory.set(isAway: false)
        _ = try await eventually("the member is cut off") { try await two.read().last?.type == .closed ? true : nil }
        // A sweep may have applied the removal before the doubt ends.
        _ = try await eventually("the host's progress is published") {
            await hub.tickNow()
            return try await host.member(1)?.position?.set == 1 ? true : nil
        }
    }

    @Test(
        "While messages may be lost, positions are taken without a zone and without the database, and published later")
    func withheld() async throws {
        let group = StoredLiveGroup.test(sharing: [1])
        let two = try await join(group, 2)
        await hub.tickNow()
        try await two.read()
        await hub.liveGroups.withhold()
        #expect(await update(group, 1, .set(4, zone: 3)) == .accepted)
        await hub.tickNow()
        #expect(try await two.read().isEmpty)
        await hub.liveGroups.resume()
        await hub.tickNow()
        let shown = try await two.member(1)
        #expect(shown?.position?.set == 4 && shown?.position?.zone == nil)
    }

    @Test("A member with another username is shown under that one alone, and not at all behind a block")
    func renamed() async throws {
        let group = StoredLiveGroup.test([1, 2, 3, 4])
        await hub.blocks.set(3, 4, isOn: true)
        let (host, two, four) = (try await join(group, 1), try await join(group, 2), try await join(group, 4))
        await hub.tickNow()
        for viewer in [host, two, four] { try await viewer.read() }
        var renamed = group
        renamed.version += 1
        renamed.members[2].username = "other"
        await hub.liveGroups.changed(renamed)
        for viewer in [host, two] { #expect(try await viewer.read().map(\.gone) == [["user3"]]) }
        await hub.tickNow()
        for viewer in [host, two] {
            #expect(try await viewer.members().keys.sorted() == ["other", "user1", "user2", "user4"])
        }
        let received = try await four.everything()
        #expect(!received.contains("user3") && !received.contains("other"))
    }

    @Test("A slow connection gets the whole group once it has room")
    func slow() async throws {
        let group = StoredLiveGroup.test()
        let viewer = try await join(group, 1)
        _ = await update(group, 2, .set(6))
        await hub.refresh(viewer.viewer, topics: [.workout(group.id)], isSlow: true)
        let update = try await viewer.read().last
        #expect(update?.full == true)
        #expect(update?.members?.compactMap(\.position?.set) == [6])
    }

    @Test("An unused group is forgotten, and one with a viewer is not")
    func memory() async throws {
        let (used, unused) = (StoredLiveGroup.test(), StoredLiveGroup.test())
        let viewer = try await join(used, 1)
        let other = try await join(unused, 1)
        await hub.unsubscribe(other.viewer, topic: .workout(unused.id))
        stage.clock.advance(bySeconds: LiveGroupLimits.keptSeconds + 1)
        await hub.liveGroups.evict()
        #expect(await hub.liveGroups.inOneIteration { Array($0.rooms.keys) } == [used.id])
        await hub.disconnect(viewer.viewer)
    }
}
