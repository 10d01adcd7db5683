import EventLoop
import HubCore
import Wire

/// Live sessions: the runs and rides in progress, their viewers, and the areas of the map that show them.
///
/// A session that several nodes show has one owner node, which takes its points (see ``SessionNodes``). The privacy rules are applied
/// before anything is encoded: others see a session as its audience, its suppression zones and blocks allow.
public actor SessionFeed: BlockObserver {
    /// Interval between two sweeps, which mark silent sessions as offline and end expired links.
    static let sweepInterval = Duration.seconds(1)
    /// Seconds without a point after which a running session is offline (B-8).
    public static let offlineAfterSeconds: UInt64 = 15
    /// Largest number of trail points in one zone's snapshot, all sessions together.
    static let snapshotTrailPointsMax = 12_000

    package nonisolated let core: HubCore
    package nonisolated let kinds: [Topic.Kind] = [.zonePositions, .cellPositions, .session]
    public nonisolated var unownedExecutor: UnownedSerialExecutor { core.loop.asUnownedSerialExecutor() }

    let blocks: Blocks
    let presence: PresenceFeed
    let metrics: SessionMetrics
    /// Unfinished sessions that the hub has, by number. Only ``take(up:)`` and ``drop(_:)`` add and remove entries.
    private(set) var live: [Int64: LiveSession] = [:]
    /// Numbers of the sessions in `live`, by their owner's account.
    private(set) var sessionsOf: [Int64: Set<Int64>] = [:]
    var areaFeeds: AreaFeeds
    /// Viewports, by connection.
    var views: [UInt64: View] = [:]
    var sessionViewers: [Int64: [UInt64: SessionViewer]] = [:]
    /// Nil while no other node serves the campus.
    var nodes: SessionNodes?
    private var changedSessions: Set<Int64> = []
    private var isSweeping = false
    private let ended: @Sendable (Session) -> Void

    struct SessionViewer {
        let subscriber: any Subscriber
        var access: SessionAccess
    }

    /// - Parameter ended: Called on the loop with each session that has ended for everyone.
    init(
        _ core: HubCore, blocks: Blocks, presence: PresenceFeed, metrics: SessionMetrics,
        ended: @escaping @Sendable (Session) -> Void
    ) {
        self.ended = ended
        self.core = core
        self.blocks = blocks
        self.presence = presence
        self.metrics = metrics
        areaFeeds = AreaFeeds(blocks: blocks)
    }

    // MARK: Sessions

    /// Takes up a session that has started, or that was unfinished when the server started. If the hub has the session already, it is
    /// rewritten. Where several nodes serve the campus, this node becomes the session's owner node.
    /// - Parameters:
    ///   - route: The route as far as it is known, in pieces.
    ///   - fix: The newest fix, after a restart.
    ///   - own: The owner's view, if others do not see all of the session.
    ///   - rate: Seconds of session time in a second.
    ///   - fencingToken: The fencing token that PostgreSQL gave this node for the session, larger than any before; 0 when it gave none.
    public func begin(
        _ session: Session, rate: Double, route: [[LatLon]] = [], fix: LiveFix? = nil, own: OwnerView? = nil,
        fencingToken: Int64 = 0
    ) {
        guard !isVoid(UInt64(max(0, fencingToken)), of: session.id) else { return }
        claim(session.id, as: UInt64(max(0, fencingToken)))
        defer { announce(session.id) }
        guard live[session.id] == nil else {
            live[session.id]?.rate = rate
            return rewrite(session, route: route, fix: fix, own: own)
        }
        let lastPointAt = fix == nil && own?.fix == nil ? monotonic() : 0
        take(up: LiveSession(session: session, rate: rate, route: route, fix: fix, lastPointAt: lastPointAt))
        live[session.id]?.take(own, isWhole: true)
        place(session.id)
        touch(session.id)
        startSweeping()
    }

    /// Does ``move(_:fix:append:own:)`` or, without a fix, ``update(_:own:)``, in order with all other calls of the session's service. On
    /// the hub's loop this is synchronous; elsewhere it is scheduled on that loop.
    public nonisolated func post(_ session: Session, fix: LiveFix?, append: [RoutePiece], own: OwnerView? = nil) {
        let apply: @Sendable () -> Void = { [self] in
            assumeIsolated { feed in
                if fix != nil || own != nil {
                    feed.move(session, fix: fix, append: append, own: own)
                } else {
                    feed.update(session)
                }
            }
        }
        if loop.isCurrent { apply() } else { loop.execute(apply) }
    }

    /// Takes new points of a session.
    /// - Parameters:
    ///   - fix: Nil when none of the points may be shown.
    ///   - append: The points by which the route grows.
    ///   - own: The owner's view, if others do not see all of the session.
    public func move(_ session: Session, fix: LiveFix?, append: [RoutePiece], own: OwnerView? = nil) {
        guard isOwned(session.id) else { return }
        adopt(session)
        guard let shown = live[session.id] else { return }
        let wasHidden = shown.isHidden
        markOnline(session.id)
        // Before the shared route grows: the owner's view begins as a copy of what others see.
        shown.take(own, isWhole: false)
        if !shown.isHidden, let fix { shown.fix = fix }
        for piece in append {
            shown.extend(piece)
            extendForNodes(session.id, piece)
        }
        publishMove(of: shown, wasHidden: wasHidden, isNew: !append.isEmpty)
    }

    /// Publishes a move. While a session stays hidden and nothing visible is new, only its viewers are touched: others must not even
    /// learn that a point came.
    private func publishMove(of shown: LiveSession, wasHidden: Bool, isNew: Bool) {
        let id = shown.session.id
        guard !(wasHidden && shown.isHidden && !isNew) else { return touchForViewers(id) }
        let isNowhere = shown.isHidden || shown.fix == nil
        if isNowhere { areaFeeds.remove(shown, reason: .hidden) } else { areaFeeds.move(shown) }
        touchOutsideAreaFeeds(id)
    }

    /// Replaces a session's route, because late points or a changed suppression zone changed the past. The position may change as well.
    public func rewrite(_ session: Session, route: [[LatLon]], fix: LiveFix?, own: OwnerView? = nil) {
        guard isOwned(session.id) else { return }
        adopt(session)
        guard let shown = live[session.id] else { return }
        let wasHidden = shown.isHidden
        markOnline(session.id)
        shown.take(own, isWhole: true)
        // If part of the session is hidden, the position shown so far may be hidden by now.
        if !shown.isHidden { shown.fix = own == nil ? fix ?? shown.fix : fix }
        shown.replaceRoute(route)
        shown.isHiddenPublished = false
        noteReplacedRoute(session.id)
        publishMove(of: shown, wasHidden: wasHidden, isNew: true)
    }

    /// Takes a session's new state (paused, resumed, totals).
    public func update(_ session: Session, own: OwnerView? = nil) {
        guard isOwned(session.id) else { return }
        adopt(session)
        markOnline(session.id)
        live[session.id]?.take(own, isWhole: false)
        if live[session.id]?.isHidden == true { touchForViewers(session.id) } else { touch(session.id) }
    }

    /// Takes the session's newest state. If its audience differs from the one shown (the change was committed, but this node did not
    /// learn of it), the new audience is applied first, before anything is sent.
    private func adopt(_ session: Session) {
        if let shown = live[session.id]?.session.audience, shown != session.audience { changeAudience(session) }
        live[session.id]?.session = session
    }

    /// Changes a session's audience. Viewers that may not see the session any more are cut off at once.
    public func changeAudience(_ session: Session) {
        guard isOwned(session.id) else { return }
        changeAudience(of: session)
        live[session.id]?.own?.session.audience = session.audience
        announce(session.id)
    }

    func changeAudience(of session: Session) {
        guard let shown = live[session.id] else { return }
        let before = Tier.allCases.filter { shown.isAllowed(to: $0) }
        shown.session = session
        for tier in before where !shown.isAllowed(to: tier) {
            publish(areaFeeds.hide(session.id, from: tier, live: live, serverTime: serverTime))
        }
        // Before anything else goes out: a viewer that is cut off gets `closed` and nothing after it.
        cutViewers(of: session.id, reason: .notShared) { viewer in
            !viewer.access.allows(audience: session.audience)
        }
        touch(session.id)
    }

    /// Changes the audience of a session that has ended but whose end is not published to others yet.
    public func changeAudience(ofEnding id: Int64, to audience: Audience) {
        guard let ending = live[id], ending.isEnding, ending.session.audience != audience else { return }
        var session = ending.session
        session.audience = audience
        changeAudience(of: session)
        ending.own?.session.audience = audience
        announce(id)
    }

    /// Ends a finished session: it leaves the map, and its subscriptions end.
    /// - Parameters:
    ///   - own: The owner's view, if others do not see all of the session.
    ///   - delay: Delay before the end is published to others, so that they cannot learn when the owner stopped in a hidden place.
    public func end(_ session: Session, own: OwnerView? = nil, toOthersAfter delay: Duration = .zero) {
        if delay > .zero, let ending = live[session.id], isOwned(session.id) {
            ending.take(own, isWhole: false)
            ending.isEnding = true
            publishEnd(of: session.id, session, own: own?.session) { $0.access.isOwner }
            loop.schedule(after: delay) { [weak self] in
                self?.assumeIsolated { feed in
                    guard let ending = feed.live[session.id], ending.isEnding else { return }
                    var session = session
                    session.audience = ending.session.audience
                    session.title = ending.session.title
                    feed.end(session)
                }
            }
            return
        }
        live[session.id]?.isEnding = false
        live[session.id]?.take(own, isWhole: false)
        live[session.id]?.session = session
        announce(session.id)
        nodes?.finish(session.id)
        endWatch(session.id)
        ended(session)
        guard let last = live[session.id] else { return }
        areaFeeds.remove(last, reason: .finished)
        touch(session.id)
        flush(session.id)
        publishEnd(of: session.id, session, own: own?.session) { _ in true }
        presence.assumeIsolated { $0.end(.session(session.id)) }
        drop(session.id)
    }

    func take(up session: LiveSession) {
        live[session.session.id] = session
        sessionsOf[session.session.owner.id, default: []].insert(session.session.id)
    }

    func drop(_ id: Int64) {
        guard let owner = live.removeValue(forKey: id)?.session.owner.id else { return }
        sessionsOf[owner]?.remove(id)
        if sessionsOf[owner]?.isEmpty == true { sessionsOf[owner] = nil }
    }

    /// Links by which viewers watch a session at this node.
    public var watchedLinks: [(link: Int64, session: Int64)] {
        sessionViewers.flatMap { session, viewers in
            Set(viewers.values.compactMap(\.access.linkID)).map { (link: $0, session: session) }
        }
    }

    /// Revokes a link. Viewers that may watch only by this link are cut off at once.
    public func revoke(link: Int64, session: Int64) {
        publishToNodes(.link(link, session: session))
        endLinks(of: session, reason: .linkRevoked) { $0.linkID == link }
    }

    /// Assigns every session to its zone again, after the zones changed.
    public func rezone(_ zoneAt: @Sendable (LatLon) -> Int64?) {
        for (id, session) in live {
            if let own = session.own, let position = own.fix?.position { own.fix?.zone = zoneAt(position) }
            guard let fix = session.fix else { continue }
            let zone = zoneAt(fix.position)
            guard zone != fix.zone else { continue }
            live[id]?.fix?.zone = zone
            place(id)
            touch(id)
        }
    }

    private func markOnline(_ id: Int64) {
        for session in [live[id], live[id]?.own] {
            session?.lastPointAt = monotonic()
            session?.isOffline = false
        }
    }

    /// Puts a session into the area feeds of its newest fix.
    func place(_ id: Int64) {
        if let session = live[id] { areaFeeds.move(session) }
    }

    // MARK: Ticks

    func touch(_ id: Int64) {
        areaFeeds.touch(id)
        touchOutsideAreaFeeds(id)
    }

    /// Marks a session as changed for nodes and viewers, but not for area feeds.
    private func touchOutsideAreaFeeds(_ id: Int64) {
        touchForNodes(id)
        touchForViewers(id)
    }

    /// Marks a session as changed for the viewers that have it open at this node.
    func touchForViewers(_ id: Int64) {
        changedSessions.insert(id)
        scheduleTick()
    }

    package func tick() {
        publish(areaFeeds.tick(live: live, serverTime: serverTime, now: monotonic()))
        if areaFeeds.hasUnpublishedChanges { scheduleTick() }
        let sessions = changedSessions
        changedSessions.removeAll(keepingCapacity: true)
        for id in sessions { publishSession(id) }
        publishChangesToNodes()
    }

    /// Updates the gauges for a scraper. O(viewers and sessions).
    func report() {
        let viewers = areaFeeds.viewers
        metrics.zoneSubscriptions.set(viewers.zones)
        metrics.cellSubscriptions.set(viewers.cells)
        metrics.sessionSubscriptions.set(sessionViewers.values.reduce(0) { $0 + $1.count })
        metrics.sessions.set(live.count)
        metrics.shownSessions.set(live.values.count { $0.isOnMap })
    }

    /// Sends the pending changes of a session to its viewers now: the snapshot that follows contains them, and they must not come
    /// again.
    func flush(_ id: Int64) {
        if changedSessions.remove(id) != nil { publishSession(id) }
    }

    /// Discards the pending change of a session.
    func forgetChange(_ id: Int64) { changedSessions.remove(id) }

    // MARK: Sweeps

    func startSweeping() {
        guard !isSweeping else { return }
        isSweeping = true
        loop.schedule(after: Self.sweepInterval) { [self] in assumeIsolated { $0.sweep() } }
    }

    /// Marks silent sessions as offline and ends expired links. On the hub's loop, every ``sweepInterval`` while there is work.
    func sweep() {
        isSweeping = false
        let nanoseconds = monotonic()
        let limit = Self.offlineAfterSeconds * 1_000_000_000
        for (id, session) in live where !session.isOffline && session.session.state == .running {
            guard nanoseconds > session.lastPointAt + limit else { continue }
            session.isOffline = true
            session.own?.isOffline = true
            // While the session is hidden, only its owner may learn that it is silent.
            if session.isHidden { touchForViewers(id) } else { touch(id) }
            askForRegions(of: id)
        }
        let time = serverTime
        for id in sessionViewers.keys {
            endLinks(of: id, reason: .linkExpired) { $0.expiresAt.map { $0 <= time } ?? false }
        }
        if sweepNodes() || !live.isEmpty { startSweeping() }
    }
}
