import Campus
import TestSupport
import Testing
import Wire

@testable import Hub

@Suite("Blocks that come and go in any order")
struct BlockStormTests {
    /// What the maps are compared with: it knows nothing of pictures.
    private struct Truth {
        var audiences: [Int64: Audience] = [:]
        var longitudes: [Int64: Double] = [:]
        var blocks: Set<[Int64]> = []

        func isBlocked(_ one: Int64, _ other: Int64) -> Bool {
            blocks.contains([one, other]) || blocks.contains([other, one])
        }

        func seen(by account: Int64) -> Set<Int64> {
            Set(
                audiences.keys.filter {
                    audiences[$0] != .private && longitudes[$0] ?? 1 < 0.1 && !isBlocked(account, $0)
                })
        }
    }

    private struct Watcher {
        let account: Int64
        let encoding: PositionEncoding
        let map: MapClient
        var isLooking = true
    }

    let stage = Stage()

    private func viewport(_ zoom: Double) throws -> Viewport {
        Viewport(box: try GeoBox(south: -0.001, west: -0.003, north: 0.001, east: 0.003), zoom: zoom)
    }

    @Test(
        "Whatever runners and viewers do, nobody ever sees whom a block is with, and each map shows all others",
        arguments: [(10, 17.0), (60, 13.0)], [UInt64](1...4))
    func storm(_ size: (runners: Int, zoom: Double), seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var truth = Truth()
        let viewport = try viewport(size.zoom)
        let runners = (1...Int64(size.runners)).map { $0 }
        for id in runners { await set(id, .public, 0, &truth) }
        // Some are runners themselves; each with three connections, two of which look alike.
        var watchers: [Watcher] = []
        for account in [1, 2, 3, 101, 102] as [Int64] {
            for encoding in [PositionEncoding.json, .binary, .binary] {
                watchers.append(Watcher(account: account, encoding: encoding, map: MapClient(loop: stage.loop)))
            }
        }
        for one in watchers { await look(one, viewport) }
        for _ in 0..<150 {
            let id = runners.randomElement(using: &random) ?? 1
            let index = Int.random(in: watchers.indices, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1, 2:
                await set(id, truth.audiences[id] ?? .public, Double.random(in: -0.002...0.002, using: &random), &truth)
            case 3: await set(id, truth.audiences[id] ?? .public, 0.5, &truth)
            case 4:
                let audience: Audience = truth.audiences[id] == .private ? .campus : .private
                truth.audiences[id] = audience
                await stage.hub.sessions.changeAudience(stage.session(id, audience))
            case 5, 6:
                let pair = [watchers[index].account, id].shuffled(using: &random)
                guard pair[0] != pair[1] else { continue }
                let isOn = truth.blocks.insert(pair).inserted
                if !isOn { truth.blocks.remove(pair) }
                await stage.hub.blocks.set(pair[0], pair[1], isOn: isOn)
            case 7:
                watchers[index].isLooking.toggle()
                await look(watchers[index], watchers[index].isLooking ? viewport : nil)
            case 8:
                watchers[index].map.setBacklog(true)
                await tick()
                await stage.catchUp(watchers[index].map, isSlow: Bool.random(using: &random))
            default: await tick()
            }
            for one in watchers { try await check(one, truth, isSettled: false) }
        }
        for _ in 0..<3 { await tick() }
        for one in watchers { try await check(one, truth, isSettled: true) }
    }

    private func set(_ id: Int64, _ audience: Audience, _ longitude: Double, _ truth: inout Truth) async {
        if truth.audiences.updateValue(audience, forKey: id) == nil {
            await stage.hub.sessions.begin(stage.session(id, audience), rate: 1)
        }
        truth.longitudes[id] = longitude
        await stage.move(id, longitude, audience)
    }

    private func tick() async {
        stage.clock.advance(bySeconds: 2)
        await stage.hub.tickNow()
    }

    private func look(_ one: Watcher, _ viewport: Viewport?) async {
        await stage.view(one.map, viewport, one.encoding, as: Viewer(accountID: one.account))
    }

    private func check(_ one: Watcher, _ truth: Truth, isSettled: Bool) async throws {
        await one.map.settle()
        let shown = Set(one.map.runners.map(\.session))
        #expect(one.map.strangers == 0)
        #expect(shown.allSatisfy { !truth.isBlocked(one.account, $0) }, "\(one.account) sees \(shown)")
        guard isSettled, one.isLooking else { return }
        let seen = truth.seen(by: one.account)
        let counted = one.map.clusters.values.joined().reduce(0) { $0 + $1.count }
        #expect(shown.count + counted == seen.count && shown.isSubset(of: seen))
    }
}
