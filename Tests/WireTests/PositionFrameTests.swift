import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite("Binary position frames (B-3)")
struct PositionFrameTests {
    /// Evanston, and places where degrees have other lengths.
    private static let places = [
        LatLon(42.0554, -87.6759), LatLon(-8.0501, -34.9512), LatLon(0, 179.99), LatLon(69.6, 18.9),
    ]

    /// Metres on a sphere that is larger than the Earth anywhere.
    private static func metres(_ a: LatLon, _ b: LatLon) -> Double {
        let radians = Double.pi / 180
        let y = (a.latitude - b.latitude) * radians
        let x = (a.longitude - b.longitude) * radians * cos(a.latitude * radians)
        return 6_399_594 * (x * x + y * y).squareRoot()
    }

    private static func grid(_ place: LatLon, errorMetresMax: Double = PositionGrid.errorMetresDefault) -> PositionGrid
    {
        PositionGrid(
            origin: place, latitudes: place.latitude - 0.02...place.latitude + 0.02, errorMetresMax: errorMetresMax)
    }

    @Test(
        "No position is shown further from where it was than the error that is promised", arguments: places, [0.5, 5])
    func errorBound(place: LatLon, errorMetresMax: Double) {
        let grid = Self.grid(place, errorMetresMax: errorMetresMax)
        var generator = SystemRandomNumberGenerator()
        var worst = 0.0
        for _ in 0..<20_000 {
            let position = LatLon(
                place.latitude + .random(in: -0.02...0.02, using: &generator),
                place.longitude + .random(in: -0.02...0.009, using: &generator))
            worst = max(worst, Self.metres(position, grid.position(grid.point(position))))
        }
        #expect(worst <= errorMetresMax)
        // Nor is it finer than it need be, which would make the frames longer.
        #expect(worst > errorMetresMax * 0.8)
    }

    /// Runners who run, rest, pause and go, in one picture.
    struct Crowd {
        var generator: SeededGenerator
        var time = Timestamp(milliseconds: 1_700_000_000_123)
        var runners: [Runner] = []
        var nextSession: Int64 = 1
        let place: LatLon

        init(_ place: LatLon, count: Int, seed: UInt64 = 7) {
            generator = SeededGenerator(seed: seed)
            self.place = place
            for _ in 0..<count { enter() }
        }

        mutating func enter() {
            runners.append(
                Runner(
                    session: nextSession, name: "runner_\(nextSession)", activity: nextSession % 3 == 0 ? .cycle : .run,
                    title: nextSession % 5 == 0 ? "Zürich 🏃" : "Morning run", state: .moving,
                    lat: place.latitude + .random(in: 0...0.004, using: &generator),
                    lon: place.longitude + .random(in: 0...0.004, using: &generator),
                    heading: .random(in: 0..<360, using: &generator), speed: 3, at: time, distance: 0, elapsed: 0,
                    averageSpeed: 0, zone: nextSession % 4 == 0 ? nil : 7, simulated: nextSession % 2 == 0, rate: 1))
            nextSession += 1
        }

        /// A second passes.
        /// - Returns: Who changed, and who is gone.
        mutating func step() -> (changed: [Runner], left: [ZoneUpdate.Left]) {
            time = Timestamp(milliseconds: time.milliseconds + 1_000)
            var changed: [Runner] = []
            for index in runners.indices where .random(in: 0..<10, using: &generator) > 0 {
                var runner = runners[index]
                let seconds = time.seconds(since: runner.at)
                runner.at = Timestamp(milliseconds: time.milliseconds - .random(in: 0...400, using: &generator))
                runner.speed = .random(in: 2...5, using: &generator)
                runner.heading = .random(in: 0..<360, using: &generator)
                runner.lat += .random(in: -0.00005...0.00005, using: &generator)
                runner.lon += .random(in: -0.00005...0.00005, using: &generator)
                runner.distance += 3 * seconds
                runner.elapsed += seconds * runner.rate
                runner.state = .moving
                switch Int.random(in: 0..<40, using: &generator) {
                case 0: (runner.state, runner.rate) = (.paused, 0)
                case 1: runner.state = .stationary
                case 2: (runner.distance, runner.elapsed) = (runner.distance / 2, runner.elapsed / 2)
                case 3: runner.zone = 8
                case 4: runner.rate = 20
                default: break
                }
                if runner.state != .moving { (runner.heading, runner.speed) = (nil, 0) }
                runner.averageSpeed = runner.elapsed > 0 ? runner.distance / runner.elapsed : 0
                runners[index] = runner
                changed.append(runner)
            }
            var left: [ZoneUpdate.Left] = []
            if Int.random(in: 0..<5, using: &generator) == 0, let gone = runners.randomElement(using: &generator) {
                runners.removeAll { $0.session == gone.session }
                changed.removeAll { $0.session == gone.session }
                left.append(.init(session: gone.session, reason: .zone, to: 9))
                enter()
                if let new = runners.last { changed.append(new) }
            }
            return (changed, left)
        }
    }

