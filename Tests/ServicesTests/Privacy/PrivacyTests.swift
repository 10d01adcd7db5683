import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Services

/// Tried as somebody would who wants to see what is not theirs.
@Suite("Privacy")
struct PrivacyTests {
    private let world: World
    private let owner: Identity
    private let member: Identity

    init() async throws {
        world = try await World()
        owner = try await world.member()
        member = try await world.member()
    }

    /// A session in zone 1 whose runner moves.
    private func moving(_ audience: Audience) async throws -> Session {
        let session = try await world.start(owner, audience: audience)
        world.clock.advance(bySeconds: 100)
        try await world.send(steadyRun(1...20, from: session.startedAt), to: session, as: owner)
        await world.hub.tickNow()
        return session
    }

    private func move(_ session: Session, _ seqs: ClosedRange<Int64>) async throws {
        try await world.send(steadyRun(seqs, from: session.startedAt), to: session, as: owner)
        await world.hub.tickNow()
    }

    private func viewer() -> RecordingViewer { RecordingViewer(loop: world.loop) }

    /// The bytes that a client gets for an error, but for the order of the members, which is random.
    private func bytes(_ error: RPCError?) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(Failure(id: .number(1), error: try #require(error)))
    }

    private func isSeen(_ session: Session, by identity: Identity?) async throws -> Bool {
        do {
            _ = try await world.tracking.session(identity, .init(session: session.id))
            let seeing = viewer()
            #expect(try await world.watch(seeing, session.id, as: identity) == nil)
            guard case .sessionSnapshot(let snapshot)? = try await seeing.events().first else { return false }
            #expect(snapshot.session.id == session.id)
            await world.hub.disconnect(seeing)
            return true
        } catch let error as RPCError where error.registered == .notFound {
            let refused = await refusal(.notFound) { try await world.watch(viewer(), session.id, as: identity) }
            #expect(refused != nil)
            return false
        }
    }

    @Test("a private session is on no zone's topic and is told by no answer from one that does not exist")
    func privateSession() async throws {
        let session = try await moving(.private)
        let watchers = [viewer(), viewer(), viewer()]
        let identities = [nil, member, owner]
        for (watcher, identity) in zip(watchers, identities) { try await world.watch(watcher, zone: 1, as: identity) }
        try await move(session, 21...40)
        try await world.stop(session, as: owner)
        await world.hub.tickNow()
        for watcher in watchers {
            let events = try await watcher.events()
            #expect(events.count == 1)
            guard case .zoneSnapshot(let snapshot)? = events.first else {
                Issue.record("no snapshot")
                return
            }
            #expect(snapshot.runners.isEmpty)
            #expect(snapshot.trails.isEmpty)
        }
        let second = try await moving(.private)
        for id in [session.id, second.id] {
            for identity in [nil, member] {
                for share in [nil, "", "x", "\(id).x", "\0"] as [String?] {
                    let none: Int64 = 1 << 60
                    let there = await refusal(.notFound) {
                        try await world.tracking.session(identity, .init(session: id, share: share))
                    }
                    let nowhere = await refusal(.notFound) {
                        try await world.tracking.session(identity, .init(session: none, share: share))
                    }
                    #expect(try bytes(there) == bytes(nowhere))
                    let watching = viewer()
                    let subscribed = await refusal(.notFound) {
                        try await world.watch(watching, id, as: identity, share: share)
                    }
                    let unsubscribed = await refusal(.notFound) {
                        try await world.watch(watching, none, as: identity, share: share)
                    }
                    #expect(try bytes(subscribed) == bytes(unsubscribed))
                    #expect(await watching.take().isEmpty)
                }
            }
        }
        #expect(try await isSeen(second, by: owner))
    }

    @Test("campus is for those signed in, public for guests too, private for the owner", arguments: Audience.allCases)
    func audiences(audience: Audience) async throws {
        let session = try await moving(audience)
        #expect(try await isSeen(session, by: nil) == (audience == .public))
        #expect(try await isSeen(session, by: member) == (audience != .private))
        #expect(try await isSeen(session, by: owner))
        for (identity, isIn) in [(nil, audience == .public), (member, audience != .private)] as [(Identity?, Bool)] {
            let watcher = viewer()
            try await world.watch(watcher, zone: 1, as: identity)
            guard case .zoneSnapshot(let snapshot)? = try await watcher.events().first else {
                Issue.record("no snapshot")
                return
            }
            #expect(snapshot.runners.map(\.session).contains(session.id) == isIn)
        }
    }

    @Test("a lowered audience hides the runner and closes the topic at once, and no later push comes through")
    func lowered() async throws {
        let session = try await moving(.public)
        let guests = (zone: viewer(), session: viewer())
        let members = (zone: viewer(), session: viewer())
        let own = viewer()
        try await world.watch(guests.zone, zone: 1)
        _ = try await world.watch(guests.session, session.id)
        try await world.watch(members.zone, zone: 1, as: member)
        _ = try await world.watch(members.session, session.id, as: member)
        _ = try await world.watch(own, session.id, as: owner)
        for each in [guests.zone, guests.session, members.zone, members.session, own] { _ = await each.take() }

        _ = try await world.tracking.setAudience(owner, .init(session: session.id, audience: .campus))
        #expect(try await guests.zone.zoneUpdates().flatMap(\.left) == [.init(session: session.id, reason: .hidden)])
        #expect(try await guests.session.sessionUpdates().map(\.type) == [.closed])
        try await move(session, 21...30)
        #expect(await guests.zone.take().isEmpty)
        #expect(await guests.session.take().isEmpty)
        #expect(try await members.session.sessionUpdates().contains { $0.append?.isEmpty == false })

        _ = try await world.tracking.setAudience(owner, .init(session: session.id, audience: .private))
        #expect(
            try await members.zone.zoneUpdates().flatMap(\.left).contains(.init(session: session.id, reason: .hidden)))
        #expect(try await members.session.sessionUpdates().map(\.type) == [.closed])
        try await move(session, 31...40)
        // Into the next zone and to the end.
        try await move(session, 41...80)
        try await world.stop(session, as: owner)
        await world.hub.tickNow()
        for cut in [guests.zone, guests.session, members.zone, members.session] {
            await world.hub.refresh(cut, topics: [.session(session.id)], isSlow: true)
            #expect(await cut.take().isEmpty)
        }
        let seen = try await own.sessionUpdates()
        #expect(seen.last?.type == .ended)
        _ = await refusal(.notFound) { try await world.tracking.session(member, .init(session: session.id)) }
    }

