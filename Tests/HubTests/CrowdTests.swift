import Campus
import EventLoop
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore

@Suite("A crowd on a wide view")
struct CrowdTests {
    let stage = Stage()

    private func viewport(zoom: Double, west: Double = -0.02, east: Double = 0.02) throws -> Viewport {
        Viewport(box: try GeoBox(south: -0.001, west: west, north: 0.001, east: east), zoom: zoom)
    }

    /// The widest views are told every two seconds.
    private func tick(_ clients: MapClient...) async {
        stage.clock.advance(bySeconds: 2)
        await stage.hub.tickNow()
        for client in clients { await client.settle() }
    }

    /// So many runners, east of Greenwich, a metre or so apart.
    private func place(_ ids: ClosedRange<Int64>, _ audience: Audience = .public) async {
        for id in ids {
            await stage.hub.sessions.begin(stage.session(id, audience), rate: 1)
            await stage.move(id, 0.000_01 * Double(id), audience)
        }
    }

    private func counted(_ client: MapClient) -> Int { client.clusters.values.joined().reduce(0) { $0 + $1.count } }

    @Test(
        "A crowd turns to counts above 64, back to runners below 48, and stays as it is in between",
        arguments: PositionEncoding.allCases)
    func hysteresis(encoding: PositionEncoding) async throws {
        await place(1...64)
        let map = MapClient(loop: stage.loop)
        await stage.view(map, try viewport(zoom: 13), encoding)
        #expect(map.runners.count == 64 && map.clusters.isEmpty)
        await place(65...70)
        await tick(map)
        #expect(map.runners.isEmpty && counted(map) == 70)
        for id in Int64(1)...22 { await stage.hub.sessions.end(stage.session(id, state: .finished)) }
        await tick(map)
        #expect(map.runners.isEmpty && counted(map) == 48)
        await stage.hub.sessions.end(stage.session(23, state: .finished))
        await tick(map)
        #expect(map.runners.count == 47 && map.clusters.isEmpty)
        await place(71...80)
        await stage.move(70, 0.000_9)
        await tick(map)
        #expect(map.runners.count == 57 && map.clusters.isEmpty && map.switches == 2 && map.strangers == 0)
        #expect(map.shows(70, at: 0.000_9))
    }

    @Test("A crowd is never counted where the map is zoomed in, and unchanged counts are not sent twice")
    func levels() async throws {
        await place(1...100)
        let (near, wide) = (MapClient(loop: stage.loop), MapClient(loop: Stage.secondLoop))
        await stage.view(near, try viewport(zoom: 15), .binary)
        await stage.view(wide, try viewport(zoom: 13), .binary)
        #expect(near.runners.count == 100 && near.clusters.isEmpty)
        #expect(wide.runners.isEmpty && counted(wide) == 100)
        await tick(near, wide)
        let before = wide.frames.count
        for id in Int64(1)...100 { await stage.move(id, 0.000_01 * Double(id)) }
        await tick(near, wide)
        #expect(wide.frames.count == before)
        // All of one square: a hundred metres are a small part of it.
        #expect(wide.clusters.values.joined().count == 1)
        #expect(abs((wide.clusters.values.joined().first?.lon ?? 0) - 0.000_51) < 0.000_01)
    }

    @Test(
        "A crowd has only people whom the viewer may see: in the number, the middle, the change to counts, and the frames",
        arguments: PositionEncoding.allCases)
    func privacy(encoding: PositionEncoding) async throws {
        await place(1...60)
        await place(61...90, .campus)
        await place(101...300, .private)
        let (guest, member) = (MapClient(loop: stage.loop), MapClient(loop: stage.loop))
        await stage.view(guest, try viewport(zoom: 13), encoding)
        await stage.view(member, try viewport(zoom: 13), encoding, as: stage.member)
        #expect(guest.runners.count == 60 && guest.clusters.isEmpty)
        #expect(member.runners.isEmpty && counted(member) == 90)
        #expect(abs((member.clusters.values.joined().first?.lon ?? 0) - 0.000_455) < 0.000_011)
        await tick(guest, member)
        let before = (guest.frames.count, member.frames.count)
        // The private ones run elsewhere, end, and start: not a byte of it.
        for id in Int64(101)...200 { await stage.move(id, -0.01, .private) }
        for id in Int64(201)...250 { await stage.hub.sessions.end(stage.session(id, .private, state: .finished)) }
        await place(301...400, .private)
        await tick(guest, member)
        #expect(guest.frames.count == before.0 && member.frames.count == before.1)
        // Who is hidden goes at once, from counts as well, and not at the next tick.
        await stage.hub.sessions.changeAudience(stage.session(90, .private))
        await member.settle()
        #expect(counted(member) == 89)
        for id in Int64(61)...89 { await stage.hub.sessions.changeAudience(stage.session(id, .private)) }
        for id in Int64(40)...60 { await stage.hub.sessions.changeAudience(stage.session(id, .private)) }
        await guest.settle()
        await member.settle()
        #expect(guest.runners.count == 39)
        #expect(member.runners.count == 39 && member.clusters.isEmpty)
        #expect(guest.strangers == 0 && member.strangers == 0)
    }

