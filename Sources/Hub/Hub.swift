import EventLoop
import WebSocket
import Wire

/// Who gets what: the live sessions, who watches which topic, and the ticks that bring the two together.
///
/// An actor on its home loop. A publication is encoded once for each tier of viewers and handed to each loop that has
/// some in one message; the privacy rules are applied here, before anything is encoded for anybody.
public actor Hub {
    /// Between two ticks of the conflating lane (design §1: 5 a second).
    public static let tickInterval = Duration.milliseconds(200)
    /// Between two looks at the clock: who went offline, which link expired.
    static let sweepInterval = Duration.seconds(1)
    /// Without a point for this long, a running session is offline (B-8).
    public static let offlineAfterSeconds: UInt64 = 15
    /// Points of all trails in one zone's snapshot.
    static let snapshotTrailPointsMax = 12_000
    /// Topics a connection may subscribe to.
    public static let subscriptionsMax = 512

    /// The home loop.
    public nonisolated let loop: EventLoop
    /// The hub runs on its home loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let now: @Sendable () -> Timestamp
    let monotonic: @Sendable () -> UInt64
    private let firstTickDelay: Duration
    let presenceInterval: Duration
    let metrics: HubMetrics
    let store: (any PublicationStore)?
    private var lastTick: UInt64 = 0
    /// Change which there are by ``take(up:)`` and ``drop(_:)``.
    private(set) var live: [Int64: LiveSession] = [:]
    /// Unfinished ones that the hub has, by their owner's account.
    private(set) var sessionsOf: [Int64: Set<Int64>] = [:]
    let blocks = Blocks()
    var pictures: Pictures
    var views: [UInt64: View] = [:]
    var outbox = Outbox()
    var logs = TopicLogs()
    var gatherings = Gatherings()
    var sessionViewers: [Int64: [UInt64: SessionViewer]] = [:]
    var topicsOf: [UInt64: Set<Topic>] = [:]
    /// Who has which conversation open, by connection.
    var readers: [Int64: [UInt64: ChatReader]] = [:]
    /// The connections of accounts.
    var users: [Int64: SubscriberSet] = [:]
    var signedIn = SignedIn()
    var blockReading = BlockReading()
    var notices = NoticeFeed()
    var heatmapFeed: HeatmapFeed
    let board = ShareBoard()
    /// Nil while no other node serves the campus.
    var nodes: HubNodes?
    private var changedSessions: Set<Int64> = []
    private var isTickScheduled = false
    private var isSweeping = false

    struct SessionViewer {
        let subscriber: any Subscriber
        var access: SessionAccess
    }

    /// - Parameters:
    ///   - loop: The home loop.
    ///   - now: The server's wall clock.
    ///   - firstTickDelay: How long the first change after a quiet time waits for company.
    ///   - presenceInterval: Between two pushes that tell who watches a topic.
    ///   - metrics: Counts ticks, sessions and subscriptions.
    ///   - store: Keeps reliable topics; without it there are none.
    ///   - monotonic: Nanoseconds that tell who went offline; they do not jump.
    public init(
        loop: EventLoop, now: @escaping @Sendable () -> Timestamp = { .now },
        firstTickDelay: Duration = .milliseconds(10), presenceInterval: Duration = Hub.presenceInterval,
        metrics: HubMetrics = HubMetrics(),
        store: (any PublicationStore)? = nil,
        monotonic: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds }
    ) {
        self.loop = loop
        self.now = now
        heatmapFeed = HeatmapFeed(published: HeatmapUpdate(serverTime: now(), cells: []))
        pictures = Pictures(blocks: blocks)
        self.firstTickDelay = firstTickDelay
        self.presenceInterval = presenceInterval
        self.metrics = metrics
        self.store = store
        self.monotonic = monotonic
    }

    var serverTime: Timestamp { now() }

    // MARK: What Tracking tells

    /// Takes up a session that was started, or that was unfinished when the server started; one that the hub has is
    /// rewritten. Where several nodes serve the campus, this one becomes its home.
    /// - Parameters:
    ///   - route: What is known of it, in pieces.
    ///   - fix: The last one, after a restart.
    ///   - own: What its owner sees, where others do not see all of it.
    ///   - rate: Seconds of session time in a second.
    ///   - home: The number that PostgreSQL gave this node for the session, larger than any before; 0 when it gave none.
    public func begin(
        _ session: Session, rate: Double, route: [[LatLon]] = [], fix: LiveFix? = nil, own: OwnView? = nil,
        home: Int64 = 0
    ) {
        guard !isVoid(UInt64(max(0, home)), of: session.id) else { return }
        claim(session.id, as: UInt64(max(0, home)))
        defer { announce(session.id) }
        guard live[session.id] == nil else {
            live[session.id]?.rate = rate
            return rewrite(session, route: route, fix: fix, own: own)
        }
        let heard = fix == nil && own?.fix == nil ? monotonic() : 0
        take(up: LiveSession(session: session, rate: rate, route: route, fix: fix, lastHeard: heard))
        live[session.id]?.take(own, isWhole: true)
        place(session.id)
        touch(session.id)
        startSweeping()
    }

    /// New points came, in order with everything else that is told of the session by its service. On the hub's loop it is done at once.
    /// - Parameters:
    ///   - fix: Nil when none of them may be shown.
    ///   - append: What they add to the route.
    ///   - own: What its owner sees, where others do not see all of it.
    public nonisolated func post(_ session: Session, fix: LiveFix?, append: [RoutePiece], own: OwnView? = nil) {
        let tell: @Sendable () -> Void = { [self] in
            assumeIsolated { hub in
                if fix != nil || own != nil {
                    hub.move(session, fix: fix, append: append, own: own)
                } else {
                    hub.update(session)
                }
            }
        }
        if loop.isCurrent { tell() } else { loop.execute(tell) }
    }

    /// New points came.
    /// - Parameters:
    ///   - fix: Nil when none of them may be shown.
    ///   - append: What they add to the route.
    ///   - own: What its owner sees, where others do not see all of it.
    public func move(_ session: Session, fix: LiveFix?, append: [RoutePiece], own: OwnView? = nil) {
        guard isHere(session.id) else { return }
        adopt(session)
        guard let shown = live[session.id] else { return }
        let wasDark = shown.isDark
        heard(session.id)
        // What its owner saw until now is what others do, before they are told more.
        shown.take(own, isWhole: false)
        if !shown.isDark, let fix { shown.fix = fix }
        for piece in append {
            shown.extend(piece)
            extendForNodes(session.id, piece)
        }
        tellMove(of: shown, wasDark: wasDark, isNew: !append.isEmpty)
    }

    /// Who goes on in the dark is nobody's news but the owner's: not even that something came.
    private func tellMove(of shown: LiveSession, wasDark: Bool, isNew: Bool) {
        let id = shown.session.id
        guard !(wasDark && shown.isDark && !isNew) else { return touchForViewers(id) }
        let isNowhere = shown.isDark || shown.fix == nil
        if isNowhere { pictures.remove(shown, reason: .hidden) } else { pictures.move(shown) }
        touchElsewhere(id)
    }

    /// Late points, or other rules of what is dark, changed the past: distance and route are new, and the position may be.
    public func rewrite(_ session: Session, route: [[LatLon]], fix: LiveFix?, own: OwnView? = nil) {
        guard isHere(session.id) else { return }
        adopt(session)
        guard let shown = live[session.id] else { return }
        let wasDark = shown.isDark
        heard(session.id)
        shown.take(own, isWhole: true)
        // Where some of it is dark, what was shown before may be dark by now.
        if !shown.isDark { shown.fix = own == nil ? fix ?? shown.fix : fix }
        shown.replaceRoute(route)
        shown.isDarkTold = false
        redrawForNodes(session.id)
        tellMove(of: shown, wasDark: wasDark, isNew: true)
    }

    /// The session's state changed (paused, resumed, sums).
    public func update(_ session: Session, own: OwnView? = nil) {
        guard isHere(session.id) else { return }
        adopt(session)
        heard(session.id)
        live[session.id]?.take(own, isWhole: false)
        if live[session.id]?.isDark == true { touchForViewers(session.id) } else { touch(session.id) }
    }

    /// Takes the session's newest state. An audience that is not the one shown (its change was committed, and that was not
    /// heard of) is applied first, before anything is sent to anybody.
    private func adopt(_ session: Session) {
        if let shown = live[session.id]?.session.audience, shown != session.audience { changeAudience(session) }
        live[session.id]?.session = session
    }

    /// The session's audience changed. Whoever may not see it any more is cut at once.
    public func changeAudience(_ session: Session) {
        guard isHere(session.id) else { return }
        changeAudience(of: session)
        live[session.id]?.own?.session.audience = session.audience
        announce(session.id)
    }

    func changeAudience(of session: Session) {
        guard let shown = live[session.id] else { return }
        let before = Tier.allCases.filter { shown.isAllowed(to: $0) }
        shown.session = session
        for tier in before where !shown.isAllowed(to: tier) {
            publish(pictures.hide(session.id, from: tier, live: live, serverTime: serverTime))
        }
        // Before anything else goes out: whoever is cut hears `closed` and no more.
        cutViewers(of: session.id, reason: Self.notSharedReason) { viewer in
            !viewer.access.allows(audience: session.audience)
        }
        touch(session.id)
    }

    /// The same for a session that is over, of which others are told later.
    public func changeAudience(ofEnding id: Int64, to audience: Audience) {
        guard let ending = live[id], ending.isEnding, ending.session.audience != audience else { return }
        var session = ending.session
        session.audience = audience
        changeAudience(of: session)
        ending.own?.session.audience = audience
        announce(id)
    }

    /// The session is finished: it leaves the map, and its subscriptions end.
    /// - Parameters:
    ///   - own: What its owner sees, where others do not see all of it.
    ///   - delay: Others are told after it: when somebody in the dark stops is nobody's business.
    public func end(_ session: Session, own: OwnView? = nil, toOthersAfter delay: Duration = .zero) {
        if delay > .zero, let ending = live[session.id], isHere(session.id) {
            ending.take(own, isWhole: false)
            ending.isEnding = true
            publishEnd(of: session.id, session, own: own?.session) { $0.access.isOwner }
            loop.schedule(after: delay) { [weak self] in
                self?.assumeIsolated { hub in
                    guard let ending = hub.live[session.id], ending.isEnding else { return }
                    var session = session
                    session.audience = ending.session.audience
                    session.title = ending.session.title
                    hub.end(session)
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
        endShares(with: session)
        guard let last = live[session.id] else { return }
        pictures.remove(last, reason: .finished)
        touch(session.id)
        flush(session.id)
        publishEnd(of: session.id, session, own: own?.session) { _ in true }
        gatherings.end(.session(session.id))
        schedulePresence()
        drop(session.id)
    }

    /// The hub has an unfinished session from now on.
    func take(up session: LiveSession) {
        live[session.session.id] = session
        sessionsOf[session.session.owner.id, default: []].insert(session.session.id)
    }

    /// The hub has a session no more.
    func drop(_ id: Int64) {
        guard let owner = live.removeValue(forKey: id)?.session.owner.id else { return }
        sessionsOf[owner]?.remove(id)
        if sessionsOf[owner]?.isEmpty == true { sessionsOf[owner] = nil }
    }

    /// Links by which somebody watches a session at this node.
    public var watchedLinks: [(link: Int64, session: Int64)] {
        sessionViewers.flatMap { session, viewers in
            Set(viewers.values.compactMap(\.access.linkID)).map { (link: $0, session: session) }
        }
    }

    /// A link was revoked: whoever watches by it alone is cut at once.
    public func revoke(link: Int64, session: Int64) {
        tell(.link(link, session: session))
        endLinks(of: session, reason: "the link was revoked") { $0.linkID == link }
    }

    /// The zones changed: everyone is placed anew.
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

    private func heard(_ id: Int64) {
        for session in [live[id], live[id]?.own] {
            session?.lastHeard = monotonic()
            session?.isOffline = false
        }
    }

    /// Where its newest fix is.
    func place(_ id: Int64) {
        if let session = live[id] { pictures.move(session) }
    }

    // MARK: Ticks

    func touch(_ id: Int64) {
        pictures.touch(id)
        touchElsewhere(id)
    }

    /// What shows it beside pictures.
    private func touchElsewhere(_ id: Int64) {
        touchForNodes(id)
        touchForViewers(id)
    }

    /// Those who have it open here.
    func touchForViewers(_ id: Int64) {
        changedSessions.insert(id)
        scheduleTick()
    }

    func scheduleTick() {
        guard !isTickScheduled, nodes?.isHolding != true else { return }
        isTickScheduled = true
        // A change after a quiet time need not wait: only what follows within the interval does.
        let sinceLast = Duration.nanoseconds(Int64(clamping: EventLoop.nowNanoseconds &- lastTick))
        loop.schedule(after: max(firstTickDelay, Self.tickInterval - sinceLast)) { [self] in
            assumeIsolated { $0.tick() }
        }
    }

    /// On the home loop, ``tickInterval`` after the last one at the earliest.
    func tick() {
        isTickScheduled = false
        guard nodes?.isHolding != true else { return }
        lastTick = EventLoop.nowNanoseconds
        publish(pictures.tick(live: live, serverTime: serverTime, now: monotonic()))
        if pictures.isWaiting { scheduleTick() }
        let sessions = changedSessions
        changedSessions.removeAll(keepingCapacity: true)
        for id in sessions { publishSession(id) }
        tellChanged()
        metrics.ticks.observe(EventLoop.nowNanoseconds &- lastTick)
    }

    /// Writes down how many it keeps and serves, for a scraper. O(subscribers and sessions).
    public func report() {
        var sessions = 0
        var reliable = 0
        for topic in topicsOf.values.joined() {
            if case .session = topic { sessions += 1 }
            if topic.isReliable { reliable += 1 }
        }
        metrics.log.subscriptions.set(reliable)
        metrics.log.topics.set(logs.logs.count)
        let viewers = pictures.viewers
        metrics.zoneSubscriptions.set(viewers.zones)
        metrics.cellSubscriptions.set(viewers.cells)
        metrics.sessionSubscriptions.set(sessions)
        metrics.sessions.set(live.count)
        metrics.shownSessions.set(live.values.count { $0.isOnMap })
        reportNotices()
    }

    /// Sends what a session's viewers wait for now: it is part of the snapshot that follows, and must not come again.
    func flush(_ id: Int64) {
        if changedSessions.remove(id) != nil { publishSession(id) }
    }

    /// What is new of it is not told any more.
    func forgetChange(_ id: Int64) { changedSessions.remove(id) }

    // MARK: The clock

    func startSweeping() {
        guard !isSweeping else { return }
        isSweeping = true
        loop.schedule(after: Self.sweepInterval) { [self] in assumeIsolated { $0.sweep() } }
    }

    /// On the home loop, every ``sweepInterval`` while there is anything to look at.
    func sweep() {
        isSweeping = false
        let nanoseconds = monotonic()
        let limit = Self.offlineAfterSeconds * 1_000_000_000
        for (id, session) in live where !session.isOffline && session.session.state == .running {
            guard nanoseconds > session.lastHeard + limit else { continue }
            session.isOffline = true
            session.own?.isOffline = true
            // In the dark nobody else is to know that it is silent.
            if session.isDark { touchForViewers(id) } else { touch(id) }
            askAfter(id)
        }
        let time = serverTime
        for id in sessionViewers.keys {
            endLinks(of: id, reason: "the link expired") { $0.expiresAt.map { $0 <= time } ?? false }
        }
        if sweepNodes() || !live.isEmpty { startSweeping() }
    }
}
