import Foundation

/// The real recordings and extracts that lie beside the repository; a contributor may not have them.
enum RealData {
    /// `../shared/data`, seen from the repository's root.
    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("shared/data")

    static let isPresent = FileManager.default.fileExists(atPath: directory.path)

    /// The GPX files by name.
    static func runs() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: directory.appendingPathComponent("runs"), includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "gpx" }.sorted { $0.path < $1.path }
    }

    /// The recordings without the one at vehicle speed and the one with a gap of hours.
    static func ordinaryRuns() throws -> [URL] {
        try runs().filter { !["556160e9", "720bf570"].contains($0.lastPathComponent.prefix(8)) }
    }

    static var recife: URL { directory.appendingPathComponent("campus/recife-zones.geojson") }
    static var northwestern: URL { directory.appendingPathComponent("campus/northwestern.osm") }
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
