import Foundation
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Starting a session")
struct StartTests {
    @Test("Starting makes a private session of the caller with the default title, on the server's clock")
    func defaults() async throws {
        let world = try await World()
        let who = try await world.member()
        for title in [nil, "", "  \n\t"] as [String?] {
            let session = try await world.start(who, title: title)
            #expect(session.title == "Urban Adventure")
            #expect(session.audience == .private)
            #expect(session.state == .running)
            #expect(session.startedAt == world.clock.now)
            #expect(session.owner == .init(id: who.account.id, username: who.account.username))
            #expect(!session.simulated)
            #expect((session.distance, session.elapsed, session.averageSpeed) == (0, 0, 0))
            try await world.stop(session, as: who)
        }
    }

    @Test(
        "Starting again with the same client id, in whatever case, gives the same session, also at the limit and at once"
    )
    func idempotent() async throws {
        let world = try await World()
        let who = try await world.member()
        for _ in 0..<4 { _ = try await world.start(who) }
        let id = UUID().uuidString
        let sessions = try await withThrowingTaskGroup(of: Session.self) { group in
            for index in 0..<8 {
                group.addTask { try await world.start(who, clientID: index % 2 == 0 ? id : id.lowercased()) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(sessions.map(\.id)).count == 1)
        #expect(try await world.start(who, title: "Another", clientID: id) == sessions[0])
        #expect(try await world.tracking.current(who).count == 5)
        // Somebody else's client id is not ours.
        let other = try await world.member()
        #expect(try await world.start(other, clientID: id).id != sessions[0].id)
    }

    @Test(
        "Starting is refused beyond five unfinished sessions, also when they are started at once; a stopped one makes room"
    )
    func cap() async throws {
        // A connection for each, so that the transactions really run side by side.
        let world = World(
            access: try await MigratedDatabase.shared.common().access, patience: .seconds(60), connections: 8)
        let others = [try await world.member(), try await world.member(), try await world.member()]
        let who = try await world.member()
        for account in others + [who] {
            for _ in 0..<4 { _ = try await world.start(account) }
            let outcomes = await withTaskGroup(of: ErrorCode?.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        do {
                            _ = try await world.start(account)
                            return nil
                        } catch { return RPCError.clientError(error)?.registered ?? .internalError }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.filter { $0 == nil }.count == 1)
            #expect(outcomes.filter { $0 == .conflict }.count == 7)
        }
        let running = try await world.tracking.current(who)
        #expect(running.count == 5)
        try await world.stop(running[0], as: who)
        _ = try await world.start(who)
        await world.close()
    }

    @Test(
        "Starting accepts titles of 80 characters as the database counts them, and refuses longer ones",
        arguments: [
            (String(repeating: "x", count: 80), nil), (String(repeating: "x", count: 81), "title"),
            (String(repeating: "x", count: 10_000), "title"), (String(repeating: "🏃", count: 80), nil),
            (String(repeating: "👨‍👩‍👧‍👦", count: 80), "title"), (String(repeating: "🇩🇪", count: 41), "title"),
            ("a" + String(repeating: "\u{301}", count: 10_000), "title"), ("جري المساء", nil), ("a\0b", "title"),
            ("a\u{7}b", "title"), ("a\u{85}b", "title"), ("'); DROP TABLE sessions; --", nil), ("a\u{200B}b", nil),
            ("  trimmed ", nil),
        ] as [(String, String?)])
    func titles(title: String, field: String?) async throws {
        let world = try await World()
        let who = try await world.member()
        guard let field else {
            let session = try await world.start(who, title: title)
            #expect(session.title == title.trimmingCharacters(in: .whitespaces))
            #expect(try await world.tracking.current(who).map(\.title) == [session.title])
            return
        }
        #expect(await refusal(.invalidParams) { try await world.start(who, title: title) }?.data?.field == field)
    }

    @Test(
        "Starting refuses a client id that is not a UUID",
        arguments: ["", "1", "'; --", "\0", "00000000-0000-0000-0000-00000000000g"])
    func clientIDs(id: String) async throws {
        let world = try await World()
        let who = try await world.member()
        #expect(await refusal(.invalidParams) { try await world.start(who, clientID: id) }?.data?.field == "clientId")
    }

    @Test("Starting with a recorded clock is for simulated accounts only")
    func recordedClock() async throws {
        let world = try await World()
        let real = try await world.member()
        let recorded = SessionClock(kind: .recorded, speed: 20)
        #expect(await refusal(.forbidden) { try await world.start(real, clock: recorded) }?.data?.field == "clock")
        #expect(try await world.start(real, clock: .init(kind: .live, speed: 20)).simulated == false)
        let sample = try await world.simulated()
        #expect(try await world.start(sample, clock: recorded).simulated)
        for speed in [0, -1, 0.09, 1_001, .infinity, .nan] as [Double] {
            let error = await refusal(.invalidParams) {
                try await world.start(sample, clock: .init(kind: .recorded, speed: speed))
            }
            #expect(error?.data?.field == "clock.speed")
        }
    }

    @Test("A start that was made offline counts from then: up to 24 h ago, never from the future")
    func startedAt() async throws {
        let world = try await World()
        let who = try await world.member()
        let now = world.clock.now
        #expect(
            try await world.start(who, at: now.advanced(bySeconds: -86_400)).startedAt.seconds(since: now) == -86_400)
        // A little ahead is a clock that is not exact.
        #expect(try await world.start(who, at: now.advanced(bySeconds: 30)).startedAt == now)
        // Another device agrees with the server's clock: this one's is wrong.
        _ = try await world.start(try await world.member(), at: now)
        for seconds in [-86_400.001, 30.001, 1e9] {
            let error = await refusal(.invalidParams) {
                try await world.start(who, at: now.advanced(bySeconds: seconds))
            }
            #expect(error?.data?.field == "startedAt")
        }
    }
}
