import Campus
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore

/// Two hubs whose maps of people are looked at, and somebody who reports now to the one, now to the other. Turns are the test's own.
private struct TwoMaps: Sendable {
    static let owner: Int64 = 9
    /// Where they report, and the cells of the two places that a building is told as.
    static let longitudes = [0.0001, 0.02, -1, 1]

    let hubs: TwoHubs
    let memory = ShareMemory()
    let rules = TwoBuildings()
    let viewers: [RecordingViewer]
    /// Accounts that the first node was told of as heard elsewhere.
    let forgotten = Accounts()

    final class Accounts: Sendable {
        private let state = Mutex<[Int64]>([])
        var all: [Int64] { state.withLock { $0 } }
        func note(_ account: Int64) { state.withLock { $0.append(account) } }
    }

    var nodes: [TwoHubs.Node] { [hubs.ownerNode, hubs.other] }

    /// - Parameter silenceMax: As for ``TwoHubs``.
    init(silenceMax: Duration = .seconds(20)) async throws {
        let hubs = try await TwoHubs(silenceMax: silenceMax)
        self.hubs = hubs
        viewers = [RecordingViewer(loop: hubs.loop), RecordingViewer(loop: hubs.loop)]
        for node in nodes {
            await node.hub.shares.sweepOnlyOnDemand()
            await node.hub.shares.setStore(memory, rules: rules)
        }
        await hubs.ownerNode.hub.shares.setForgotten { [forgotten] in forgotten.note($0) }
    }

    static func cell(_ longitude: Double) throws -> Cell {
        Cell(containing: try GeoPoint(latitude: 1, longitude: longitude), zoom: Topic.peopleZoom)
    }

    /// Shares with everybody, and somebody looks at both nodes.
    func begin(_ precision: Wire.Precision) async throws -> StoredShare {
        let share = StoredShare(
            7, of: Self.owner, .campus, precision, at: hubs.clock.now)
        memory.store(share)
        for (node, viewer) in zip(nodes, viewers) {
            for longitude in Self.longitudes {
                try await node.hub.shares.subscribe(viewer, toPeople: try Self.cell(longitude), as: 3) { _ in
                    Array("{}".utf8)
                }
            }
        }
        _ = try await eventually("each knows where the other looks") { () -> Bool? in
            try await turn()
            for node in nodes {
                guard await node.hub.shares.cellsWanted == Self.longitudes.count else { return nil }
            }
            return true
        }
        return share
    }

    func report(_ longitude: Double, latitude: Double = 1, to node: TwoHubs.Node) async throws {
        try await node.hub.shares.locate(
            LocatedFix(
                point: try GeoPoint(latitude: latitude, longitude: longitude), accuracy: 5, heading: 90, speed: 3,
                source: .gps, at: hubs.clock.now), of: Self.owner)
        _ = try await eventually("shares are known") { await node.hub.shares.knowsShares(of: Self.owner) ? true : nil }
    }

    /// Both take their turn, and what they say arrives.
    func turn() async throws {
        for node in nodes { await node.hub.shares.runSweep() }
        for _ in 0..<3 {
            await hubs.network.settle()
            await hubs.ownerNode.hub.inOneIteration { _ in }
        }
    }

    func pass(seconds: Int) async throws {
        for _ in 0..<seconds {
            hubs.clock.advance(bySeconds: 1)
            try await turn()
        }
    }

    /// Where people are on a node's map, as those who look there have it.
    func shown(at node: TwoHubs.Node) async throws -> [Double] {
        var found: [Double] = []
        for longitude in Self.longitudes {
            let cell = try Self.cell(longitude)
            if await node.hub.shares.isAnyonePublished(in: cell) { found.append(longitude) }
        }
        return found
    }

    /// Somebody is on the map of both, exactly, who reports to the first.
    @discardableResult
    func beginAtHome() async throws -> StoredShare {
        let share = try await begin(.exact)
        try await report(0.0001, to: hubs.ownerNode)
        try await waitUntilShown([0.0001])
        return share
    }

    /// Turn after turn, until both maps show somebody there and nowhere else.
    func waitUntilShown(_ places: [Double]) async throws {
        _ = try await eventually("people are at \(places) and nowhere else") { () -> Bool? in
            try await turn()
            for node in nodes {
                guard try await shown(at: node) == places else { return nil }
            }
            return true
        }
    }
}

