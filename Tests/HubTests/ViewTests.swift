import Campus
import EventLoop
import Testing
import TestSupport
import Wire

@testable import Hub
@testable import HubCore

@Suite("A map's view (B-2)")
struct ViewTests {
    let stage = Stage()

    /// Boxes of degrees around Greenwich and the equator, where the stage's runners are.
    private func viewport(_ west: Double, _ east: Double, zoom: Double = 17) throws -> Viewport {
        Viewport(box: try GeoBox(south: -0.001, west: west, north: 0.001, east: east), zoom: zoom)
    }

    private func client(_ loop: EventLoop? = nil) -> MapClient { MapClient(loop: loop ?? stage.loop) }

    /// A map that shows so many runners, who are all at the same place.
    private func map(of runners: Int64, _ encoding: PositionEncoding) async throws -> MapClient {
        for id in 1...runners { await stage.place(id, zone: nil) }
        let map = client()
        await stage.view(map, try viewport(-0.003, 0.003), encoding)
        return map
    }

    private func tick(_ clients: MapClient...) async {
        await stage.hub.tickNow()
        for client in clients { await client.settle() }
    }

    @Test(
        "A map's view shows the runners in it when it is opened, and then those that move, enter and leave",
        arguments: PositionEncoding.allCases)
    func life(encoding: PositionEncoding) async throws {
        await stage.place(1, zone: nil)
        await stage.place(2, zone: 7)
        await stage.move(2, 0.5, zone: 7)
        let map = client(Stage.secondLoop)
        await stage.view(map, try viewport(-0.003, 0.003), encoding)
        #expect(map.runners.map(\.session) == [1])
        await stage.move(1, 0.002)
        await stage.move(2, 0.001, zone: 7)
        await tick(map)
        #expect(Set(map.runners.map(\.session)) == [1, 2])
        #expect(map.shows(1, at: 0.002))
        await stage.move(1, 0.5)
        await stage.hub.sessions.end(stage.session(2, state: .finished))
        await tick(map)
        #expect(map.runners.isEmpty)
        #expect(map.strangers == 0)
    }

    @Test("A map's view that moves keeps what it has, gets what comes into it, and receives nothing of what left it")
    func moving() async throws {
        for id in 1...3 { await stage.place(Int64(id), zone: nil) }
        await stage.move(2, 0.01)
        await stage.move(3, 0.02)
        await stage.hub.tickNow()
        let map = client()
        await stage.view(map, try viewport(-0.001, 0.011), .json)
        #expect(Set(map.runners.map(\.session)) == [1, 2])
        let before = map.frames.count
        await stage.view(map, try viewport(0.009, 0.021), .json)
        #expect(Set(map.runners.map(\.session)) == [2, 3])
        // The reply, and a snapshot of each cell that is new: not of those it had.
        let old = Set(try viewport(-0.001, 0.011).cells)
        let new = try viewport(0.009, 0.021).cells.filter { !old.contains($0) }
        #expect(map.frames.count == before + 1 + new.count)
        await stage.move(1, 0.000_5)
        await tick(map)
        #expect(map.strangers == 0 && map.frames.count == before + 1 + new.count)
        await stage.view(map, nil, .json)
        await stage.move(2, 0.010_1)
        await tick(map)
        #expect(map.runners.isEmpty && map.strangers == 0)
        #expect(await stage.hub.subscriberTablesAreEmpty)
    }

    @Test(
        "A map's view never has private sessions, and has sessions for the campus only for members",
        arguments: PositionEncoding.allCases
    )
    func privacy(encoding: PositionEncoding) async throws {
        for (id, audience) in [(1, Audience.private), (2, .campus), (3, .public)] {
            await stage.place(Int64(id), audience, zone: 7)
        }
        let (guest, member) = (client(), client())
        let all = try viewport(-0.003, 0.003)
        await stage.view(guest, all, encoding)
        await stage.view(member, all, encoding, as: stage.member)
        #expect(Set(guest.runners.map(\.session)) == [3] && Set(member.runners.map(\.session)) == [2, 3])
        // Not at the next tick but at once.
        await stage.hub.sessions.changeAudience(stage.session(3, .campus))
        await stage.hub.sessions.changeAudience(stage.session(2, .private))
        await guest.settle()
        await member.settle()
        #expect(guest.runners.isEmpty && Set(member.runners.map(\.session)) == [3])
        await stage.move(1, 0.001, .private, zone: 7)
        await stage.move(2, 0.001, .private, zone: 7)
        await tick(guest, member)
        #expect(guest.runners.isEmpty && Set(member.runners.map(\.session)) == [3])
        // Not a byte of them: the name is in no frame either.
        for frame in guest.frames { #expect(!frame.contains(subsequence: Array("runner1".utf8))) }
        // Who signs in sees the rest with the next view.
        await stage.view(guest, all, encoding, as: stage.member)
        #expect(Set(guest.runners.map(\.session)) == [3])
    }

    @Test(
        "A map's view loses a session that becomes private at once, also where it has just been",
        arguments: PositionEncoding.allCases)
    func privateBehindTheEdge(encoding: PositionEncoding) async throws {
        await stage.place(1, zone: nil)
        let (map, newcomer) = (client(), client())
        // A wide view is told every two seconds.
        let wide = Viewport(box: try GeoBox(south: -0.1, west: -0.1, north: 0.1, east: 0.1), zoom: 9)
        await stage.view(map, wide, encoding)
        await stage.move(1, 0.000_1)
        await tick(map)
        await stage.move(1, 3)
        await tick(map)
        #expect(Set(map.runners.map(\.session)) == [1])
        await stage.hub.sessions.changeAudience(stage.session(1, .private))
        await map.settle()
        #expect(map.runners.isEmpty)
        await stage.view(newcomer, wide, encoding)
        #expect(newcomer.runners.isEmpty)
    }

    @Test("A map's view is encoded once for all viewers who see the same")
    func shared() async throws {
        await stage.place(1, zone: nil)
        let clients = [client(), client(Stage.secondLoop), client()]
        for map in clients { await stage.view(map, try viewport(-0.001, 0.001), .binary) }
        await stage.move(1, 0.000_1)
        await stage.hub.tickNow()
        for map in clients { await map.settle() }
        let last = clients.compactMap(\.frames.last)
        let addresses = Set(last.map { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } })
        #expect(last.count == 3 && addresses.count == 1)
    }

