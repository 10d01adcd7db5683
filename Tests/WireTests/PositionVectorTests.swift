import Foundation
import Testing

@testable import Wire

/// Frames and what they say, for every implementation: `Tests/Vectors/positions.json`. The web app's is tested against it in
/// a browser. `CAMPANILE_WRITE_VECTORS=1 swift test --filter PositionVectorTests` writes it anew after a change of the layout.
@Suite("The vectors of position frames")
struct PositionVectorTests {
    struct Vector: Codable {
        /// The message, in hexadecimal.
        var frame: String
        /// What is new; nil when a frame before it is missing.
        var update: ZoneUpdate?
    }
    /// Of one picture each, in order.
    typealias Vectors = [[Vector]]

    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Vectors/positions.json").standardized

    private static func made() throws -> Vectors {
        let place = LatLon(42.0554, -87.6759)
        var result: Vectors = []
        for (number, place) in [place, LatLon(-8.0501, -34.9512), LatLon(0, 179.9)].enumerated() {
            var crowd = PositionFrameTests.Crowd(place, count: 4, seed: UInt64(number + 20))
            let grid = PositionGrid(origin: place, latitudes: place.latitude - 0.01...place.latitude + 0.01)
            var encoder = PositionEncoder(
                area: number == 0 ? .cell(zoom: 17, x: 33_614, y: 48_629) : .zone(Int64(number)), grid: grid)
            _ = encoder.update(crowd.runners, left: [], serverTime: crowd.time)
            var frames = [encoder.snapshot(serverTime: crowd.time)]
            for second in 0..<16 {
                let (changed, left) = crowd.step()
                let tick = encoder.update(changed, left: left, serverTime: crowd.time)
                // One is lost, and made good later.
                if second != 9, let tick { frames.append(tick) }
                if second == 11 { frames.append(encoder.snapshot(serverTime: crowd.time)) }
            }
            result.append(try decoded(frames))
        }
        return result
    }

    private static func decoded(_ frames: [[UInt8]]) throws -> [Vector] {
        var decoder = PositionDecoder()
        return try frames.map { frame in
            Vector(
                frame: frame.map { String(format: "%02x", $0) }.joined(),
                update: try decoder.apply(PositionFrame(decoding: frame)))
        }
    }

    @Test("Every frame of the vectors says what is written beside it")
    func vectors() throws {
        if ProcessInfo.processInfo.environment["CAMPANILE_WRITE_VECTORS"] == "1" {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let lines = try Self.made().map { sequence in
                try sequence.map { String(decoding: try encoder.encode($0), as: UTF8.self) }.joined(separator: ",\n")
            }
            try "[\n[\(lines.joined(separator: "],\n["))]\n]\n".write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: Self.file))
        #expect(vectors.count == 3)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for sequence in vectors {
            let frames = sequence.map { vector in
                stride(from: 0, to: vector.frame.count, by: 2).compactMap { offset in
                    UInt8(vector.frame.dropFirst(offset).prefix(2), radix: 16)
                }
            }
            for (vector, decoded) in zip(sequence, try Self.decoded(frames)) {
                #expect(try encoder.encode(vector) == encoder.encode(decoded))
            }
        }
        // One of each kind is there.
        let all = vectors.joined()
        #expect(all.contains { $0.update == nil } && all.contains { $0.update?.full == true })
        #expect(all.contains { $0.update?.left.isEmpty == false })
        let states = Set(all.flatMap { $0.update?.runners ?? [] }.map(\.state))
        #expect(states.isSuperset(of: [.moving, .stationary, .paused]))
    }
}