    private func expectSame(_ shown: Runner, _ real: Runner) {
        #expect(Self.metres(LatLon(shown.lat, shown.lon), LatLon(real.lat, real.lon)) <= 0.5)
        #expect(abs(shown.at.seconds(since: real.at)) <= 0.101)
        #expect(abs(shown.distance - real.distance) <= 0.051)
        // Told anew when it is off by half a second; the time of a fix is off by up to a tenth, many times a second at a rate.
        #expect(abs(shown.elapsed - real.elapsed) <= 0.6 + 0.2 * max(1, real.rate))
        #expect(abs(shown.speed - real.speed) <= 0.051)
        if let heading = real.heading {
            let off = abs((shown.heading ?? -1_000) - heading)
            #expect(min(off, 360 - off) <= 0.71)
        } else {
            #expect(shown.heading == nil)
        }
        #expect(
            (shown.session, shown.name, shown.title, shown.state) == (real.session, real.name, real.title, real.state))
        #expect((shown.activity, shown.simulated, shown.rate) == (real.activity, real.simulated, real.rate))
        #expect(shown.zone == real.zone)
    }

    @Test("What is decoded is what was encoded, within the errors that are promised, for all who came at any time")
    func chain() throws {
        let place = Self.places[0]
        var crowd = Crowd(place, count: 60)
        var encoder = PositionEncoder(area: .cell(zoom: 17, x: 33_617, y: 48_677), grid: Self.grid(place))
        _ = encoder.update(crowd.runners, left: [], serverTime: crowd.time)
        var decoders: [PositionDecoder] = []
        for second in 0..<120 {
            if second % 10 == 0 {
                var late = PositionDecoder()
                let frame = try PositionFrame(decoding: encoder.snapshot(serverTime: crowd.time))
                let first = try late.apply(frame)
                #expect(first?.full == true)
                decoders.append(late)
            }
            let (changed, left) = crowd.step()
            let made = encoder.update(changed, left: left, serverTime: crowd.time)
            let bytes = try #require(made)
            let frame = try PositionFrame(decoding: bytes)
            #expect(frame.encoded == bytes)
            for index in decoders.indices {
                let applied = try decoders[index].apply(frame)
                let update = try #require(applied)
                #expect(update.left == left)
                #expect(Set(update.runners.map(\.session)) == Set(changed.map(\.session)))
            }
        }
        for decoder in decoders {
            let shown = Dictionary(uniqueKeysWithValues: decoder.runners.map { ($0.session, $0) })
            #expect(shown.count == crowd.runners.count && encoder.count == crowd.runners.count)
            for real in crowd.runners { expectSame(try #require(shown[real.session]), real) }
        }
    }

    @Test("A frame that does not follow the last one is not read; the next snapshot is")
    func missing() throws {
        let place = Self.places[1]
        var crowd = Crowd(place, count: 5)
        var encoder = PositionEncoder(area: .zone(3), grid: Self.grid(place))
        _ = encoder.update(crowd.runners, left: [], serverTime: crowd.time)
        var decoder = PositionDecoder()
        let snapshot = try decoder.apply(PositionFrame(decoding: encoder.snapshot(serverTime: crowd.time)))
        #expect(snapshot != nil)
        var made: [UInt8]?
        for _ in 0..<2 {
            let (changed, left) = crowd.step()
            made = encoder.update(changed, left: left, serverTime: crowd.time)
        }
        let second = try decoder.apply(PositionFrame(decoding: try #require(made)))
        #expect(second == nil)
        #expect(decoder.runners.isEmpty)
        let again = try decoder.apply(PositionFrame(decoding: encoder.snapshot(serverTime: crowd.time)))
        #expect(again?.full == true)
        #expect(decoder.runners.count == 5)
    }

    @Test("Nothing new makes no frame, and a stranger's leave is no news")
    func nothing() {
        var encoder = PositionEncoder(area: .zone(3), grid: Self.grid(Self.places[0]))
        let nothing = encoder.update([], left: [], serverTime: .now)
        let stranger = encoder.update([], left: [.init(session: 4, reason: .finished)], serverTime: .now)
        #expect(nothing == nil && stranger == nil)
    }

    @Test(
        "A position of a runner takes a small part of its JSON form, the smaller the more runners a picture has, as the article says",
        arguments: [(1, 10.0), (2, 14), (5, 21), (10, 26), (50, 31), (200, 33)])
    func size(runners: Int, ratio: Double) throws {
        let place = Self.places[0]
        var crowd = Crowd(place, count: runners)
        var encoder = PositionEncoder(area: .cell(zoom: 17, x: 33_617, y: 48_677), grid: Self.grid(place))
        _ = encoder.update(crowd.runners, left: [], serverTime: crowd.time)
        var (binary, json, count) = (0, 0, 0)
        for _ in 0..<200 {
            let (changed, left) = crowd.step()
            guard let made = encoder.update(changed, left: left, serverTime: crowd.time) else { continue }
            binary += made.count
            json += try WireJSON.encode(ZoneUpdate(serverTime: crowd.time, runners: changed, left: left)).count
            count += changed.count
        }
        #expect(Double(json) > ratio * Double(binary), "\(binary) bytes of \(count) positions, \(json) as JSON")
    }

    @Test("Cut off anywhere, or with bytes behind it, a frame is an error and nothing else")
    func malformed() throws {
        let place = Self.places[0]
        var crowd = Crowd(place, count: 12)
        var encoder = PositionEncoder(area: .cell(zoom: 17, x: 33_617, y: 48_677), grid: Self.grid(place))
        _ = encoder.update(crowd.runners, left: [], serverTime: crowd.time)
        let (changed, left) = crowd.step()
        let made = encoder.update(changed, left: left, serverTime: crowd.time)
        let tick = try #require(made)
        for frame in [encoder.snapshot(serverTime: crowd.time), tick] {
            for count in frame.indices {
                #expect(throws: BinaryFrameError.self) { try PositionFrame(decoding: Array(frame[..<count])) }
            }
            #expect(throws: BinaryFrameError.self) { try PositionFrame(decoding: frame + [0]) }
        }
    }
}
