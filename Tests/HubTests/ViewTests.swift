import Campus
import EventLoop
import Testing
import TestSupport
import Wire

@testable import Hub

@Suite("A map's view (B-2)")
struct ViewTests {
    let stage = Stage()

    /// Boxes of degrees around Greenwich and the equator, where the stage's runners are.
    private func viewport(_ west: Double, _ east: Double, zoom: Double = 17) throws -> Viewport {
        Viewport(box: try GeoBox(south: -0.001, west: west, north: 0.001, east: east), zoom: zoom)
    }

    private func client(_ loop: EventLoop? = nil) -> MapClient { MapClient(loop: loop ?? stage.loop) }

    private func view(
        _ client: MapClient, _ viewport: Viewport?, _ encoding: PositionEncoding = .json, as viewer: Viewer? = nil
    ) async {
        await stage.hub.view(
            client, viewport, encoding: encoding, viewer: viewer ?? stage.guest, reply: MapClient.reply)
        await settle(client)
    }

    /// What was sent to it until now has arrived.
    private func settle(_ client: MapClient) async {
        await withCheckedContinuation { done in client.subscriberLoop.execute { done.resume() } }
    }

    private func move(_ id: Int64, _ longitude: Double, _ audience: Audience = .public, zone: Int64? = nil) async {
        await stage.hub.move(stage.session(id, audience), fix: stage.fix(zone, longitude), append: [])
    }

    private func tick(_ clients: MapClient...) async {
        await stage.hub.tick()
        for client in clients { await settle(client) }
    }

    @Test(
        "shows who is in it when it is opened, and then who moves, enters and leaves",
        arguments: PositionEncoding.allCases)
    func life(encoding: PositionEncoding) async throws {
        await stage.place(1, zone: nil)
        await stage.place(2, zone: 7)
        await move(2, 0.5, zone: 7)
        let map = client(Stage.secondLoop)
        await view(map, try viewport(-0.003, 0.003), encoding)
        #expect(map.runners.map(\.session) == [1])
        await move(1, 0.002)
        await move(2, 0.001, zone: 7)
        await tick(map)
        #expect(Set(map.runners.map(\.session)) == [1, 2])
        #expect(abs((map.runners.first { $0.session == 1 }?.lon ?? 0) - 0.002) < 0.000_01)
        await move(1, 0.5)
        await stage.hub.end(stage.session(2, state: .finished))
        await tick(map)
        #expect(map.runners.isEmpty)
        #expect(map.strangers == 0)
    }

    @Test("that moves keeps what it knows, gets what comes into it, and hears no more of what went out of it")
    func moving() async throws {
        for id in 1...3 { await stage.place(Int64(id), zone: nil) }
        await move(2, 0.01)
        await move(3, 0.02)
        await stage.hub.tick()
        let map = client()
        await view(map, try viewport(-0.001, 0.011))
        #expect(Set(map.runners.map(\.session)) == [1, 2])
        let before = map.frames.count
        await view(map, try viewport(0.009, 0.021))
        #expect(Set(map.runners.map(\.session)) == [2, 3])
        // The reply, and a snapshot of each cell that is new: not of those it had.
        let old = Set(try viewport(-0.001, 0.011).cells)
        let new = try viewport(0.009, 0.021).cells.filter { !old.contains($0) }
        #expect(map.frames.count == before + 1 + new.count)
        await move(1, 0.000_5)
        await tick(map)
        #expect(map.strangers == 0 && map.frames.count == before + 1 + new.count)
        await view(map, nil)
        await move(2, 0.010_1)
        await tick(map)
        #expect(map.runners.isEmpty && map.strangers == 0)
        #expect(await stage.hub.subscriberTablesAreEmpty)
    }

