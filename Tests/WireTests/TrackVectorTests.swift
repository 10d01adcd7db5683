import Foundation
import TestSupport
import Testing

@testable import Wire

/// Points and answers as binary messages, and what they say, for every implementation: `Tests/Vectors/points.json`. The web app's
/// is tested against it in a browser. `CAMPANILE_WRITE_VECTORS=1 swift test --filter TrackVectorTests` writes it anew after a change
/// of the layout.
@Suite("The vectors of points as binary messages")
struct TrackVectorTests {
    struct Vectors: Codable {
        struct Points: Codable {
            /// The message, in hexadecimal.
            var frame: String
            var id: UInt32
            /// As they come as JSON.
            var params: TrackingPoints.Params
        }
        struct Reply: Codable {
            /// The message, in hexadecimal.
            var frame: String
            var id: UInt32
            var taken: Taken?
            var error: RPCError?
        }
        struct Taken: Codable, Equatable {
            var stored: Int
            var duplicates: Int
            var refused: [TrackingPoints.Remark]
            var notCounted: [TrackingPoints.Remark]
            var state: SessionState
            var distance: Double
            var elapsed: Double
            var moving: Double
            var points: Int
        }
        var points: [Points]
        var replies: [Reply]
    }

    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Vectors/points.json").standardized

    private static func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    }

    private static func made() throws -> Vectors {
        var generator = SeededGenerator(seed: 31)
        var vectors = Vectors(points: [], replies: [])
        for (number, count) in [1, 3, 60, 500].enumerated() {
            var time: Int64 = 1_795_190_400_123
            var (lat, lon) = (
                number % 2 == 0 ? 47.376_912_34 : -8.050_123_45, number % 2 == 0 ? 8.541_694_15 : -34.951_2
            )
            let points = (1...count).map { seq in
                time += .random(in: 900...4_000, using: &generator)
                lat += .random(in: -1e-4...1e-4, using: &generator)
                lon += .random(in: -1e-4...1e-4, using: &generator)
                var point = TrackPoint(seq: Int64(seq * 7), lat: lat, lon: lon, time: Timestamp(milliseconds: time))
                if Bool.random(using: &generator) { point.accuracy = .random(in: 0...60, using: &generator) }
                if Bool.random(using: &generator) { point.altitude = .random(in: -90...900, using: &generator) }
                if Bool.random(using: &generator) { point.speed = .random(in: 0...9, using: &generator) }
                if Bool.random(using: &generator) { point.heading = .random(in: 0...360, using: &generator) }
                return point
            }
            let params = TrackingPoints.Params(session: [1, 127, 128, 1 << 50][number], points: points)
            let id: UInt32 = [1, 127, 128, .max][number]
            vectors.points.append(.init(frame: try frame(id, params), id: id, params: params))
        }
        let taken = TrackReply.Taken(
            stored: 498, duplicates: 1, refused: [.init(seq: 9, reason: "futureTime")],
            notCounted: [.init(seq: 3, reason: "vehicle"), .init(seq: 400, reason: "Genauigkeit ±")], state: .paused,
            distance: 12_345.6, elapsed: 3_600.1, moving: 3_500.9, points: 3_700)
        for reply in [
            TrackReply(id: 7, .taken(taken)),
            TrackReply(id: .max, .failed(RPCError(.rateLimited, "too fast", retryAfter: 1.5))),
            TrackReply(id: 0, .failed(.invalid("points[3].lat", "must be -90 to 90"))),
            TrackReply(id: 300, .failed(RPCError(.internalError, "our fault", reference: "a1b2"))),
        ] {
            vectors.replies.append(read(reply, frame: hex(reply.encoded)))
        }
        return vectors
    }

    private static func frame(_ id: UInt32, _ params: TrackingPoints.Params) throws -> String {
        hex(try TrackFrame(id: id, session: params.session, points: params.points).encoded())
    }

    private static func read(_ reply: TrackReply, frame: String) -> Vectors.Reply {
        switch reply.outcome {
        case .taken(let taken):
            .init(
                frame: frame, id: reply.id,
                taken: .init(
                    stored: taken.stored, duplicates: taken.duplicates, refused: taken.refused,
                    notCounted: taken.notCounted, state: taken.state, distance: taken.distance,
                    elapsed: taken.elapsed, moving: taken.moving, points: taken.points))
        case .failed(let error): .init(frame: frame, id: reply.id, error: error)
        }
    }

    @Test("Points are written as the vectors say, and answers say what is written beside them")
    func vectors() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if ProcessInfo.processInfo.environment["CAMPANILE_WRITE_VECTORS"] == "1" {
            try (encoder.encode(try Self.made()) + Data("\n".utf8)).write(to: Self.file)
        }
        let vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: Self.file))
        #expect(vectors.points.count == 4 && vectors.replies.count == 4)
        for vector in vectors.points {
            #expect(try Self.frame(vector.id, vector.params) == vector.frame)
            let read = try TrackFrame(decoding: Self.bytes(vector.frame))
            #expect(read.points == vector.params.points.map(TrackFrame.rounded))
        }
        for vector in vectors.replies {
            let read = Self.read(try TrackReply(decoding: Self.bytes(vector.frame)), frame: vector.frame)
            #expect(try encoder.encode(read) == encoder.encode(vector))
        }
    }
}