    @Test("A crowd is encoded once for all viewers who see the same, and later viewers get what the others have")
    func shared() async throws {
        await place(1...70)
        let maps = (0..<3).map { MapClient(loop: $0 == 1 ? Stage.secondLoop : stage.loop) }
        for map in maps.dropLast() { await stage.view(map, try viewport(zoom: 12), .binary) }
        await stage.move(1, 0.001)
        await tick(maps[0], maps[1])
        await stage.view(maps[2], try viewport(zoom: 12), .binary)
        let last = maps.compactMap(\.frames.last)
        #expect(last.count == 3 && last[0] == last[1] && last[1].suffix(4) == last[2].suffix(4))
        #expect(Set(last.map { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }).count < 3)
        #expect(maps.allSatisfy { counted($0) == 70 && $0.clusters == maps[0].clusters })
    }

    @Test(
        "Whatever moves, hides, ends, skips or looks elsewhere: each cell is told as counts or runners, and both are right"
    )
    func oracle() async throws {
        var generator = SeededGenerator(seed: 9)
        var places: [Int64: (longitude: Double, audience: Audience)] = [:]
        var next: Int64 = 1
        var maps: [(client: MapClient, viewer: Viewer, view: Viewport?)] = (0..<6).map { number in
            (
                MapClient(loop: number % 2 == 0 ? stage.loop : Stage.secondLoop),
                number < 3 ? stage.guest : stage.member, nil
            )
        }
        for round in 0..<50 {
            // Tides: the field grows to 300 and shrinks to 60.
            let wanted = round % 20 < 10 ? 300 : 60
            for _ in 0..<50 where places.count < wanted {
                let audience = Audience.allCases.randomElement(using: &generator) ?? .public
                let longitude = Double.random(in: -0.05...0.05, using: &generator)
                await stage.hub.sessions.begin(stage.session(next, audience), rate: 1)
                await stage.move(next, longitude, audience)
                places[next] = (longitude, audience)
                next += 1
            }
            for id in places.keys.sorted() {
                guard var place = places[id] else { continue }
                switch Int.random(in: 0..<12, using: &generator) {
                case 0...1 where places.count > wanted:
                    await stage.hub.sessions.end(stage.session(id, place.audience, state: .finished))
                    places[id] = nil
                    continue
                case 2:
                    place.audience = Audience.allCases.randomElement(using: &generator) ?? .public
                    await stage.hub.sessions.changeAudience(stage.session(id, place.audience))
                case 3...5:
                    place.longitude += .random(in: -0.01...0.01, using: &generator)
                    await stage.move(id, place.longitude, place.audience)
                default: continue
                }
                places[id] = place
            }
            for index in maps.indices {
                maps[index].client.setBacklog(Int.random(in: 0..<5, using: &generator) == 0)
                guard round == 0 || Int.random(in: 0..<5, using: &generator) == 0 else { continue }
                let west = Double.random(in: -0.06...0.02, using: &generator)
                let view = try viewport(
                    zoom: [6, 11, 13, 13, 15].randomElement(using: &generator) ?? 13, west: west, east: west + 0.05)
                maps[index].view = view
                await stage.view(maps[index].client, view, index % 3 == 0 ? .json : .binary, as: maps[index].viewer)
            }
            stage.clock.advance(bySeconds: 6)
            await stage.hub.tickNow()
            for map in maps {
                await stage.catchUp(map.client, isSlow: true)
                for cell in map.view?.cells ?? [] { check(map.client, cell, map.viewer, places) }
                #expect(map.client.strangers == 0)
            }
        }
        #expect(maps.map(\.client.switches).reduce(0, +) > 10)
        for map in maps { await stage.hub.disconnect(map.client) }
        #expect(await stage.hub.subscriberTablesAreEmpty)
    }

    private func check(
        _ client: MapClient, _ cell: Cell, _ viewer: Viewer,
        _ places: [Int64: (longitude: Double, audience: Audience)]
    ) {
        let topic = Topic.cellPositions(cell).description
        let there = places.filter { _, place in
            (place.audience == .public || (place.audience == .campus && viewer.accountID != nil))
                && Cell(at: LatLon(0, place.longitude))?.ancestor(zoom: cell.zoom) == cell
        }
        guard let clusters = client.clusters[topic] else {
            #expect(client.runners(in: topic).map(\.session).sorted() == there.keys.sorted())
            #expect(cell.zoom >= 14 || there.count <= 64)
            return
        }
        #expect(client.runners(in: topic).isEmpty && cell.zoom < 14 && there.count >= 48)
        // By degrees instead of tiles: at the equator a square is an eighth of the cell's width.
        let width = cell.box.east - cell.box.west
        var columns: [Int: [Double]] = [:]
        for place in there.values {
            columns[Int(((place.longitude - cell.box.west) / width * 8).rounded(.down)), default: []]
                .append(place.longitude)
        }
        #expect(clusters.map { $0.index % 8 } == columns.keys.sorted())
        for cluster in clusters {
            let longitudes = columns[cluster.index % 8] ?? []
            #expect(cluster.count == longitudes.count)
            #expect(abs(cluster.lon - longitudes.reduce(0, +) / Double(longitudes.count)) < 0.000_011)
            #expect(cluster.lat == 0)
        }
    }
}
