import Campus
import Foundation
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Services

/// A server whose campus has paths, floors and lifts, with the rooms as destinations.
struct RouteStage: Sendable {
    /// A room of the library's third floor, to which Lift A leads, and Lift B on a longer way.
    static let upperRoom = "2103.03.201"
    /// A room in the library's basement, to which Lift A alone leads.
    static let basement = "2103.B1"

    /// The sample campus with its network.
    static var campus: CampusDocument { SampleCampus.document }

    let server: TestServer
    /// Destinations by room code.
    let rooms: [String: String]
    /// Source ids of lifts.
    let lifts: [String]

    static func start(_ change: (inout ServerConfiguration) throws -> Void = { $0.rateLimits = .off }) async throws
        -> RouteStage
    {
        try await RouteStage(TestServer.start(hasRoutes: true, change))
    }

    init(_ server: TestServer) async throws {
        self.server = server
        let database = try await server.database()
        defer { database.close() }
        rooms = Dictionary(
            try await database.query("SELECT id, code FROM rooms WHERE code IS NOT NULL ORDER BY id").map {
                (try $0.text("code"), "room/\(try $0.int("id"))")
            }, uniquingKeysWith: { first, _ in first })
        lifts = SampleCampus.document.places.filter { $0.kind == "lift" }.map(\.sourceID)
    }

    func room(_ code: String) throws -> RouteEndParams {
        .init(destination: try #require(rooms.sorted { $0.key < $1.key }.first { $0.key.hasPrefix(code) }?.value))
    }

    /// The west gate.
    static func gate() throws -> RouteEndParams {
        let gate = try #require(SampleCampus.network.first { $0.sourceID == "node/-10" }?.point)
        return .init(lat: gate.latitude, lon: gate.longitude)
    }

    func stop() async { await server.stop() }
}

extension ChatClient {
    /// New routes of a walk, in order.
    func updates(of walk: String) -> [RouteUpdate] {
        frames.filter { $0.contains("\"route/\(walk)\"") && $0.contains("\"push\"") }.compactMap {
            try? WireJSON.decode(Push<RouteUpdate>.self, from: Array($0.utf8)).params.data
        }
    }

    func update(of walk: String, version: Int) async throws -> RouteUpdate {
        try await eventually("version \(version) of the walk") {
            self.updates(of: walk).first { $0.version == version }
        }
    }
}

extension RouteInfo {
    /// Names of the lifts on the way.
    var lifts: [String] { legs.filter { $0.kind == .lift }.map { $0.name ?? "" } }
    var hasSteps: Bool { legs.contains { $0.kind == .steps } }
}
