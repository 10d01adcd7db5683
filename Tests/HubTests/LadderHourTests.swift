import Campus
import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore

/// A hub with people who share on every rung, by `share/<id>` and with everybody, and somebody who watches all of it.
private struct Watched: Sendable {
    static let coarse: [Wire.Precision] = [.building, .zone, .campus]

    let campus = LadderCampus()
    let memory = ShareMemory()
    let clock: TestClock
    /// Where people report.
    let ownerNode: Hub
    /// Where they are watched.
    let sight: Hub
    let viewer: RecordingViewer

    init(_ clock: TestClock, ownerNode: Hub, sight: Hub? = nil) async {
        (self.clock, self.ownerNode, self.sight) = (clock, ownerNode, sight ?? ownerNode)
        viewer = RecordingViewer(loop: ownerNode.loop)
        for hub in [self.ownerNode, self.sight] {
            await hub.shares.sweepOnlyOnDemand()
            await hub.shares.setStore(memory, rules: campus)
        }
    }

    static func share(_ owner: Int64, _ precision: Wire.Precision, _ audience: ShareAudience = .person) -> Int64 {
        owner * 10 + Int64(precision.rank) + (audience == .campus ? 5 : 0)
    }

    /// They begin, and are seen for the first time.
    func begin(_ fixes: [Int64: LocatedFix], exact: Bool = false) async throws {
        var shares: [StoredShare] = []
        for owner in fixes.keys.sorted() {
            for precision in (exact ? [.exact] : []) + Self.coarse {
                for audience in [ShareAudience.person, .campus] where audience == .person || precision != .exact {
                    let id = Self.share(owner, precision, audience)
                    shares.append(StoredShare(id, of: owner, audience, precision, at: clock.now))
                }
            }
        }
        for share in shares { memory.store(share) }
        for share in shares where share.audience == .person {
            try await sight.shares.watch(
                viewer, share, account: 1, opening: 1, byLink: false,
                reply: RecordingViewer.reply(.share(share.id)))
        }
        for cell in campus.cells {
            try await sight.shares.subscribe(viewer, toPeople: cell, as: 1) { _ in Array("{}".utf8) }
        }
        for (owner, fix) in fixes {
            try await ownerNode.shares.locate(fix, of: owner)
            _ = try await eventually("shares are known") { await ownerNode.shares.knowsShares(of: owner) ? true : nil }
        }
        for share in shares where share.audience == .person {
            _ = try await eventually("a share is seen") { await sight.shares.shows(share.id) ? true : nil }
        }
        // Building and zone of each are on the map, too.
        _ = try await eventually("people are on the map") {
            await ownerNode.shares.runSweep()
            await sight.shares.runSweep()
            return await sight.shares.peoplePublished == 2 * fixes.count ? true : nil
        }
        _ = await viewer.take()
    }

    /// Everything that came, by share: by itself, and on the map of people.
    func received(_ deliveries: [Delivery]) throws -> [Int64: [SharedLocation]] {
        var received: [Int64: [SharedLocation]] = [:]
        for message in deliveries.flatMap(\.messages) {
            let json = RecordingViewer.payload(of: message.frame)
            if let push = try? WireJSON.decode(Push<ShareUpdate>.self, from: json).params {
                guard let id = Int64(push.topic.dropFirst("share/".count)), let location = push.data.location else {
                    continue
                }
                received[id, default: []].append(location)
            } else {
                for one in try WireJSON.decode(Push<PeopleUpdate>.self, from: json).params.data.people {
                    received[one.share, default: []].append(one.location)
                }
            }
        }
        return received
    }
}

/// What a viewer works out, in metres from where somebody is.
private struct Recovered {
    var single: [Double] = []
    var averaged: [Double] = []
    /// The nearest of the hour. Which one it was is not known to the viewer.
    var best: [Double] = []

    static func median(_ errors: [Double]) -> Double {
        let sorted = errors.sorted()
        return sorted.isEmpty ? .infinity : sorted[sorted.count / 2]
    }
    /// Whole metres: one update, the average, the best.
    var medians: [Int] { [single, averaged, best].map { Int(Self.median($0).rounded()) } }
}

@Suite("An hour of updates from a hub, at each outlet that shares have (B-4)")
struct LadderHourTests {
    private static let people: ClosedRange<Int64> = 1...20
    private static let step = 5.0
    private static let steps = 720

    private func mean(_ received: ArraySlice<SharedLocation>, _ campus: LadderCampus) throws -> GeoPoint {
        let places = received.map(campus.guess)
        let count = Double(places.count)
        return try GeoPoint(
            latitude: places.reduce(0) { $0 + $1.latitude } / count,
            longitude: places.reduce(0) { $0 + $1.longitude } / count)
    }

