@testable public import Hub
public import Wire

/// What a hub has of a session, as it was when it was asked.
public struct ShownSession: Sendable {
    /// As Tracking told it last.
    public let session: Session
    /// What maps show.
    public let state: RunnerState
    /// Nil without a position.
    public let runner: Runner?
    /// In pieces.
    public let route: [[LatLon]]
    /// Points of its trail.
    public let trailPoints: Int
}

extension Hub {
    /// Publishes all changes now, instead of with the next tick.
    public func tickNow() { core.tick() }

    /// Has the hub assume that messages of other nodes were lost.
    public func putInDoubt() { core.markInDoubt() }
}

extension SessionFeed {
    /// What the hub has of a session; nil when it has nothing.
    public func shown(_ id: Int64) -> ShownSession? {
        live[id].map {
            ShownSession(
                session: $0.session, state: $0.state, runner: $0.runner, route: $0.route.points,
                trailPoints: $0.trail.count)
        }
    }

    /// The sessions that the hub has.
    public var shownIDs: Set<Int64> { Set(live.keys) }
}

extension [[LatLon]] {
    /// As a hub keeps it: in steps of 1e-7 degrees, about a centimetre.
    public var asKept: [[LatLon]] {
        func round(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }
        return map { $0.map { LatLon(round($0.latitude), round($0.longitude)) } }
    }
}