    @Test("a lowered audience whose commit was not heard of hides the runner with the next request all the same")
    func loweredUnheard() async throws {
        let session = try await moving(.public)
        let guests = (zone: viewer(), session: viewer())
        try await world.watch(guests.zone, zone: 1)
        _ = try await world.watch(guests.session, session.id)
        for each in [guests.zone, guests.session] { _ = await each.take() }
        // As after an outage in the middle: committed, and nothing in memory.
        _ = try await world.pool.query("UPDATE sessions SET audience = 'private' WHERE id = $1", [.int(session.id)])
        await world.tracking.forget(session.id)
        try await move(session, 21...30)
        await world.hub.tickNow()
        #expect(try await guests.zone.zoneUpdates().flatMap(\.left) == [.init(session: session.id, reason: .hidden)])
        #expect(try await guests.session.sessionUpdates().map(\.type) == [.closed])
    }

    @Test("a stop whose commit was not heard of ends the topic when it is sent again")
    func stoppedUnheard() async throws {
        let session = try await moving(.public)
        let guest = viewer()
        _ = try await world.watch(guest, session.id)
        _ = await guest.take()
        _ = try await world.pool.query(
            "UPDATE sessions SET state = 'finished', ended_at = last_fix_at WHERE id = $1", [.int(session.id)])
        await world.tracking.forget(session.id)
        #expect(try await world.stop(session, as: owner).state == .finished)
        #expect(try await guest.sessionUpdates().map(\.type).last == .ended)
        #expect(await world.hub.sessions.shown(session.id) == nil)
    }