    /// An hour of 20 people, and everything that their viewer got of it.
    private func hour(
        isWalking: Bool, seed: UInt64
    ) async throws -> (campus: LadderCampus, ways: [Int64: [GeoPoint]], received: [Int64: [SharedLocation]]) {
        let stage = Stage()
        let watched = await Watched(stage.clock, ownerNode: stage.hub)
        var generator = SeededGenerator(seed: seed)
        var ways: [Int64: [GeoPoint]] = [:]
        for owner in Self.people {
            ways[owner] =
                isWalking
                ? watched.campus.walk(Self.steps, step: Self.step, &generator)
                : Array(repeating: watched.campus.placeInside(&generator), count: Self.steps)
        }
        func fixes(_ step: Int) -> [Int64: LocatedFix] {
            var fixes: [Int64: LocatedFix] = [:]
            for owner in Self.people {
                guard let place = ways[owner]?[step] else { continue }
                fixes[owner] = watched.campus.fix(
                    place, at: stage.clock.now, isWalking: isWalking, &generator)
            }
            return fixes
        }
        try await watched.begin(fixes(0), exact: true)
        for step in 0..<Self.steps {
            stage.clock.advance(bySeconds: Self.step)
            let reported = fixes(step)
            try await stage.hub.inOneIteration { hub in
                for owner in Self.people {
                    if let fix = reported[owner] { try hub.shares.now { _ = try $0.locate(fix, of: owner) } }
                }
                hub.shares.now { $0.runSweep() }
            }
        }
        return (watched.campus, ways, try watched.received(await watched.viewer.take()))
    }

    @Test("Of somebody who stands still an hour says to the digit what one update says: building, zone and campus")
    func standing() async throws {
        let (campus, ways, received) = try await hour(isWalking: false, seed: 11)
        var found: [Wire.Precision: Recovered] = [:]
        for owner in Self.people {
            let place = try #require(ways[owner]?.first)
            for precision in Wire.Precision.allCases {
                let updates = try #require(received[Watched.share(owner, precision)])
                #expect(updates.count == (precision == .exact ? Self.steps : 3_600 / Int(precision.samplingSeconds)))
                let all = updates.map { campus.guess($0).distance(to: place) }
                found[precision, default: Recovered()].single.append(try #require(all.last))
                found[precision]?.averaged.append(try mean(updates[...], campus).distance(to: place))
                found[precision]?.best.append(try #require(all.min()))
                guard precision != .exact else { continue }
                // Not one number differs in the hour but the time of the look, by either outlet.
                let map = received[Watched.share(owner, precision, .campus)] ?? []
                #expect(map.count == (precision == .campus ? 0 : updates.count))
                var kinds = Set<String>()
                for var update in updates + map {
                    update.at = Timestamp(milliseconds: 0)
                    kinds.insert("\(update)")
                }
                #expect(kinds.count == 1, "\(precision)")
                #expect((updates + map).allSatisfy { $0.speed == nil && $0.heading == nil && $0.source == nil })
            }
        }
        let medians = found.mapValues(\.medians)
        #expect(
            medians == [
                .exact: [5, 5, 5], .building: [21, 21, 21], .zone: [127, 127, 127], .campus: [321, 321, 321],
            ])
    }

    @Test("Of somebody who walks each update is one of the ladder's fixed places, and their average is farther off")
    func walking() async throws {
        let (campus, ways, received) = try await hour(isWalking: true, seed: 12)
        var found: [Wire.Precision: Recovered] = [:]
        for owner in Self.people {
            let way = try #require(ways[owner])
            for precision in Wire.Precision.allCases {
                let updates = try #require(received[Watched.share(owner, precision)])
                // Of its place each says the same, and nothing of who is there.
                if precision != .exact {
                    let values = Set(
                        (updates + (received[Watched.share(owner, precision, .campus)] ?? [])).map { update in
                            "\(update.lat ?? 0) \(update.lon ?? 0) \(update.accuracy ?? 0) \(update.onCampus)"
                        })
                    let places = Set(updates.map { "\($0.place?.kind.rawValue ?? "") \($0.place?.id ?? 0)" })
                    #expect(values.count == places.count, "\(precision)")
                }
                var best = Double.infinity
                for minute in 10..<60 {
                    let now = way[minute * Self.steps / 60]
                    let newest = min(updates.count * minute / 60, updates.count - 1)
                    let recent = updates[(updates.count * (minute - 5) / 60)...newest]
                    let error = campus.guess(updates[newest]).distance(to: now)
                    best = min(best, error)
                    found[precision, default: Recovered()].single.append(error)
                    found[precision]?.averaged.append(try mean(recent, campus).distance(to: now))
                }
                found[precision]?.best.append(best)
            }
        }
        for precision in Watched.coarse {
            let rung = try #require(found[precision])
            #expect(Recovered.median(rung.averaged) >= Recovered.median(rung.single), "\(precision)")
        }
        let medians = found.mapValues(\.medians)
        #expect(
            medians == [
                .exact: [7, 152, 1], .building: [128, 165, 45], .zone: [131, 174, 45], .campus: [381, 381, 285],
            ])
    }

    // MARK: Times

    /// When somebody crosses between two looks, and how often a device says where it is.
    private struct Crossing {
        /// Seconds into each minute, after the look, at which they are in the next place.
        let seconds: ClosedRange<Double>
        /// Seconds between two reports, and how much after the full second.
        let every: Double
    }
    private static let early = Crossing(seconds: 15...35, every: 0.5)
    private static let late = Crossing(seconds: 45...65, every: 4)
    private static let minutes = 30

