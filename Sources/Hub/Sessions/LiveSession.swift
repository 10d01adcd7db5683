import DequeModule
import Wire

/// The owner's view of a session of which others do not see all (see <doc:Sharing>).
public struct OwnerView: Sendable {
    /// The session with all that was tracked.
    public var session: Session
    /// The newest fix, hidden or not; nil when none is new.
    public var fix: LiveFix?
    /// The pieces by which the whole route grows; when the session is rewritten, the whole route.
    public var route: [RoutePiece]
    /// The owner is in a suppression zone: others see no position.
    public var isHidden: Bool

    public init(session: Session, fix: LiveFix?, route: [RoutePiece] = [], isHidden: Bool) {
        self.session = session
        self.fix = fix
        self.route = route
        self.isHidden = isHidden
    }
}

/// An unfinished session as others see it, and beside it the owner's view if part of the session is hidden. Confined to the hub's loop.
///
/// A class, because the hub reads it many times a second, and each copy would retain every object in it.
final class LiveSession {
    var session: Session
    var fix: LiveFix?
    /// Seconds of session time in a second.
    var rate: Double
    /// Monotonic nanoseconds when the last point came; 0 for never since the start of the server.
    var lastPointAt: UInt64
    var isOffline: Bool
    /// Hidden from everyone until its current state is confirmed: the copy of another node's session may be outdated.
    var isWithheld = false
    /// False for a copy of another node's session while nobody here follows it: then only the newest part of the route is known.
    var isRouteKnown = true
    /// The owner's view; nil when it is the same.
    private(set) var own: LiveSession?
    /// The owner is in a suppression zone: others get no position, and viewers are notified of that once (`isHiddenPublished`).
    var isHidden = false
    var isHiddenPublished = false
    /// The session has ended, which is published to others later; nothing about it changes any more.
    var isEnding = false
    private(set) var route: CompactRoute
    var trail = Deque<LatLon>()
    /// Points since the last tick, for subscribers of the session.
    var append: [LatLon] = []
    var appendStartsPiece = false
    var routeChanged = false

    init(session: Session, rate: Double, route: [[LatLon]], fix: LiveFix?, lastPointAt: UInt64) {
        self.session = session
        self.rate = rate
        self.fix = fix
        self.lastPointAt = lastPointAt
        isOffline = lastPointAt == 0
        self.route = CompactRoute(route)
        trail.append(contentsOf: (route.last ?? []).suffix(RouteLimits.trailPointsMax))
        self.route.thin(to: RouteLimits.pointsMax)
    }

    /// Whether viewers of the tier see the session now.
    func isVisible(to tier: Tier) -> Bool { !isWithheld && isAllowed(to: tier) }

    /// Whether the map shows the session to all signed-in viewers.
    var isOnMap: Bool { isVisible(to: .member) && runner != nil }

    /// Whether the session's audience includes the tier.
    func isAllowed(to tier: Tier) -> Bool {
        switch session.audience {
        case .private: false
        case .campus: tier == .member
        case .public: true
        }
    }

    var state: RunnerState {
        switch session.state {
        case .finished: .finished
        case .paused: .paused
        case .running: isOffline ? .offline : (fix?.isStationary ?? true) ? .stationary : .moving
        }
    }

    var runner: Runner? {
        guard let fix else { return nil }
        let state = state
        return Runner(
            session: session.id, name: session.owner.username, activity: session.activity, title: session.title,
            state: state, lat: fix.position.latitude, lon: fix.position.longitude,
            heading: state == .moving ? fix.heading : nil, speed: state == .moving ? fix.speed : 0, at: fix.at,
            distance: session.distance, elapsed: session.elapsed, averageSpeed: session.averageSpeed, zone: fix.zone,
            simulated: session.simulated, rate: session.state == .running ? rate : 0)
    }

    /// The session as its owner sees it.
    var ownerPerspective: LiveSession { own ?? self }

    /// A copy as the beginning of the owner's view, which until now was the same.
    private func copy() -> LiveSession {
        let copy = LiveSession(session: session, rate: rate, route: route.points, fix: fix, lastPointAt: lastPointAt)
        (copy.append, copy.appendStartsPiece, copy.routeChanged) = (append, appendStartsPiece, routeChanged)
        return copy
    }

    /// Takes the owner's view; nil when it is the same as what others see.
    /// - Parameter isWhole: `view` has the whole route, and not only its growth.
    func take(_ view: OwnerView?, isWhole: Bool) {
        let seen = view.map { _ in own ?? copy() }
        if isHidden != (view?.isHidden ?? false) { isHiddenPublished = false }
        isHidden = view?.isHidden ?? false
        if isHidden { fix = nil }
        own = seen
        guard let view, let seen else { return }
        seen.session = view.session
        seen.fix = view.fix ?? seen.fix
        seen.isHidden = view.isHidden
        (seen.rate, seen.lastPointAt, seen.isOffline) = (rate, lastPointAt, isOffline)
        if isWhole {
            seen.replaceRoute(view.route.map(\.points))
        } else {
            for piece in view.route { seen.extend(piece) }
        }
    }

    /// Adds points to the route. Amortised O(points).
    func extend(_ piece: RoutePiece) {
        let points = piece.points
        guard !points.isEmpty else { return }
        if piece.startsPiece || route.isEmpty {
            // A tick carries one piece. If an earlier piece is not sent yet, the tick sends the whole route.
            if !append.isEmpty { routeChanged = true }
            route.startPiece()
            appendStartsPiece = true
            trail.removeAll()
        }
        route.append(points)
        append.append(contentsOf: points)
        trail.append(contentsOf: points)
        if trail.count > RouteLimits.trailPointsMax { trail.removeFirst(trail.count - RouteLimits.trailPointsMax) }
        route.thin(to: RouteLimits.pointsMax)
    }

    /// Extends the trail alone, for a session whose route is not known.
    func extendTrail(_ position: LatLon) {
        trail.append(position)
        if trail.count > RouteLimits.trailPointsMax { trail.removeFirst(trail.count - RouteLimits.trailPointsMax) }
    }

    func replaceRoute(_ pieces: [[LatLon]]) {
        route = CompactRoute(pieces)
        route.thin(to: RouteLimits.pointsMax)
        trail = Deque((pieces.last ?? []).suffix(RouteLimits.trailPointsMax))
        routeChanged = true
    }

    func clearPending() {
        append.removeAll(keepingCapacity: true)
        appendStartsPiece = false
        routeChanged = false
        own?.clearPending()
    }
}
