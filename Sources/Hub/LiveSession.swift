import DequeModule
import Wire

/// A fix on its way to the map.
public struct LiveFix: Sendable, Equatable {
    /// Where.
    public var position: LatLon
    /// Server time of the fix.
    public var at: Timestamp
    /// m/s.
    public var speed: Double
    /// Degrees clockwise from north; nil when not moving.
    public var heading: Double?
    /// The filter says that the runner rests.
    public var isStationary: Bool
    /// The zone it is in.
    public var zone: Int64?

    /// Memberwise.
    public init(
        position: LatLon, at: Timestamp, speed: Double, heading: Double?, isStationary: Bool, zone: Int64?
    ) {
        self.position = position
        self.at = at
        self.speed = speed
        self.heading = heading
        self.isStationary = isStationary
        self.zone = zone
    }
}

/// Points that a route grows by.
public struct RoutePiece: Sendable, Equatable {
    /// In order.
    public var points: [LatLon]
    /// They begin a new piece instead of going on with the last.
    public var startsPiece: Bool

    /// Memberwise.
    public init(points: [LatLon], startsPiece: Bool) {
        self.points = points
        self.startsPiece = startsPiece
    }
}

/// What only its owner sees of a session, where others are not shown all of it (see <doc:Sharing>).
public struct OwnView: Sendable {
    /// With all that was tracked.
    public var session: Session
    /// The last fix, wherever it was; nil when none is new.
    public var fix: LiveFix?
    /// What the whole route grows by; for a session that is drawn anew, all of it.
    public var route: [RoutePiece]
    /// The owner is where nothing is shown: others see no position.
    public var isDark: Bool

    /// Memberwise.
    public init(session: Session, fix: LiveFix?, route: [RoutePiece] = [], isDark: Bool) {
        self.session = session
        self.fix = fix
        self.route = route
        self.isDark = isDark
    }
}

/// What the hub keeps of an unfinished session, as others see it; of one that is dark in part, with what its owner sees beside it. On the hub's loop only. A class: it is looked at many times a second, and a copy
/// counts references to all that it holds.
final class LiveSession {
    /// Points of the newest part of the route that a zone's snapshot shows.
    static let trailPointsMax = 60
    /// Points of a route that a snapshot holds; a longer one is thinned.
    static let routePointsMax = 4_000

    var session: Session
    var fix: LiveFix?
    /// Seconds of session time in a second.
    var rate: Double
    /// Monotonic nanoseconds when the last point came; 0 for never since the start of the server.
    var lastHeard: UInt64
    var isOffline: Bool
    /// Another node told of it, and whether it is still so must be confirmed first.
    var isWithheld = false
    /// Of another node's session only the newest part of the route is known while nobody here follows it.
    var isRouteKnown = true
    /// What its owner sees; nil when that is the same.
    private(set) var own: LiveSession?
    /// Its owner is where nothing is shown: there is no position, and its viewers are told so once.
    var isDark = false
    var isDarkTold = false
    /// It is over, which others are told later; nothing about it changes any more.
    var isEnding = false
    private(set) var route: CompactRoute
    var trail = Deque<LatLon>()
    /// Points since the last tick, for subscribers of the session.
    var append: [LatLon] = []
    var appendStartsPiece = false
    var routeChanged = false

    init(session: Session, rate: Double, route: [[LatLon]], fix: LiveFix?, lastHeard: UInt64) {
        self.session = session
        self.rate = rate
        self.fix = fix
        self.lastHeard = lastHeard
        isOffline = lastHeard == 0
        self.route = CompactRoute(route)
        trail.append(contentsOf: (route.last ?? []).suffix(Self.trailPointsMax))
        self.route.thin(to: Self.routePointsMax)
    }

    /// Whether it is shown now.
    func isVisible(to tier: Tier) -> Bool { !isWithheld && isAllowed(to: tier) }

    /// The map of everybody who is signed in shows it.
    var isOnMap: Bool { isVisible(to: .member) && runner != nil }

    /// Whether its audience is large enough.
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

    /// As its owner sees it.
    var forOwner: LiveSession { own ?? self }

    /// Until now its owner saw what all saw.
    private func copy() -> LiveSession {
        let copy = LiveSession(session: session, rate: rate, route: route.points, fix: fix, lastHeard: lastHeard)
        (copy.append, copy.appendStartsPiece, copy.routeChanged) = (append, appendStartsPiece, routeChanged)
        return copy
    }

    /// Takes what its owner sees beside what others do; nil when that is the same.
    /// - Parameter isWhole: `own` has the whole route, and not what it grows by.
    func take(_ view: OwnView?, isWhole: Bool) {
        let seen = view.map { _ in own ?? copy() }
        if isDark != (view?.isDark ?? false) { isDarkTold = false }
        isDark = view?.isDark ?? false
        if isDark { fix = nil }
        own = seen
        guard let view, let seen else { return }
        seen.session = view.session
        seen.fix = view.fix ?? seen.fix
        seen.isDark = view.isDark
        (seen.rate, seen.lastHeard, seen.isOffline) = (rate, lastHeard, isOffline)
        if isWhole {
            seen.replaceRoute(view.route.map(\.points))
        } else {
            for piece in view.route { seen.extend(piece) }
        }
    }

    /// Adds points to the route; `startsPiece` begins a new one. Amortised O(points).
    func extend(_ piece: RoutePiece) {
        let points = piece.points
        guard !points.isEmpty else { return }
        if piece.startsPiece || route.isEmpty {
            // A tick carries one piece: an earlier one that was not sent yet makes the whole route be sent.
            if !append.isEmpty { routeChanged = true }
            route.startPiece()
            appendStartsPiece = true
            trail.removeAll()
        }
        route.append(points)
        append.append(contentsOf: points)
        trail.append(contentsOf: points)
        if trail.count > Self.trailPointsMax { trail.removeFirst(trail.count - Self.trailPointsMax) }
        route.thin(to: Self.routePointsMax)
    }

    /// For a session whose route is not known.
    func extendTrail(_ position: LatLon) {
        trail.append(position)
        if trail.count > Self.trailPointsMax { trail.removeFirst(trail.count - Self.trailPointsMax) }
    }

    func replaceRoute(_ pieces: [[LatLon]]) {
        route = CompactRoute(pieces)
        route.thin(to: Self.routePointsMax)
        trail = Deque((pieces.last ?? []).suffix(Self.trailPointsMax))
        routeChanged = true
    }

    func clearPending() {
        append.removeAll(keepingCapacity: true)
        appendStartsPiece = false
        routeChanged = false
        own?.clearPending()
    }
}
