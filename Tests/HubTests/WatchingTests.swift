import EventLoop
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore

@Suite("Who watches a session")
struct WatchingTests {
    let stage = Stage()

    private static func account(_ id: Int64) -> PresenceAccount { PresenceAccount(id: id, name: "watcher\(id)") }

    private static func member(_ id: Int64, link: Int64? = nil, until end: Timestamp? = nil) -> SessionAccess {
        SessionAccess(isOwner: false, isMember: true, linkID: link, expiresAt: end, account: account(id))
    }

    private static let owner = SessionAccess(isOwner: true, isMember: true, account: account(1))

    /// - Returns: Who watches, as it was told with the snapshot.
    @discardableResult
    private func watch(_ viewer: RecordingViewer, _ access: SessionAccess) async throws -> Presence? {
        try await stage.watch(viewer, session: 1, access)
        let snapshots = try await viewer.events().compactMap { event in
            if case .sessionSnapshot(let snapshot) = event { snapshot } else { nil }
        }
        return try #require(snapshots.last).presence
    }

    /// The pushes of presence since the last call, after the interval.
    private func received(_ viewer: RecordingViewer) async throws -> [Presence] {
        try await viewer.sessionUpdates().compactMap(\.presence)
    }

    @Test(
        "Viewers of a session are counted in people: an account on three devices once, each guest, and the owner never")
    func people() async throws {
        await stage.place(1, zone: nil)
        let devices = (0..<3).map { stage.viewer($0 == 0 ? Stage.secondLoop : nil) }
        let guests = [stage.viewer(), stage.viewer()]
        let owners = [stage.viewer(), stage.viewer()]
        for device in devices { #expect(try await watch(device, Self.member(2)) == Presence(count: 1)) }
        #expect(try await watch(guests[0], .stranger) == Presence(count: 2))
        #expect(try await watch(guests[1], .link(5)) == Presence(count: 3))
        for one in owners {
            #expect(try await watch(one, Self.owner) == Presence(count: 3, names: ["watcher2"], more: 0))
        }
        await stage.hub.presence.publishChanges()
        for one in devices + guests { #expect(try await received(one) == [Presence(count: 3)]) }
        for one in owners { _ = await one.take() }
        // Two of three devices go: nothing is new.
        await stage.hub.disconnect(devices[0])
        await stage.hub.unsubscribe(devices[1], topic: .session(1))
        await stage.hub.presence.publishChanges()
        for one in [devices[2]] + guests + owners { #expect(try await received(one).isEmpty) }
        await stage.hub.disconnect(devices[2])
        await stage.hub.disconnect(guests[0])
        await stage.hub.presence.publishChanges()
        #expect(try await received(guests[1]) == [Presence(count: 1)])
        #expect(try await received(owners[0]) == [Presence(count: 1, names: [], more: 0)])
        for one in guests + owners { await stage.hub.disconnect(one) }
        #expect(await stage.hub.subscriberTablesAreEmpty)
    }

    @Test("A viewer who signs in on the same connection is counted as the account, and not twice for subscribing twice")
    func signingIn() async throws {
        await stage.place(1, zone: nil)
        let viewer = stage.viewer()
        #expect(try await watch(viewer, .stranger) == Presence(count: 1))
        #expect(try await watch(viewer, Self.member(2)) == Presence(count: 1))
        #expect(try await watch(viewer, Self.member(2)) == Presence(count: 1))
        #expect(try await watch(stage.viewer(), Self.owner)?.names == ["watcher2"])
        // Whom it belongs to is no spectator from the moment that is known.
        #expect(try await watch(viewer, Self.owner) == Presence(count: 0, names: [], more: 0))
    }

    @Test(
        "A viewer's name is sent to the owner alone: not to guests, members or holders of a link, on no path, whatever the audience"
    )
    func names() async throws {
        await stage.place(1, zone: nil)
        let owner = stage.viewer()
        var spectators: [RecordingViewer] = []
        let admitted = [
            .stranger, Self.member(2), Self.member(3), .link(5), Self.member(4, link: 5), Self.member(1_000),
        ]
        for access in admitted {
            let viewer = stage.viewer()
            try await stage.watch(viewer, session: 1, access)
            spectators.append(viewer)
        }
        #expect(try await watch(owner, Self.owner)?.names?.count == 4)
        for audience in [Audience.campus, .private, .public, .campus] {
            await stage.hub.sessions.changeAudience(stage.session(1, audience))
            await stage.hub.tickNow()
            await stage.hub.presence.publishChanges()
            for viewer in spectators {
                await stage.hub.refresh(viewer, topics: [.session(1)], isSlow: true)
                _ = try? await stage.watch(viewer, session: 1, Self.member(7))
            }
            await stage.hub.presence.publishChanges()
        }
        await stage.hub.sessions.end(stage.session(1, state: .finished))
        var frames = 0
        for viewer in spectators {
            for delivery in await viewer.take() {
                frames += 1
                let text = String(decoding: delivery.frame, as: UTF8.self)
                #expect(!text.contains("watcher") && !text.contains("names") && !text.contains("more"))
            }
        }
        #expect(frames > 30)
        // They were there to be told.
        let all = await owner.take().map { String(decoding: $0.frame, as: UTF8.self) }.joined()
        #expect(all.contains("watcher2") && all.contains("watcher7"))
    }

    @Test(
        "A viewer who was cut is not counted or named any more: by the audience, the end of a link, or its expiry"
    )
    func cut() async throws {
        await stage.place(1, .campus, zone: nil)
        let owner = stage.viewer()
        try await watch(owner, Self.owner)
        let end = stage.clock.now.advanced(bySeconds: 60)
        for access in [Self.member(2), Self.member(3, link: 5), .link(6), .link(7, until: end)] {
            try await watch(stage.viewer(), access)
        }
        await stage.hub.presence.publishChanges()
        #expect(try await received(owner) == [Presence(count: 4, names: ["watcher2", "watcher3"], more: 0)])
        await stage.hub.sessions.revoke(link: 6, session: 1)
        await stage.hub.presence.publishChanges()
        #expect(try await received(owner) == [Presence(count: 3, names: ["watcher2", "watcher3"], more: 0)])
        await stage.hub.sessions.changeAudience(stage.session(1, .private))
        await stage.hub.presence.publishChanges()
        #expect(try await received(owner) == [Presence(count: 2, names: ["watcher3"], more: 0)])
        stage.clock.advance(bySeconds: 60)
        await stage.hub.sessions.sweep()
        await stage.hub.sessions.revoke(link: 5, session: 1)
        await stage.hub.presence.publishChanges()
        #expect(try await received(owner) == [Presence(count: 0, names: [], more: 0)])
    }

    @Test(
        "Ten thousand who come and go are one push an interval, the same bytes for all who see no names; back where it was, none"
    )
    func churn() async throws {
        await stage.place(1, zone: nil)
        let (one, two, owner) = (stage.viewer(), stage.viewer(Stage.secondLoop), stage.viewer())
        try await watch(one, .stranger)
        try await watch(two, Self.member(2))
        try await watch(owner, Self.owner)
        await stage.hub.presence.publishChanges()
        for viewer in [one, two, owner] { _ = await viewer.take() }
        let crowd = (0..<2_500).map { _ in stage.viewer() }
        for round in 0..<2 {
            await stage.hub.inOneIteration { hub in
                for (index, viewer) in crowd.enumerated() {
                    let access = index % 2 == 0 ? SessionAccess.stranger : Self.member(Int64(10 + index))
                    _ = try? hub.sessions.now { try $0.subscribe(viewer, session: 1, access: access) { _ in [] } }
                }
                for viewer in crowd.dropLast(round == 0 ? 500 : 0) { hub.disconnect(viewer) }
                for viewer in crowd.prefix(round == 0 ? 500 : 0) { hub.disconnect(viewer) }
            }
            await stage.hub.presence.publishChanges()
            let (atOne, atTwo) = (await one.take(), await two.take())
            guard round == 0 else {
                // Fewer than before: they have left, the last 500 with them.
                #expect(atOne.count == 1 && atTwo.count == 1)
                continue
            }
            #expect(atOne.count == 1 && atTwo.count == 1)
            let addresses = [atOne, atTwo].compactMap {
                $0.first?.frame.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            }
            #expect(Set(addresses).count == 1)
            let received = try await received(owner)
            #expect(received.map(\.count) == [502] && received.first?.names?.count == 50 && received.first?.more == 201)
            #expect(received.first?.names?.contains("watcher2") == true)
        }
        #expect(try await received(owner).map(\.count) == [2])
        // Everybody comes and goes, and all is as it was told.
        await stage.hub.inOneIteration { hub in
            for viewer in crowd {
                _ = try? hub.sessions.now { try $0.subscribe(viewer, session: 1, access: .stranger) { _ in [] } }
            }
            for viewer in crowd { hub.disconnect(viewer) }
        }
        await stage.hub.presence.publishChanges()
        #expect(try await received(owner).isEmpty)
    }

    @Test("Whoever heard another count with the snapshot is told the right one, though nothing is new to the others")
    func corrected() async throws {
        await stage.place(1, zone: nil)
        let (staying, passing, late) = (stage.viewer(), stage.viewer(), stage.viewer())
        try await watch(staying, .stranger)
        try await watch(passing, .stranger)
        await stage.hub.presence.publishChanges()
        _ = try await (received(staying), received(passing))
        #expect(try await watch(late, .stranger)?.count == 3)
        await stage.hub.disconnect(passing)
        await stage.hub.presence.publishChanges()
        #expect(try await received(late).map(\.count) == [2])
    }

    @Test("Whatever comes, goes, signs in or is cut: each is told how many there are, and the owner who")
    func oracle() async throws {
        var generator = SeededGenerator(seed: 11)
        await stage.place(1, zone: nil)
        let owner = stage.viewer()
        try await watch(owner, Self.owner)
        let viewers = (0..<24).map { stage.viewer($0 % 2 == 0 ? stage.loop : Stage.secondLoop) }
        var seats: [Int: Int64] = [:]
        var last: [Int: Int] = [:]
        var named: [String] = []
        for _ in 0..<120 {
            for _ in 0..<Int.random(in: 0..<12, using: &generator) {
                let index = Int.random(in: viewers.indices, using: &generator)
                if Bool.random(using: &generator) {
                    // 0 is a guest.
                    let id = Int64.random(in: 0..<7, using: &generator)
                    seats[index] = id
                    last[index] = try await watch(viewers[index], id == 0 ? .stranger : Self.member(id + 10))?.count
                } else {
                    await stage.hub.unsubscribe(viewers[index], topic: .session(1))
                    (seats[index], last[index]) = (nil, nil)
                }
            }
            await stage.hub.presence.publishChanges()
            let accounts = Set(seats.values).subtracting([0])
            let count = accounts.count + seats.values.count { $0 == 0 }
            for index in viewers.indices {
                if let received = try await received(viewers[index]).last { last[index] = received.count }
                #expect(last[index] == (seats[index] == nil ? nil : count))
            }
            if let received = try await received(owner).last?.names { named = received }
            #expect(named == accounts.map { "watcher\($0 + 10)" }.sorted())
        }
        for viewer in viewers + [owner] { await stage.hub.disconnect(viewer) }
        #expect(await stage.hub.subscriberTablesAreEmpty)
    }
}

@Suite("Who watches at several nodes")
struct WatchingNodesTests {
    let stage = Stage()

    private static func accounts(_ ids: ClosedRange<Int64>) -> [PresenceAccount] {
        ids.map { PresenceAccount(id: $0, name: "watcher\($0)") }
    }

    private static func access(_ account: PresenceAccount, isOwner: Bool = false) -> SessionAccess {
        SessionAccess(isOwner: isOwner, isMember: true, account: account)
    }

    private func received(_ viewer: RecordingViewer) async throws -> Presence? {
        await stage.hub.presence.publishChanges()
        return try await viewer.sessionUpdates().compactMap(\.presence).last
    }

    @Test("An account that watches at two nodes counts once, and not any more when both say so or a node is lost")
    func union() async throws {
        await stage.place(1, zone: nil)
        let (owner, device) = (stage.viewer(), stage.viewer())
        try await stage.watch(owner, session: 1, Self.access(Self.accounts(1...1)[0], isOwner: true))
        try await stage.watch(device, session: 1, Self.access(Self.accounts(2...2)[0]))
        let hub = stage.hub
        await hub.presence.setRemote(
            .init(accounts: Self.accounts(2...3), moreAccounts: 0, guests: 4), of: 8, at: .session(1))
        await hub.presence.setRemote(
            .init(accounts: Self.accounts(3...4), moreAccounts: 0, guests: 0), of: 9, at: .session(1))
        #expect(
            try await received(owner) == Presence(count: 7, names: ["watcher2", "watcher3", "watcher4"], more: 0))
        #expect(try await received(device) == Presence(count: 7))
        // Here it goes, there it stays.
        await hub.disconnect(device)
        #expect(try await received(owner) == nil)
        await hub.presence.setRemote(
            .init(accounts: Self.accounts(2...2), moreAccounts: 0, guests: 1), of: 8, at: .session(1))
        #expect(
            try await received(owner) == Presence(count: 4, names: ["watcher2", "watcher3", "watcher4"], more: 0))
        await hub.presence.loseRemote(node: 9)
        #expect(try await received(owner) == Presence(count: 2, names: ["watcher2"], more: 0))
        await hub.presence.setRemote(nil, of: 8, at: .session(1))
        #expect(try await received(owner) == Presence(count: 0, names: [], more: 0))
    }

    @Test("Beyond the accounts that a report names there are numbers only, and numbers out of bounds do no harm")
    func limits() async throws {
        await stage.place(1, zone: nil)
        let owner = stage.viewer()
        try await stage.watch(owner, session: 1, Self.access(Self.accounts(1...1)[0], isOwner: true))
        let many = PresenceReport(accounts: Self.accounts(1_001...1_300), moreAccounts: 5, guests: -3)
        #expect(many.accounts.count == PresenceReport.accountsMax && many.moreAccounts == 49 && many.guests == 0)
        await stage.hub.presence.setRemote(many, of: 8, at: .session(1))
        let presence = try #require(try await received(owner))
        #expect(presence.count == 305 && presence.names?.count == Presence.namesMax && presence.more == 255)
        var wild = PresenceReport(accounts: [], moreAccounts: 0, guests: 0)
        (wild.moreAccounts, wild.guests) = (.max, .min)
        for node in UInt64(8)...71 { await stage.hub.presence.setRemote(wild, of: node, at: .session(1)) }
        #expect(try await received(owner)?.count == 64 * PresenceReport.numberMax)
    }

    @Test(
        "The other nodes are told who watches here when that changes, once an interval, never the owner, and when nobody is left"
    )
    func reports() async throws {
        await stage.place(1, zone: nil)
        let delivered = Mutex<[(Topic, PresenceReport?)]>([])
        await stage.hub.presence.observe { topic, report in delivered.withLock { $0.append((topic, report)) } }
        func take() async -> [PresenceReport?] {
            await stage.hub.presence.publishChanges()
            return delivered.withLock { delivered in
                defer { delivered.removeAll() }
                #expect(delivered.allSatisfy { $0.0 == .session(1) })
                return delivered.map(\.1)
            }
        }
        // What nobody here watches is not kept.
        await stage.hub.presence.setRemote(.init(accounts: [], moreAccounts: 0, guests: 9), of: 8, at: .session(1))
        #expect(await take().isEmpty)
        let (owner, device, other, guest) = (stage.viewer(), stage.viewer(), stage.viewer(), stage.viewer())
        try await stage.watch(owner, session: 1, Self.access(Self.accounts(1...1)[0], isOwner: true))
        #expect(await take() == [PresenceReport(accounts: [], moreAccounts: 0, guests: 0)])
        for viewer in [device, other] {
            try await stage.watch(viewer, session: 1, Self.access(Self.accounts(2...2)[0]))
        }
        try await stage.watch(guest, session: 1)
        #expect(await take() == [PresenceReport(accounts: Self.accounts(2...2), moreAccounts: 0, guests: 1)])
        await stage.hub.disconnect(other)
        #expect(await take().isEmpty)
        await stage.hub.presence.setRemote(.init(accounts: [], moreAccounts: 0, guests: 9), of: 8, at: .session(1))
        #expect(await take().isEmpty)
        for viewer in [device, guest, owner] { await stage.hub.disconnect(viewer) }
        #expect(await take() == [nil])
        try await stage.watch(guest, session: 1)
        await stage.hub.sessions.end(stage.session(1, state: .finished))
        #expect(await take() == [nil])
        #expect(await stage.hub.subscriberTablesAreEmpty)
    }
}
