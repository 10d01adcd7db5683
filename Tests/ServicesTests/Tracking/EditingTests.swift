import EventLoop
import Foundation
import Hub
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Renaming and deleting sessions")
struct EditingTests {
    private func rename(_ world: World, _ session: Session, _ title: String, as who: Identity) async throws -> Session {
        try await world.tracking.rename(who, .init(session: session.id, title: title)).session
    }

    private func delete(_ world: World, _ session: Session, as who: Identity) async throws -> Int {
        try await world.tracking.delete(who, .init(session: session.id)).deleted
    }

    @Test(
        "A title changes while the session is tracked and afterwards, after a restart, too, and a blank one is the default"
    )
    func rename() async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who, title: "Before")
        world.clock.advance(bySeconds: 60)
        try await world.send(steadyRun(1...20, from: session.startedAt), to: session, as: who)
        #expect(try await rename(world, session, "  Along the river ", as: who).title == "Along the river")
        let later = world.restarted()
        #expect(try await later.tracking.current(who).map(\.title) == ["Along the river"])
        #expect(try await later.stop(session, as: who).title == "Along the river")
        #expect(try await rename(later, session, "   ", as: who).title == "Urban Adventure")
        #expect(try await later.tracking.history(who, .init()).sessions.map(\.title) == ["Urban Adventure"])
        let received = await refusal(.invalidParams) {
            try await rename(world, session, String(repeating: "x", count: 81), as: who)
        }
        #expect(received?.data?.field == "title")
    }

    @Test("Nobody else renames or deletes a session, and is told the same as of one that does not exist")
    func others() async throws {
        let world = try await World()
        let (who, stranger) = (try await world.member(), try await world.member())
        let session = try await world.start(who, audience: .public)
        for isFinished in [false, true] {
            if isFinished { try await world.stop(session, as: who) }
            for (target, name) in [(session.id, "public"), (Int64.max, "missing")] {
                let refused = [
                    await refusal(.notFound) {
                        try await world.tracking.rename(stranger, .init(session: target, title: "Mine"))
                    },
                    await refusal(.notFound) { try await world.tracking.delete(stranger, .init(session: target)) },
                ]
                #expect(Set(refused.map { $0?.message }) == ["there is no such session of yours"], "\(name)")
            }
        }
        #expect(try await world.tracking.history(who, .init()).sessions.map(\.title) == ["Urban Adventure"])
    }

    @Test(
        "A deleted session is gone with its points, pauses and links; month and totals follow, and late points are refused"
    )
    func delete() async throws {
        let world = try await World()
        let who = try await world.member()
        let start = world.clock.now.advanced(bySeconds: -600)
        let session = try await world.start(who, at: start)
        let kept = try await world.start(who, at: start)
        let goals = Goals(loop: world.loop, database: world.pool, now: { world.clock.now })
        for one in [session, kept] {
            try await world.send(steadyRun(1...100, from: start), to: one, as: who)
            _ = try await world.pause(one, as: who)
            _ = try await world.tracking.makeLink(who, .init(session: one.id))
            try await world.stop(one, as: who)
        }
        let before = try await goals.goal(.init(), of: who)
        #expect(try await delete(world, session, as: who) == 1)
        for table in [
            "sessions WHERE id", "points WHERE session_id", "pauses WHERE session_id", "links WHERE session_id",
        ] {
            let rows = try await world.pool.query("SELECT 1 FROM \(table) = $1", [.int(session.id)])
            #expect(rows.isEmpty, "\(table)")
            #expect(try await !world.pool.query("SELECT 1 FROM \(table) = $1", [.int(kept.id)]).isEmpty, "\(table)")
        }
        let after = try await goals.goal(.init(), of: who)
        #expect(abs(after.distance * 2 - before.distance) < 1 && after.totals.sessions == 1)
        #expect(try await world.tracking.history(who, .init()).sessions.map(\.id) == [kept.id])
        _ = await refusal(.notFound) {
            try await world.send(steadyRun(101...102, from: start), to: session, as: who)
        }
        _ = await refusal(.notFound) { try await delete(world, session, as: who) }
    }

    @Test(
        "Deleting a session that runs ends it: viewers by audience and by link are cut, and what they were sent ends with that"
    )
    func deleteRunning() async throws {
        let world = try await World()
        let (who, friend) = (try await world.member(), try await world.member())
        let session = try await world.start(who, audience: .campus)
        let link = try await world.tracking.makeLink(who, .init(session: session.id))
        let member = RecordingViewer(loop: world.loop)
        let guest = RecordingViewer(loop: world.loop)
        _ = try await world.watch(member, session.id, as: friend)
        _ = try await world.watch(guest, session.id, share: link.token)
        world.clock.advance(bySeconds: 60)
        try await world.send(steadyRun(1...30, from: session.startedAt), to: session, as: who)
        #expect(try await delete(world, session, as: who) == 1)
        for viewer in [member, guest] {
            let updates = try await viewer.sessionUpdates()
            #expect(updates.last?.type == .closed)
            #expect(!updates.contains { $0.type == .ended })
        }
        #expect(await world.hub.sessions.sessions(of: who.account.id).isEmpty)
        for identity in [friend, nil] {
            _ = await refusal(.notFound) {
                try await world.tracking.session(identity, .init(session: session.id, share: link.token))
            }
        }
        #expect(try await world.tracking.current(who).isEmpty)
        let holds = try await world.pool.query(
            "SELECT 1 FROM notice_holds WHERE account_id = $1", [.int(who.account.id)])
        #expect(holds.isEmpty, "notices would wait for ever")
    }

    @Test("A share that was tied to a session ends when the session is deleted")
    func deleteShared() async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who)
        let row = try await world.pool.query(
            """
            INSERT INTO shares (account_id, client_id, audience, precision, session_id, secret, started_at, chosen_at, expires_at)
            VALUES ($1, gen_random_uuid(), 'campus', 'exact', $2, 1, now(), now(), now() + interval '1 day') RETURNING id
            """, [.int(who.account.id), .int(session.id)])
        #expect(try await delete(world, session, as: who) == 1)
        let share = try await world.pool.query(
            "SELECT end_reason FROM shares WHERE id = $1", [.int(try #require(row.first).int("id"))])
        #expect(try share.first?.optionalText("end_reason") == "session")
    }
}