    @Test(
        "never has who is private, and has who is for the campus for members only", arguments: PositionEncoding.allCases
    )
    func privacy(encoding: PositionEncoding) async throws {
        for (id, audience) in [(1, Audience.private), (2, .campus), (3, .public)] {
            await stage.place(Int64(id), audience, zone: 7)
        }
        let (guest, member) = (client(), client())
        let all = try viewport(-0.003, 0.003)
        await view(guest, all, encoding)
        await view(member, all, encoding, as: stage.member)
        #expect(Set(guest.runners.map(\.session)) == [3] && Set(member.runners.map(\.session)) == [2, 3])
        // Not at the next tick but at once.
        await stage.hub.changeAudience(stage.session(3, .campus))
        await stage.hub.changeAudience(stage.session(2, .private))
        await settle(guest)
        await settle(member)
        #expect(guest.runners.isEmpty && Set(member.runners.map(\.session)) == [3])
        await move(1, 0.001, .private, zone: 7)
        await move(2, 0.001, .private, zone: 7)
        await tick(guest, member)
        #expect(guest.runners.isEmpty && Set(member.runners.map(\.session)) == [3])
        // Not a byte of them: the name is in no frame either.
        for frame in guest.frames { #expect(!frame.contains(subsequence: Array("runner1".utf8))) }
        // Who signs in sees the rest with the next view.
        await view(guest, all, encoding, as: stage.member)
        #expect(Set(guest.runners.map(\.session)) == [3])
    }

    @Test("is encoded once for all who see it alike")
    func shared() async throws {
        await stage.place(1, zone: nil)
        let clients = [client(), client(Stage.secondLoop), client()]
        for map in clients { await view(map, try viewport(-0.001, 0.001), .binary) }
        await move(1, 0.000_1)
        await stage.hub.tick()
        for map in clients { await settle(map) }
        let last = clients.compactMap(\.frames.last)
        let addresses = Set(last.map { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } })
        #expect(last.count == 3 && addresses.count == 1)
    }

    @Test(
        "with a backlog skips to the newest, and is as if nothing had been left out",
        arguments: PositionEncoding.allCases)
    func backlog(encoding: PositionEncoding) async throws {
        await stage.place(1, zone: nil)
        await stage.place(2, zone: nil)
        let map = client()
        await view(map, try viewport(-0.003, 0.003), encoding)
        map.setBacklog(true)
        await move(1, 0.001)
        await move(2, 0.5)
        await tick(map)
        await move(1, 0.002)
        await tick(map)
        map.setBacklog(false)
        await stage.hub.refresh(map, topics: map.takeSkipped(), isSlow: true)
        await settle(map)
        #expect(map.runners.map(\.session) == [1])
        #expect(abs((map.runners.first?.lon ?? 0) - 0.002) < 0.000_01)
        // From here on it is told every five seconds, with all that has changed.
        await move(1, 0.002_1)
        await tick(map)
        #expect(abs((map.runners.first?.lon ?? 0) - 0.002_1) < 0.000_01)
        await move(1, 0.002_2)
        await move(2, 0.001)
        await tick(map)
        #expect(map.runners.map(\.session) == [1])
        await move(2, 0.001_1)
        stage.clock.advance(bySeconds: 5)
        await tick(map)
        #expect(Set(map.runners.map(\.session)) == [1, 2])
        let positions = map.runners.sorted { $0.session < $1.session }.map(\.lon)
        #expect(zip(positions, [0.002_2, 0.001_1]).allSatisfy { abs($0 - $1) < 0.000_01 })
        // Who is not to be seen any more goes at once, for the slow as well.
        await stage.hub.changeAudience(stage.session(2, .private))
        await settle(map)
        #expect(map.runners.map(\.session) == [1])
        // A minute later the next move of the map has it told at every tick again.
        stage.clock.advance(bySeconds: 61)
        await view(map, try viewport(-0.003, 0.003_1), encoding)
        for longitude in [0.002_3, 0.002_4] {
            await move(1, longitude)
            await tick(map)
            #expect(abs((map.runners.first?.lon ?? 0) - longitude) < 0.000_01)
        }
    }

    @Test(
        "a moment's backlog is made good with what it skipped, and the map is told at every tick as before",
        arguments: PositionEncoding.allCases)
    func shortBacklog(encoding: PositionEncoding) async throws {
        await stage.place(1, zone: nil)
        await stage.place(2, zone: nil)
        let map = client()
        await view(map, try viewport(-0.003, 0.003), encoding)
        map.setBacklog(true)
        await move(1, 0.001)
        await tick(map)
        map.setBacklog(false)
        await stage.hub.refresh(map, topics: map.takeSkipped(), isSlow: false)
        await settle(map)
        for longitude in [0.001, 0.001_1, 0.001_2] {
            #expect(abs((map.runners.first { $0.session == 1 }?.lon ?? 0) - longitude) < 0.000_01)
            await move(1, longitude + 0.000_1)
            await tick(map)
        }
        #expect(Set(map.runners.map(\.session)) == [1, 2])
    }