    @Test("a finished session follows its audience, too")
    func finished() async throws {
        let session = try await moving(.public)
        try await world.stop(session, as: owner)
        #expect(try await world.tracking.session(nil, .init(session: session.id)).session.state == .finished)
        let frame = try #require(try await world.watch(viewer(), session.id))
        #expect(!frame.isEmpty)
        _ = try await world.tracking.setAudience(owner, .init(session: session.id, audience: .private))
        _ = await refusal(.notFound) { try await world.tracking.session(nil, .init(session: session.id)) }
        _ = await refusal(.notFound) { try await world.watch(viewer(), session.id) }
    }

    @Test("a link opens its session without an account, live and finished, and no other session")
    func link() async throws {
        let session = try await moving(.private)
        let link = try await world.tracking.makeLink(owner, .init(session: session.id))
        #expect(link.path == "/s/\(link.token)")
        #expect(link.token.hasPrefix("\(session.id)."))
        #expect(link.expiresAt.seconds(since: world.clock.now) == 86_400)
        let watcher = viewer()
        #expect(try await world.watch(watcher, session.id, share: link.token) == nil)
        try await move(session, 21...25)
        let events = try await watcher.events()
        #expect(events.count == 2)
        let other = try await world.start(owner)
        let wrong = [
            "\(session.id).", "\(link.token)x", String(link.token.dropLast()), link.token.uppercased(),
            link.token.replacing("\(session.id).", with: "\(other.id)."), String(link.token.dropFirst(2)),
        ]
        for token in wrong {
            _ = await refusal(.notFound) {
                try await world.tracking.session(nil, .init(session: session.id, share: token))
            }
        }
        // Its token for another session of the same owner, as its text or as the other's id.
        for token in [link.token, wrong[4]] {
            _ = await refusal(.notFound) {
                try await world.tracking.session(nil, .init(session: other.id, share: token))
            }
            _ = await refusal(.notFound) { try await world.watch(viewer(), other.id, share: token) }
        }
        try await world.stop(session, as: owner)
        let result = try await world.tracking.session(nil, .init(session: session.id, share: link.token))
        #expect(result.session.state == .finished)
        #expect(try await world.watch(viewer(), session.id, share: link.token) != nil)
        // A link opens one session to be seen; it is no key to change it.
        _ = await refusal(.notFound) { try await world.tracking.links(member, .init(session: session.id)) }
    }

    @Test("a revoked link cuts its viewers at once and opens nothing any more")
    func revoked() async throws {
        let session = try await moving(.private)
        let link = try await world.tracking.makeLink(owner, .init(session: session.id))
        let kept = try await world.tracking.makeLink(owner, .init(session: session.id))
        let watchers = (viewer(), viewer())
        _ = try await world.watch(watchers.0, session.id, share: link.token)
        _ = try await world.watch(watchers.1, session.id, as: member, share: kept.token)
        _ = (await watchers.0.take(), await watchers.1.take())
        #expect(try await world.tracking.links(owner, .init(session: session.id)).map(\.id) == [kept.id, link.id])
        #expect(try await world.tracking.unlink(owner, .init(session: session.id, link: link.id)).revoked == 1)
        #expect(try await watchers.0.sessionUpdates().map(\.type) == [.closed])
        try await move(session, 21...25)
        #expect(await watchers.0.take().isEmpty)
        #expect(try await watchers.1.sessionUpdates().map(\.type) == [.session])
        _ = await refusal(.notFound) { try await world.watch(viewer(), session.id, share: link.token) }
        _ = await refusal(.notFound) {
            try await world.tracking.session(nil, .init(session: session.id, share: link.token))
        }
        _ = await refusal(.notFound) {
            try await world.tracking.unlink(owner, .init(session: session.id, link: link.id))
        }
        #expect(try await world.tracking.links(owner, .init(session: session.id)).map(\.id) == [kept.id])
    }

