import Foundation
import Testing

@testable import Wire

/// Messages of pictures that turn from runners to counts and back, for every implementation: `Tests/Vectors/counts.json`.
/// `CAMPANILE_WRITE_VECTORS=1 swift test --filter CountsFrameTests` writes it anew after a change of the layout.
@Suite("Frames of counts")
struct CountsFrameTests {
    struct Vector: Codable {
        /// The message, in hexadecimal.
        var frame: String
        /// What is new, when it tells of runners; nil as well when a frame before it is missing.
        var runners: ZoneUpdate?
        /// What is told, when it tells of counts.
        var counts: CountsUpdate?
    }

    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Vectors/counts.json").standardized

    private static let area = PositionFrame.Area.cell(zoom: 13, x: 2_100, y: 3_039)

    private static func counts(_ time: Timestamp, _ records: [CountsFrame.Record]) -> [UInt8] {
        CountsFrame(area: area, serverTime: time, records: records).encoded
    }

    /// Runners, counts, a frame of runners that nobody can follow, counts, everyone, and nobody.
    private static func made() throws -> [[Vector]] {
        var crowd = PositionFrameTests.Crowd(LatLon(42.0554, -87.6759), count: 3, seed: 41)
        let grid = PositionGrid(origin: LatLon(42, -87.7), latitudes: 42...42.1)
        var encoder = PositionEncoder(area: area, grid: grid)
        func tick() throws -> [UInt8] {
            let (changed, left) = crowd.step()
            let frame = encoder.update(changed, left: left, serverTime: crowd.time)
            return try #require(frame)
        }
        _ = encoder.update(crowd.runners, left: [], serverTime: crowd.time)
        var frames = [encoder.snapshot(serverTime: crowd.time), try tick()]
        frames.append(
            counts(
                crowd.time,
                [
                    .init(index: 0, count: 1, lat: 4_205_540, lon: -8_767_590),
                    .init(index: 7, count: 65, lat: 4_205_541, lon: -8_766_001),
                    .init(index: 63, count: 70_000, lat: 4_200_001, lon: -8_764_500),
                ]))
        frames.append(try tick())
        frames.append(counts(crowd.time, (0..<64).map { .init(index: $0, count: 2, lat: .init($0), lon: -.init($0)) }))
        frames.append(counts(crowd.time, [.init(index: 9, count: 3, lat: -9_000_000, lon: 18_000_000)]))
        frames.append(encoder.snapshot(serverTime: crowd.time))
        frames.append(try tick())
        frames.append(counts(crowd.time, []))
        return [try decoded(frames)]
    }

    private static func decoded(_ frames: [[UInt8]]) throws -> [Vector] {
        var decoder = AreaDecoder()
        return try frames.map { frame in
            var vector = Vector(frame: frame.map { String(format: "%02x", $0) }.joined())
            switch try decoder.apply(AreaFrame(decoding: frame)) {
            case .runners(let update)?: vector.runners = update
            case .counts(let update)?: vector.counts = update
            case nil: break
            }
            return vector
        }
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    }

    @Test("Every frame of the vectors says what is written beside it, runners and counts in turn")
    func vectors() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if ProcessInfo.processInfo.environment["CAMPANILE_WRITE_VECTORS"] == "1" {
            let lines = try Self.made().map { sequence in
                try sequence.map { String(decoding: try encoder.encode($0), as: UTF8.self) }.joined(separator: ",\n")
            }
            try "[\n[\(lines.joined(separator: "],\n["))]\n]\n".write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let vectors = try JSONDecoder().decode([[Vector]].self, from: Data(contentsOf: Self.file))
        for sequence in vectors {
            for (vector, decoded) in zip(sequence, try Self.decoded(sequence.map { Self.bytes($0.frame) })) {
                #expect(try encoder.encode(vector) == encoder.encode(decoded))
            }
        }
        let all = vectors.joined()
        #expect(all.count { $0.counts != nil } == 4)
        // Behind counts a change of runners means nothing; everyone, and then changes, do.
        #expect(all.map { $0.runners?.full } == [true, nil, nil, nil, nil, nil, true, nil, nil])
        #expect(all.map { $0.runners == nil && $0.counts == nil }.firstIndex(of: true) == 3)
    }

    @Test("A full square of counts is a third of a kilobyte, however many are in it")
    func size() throws {
        let records = (0..<64).map { index -> CountsFrame.Record in
            let (row, column) = (Int32(index / 8), Int32(index % 8))
            return CountsFrame.Record(
                index: UInt8(index), count: 120, lat: 4_205_540 - row * 410, lon: -8_767_590 + column * 550)
        }
        let bytes = Self.counts(Timestamp(milliseconds: 1_763_762_042_117), records)
        #expect(bytes.count < 400)
        #expect(try CountsFrame(decoding: bytes).records == records)
    }

    @Test("What no server would write is refused: cut, prolonged, out of range, or a square without anybody")
    func malformed() throws {
        let good = Self.counts(
            Timestamp(milliseconds: 1_000),
            [.init(index: 3, count: 7, lat: 100, lon: -100), .init(index: 63, count: 1, lat: 101, lon: -99)])
        #expect(try AreaFrame(decoding: good).area == Self.area)
        for count in 0..<good.count {
            #expect(throws: BinaryFrameError.self) { try AreaFrame(decoding: Array(good.prefix(count))) }
        }
        #expect(throws: BinaryFrameError.self) { try AreaFrame(decoding: good + [0]) }
        let wrong: [[CountsFrame.Record]] = [
            [.init(index: 64, count: 1, lat: 0, lon: 0)], [.init(index: 0, count: 0, lat: 0, lon: 0)],
            [.init(index: 0, count: 1, lat: 9_000_001, lon: 0)], [.init(index: 0, count: 1, lat: 0, lon: -18_000_001)],
            (0...64).map { .init(index: UInt8(min($0, 63)), count: 1, lat: 0, lon: 0) },
        ]
        for records in wrong {
            #expect(throws: BinaryFrameError.self) {
                try CountsFrame(decoding: Self.counts(Timestamp(milliseconds: 1_000), records))
            }
        }
    }
}
