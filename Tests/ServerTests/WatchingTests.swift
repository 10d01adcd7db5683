import CampanileClient
import TestSupport
import Testing
import Wire

@Suite("Who watches, over the wire")
struct WatchingTests {
    private typealias Events = AsyncStream<LiveEvent<SessionSnapshot, SessionUpdate>>

    /// Reads until somebody tells of a presence that satisfies `isMeant`.
    private func presence(_ events: inout Events.Iterator, _ isMeant: (Presence) -> Bool) async throws -> Presence {
        while let event = await events.next() {
            let presence: Presence? =
                switch event {
                case .snapshot(let snapshot): snapshot.presence
                case .update(let update): update.presence
                }
            if let presence, isMeant(presence) { return presence }
        }
        throw NeverHappened(what: "a presence", limit: .zero)
    }

    @Test(
        "The runner sees how many watch and who is signed in; devices, guests and links come and go, and who hangs up is gone"
    )
    func life() async throws {
        let server = try await TestServer.start()
        let run = try await TestRun(on: server, audience: .campus)
        try await run.run(5)
        let id = await run.id
        var owner = try await run.connection.subscribe(to: .session(id)).makeAsyncIterator()
        #expect(try await presence(&owner) { _ in true } == Presence(count: 0, names: [], more: 0))

        let (ann, account) = try await server.register()
        let devices = [
            ann, try await server.connect(token: account.token), try await server.connect(token: account.token),
        ]
        // A stream that nobody keeps ends its subscription.
        var streams: [Events] = []
        for device in devices { streams.append(try await device.subscribe(to: .session(id))) }
        let name = account.account.username
        #expect(try await presence(&owner) { $0.count > 0 } == Presence(count: 1, names: [name], more: 0))

        let link = try await run.connection.call(TrackingLink.self, .init(session: id)).link
        let guest = try await server.connect()
        var guestEvents = try await guest.subscribe(to: .session(id), share: link.token).makeAsyncIterator()
        #expect(try await presence(&guestEvents) { _ in true } == Presence(count: 2))
        #expect(try await presence(&owner) { $0.count == 2 } == Presence(count: 2, names: [name], more: 0))

        // Two of three devices hang up, without a word: the guest goes as well, so that there is something to tell.
        await devices[1].close()
        await devices[2].close()
        try await run.connection.call(TrackingUnlink.self, .init(session: id, link: link.id))
        #expect(try await presence(&owner) { $0.count < 2 } == Presence(count: 1, names: [name], more: 0))
        #expect(streams.count == 3)
        await ann.close()
        #expect(try await presence(&owner) { $0.count == 0 } == Presence(count: 0, names: [], more: 0))
        await run.connection.close()
        await server.stop()
    }

    @Test(
        "No spectator's connection ever carries the name of another, whatever it asks, by link or signed in, until it is cut"
    )
    func names() async throws {
        let server = try await TestServer.start()
        let run = try await TestRun(on: server, audience: .public)
        try await run.run(5)
        let id = await run.id
        let topic = "session/\(id)"
        let link = try await run.connection.call(TrackingLink.self, .init(session: id)).link
        var owner = try await run.connection.subscribe(to: .session(id)).makeAsyncIterator()
        let (ann, account) = try await server.register("annwatches")
        let stream = try await ann.subscribe(to: .session(id))

        let (curious, other) = try await server.register()
        let spies = [
            try await RawWebSocket(port: server.port), try await RawWebSocket(port: server.port),
            try await RawWebSocket(port: server.port, token: other.token),
            try await RawWebSocket(port: server.port, token: other.token),
        ]
        for (index, spy) in spies.enumerated() {
            let share = index % 2 == 0 ? "" : #","share":"\#(link.token)","names":true,"isOwner":true"#
            try await spy.request(1, "subscribe", #"{"topic":"\#(topic)"\#(share)}"#)
        }
        let names = [account.account.username, other.account.username].sorted()
        #expect(try await presence(&owner) { $0.count == 4 }.names == names)
        for audience in [Audience.campus, .private] {
            try await run.connection.call(TrackingAudience.self, .init(session: id, audience: audience))
            try await run.run(1)
            _ = try await presence(&owner) { $0.count == (audience == .campus ? 3 : 2) }
        }
        try await run.connection.call(TrackingUnlink.self, .init(session: id, link: link.id))
        #expect(try await presence(&owner) { $0.count == 0 }.names == [])
        for spy in spies {
            try await spy.request(2, "unsubscribe", #"{"topic":"\#(topic)"}"#)
            var frames = 0
            while true {
                let frame = try await spy.next()
                guard frame.opcode == 1 else { continue }
                frames += 1
                #expect(!frame.text.contains("annwatches") && !frame.text.contains("\"names\""))
                if frame.id == 2 { break }
            }
            #expect(frames > 2)
        }
        withExtendedLifetime(stream) {}
        for connection in [ann, curious, run.connection] { await connection.close() }
        await server.stop()
    }

    @Test("A session that is over has nobody who watches")
    func finished() async throws {
        let server = try await Shared.server
        let run = try await TestRun(on: server)
        try await run.run(5)
        try await run.stop()
        var events = try await run.connection.subscribe(to: .session(await run.id)).makeAsyncIterator()
        guard case .snapshot(let snapshot)? = await events.next() else {
            Issue.record("no snapshot")
            return
        }
        #expect(snapshot.presence == nil && snapshot.session.state == .finished)
        await run.connection.close()
    }
}