    @Test("a slow map that skips some cells again is sent these alone: more than it takes at once arrives in the end")
    func convergence() async throws {
        await stage.place(1, zone: nil)
        let map = client()
        await view(map, try viewport(-0.003, 0.003), .binary)
        let cells = Set(map.topics.compactMap { Topic($0) })
        await stage.hub.refresh(map, topics: cells, isSlow: true)
        await settle(map)
        let cell = try #require(cells.first)
        let before = map.frames.count
        await stage.hub.refresh(map, topics: [cell], isSlow: true)
        await settle(map)
        #expect(cells.count > 1)
        #expect(map.frames.count == before + 1)
    }

    @Test(
        "Whatever moves, changes its audience, skips or looks elsewhere: each map shows exactly whom it may see and where they are"
    )
    func oracle() async throws {
        var generator = SeededGenerator(seed: 4)
        var places: [Int64: (longitude: Double, audience: Audience)] = [:]
        for id in Int64(1)...30 {
            await stage.place(id, zone: id % 3 == 0 ? 7 : nil)
            places[id] = (0, .public)
        }
        var maps: [(client: MapClient, viewer: Viewer, view: Viewport?)] = []
        for number in 0..<6 {
            maps.append(
                (client(number % 2 == 0 ? nil : Stage.secondLoop), number < 3 ? stage.guest : stage.member, nil))
        }
        for round in 0..<60 {
            for id in places.keys where Int.random(in: 0..<3, using: &generator) == 0 {
                guard var place = places[id] else { continue }
                place.longitude += .random(in: -0.004...0.004, using: &generator)
                if Int.random(in: 0..<10, using: &generator) == 0 {
                    place.audience = Audience.allCases.randomElement(using: &generator) ?? .public
                    await stage.hub.changeAudience(stage.session(id, place.audience))
                }
                places[id] = place
                await move(id, place.longitude, place.audience, zone: Bool.random(using: &generator) ? 7 : nil)
            }
            for index in maps.indices {
                let map = maps[index]
                map.client.setBacklog(Int.random(in: 0..<4, using: &generator) == 0)
                guard round == 0 || Int.random(in: 0..<3, using: &generator) == 0 else { continue }
                let west = Double.random(in: -0.02...0.02, using: &generator)
                let view = try viewport(
                    west, west + .random(in: 0.001...0.02, using: &generator),
                    zoom: [12, 15, 17].randomElement(using: &generator) ?? 17)
                maps[index].view = view
                await self.view(map.client, view, index % 3 == 0 ? .json : .binary, as: map.viewer)
            }
            // The widest views are told every two seconds, and who did not keep up every five.
            stage.clock.advance(bySeconds: 6)
            await stage.hub.tick()
            for map in maps {
                map.client.setBacklog(false)
                await settle(map.client)
                await stage.hub.refresh(
                    map.client, topics: map.client.takeSkipped(), isSlow: Bool.random(using: &generator))
                await settle(map.client)
                let seen = map.client.runners
                let cells = Set(map.view?.cells ?? [])
                let wanted = places.filter { id, place in
                    let allowed =
                        place.audience == .public || (place.audience == .campus && map.viewer.accountID != nil)
                    guard allowed, let level = map.view?.level, let cell = Cell(at: LatLon(0, place.longitude)) else {
                        return false
                    }
                    return cells.contains(cell.ancestor(zoom: level))
                }
                #expect(seen.map(\.session).sorted() == wanted.keys.sorted())
                for runner in seen {
                    #expect(abs(runner.lon - (places[runner.session]?.longitude ?? 0)) < 0.000_01)
                }
                #expect(map.client.strangers == 0)
            }
        }
        for map in maps { await stage.hub.disconnect(map.client) }
        #expect(await stage.hub.subscriberTablesAreEmpty)
    }
}

extension Array<UInt8> {
    fileprivate func contains(subsequence: [UInt8]) -> Bool {
        !subsequence.isEmpty && indices.contains { self[$0...].starts(with: subsequence) }
    }
}