    private struct Seen: Equatable {
        /// Half seconds from the beginning.
        let half: Int
        let bytes: Int
        let json: String
    }

    private static func sorted(_ frame: [UInt8]) throws -> String {
        let value = try JSONSerialization.jsonObject(with: Data(RecordingViewer.payload(of: frame)))
        return String(
            decoding: try JSONSerialization.data(withJSONObject: value, options: .sortedKeys), as: UTF8.self)
    }

    /// Somebody goes from building to building to outside of the campus, a place each minute.
    /// - Returns: Everything that the viewer got after the first look, in order. What came at one moment, and the members of a JSON
    ///   object, are in an order by nothing but their addresses in memory: here they are sorted.
    private func bytes(
        _ crossing: Crossing, _ watched: Watched, minutes: Int, settle: @Sendable () async -> Void = {}
    ) async throws -> [Seen] {
        // The same places for both; the crossings are their own.
        var generator = SeededGenerator(seed: 5)
        var own = SeededGenerator(seed: UInt64(crossing.every * 10))
        let places = (0...minutes).map { minute in
            minute % 7 == 6
                ? watched.campus.bounds.northWest.offset(eastMetres: -900, northMetres: 400)
                : watched.campus.placeInside(&generator)
        }
        let start = watched.clock.now
        let times = (0..<minutes).map { Double($0) * 60 + .random(in: crossing.seconds, using: &own) }
        func fix(_ place: GeoPoint) -> LocatedFix {
            LocatedFix(point: place, accuracy: 5, heading: 90, speed: 3, source: .gps, at: watched.clock.now)
        }
        try await watched.begin([9: fix(places[0])])
        await settle()
        var frames: [Seen] = []
        for half in 1...minutes * 120 {
            watched.clock.advance(bySeconds: 0.5)
            let seconds = watched.clock.now.seconds(since: start)
            let place = places[times.count { $0 <= seconds }]
            let isDue = (seconds / crossing.every).rounded() * crossing.every == seconds
            let received = isDue ? fix(place) : nil
            try await watched.ownerNode.inOneIteration { hub in
                if let received { try hub.shares.now { _ = try $0.locate(received, of: 9) } }
                if half % 2 == 0 { hub.shares.now { $0.runSweep() } }
            }
            if half % 2 == 0, watched.sight !== watched.ownerNode {
                await settle()
                await watched.sight.shares.runSweep()
                await settle()
            }
            frames += try await watched.viewer.take().flatMap(\.messages).map { message in
                Seen(half: half, bytes: message.frame.count, json: try Self.sorted(message.frame))
            }.sorted { $0.json < $1.json }
        }
        return frames
    }

    @Test("When a border was crossed between two looks, and how often a device reported, changes not one byte")
    func crossing() async throws {
        var frames: [[Seen]] = []
        for crossing in [Self.early, Self.late] {
            let stage = Stage()
            let watched = await Watched(stage.clock, ownerNode: stage.hub)
            frames.append(try await bytes(crossing, watched, minutes: Self.minutes))
        }
        #expect(frames[0] == frames[1])
        // Building, zone and campus to one person; the first two to everybody, where they leave cells and come to others.
        let frameCount = frames[0].count
        #expect(frameCount >= 30 + 15 + 6 + 24)
    }

    @Test(
        "A viewer at another node gets what one at the owner's gets, and no byte says when a border was crossed either")
    func nodes() async throws {
        let minutes = 6
        var frames: [[Seen]] = []
        for crossing in [Self.early, Self.late] {
            let hubs = try await TwoHubs()
            let watched = await Watched(hubs.clock, ownerNode: hubs.ownerNode.hub, sight: hubs.other.hub)
            frames.append(
                try await bytes(crossing, watched, minutes: minutes) {
                    // Also what is told again, the same as before: what was not heard of for a while is void.
                    for turn in 0..<1_000 {
                        await hubs.network.settle()
                        await watched.viewer.settle()
                        if turn >= 20,
                            await hubs.ownerNode.hub.shares.sentToOthers == hubs.other.hub.shares.receivedFromOthers
                        {
                            return
                        }
                    }
                })
            await hubs.stop()
        }
        #expect(frames[0] == frames[1])
        let stage = Stage()
        let alone = await Watched(stage.clock, ownerNode: stage.hub)
        let here = try await bytes(Self.early, alone, minutes: minutes)
        #expect(try locations(frames[0]) == locations(here))
        #expect(frames[0].count >= 6 + 3 + 1, "\(frames[0].count)")
    }

    /// Places told by `share/<id>`, in order.
    private func locations(_ frames: [Seen]) throws -> [String] {
        frames.compactMap { frame -> String? in
            guard let push = try? WireJSON.decode(Push<ShareUpdate>.self, from: Array(frame.json.utf8)).params else {
                return nil
            }
            return "\(push.topic) \(String(describing: push.data.location))"
        }
    }
}