@Suite("People on the maps of two nodes")
struct NodePeopleTests {
    @Test(
        "Who came into the dark at another node is on no map where they reported before, in its memory or the heatmap's, also later"
    )
    func darkElsewhere() async throws {
        let maps = try await TwoMaps()
        let (ownerNode, other) = (maps.hubs.ownerNode, maps.hubs.other)
        try await maps.beginAtHome()
        try await maps.pass(seconds: 3)
        try await maps.report(0.0001, latitude: 51, to: other)
        try await maps.waitUntilShown([])
        #expect(maps.forgotten.all == [TwoMaps.owner])
        #expect(await ownerNode.hub.shares.shownLocation(of: TwoMaps.owner, as: .exact) == nil)
        // It does not come back as `old` either.
        for _ in 0..<70 {
            try await maps.pass(seconds: 1)
            for node in maps.nodes { #expect(try await maps.shown(at: node) == []) }
        }
        try await maps.report(0.02, to: ownerNode)
        try await maps.waitUntilShown([0.02])
        await maps.hubs.stop()
    }

    @Test("Whose reports go now to the one node, now to the other, is in one place on all maps: where the last one was")
    func spread() async throws {
        let maps = try await TwoMaps()
        _ = try await maps.begin(.exact)
        for (step, longitude) in [0.0001, 0.02, 0.0001, 0.02].enumerated() {
            try await maps.report(longitude, to: maps.nodes[step % 2])
            try await maps.waitUntilShown([longitude])
            try await maps.pass(seconds: 5)
            for node in maps.nodes { #expect(try await maps.shown(at: node) == [longitude]) }
        }
        await maps.hubs.stop()
    }

    @Test(
        "Of a building the first node tells until the next look, so that nobody sees when somebody came to the other, and not longer"
    )
    func coarse() async throws {
        let maps = try await TwoMaps()
        let share = try await maps.begin(.building)
        try await maps.report(-0.5, to: maps.hubs.ownerNode)
        try await maps.waitUntilShown([-1])
        maps.hubs.clock.advance(bySeconds: 1)
        // Behind the moment in which the share began, which is no secret.
        try await maps.pass(seconds: 61)
        let look = try #require(share.samplingTime(before: maps.hubs.clock.now))
        let wait = 60 - Int(maps.hubs.clock.now.seconds(since: look))
        if wait < 10 { try await maps.pass(seconds: wait + 1) }
        let before = try #require(share.samplingTime(before: maps.hubs.clock.now))
        try await maps.report(0.5, to: maps.hubs.other)
        while share.samplingTime(before: maps.hubs.clock.now.advanced(bySeconds: 1)) == before {
            for node in maps.nodes { #expect(try await maps.shown(at: node) == [-1]) }
            try await maps.pass(seconds: 1)
        }
        try await maps.pass(seconds: 2)
        try await maps.waitUntilShown([1])
        try await maps.pass(seconds: 70)
        for node in maps.nodes { #expect(try await maps.shown(at: node) == [1]) }
        await maps.hubs.stop()
    }

    @Test("What a node did not hear while the network lost it, it hears afterwards, without another report")
    func lost() async throws {
        let maps = try await TwoMaps()
        let (ownerNode, other) = (maps.hubs.ownerNode, maps.hubs.other)
        try await maps.beginAtHome()
        try await maps.pass(seconds: 3)
        maps.hubs.network.setFault(.drop, from: other.bus, to: ownerNode.bus)
        try await maps.report(0.0001, latitude: 51, to: other)
        try await maps.turn()
        #expect(try await maps.shown(at: ownerNode) == [0.0001])
        maps.hubs.network.heal()
        try await maps.waitUntilShown([])
        await maps.hubs.stop()
    }

    @Test(
        "A coarser precision, or a cleared location, is on the map of the node where it was asked for when that is answered, though another has the location",
        arguments: [true, false])
    func askedElsewhere(isCleared: Bool) async throws {
        let maps = try await TwoMaps()
        let (ownerNode, other) = (maps.hubs.ownerNode, maps.hubs.other)
        var share = try await maps.beginAtHome()
        // What the one that has it says just before is still on its way when the other asks.
        maps.hubs.network.setFault(.delay(.milliseconds(50)), from: ownerNode.bus, to: other.bus)
        maps.hubs.clock.advance(bySeconds: ShareLimits.leaseSeconds)
        await ownerNode.hub.shares.runSweep()
        if isCleared {
            await other.hub.shares.clearLocation(of: TwoMaps.owner)
        } else {
            share.precision = .zone
            share.chosenAt = maps.hubs.clock.now
            share.version += 1
            maps.memory.store(share)
            await other.hub.shares.changed(share)
        }
        // Neither is it counted in the heatmap.
        #expect(maps.forgotten.all == (isCleared ? [TwoMaps.owner] : []))
        // No turn of either node in between.
        #expect(try await maps.shown(at: other).contains(0.0001) == false)
        maps.hubs.clock.advance(bySeconds: 1)
        await other.hub.shares.runSweep()
        #expect(try await maps.shown(at: other).contains(0.0001) == false)
        await maps.hubs.stop()
    }

    @Test(
        "While messages may have been lost, a connection that catches up is sent nobody, and everybody when that is known"
    )
    func inDoubt() async throws {
        let maps = try await TwoMaps()
        let (ownerNode, viewer) = (maps.hubs.ownerNode, maps.viewers[0])
        try await maps.beginAtHome()
        let cell = try TwoMaps.cell(0.0001)
        _ = await viewer.take()
        await ownerNode.hub.inOneIteration { hub in
            hub.putInDoubt()
            hub.refresh(viewer, topics: [.people(cell)], isSlow: false)
        }
        var received: [PeopleUpdate] = []
        _ = try await eventually("they are told again") {
            for message in await viewer.take().flatMap(\.messages) {
                let json = RecordingViewer.payload(of: message.frame)
                received.append(try WireJSON.decode(Push<PeopleUpdate>.self, from: json).params.data)
            }
            return received.last?.people.isEmpty == false ? true : nil
        }
        #expect(received.first?.people.isEmpty == true && received.allSatisfy { $0.full == true })
        await maps.hubs.stop()
    }

    @Test(
        "Who sees an exact position again after it was coarser for a while is written down anew, also at a node that has only the map"
    )
    func writtenDownAnew() async throws {
        let maps = try await TwoMaps()
        let (ownerNode, other) = (maps.hubs.ownerNode, maps.hubs.other)
        var share = try await maps.beginAtHome()
        for precision in [Wire.Precision.campus, .exact] {
            try await maps.pass(seconds: 1)
            share.precision = precision
            share.chosenAt = maps.hubs.clock.now
            share.version += 1
            maps.memory.store(share)
            await ownerNode.hub.shares.changed(share)
            try await maps.waitUntilShown(precision == .exact ? [0.0001] : [])
        }
        await other.hub.shares.writeAccessLog()
        // One for each node and time.
        #expect(maps.memory.seen.filter { $0.account == 3 && $0.precision == .exact }.count == 4)
        await maps.hubs.stop()
    }

    @Test("A share that began while the node that has the location could not read it is shown with the next report")
    func begunUnread() async throws {
        let maps = try await TwoMaps()
        let (ownerNode, other) = (maps.hubs.ownerNode, maps.hubs.other)
        try await maps.report(0.0001, to: ownerNode)
        maps.memory.set(isAway: true)
        let share = StoredShare(7, of: TwoMaps.owner, .campus, .exact, at: maps.hubs.clock.now)
        maps.memory.store(share)
        await other.hub.shares.changed(share)
        #expect(await ownerNode.hub.shares.ids(of: TwoMaps.owner).isEmpty)
        maps.memory.set(isAway: false)
        maps.hubs.clock.advance(bySeconds: 5)
        try await ownerNode.hub.shares.locate(
            LocatedFix(
                point: try GeoPoint(latitude: 1, longitude: 0.0001), accuracy: 5, heading: nil, speed: nil,
                source: .gps,
                at: maps.hubs.clock.now), of: TwoMaps.owner)
        _ = try await eventually("the share is known") {
            await ownerNode.hub.shares.ids(of: TwoMaps.owner) == [7] ? true : nil
        }
        await maps.hubs.stop()
    }

    @Test("A pin that is cleared at one node does not hold there by what the other said of it a moment before")
    func clearedPin() async throws {
        let maps = try await TwoMaps()
        let (ownerNode, other) = (maps.hubs.ownerNode, maps.hubs.other)
        let pin = LocatedFix(
            point: try GeoPoint(latitude: 1, longitude: 0.0001), accuracy: 5, heading: nil, speed: nil, source: .manual,
            at: maps.hubs.clock.now)
        try await ownerNode.hub.shares.locate(pin, of: TwoMaps.owner)
        try await maps.pass(seconds: 3)
        maps.hubs.network.setFault(.delay(.milliseconds(200)), from: ownerNode.bus, to: other.bus)
        await ownerNode.hub.shares.announcePin(of: TwoMaps.owner)
        maps.hubs.network.heal()
        await other.hub.shares.clearLocation(of: TwoMaps.owner)
        #expect(await ownerNode.hub.shares.location(of: TwoMaps.owner) == nil)
        try await Task.sleep(for: .milliseconds(300))
        try await maps.turn()
        maps.hubs.clock.advance(bySeconds: 1)
        try await maps.report(0.02, to: other)
        #expect(await other.hub.shares.location(of: TwoMaps.owner)?.point.longitude == 0.02)
        // One that is set behind that holds.
        maps.hubs.clock.advance(bySeconds: 1)
        try await ownerNode.hub.shares.locate(pin, of: TwoMaps.owner)
        _ = try await eventually("the other forgets its own") {
            await other.hub.shares.location(of: TwoMaps.owner) == nil ? true : nil
        }
        await maps.hubs.stop()
    }

    @Test("A pin holds against what is reported to another node, and goes with the node that has it")
    func pinGoes() async throws {
        let maps = try await TwoMaps()
        let (ownerNode, other) = (maps.hubs.ownerNode, maps.hubs.other)
        @Sendable func fix(_ longitude: Double, _ source: LocationSource) throws -> LocatedFix {
            LocatedFix(
                point: try GeoPoint(latitude: 1, longitude: longitude), accuracy: 5, heading: nil, speed: nil,
                source: source, at: maps.hubs.clock.now)
        }
        try await other.hub.shares.locate(try fix(0.02, .gps), of: TwoMaps.owner)
        maps.hubs.clock.advance(bySeconds: 1)
        try await ownerNode.hub.shares.locate(try fix(0.0001, .manual), of: TwoMaps.owner)
        _ = try await eventually("the other forgets its own") {
            await other.hub.shares.location(of: TwoMaps.owner) == nil ? true : nil
        }
        maps.hubs.clock.advance(bySeconds: 60)
        // As when it has just come back, and knows of no pin.
        await other.hub.shares.lost(ownerNode.bus.node.id, isSilent: false)
        maps.hubs.clock.advance(bySeconds: 60)
        try await other.hub.shares.locate(try fix(0.02, .gps), of: TwoMaps.owner)
        _ = try await eventually("it hears of the pin from whoever has it") { () -> Bool? in
            try await maps.turn()
            return await other.hub.shares.location(of: TwoMaps.owner) == nil ? true : nil
        }
        maps.hubs.clock.advance(bySeconds: 60)
        try await other.hub.shares.locate(try fix(0.02, .gps), of: TwoMaps.owner)
        #expect(await other.hub.shares.location(of: TwoMaps.owner) == nil)
        await ownerNode.hub.leaveNodes()
        await ownerNode.bus.close()
        _ = try await eventually("the report is taken") { () -> Bool? in
            try await other.hub.shares.locate(try fix(0.02, .gps), of: TwoMaps.owner)
            return await other.hub.shares.location(of: TwoMaps.owner) != nil ? true : nil
        }
        await maps.hubs.stop()
    }
}

extension ShareFeed {
    /// Cells of people that another node looks at.
    fileprivate var cellsWanted: Int { registry.peopleLeases.count }

    fileprivate func isAnyonePublished(in cell: Cell) -> Bool {
        registry.people[cell]?.publishedCommon.people.isEmpty == false
    }
}
