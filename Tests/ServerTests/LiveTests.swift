import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

@Suite("Live, from runner to spectator")
struct LiveTests {
    private typealias ZoneEvents = AsyncStream<LiveEvent<ZoneSnapshot, ZoneUpdate>>

    /// Reads a zone's events until one satisfies `body`.
    private func next<T>(_ events: inout ZoneEvents.Iterator, _ body: (ZoneUpdate) -> T?) async throws -> T {
        while let event = await events.next() {
            if case .update(let update) = event, let value = body(update) { return value }
        }
        throw NeverHappened(what: "a push of the zone", limit: .zero)
    }

    /// The zone in which a new run begins.
    private func zone(of run: TestRun) async throws -> Int64 {
        let point = try #require(await run.next(1).first)
        let located = try await run.connection.call(
            CampusLocate.self, CampusLocate.Params(lat: point.lat, lon: point.lon))
        return try #require(located.zone?.id)
    }

    @Test(
        "Register, start, run: a guest sees a public runner enter, move and finish; connections on both loops see the same"
    )
    func endToEnd() async throws {
        let server = try await TestServer.start()
        let run = try await TestRun(on: server)
        let zone = try await zone(of: run)
        var spectators: [(CampanileConnection, ZoneEvents.Iterator)] = []
        for _ in 0..<4 {
            let connection = try await server.connect()
            var events = try await connection.subscribe(to: .zone(zone)).makeAsyncIterator()
            guard case .snapshot(let snapshot)? = await events.next() else {
                Issue.record("no snapshot")
                return
            }
            #expect(snapshot.runners.isEmpty)
            spectators.append((connection, events))
        }
        let result = try await run.run(20)
        #expect(result.stored == 20)
        #expect(result.session.distance > 30)
        let session = await run.id
        var seen: [Runner] = []
        for index in spectators.indices {
            seen.append(try await next(&spectators[index].1) { $0.runners.first { $0.session == session } })
        }
        #expect(Set(seen.map(\.name)) == [run.name])
        #expect(Set(seen.map(\.at)).count == 1)
        #expect(seen.allSatisfy { $0.state == .moving && $0.distance == result.session.distance })

        try await run.run(5)
        let moved = try await next(&spectators[0].1) {
            $0.runners.first { $0.session == session && $0.at != seen[0].at }
        }
        #expect(moved.lat != seen[0].lat || moved.lon != seen[0].lon)

        try await run.stop()
        for index in spectators.indices {
            let left = try await next(&spectators[index].1) { $0.left.first { $0.session == session } }
            #expect(left.reason == .finished)
        }
        for (connection, _) in spectators { await connection.close() }
        await run.connection.close()
        await server.stop()
    }

    @Test("A private session stays invisible, a campus one is seen by members only, and hiding takes effect at once")
    func privacy() async throws {
        let server = try await TestServer.start()
        let hidden = try await TestRun(on: server, audience: .private)
        let campus = try await TestRun(on: server, audience: .campus)
        let open = try await TestRun(on: server, audience: .public)
        let zone = try await zone(of: open)
        let (hiddenID, campusID, openID) = (await hidden.id, await campus.id, await open.id)
        let guest = try await server.connect()
        let (member, _) = try await server.register()
        var guestEvents = try await guest.subscribe(to: .zone(zone)).makeAsyncIterator()
        var memberEvents = try await member.subscribe(to: .zone(zone)).makeAsyncIterator()
        try await hidden.run(20)
        try await campus.run(20)
        try await open.run(20)
        var guestSaw: Set<Int64> = []
        while !guestSaw.contains(openID) {
            guestSaw.formUnion(try await next(&guestEvents) { $0.runners.map(\.session) })
        }
        #expect(guestSaw == [openID])
        var memberSaw: Set<Int64> = []
        while !memberSaw.isSuperset(of: [openID, campusID]) {
            memberSaw.formUnion(try await next(&memberEvents) { $0.runners.map(\.session) })
        }
        #expect(!memberSaw.contains(hiddenID))
        for connection in [guest, member] {
            await #expect(throws: RPCError.self) { try await connection.subscribe(to: .session(hiddenID)) }
        }
        await #expect(throws: RPCError.self) { try await guest.subscribe(to: .session(campusID)) }

        try await open.connection.call(
            TrackingAudience.self, TrackingAudience.Params(session: openID, audience: .campus))
        let left = try await next(&guestEvents) { $0.left.first { $0.session == openID } }
        #expect(left.reason == .hidden)
        for connection in [guest, member, hidden.connection, campus.connection, open.connection] {
            await connection.close()
        }
        await server.stop()
    }

