import Foundation
import Routing
import Wire

/// A live route of one person. In memory only, and never in a log.
struct LiveWalk: Sendable {
    let id: UUID
    /// Nil for a guest.
    let account: Int64?
    let profile: RouteProfile
    let destination: RouteEnd
    let entersPoint: Bool
    /// When it began, monotonic nanoseconds.
    let startedAt: UInt64
    var start: RouteEnd
    /// Nil since a closure left no route.
    var route: Route?
    var info: RouteInfo?
    /// Without a route: the reason.
    var message: String?
    /// The cost if nothing were closed.
    var openCost: Int64
    /// Number of the crowd by which both costs were computed.
    var crowd: UInt64
    var version = 1
    /// When its connection was lost, monotonic nanoseconds.
    var lostAt: UInt64?

    /// Whether an opening may make the route better.
    var isDetour: Bool { route.map { $0.cost > openCost } ?? true }

    /// The walk as its owner gets it.
    var shown: Walk {
        Walk(walk: id.uuidString.lowercased(), topic: topic, route: info, message: message, version: version)
    }

    private var topic: String { "route/\(id.uuidString.lowercased())" }
}