    @Test("no subscription slips past a revocation that comes at the same moment")
    func revocationRace() async throws {
        let session = try await moving(.private)
        for round in 0..<30 {
            let link = try await world.tracking.makeLink(owner, .init(session: session.id))
            let watchers = (0..<4).map { _ in viewer() }
            await withTaskGroup(of: Void.self) { group in
                for watcher in watchers {
                    group.addTask {
                        for _ in 0..<(round % 5) { await watcher.settle() }
                        _ = try? await world.watch(watcher, session.id, share: link.token)
                    }
                }
                group.addTask {
                    _ = try? await world.tracking.unlink(owner, .init(session: session.id, link: link.id))
                }
            }
            for watcher in watchers { _ = await watcher.take() }
            #expect(await world.hub.sessions.watchers(of: session.id) == 0)
        }
    }

    @Test("an expired link cuts its viewers at the next sweep and opens nothing any more")
    func expired() async throws {
        let session = try await moving(.private)
        let link = try await world.tracking.makeLink(owner, .init(session: session.id, expiresIn: 60))
        let watcher = viewer()
        _ = try await world.watch(watcher, session.id, share: link.token)
        world.clock.advance(bySeconds: 59)
        await world.hub.sessions.sweep()
        #expect(await world.hub.sessions.watchers(of: session.id) == 1)
        world.clock.advance(bySeconds: 1)
        _ = await refusal(.notFound) { try await world.watch(viewer(), session.id, share: link.token) }
        _ = await refusal(.notFound) {
            try await world.tracking.session(nil, .init(session: session.id, share: link.token))
        }
        await world.hub.sessions.sweep()
        #expect(try await watcher.sessionUpdates().last?.type == .closed)
        #expect(await world.hub.sessions.watchers(of: session.id) == 0)
        #expect(try await world.tracking.links(owner, .init(session: session.id)).isEmpty)
    }

    @Test("a viewer with a link stays when the audience is lowered, until the link ends")
    func linkOutlivesAudience() async throws {
        let session = try await moving(.public)
        let link = try await world.tracking.makeLink(owner, .init(session: session.id))
        let watcher = viewer()
        _ = try await world.watch(watcher, session.id, share: link.token)
        _ = await watcher.take()
        _ = try await world.tracking.setAudience(owner, .init(session: session.id, audience: .private))
        try await move(session, 21...25)
        #expect(try await watcher.sessionUpdates().allSatisfy { $0.type == .session })
        _ = try await world.tracking.unlink(owner, .init(session: session.id, link: link.id))
        #expect(try await watcher.sessionUpdates().map(\.type) == [.closed])
    }

    @Test("links are bounded in time and number, also when made at once")
    func linkLimits() async throws {
        let session = try await world.start(owner)
        for seconds in [0, 59.9, 2_592_001, -1, .nan, .infinity] as [Double] {
            let error = await refusal(.invalidParams) {
                try await world.tracking.makeLink(owner, .init(session: session.id, expiresIn: seconds))
            }
            #expect(error?.data?.field == "expiresIn")
        }
        for _ in 0..<(Tracking.linksMax - 2) {
            _ = try await world.tracking.makeLink(owner, .init(session: session.id, expiresIn: 60))
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask { _ = try? await world.tracking.makeLink(owner, .init(session: session.id)) }
            }
        }
        #expect(try await world.tracking.links(owner, .init(session: session.id)).count == Tracking.linksMax)
        _ = await refusal(.conflict) { try await world.tracking.makeLink(owner, .init(session: session.id)) }
        world.clock.advance(bySeconds: 60)
        #expect(try await world.tracking.links(owner, .init(session: session.id)).count == 2)
        _ = try await world.tracking.makeLink(owner, .init(session: session.id))
    }
}

extension SessionFeed {
    func watchers(of session: Int64) -> Int { sessionViewers[session]?.count ?? 0 }
}

extension Tracking {
    /// As if the last write's outcome had not been heard of.
    fileprivate func forget(_ session: Int64) { records[session] = nil }
}
