import TestSupport
import Testing

@testable import Wire

@Suite("Points as binary messages")
struct TrackFrameTests {
    private static func point(_ generator: inout SeededGenerator, seq: Int64) -> TrackPoint {
        var point = TrackPoint(
            seq: seq, lat: .random(in: -90...90, using: &generator), lon: .random(in: -180...180, using: &generator),
            time: Timestamp(milliseconds: .random(in: 1_600_000_000_000...1_900_000_000_000, using: &generator)))
        if Bool.random(using: &generator) { point.accuracy = .random(in: 0...100_000, using: &generator) }
        if Bool.random(using: &generator) { point.altitude = .random(in: -1_000...20_000, using: &generator) }
        if Bool.random(using: &generator) { point.speed = .random(in: 0...1_000, using: &generator) }
        if Bool.random(using: &generator) { point.heading = .random(in: 0...360, using: &generator) }
        return point
    }

    @Test("Points come back as they were, to the centimetre and the hundredth")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 11)
        for count in [1, 2, 500] {
            let points = (0..<count).map { Self.point(&generator, seq: Int64($0) * 7 + 1) }
            let frame = TrackFrame(id: .random(in: 0 ... .max, using: &generator), session: 4_711, points: points)
            let read = try TrackFrame(decoding: try frame.encoded())
            #expect(read.id == frame.id && read.session == 4_711 && read.points.count == count)
            for (a, b) in zip(points, read.points) {
                #expect(a.seq == b.seq && a.time == b.time)
                #expect(abs(a.lat - b.lat) <= 0.51e-7 && abs(a.lon - b.lon) <= 0.51e-7)
                #expect(Self.isNear(a.accuracy, b.accuracy, 0.0501) && Self.isNear(a.altitude, b.altitude, 0.0501))
                #expect(Self.isNear(a.speed, b.speed, 0.00501) && Self.isNear(a.heading, b.heading, 0.00501))
            }
            // What was read once is what a frame can say: it comes back exactly.
            #expect(try TrackFrame(decoding: try read.encoded()) == read)
        }
    }

    private static func isNear(_ a: Double?, _ b: Double?, _ error: Double) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return abs(a - b) <= error
    }

    @Test("A second of running is less than a quarter of its JSON form")
    func size() throws {
        let point = TrackPoint(
            seq: 1_234, lat: 47.376_912_3, lon: 8.541_694_1, time: Timestamp(milliseconds: 1_795_190_400_123),
            accuracy: 4.2, altitude: 408.1, speed: 3.21, heading: 271.4)
        let frame = try TrackFrame(id: 1_234, session: 99, points: [point]).encoded()
        let json = try WireJSON.encode(TrackingPoints.Params(session: 99, points: [point]))
        #expect(frame.count * 4 < json.count)
    }

    @Test("Answers come back as they were: taken, with remarks, and failed")
    func replies() throws {
        let taken = TrackReply.Taken(
            stored: 498, duplicates: 1, refused: [.init(seq: 9, reason: "future")],
            notCounted: [.init(seq: 3, reason: "vehicle"), .init(seq: 4, reason: "accuracy")], state: .paused,
            distance: 12_345.6, elapsed: 3_600.1, moving: 3_500.9, points: 3_700)
        for reply in [
            TrackReply(id: 7, .taken(taken)),
            TrackReply(id: .max, .failed(RPCError(.rateLimited, "too fast", retryAfter: 1.5))),
            TrackReply(id: 0, .failed(.invalid("points[3].lat", "must be -90 to 90"))),
        ] {
            #expect(try TrackReply(decoding: reply.encoded) == reply)
        }
        // A newer server's code is kept.
        var error = RPCError(.conflict, "new")
        error.code = 4_999
        guard case .failed(let read) = try TrackReply(decoding: TrackReply(id: 1, .failed(error)).encoded).outcome
        else {
            Issue.record("no error")
            return
        }
        #expect(read.code == 4_999 && read.message == "new")
    }

    @Test(
        "What is cut short, longer than it says, too many, of another version or full of unknown flags is refused, and never traps"
    )
    func malformed() throws {
        var generator = SeededGenerator(seed: 5)
        let points = (1...3).map { Self.point(&generator, seq: Int64($0)) }
        let frame = try TrackFrame(id: 1, session: 2, points: points).encoded()
        for count in 0..<frame.count {
            #expect(throws: BinaryFrameError.self) { try TrackFrame(decoding: Array(frame.prefix(count))) }
        }
        #expect(throws: BinaryFrameError.self) { try TrackFrame(decoding: frame + [0]) }
        #expect(throws: BinaryFrameError.self) { try TrackFrame(decoding: [0x54, 2] + frame.dropFirst(2)) }
        // 501 points.
        #expect(throws: BinaryFrameError.self) { try TrackFrame(decoding: [0x54, 1, 1, 1, 0xF5, 0x03]) }
        #expect(throws: BinaryFrameError.self) { try TrackFrame(decoding: [0x54, 1, 1, 1, 1, 0x10, 2, 2, 2, 2]) }
        for _ in 0..<20_000 {
            var bytes = frame
            bytes[.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            bytes[.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            guard let read = try? TrackFrame(decoding: bytes) else { continue }
            #expect(try TrackFrame(decoding: try read.encoded()) == read)
        }
        for value in [Double.nan, .infinity, 1e300] {
            let point = TrackPoint(seq: 1, lat: value, lon: 0, time: Timestamp(milliseconds: 0))
            #expect(throws: BinaryFrameError.self) {
                _ = try TrackFrame(id: 1, session: 1, points: [point]).encoded()
            }
        }
    }
}
