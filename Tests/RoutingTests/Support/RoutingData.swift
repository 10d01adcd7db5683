import Campus
import EventLoop
import Foundation
import Wire

@testable import Routing

/// The extracts beside the repository, which a contributor may not have, and the sample campus.
enum RoutingData {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    /// `../shared/data`, seen from the repository's root.
    static let directory = root.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("shared/data/campus")

    /// An extract and its graph.
    enum Extract: String, CaseIterable, Sendable {
        case northwestern
        case dresden = "tu-dresden-building"
        case sample

        var file: URL {
            self == .sample ? RoutingData.sampleFile : RoutingData.directory.appendingPathComponent("\(rawValue).osm")
        }
        func read() throws -> (network: RouteNetwork, graph: RouteGraph) {
            switch self {
            case .northwestern: try RoutingData.northwestern.get()
            case .dresden: try RoutingData.dresden.get()
            case .sample: try RoutingData.sample.get()
            }
        }
    }

    static let isPresent = [Extract.northwestern, .dresden].allSatisfy {
        FileManager.default.fileExists(atPath: $0.file.path)
    }
    private static let northwestern = Result { try read(.northwestern) }
    private static let dresden = Result { try read(.dresden) }

    static let sample = Result {
        let network = RouteNetwork(SampleCampus.network)
        return (network: network, graph: try RouteGraph(network))
    }

    /// The sample campus as a file, for programs of others.
    private static let sampleFile: URL = {
        func tags(_ tags: [String: String]) -> String { tags.map { "<tag k=\"\($0)\" v=\"\($1)\"/>" }.joined() }
        let objects = SampleCampus.network.map { object in
            let position = object.point.map(RouteNetwork.GridPoint.init).map { point in
                func degrees(_ value: Int32) -> String { String(format: "%.7f", Double(value) / 1e7) }
                return " lat=\"\(degrees(point.latitude))\" lon=\"\(degrees(point.longitude))\""
            }
            let members = object.members.map {
                "<member type=\"\($0.kind.rawValue)\" ref=\"\($0.id)\" role=\"\($0.role)\"/>"
            }
            return "<\(object.kind.rawValue) id=\"\(object.id)\"\(position ?? "")>"
                + object.nodes.map { "<nd ref=\"\($0)\"/>" }.joined() + members.joined() + tags(object.tags)
                + "</\(object.kind.rawValue)>"
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("sample-\(UUID().uuidString).osm")
        try? Data("<?xml version=\"1.0\"?><osm version=\"0.6\">\(objects.joined())</osm>".utf8).write(to: file)
        return file
    }()

    private static func read(_ extract: Extract) throws -> (network: RouteNetwork, graph: RouteGraph) {
        let network = RouteNetwork(try OSMImport().readObjects(extract.file))
        return (network, try RouteGraph(network))
    }

    /// The number of pairs for each extract and profile: 2,000 for a complete comparison.
    static let pairs = ProcessInfo.processInfo.environment["CAMPANILE_ROUTE_PAIRS"].flatMap(Int.init) ?? 200
}

/// The costs of the same routes by a program of its own in Python.
enum Oracle {
    struct Profile: Encodable {
        var stepFree = false
        var noStairs = false
        var avoidsCrowds = false
        var speed: Int32 = 1340

        var product: RouteProfile {
            RouteProfile(isStepFree: stepFree, avoidsStairs: noStairs, avoidsCrowds: avoidsCrowds, speed: speed)
        }
    }

    struct Question: Encodable {
        var file: String
        var profiles: [Profile]
        var cells: [[Int]] = []
        var closures: [String] = []
        var pairs: [[Int64?]] = []
    }

    struct Answer: Decodable {
        var vertices: Int
        var edges: Int
        var costs: [[Int64?]]
    }

    struct Failed: Error {
        var output: String
    }

    static func ask(_ question: Question) throws -> Answer {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("oracle-\(UUID().uuidString).json")
        try JSONEncoder().encode(question).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (input, output) = (try FileHandle(forReadingFrom: file), Pipe())
        let program = try RunningProgram(
            ["/usr/bin/python3", RoutingData.root.appendingPathComponent("Oracle/oracle.py").path],
            inheritsEnvironment: true,
            input: input.fileDescriptor, output: output.fileHandleForWriting.fileDescriptor,
            errors: output.fileHandleForWriting.fileDescriptor)
        try output.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        guard program.wait() == 0, let answer = try? JSONDecoder().decode(Answer.self, from: data) else {
            throw Failed(output: String(decoding: data.prefix(4_000), as: UTF8.self))
        }
        return answer
    }
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