    @Test(
        "A map's view with a backlog skips to the newest state, as if nothing had been left out",
        arguments: PositionEncoding.allCases)
    func backlog(encoding: PositionEncoding) async throws {
        let map = try await map(of: 2, encoding)
        map.setBacklog(true)
        await stage.move(1, 0.001)
        await stage.move(2, 0.5)
        await tick(map)
        await stage.move(1, 0.002)
        await tick(map)
        await stage.catchUp(map, isSlow: true)
        #expect(map.runners.map(\.session) == [1])
        #expect(map.shows(1, at: 0.002))
        // From here on it is told every five seconds, with all that has changed.
        await stage.move(1, 0.002_1)
        await tick(map)
        #expect(map.shows(1, at: 0.002_1))
        await stage.move(1, 0.002_2)
        await stage.move(2, 0.001)
        await tick(map)
        #expect(map.runners.map(\.session) == [1])
        await stage.move(2, 0.001_1)
        stage.clock.advance(bySeconds: 5)
        await tick(map)
        #expect(Set(map.runners.map(\.session)) == [1, 2])
        #expect(map.shows(1, at: 0.002_2) && map.shows(2, at: 0.001_1))
        // Who is not to be seen any more goes at once, for the slow as well.
        await stage.hub.sessions.changeAudience(stage.session(2, .private))
        await map.settle()
        #expect(map.runners.map(\.session) == [1])
        // A minute later the next move of the map has it told at every tick again.
        stage.clock.advance(bySeconds: 61)
        await stage.view(map, try viewport(-0.003, 0.003_1), encoding)
        for longitude in [0.002_3, 0.002_4] {
            await stage.move(1, longitude)
            await tick(map)
            #expect(map.shows(1, at: longitude))
        }
    }

    @Test(
        "a moment's backlog is made good with what it skipped, and the map is told at every tick as before",
        arguments: PositionEncoding.allCases)
    func shortBacklog(encoding: PositionEncoding) async throws {
        let map = try await map(of: 2, encoding)
        map.setBacklog(true)
        await stage.move(1, 0.001)
        await tick(map)
        await stage.catchUp(map, isSlow: false)
        for longitude in [0.001, 0.001_1, 0.001_2] {
            #expect(map.shows(1, at: longitude))
            await stage.move(1, longitude + 0.000_1)
            await tick(map)
        }
        #expect(Set(map.runners.map(\.session)) == [1, 2])
    }

    @Test("a slow map that skips some cells again is sent these alone: more than it takes at once arrives in the end")
    func convergence() async throws {
        let map = try await map(of: 1, .binary)
        let cells = Set(map.topics.compactMap { Topic($0) })
        await stage.hub.refresh(map, topics: cells, isSlow: true)
        await map.settle()
        let cell = try #require(cells.first)
        let before = map.frames.count
        await stage.hub.refresh(map, topics: [cell], isSlow: true)
        await map.settle()
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
                    await stage.hub.sessions.changeAudience(stage.session(id, place.audience))
                }
                places[id] = place
                await stage.move(id, place.longitude, place.audience, zone: Bool.random(using: &generator) ? 7 : nil)
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
                await stage.view(map.client, view, index % 3 == 0 ? .json : .binary, as: map.viewer)
            }
            // The widest views are told every two seconds, and who did not keep up every five.
            stage.clock.advance(bySeconds: 6)
            await stage.hub.tickNow()
            for map in maps {
                await stage.catchUp(map.client, isSlow: Bool.random(using: &generator))
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