    @Test("A link opens one private session to a guest, and unlinking cuts it off before whatever it asks next")
    func link() async throws {
        let server = try await Shared.server
        let run = try await TestRun(on: server, audience: .private)
        try await run.run(30)
        let id = await run.id
        let link = try await run.connection.call(TrackingLink.self, TrackingLink.Params(session: id)).link
        let guest = try await server.connect()
        var events = try await guest.subscribe(to: .session(id), share: link.token).makeAsyncIterator()
        guard case .snapshot(let snapshot)? = await events.next() else {
            Issue.record("no snapshot")
            return
        }
        #expect(snapshot.route.flatMap { $0 }.count > 15)
        try await run.run(3)
        guard case .update(let update)? = await events.next() else {
            Issue.record("no update")
            return
        }
        #expect(update.type == .session)
        #expect(update.append?.isEmpty == false)

        let watcher = try await RawWebSocket(port: server.port)
        try await watcher.request(1, "subscribe", #"{"topic":"session/\#(id)","share":"\#(link.token)"}"#)
        #expect(try await watcher.reply().errorCode == nil)
        try await run.connection.call(TrackingUnlink.self, TrackingUnlink.Params(session: id, link: link.id))
        // That it is at once is seen on the wire, not by a clock: a request made now is answered behind the end.
        try await watcher.request(2, "ping")
        var wasToldFirst = false
        while true {
            let frame = try await watcher.next()
            if frame.id == 2 { break }
            let data = (try? frame.object()["params"] as? [String: Any])?["data"] as? [String: Any]
            if data?["type"] as? String == "closed" { wasToldFirst = true }
        }
        try #require(wasToldFirst)
        var last: SessionUpdate?
        while case .update(let update)? = await events.next() { last = update }
        #expect(last?.type == .closed)
        await #expect(throws: RPCError.self) { try await guest.subscribe(to: .session(id), share: link.token) }
        await #expect(throws: RPCError.self) {
            try await guest.call(TrackingSession.self, TrackingSession.Params(session: id, share: link.token))
        }
        await guest.close()
        await run.connection.close()
    }

    @Test("A spectator that stops reading is not cut off: it skips to everyone in the zone, full")
    func slowReader() async throws {
        let server = try await TestServer.start()
        let first = try await TestRun(on: server)
        let zone = try await zone(of: first)
        let slow = try await RawWebSocket(port: server.port, isSlow: true)
        try await slow.request(1, "subscribe", #"{"topic":"zone/\#(zone)/positions"}"#)
        #expect(try await slow.reply().errorCode == nil)

        // Long titles make pushes of a kilobyte a runner.
        let title = String(repeating: "🏃", count: 80)
        var runs: [TestRun] = [first]
        for _ in 0..<14 {
            let (connection, account) = try await server.register()
            for _ in 0..<5 {
                let run = try await TestRun(connection, account: account.account, title: title)
                runs.append(run)
            }
        }
        let quick = try await server.connect()
        var quickEvents = try await quick.subscribe(to: .zone(zone)).makeAsyncIterator()
        // More than the socket's buffers and the limit of the queue hold: each round, everyone moves, and somebody who reads
        // hears of it.
        for _ in 0..<14 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for run in runs { group.addTask { try await run.run(1) } }
                try await group.waitForAll()
            }
            _ = try await next(&quickEvents) { $0.runners.isEmpty ? nil : true }
        }
        var pushes = 0
        var full: [[String: Any]]?
        while full == nil {
            let frame = try await slow.next()
            #expect(frame.opcode == 1 || frame.opcode == 9, "closed with \(frame.closeCode ?? 0)")
            guard frame.opcode == 1 || frame.opcode == 9 else { break }
            if frame.opcode == 9 { continue }
            pushes += 1
            let params = try frame.object()["params"] as? [String: Any]
            let data = params?["data"] as? [String: Any]
            if data?["full"] as? Bool == true { full = data?["runners"] as? [[String: Any]] }
        }
        #expect(full?.count == runs.count)
        #expect(pushes < 14, "the queue never filled: nothing was proved")
        try await slow.request(2, "ping")
        #expect(try await slow.reply().id == 2)
        await quick.close()
        await server.stop()
    }
}
