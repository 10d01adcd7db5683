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
    ///   - rate: Seconds of session time in a second.
    ///   - home: The number that PostgreSQL gave this node for the session, larger than any before; 0 when it gave none.
    public func begin(
        _ session: Session, rate: Double, route: [[LatLon]] = [], fix: LiveFix? = nil, home: Int64 = 0
    ) {
        guard !isVoid(UInt64(max(0, home)), of: session.id) else { return }
        claim(session.id, as: UInt64(max(0, home)))
        defer { announce(session.id) }
        guard live[session.id] == nil else {
            live[session.id]?.rate = rate
            return rewrite(session, route: route, fix: fix)
        }
        take(
            up: LiveSession(
                session: session, rate: rate, route: route, fix: fix, lastHeard: fix == nil ? monotonic() : 0))
        place(session.id)
        touch(session.id)
        startSweeping()
    }

    /// New points came, in order with everything else that is told of the session by its service. On the hub's loop it is done at once.
    /// - Parameters:
    ///   - fix: Nil when none of them may be shown.
    ///   - append: What they add to the route.
    public nonisolated func post(_ session: Session, fix: LiveFix?, append: [RoutePiece]) {
        let tell: @Sendable () -> Void = { [self] in
            assumeIsolated { hub in
                if let fix { hub.move(session, fix: fix, append: append) } else { hub.update(session) }
            }
        }
        if loop.isCurrent { tell() } else { loop.execute(tell) }
    }

    /// New points came.
    /// - Parameters:
    ///   - append: What they add to the route.
    public func move(_ session: Session, fix: LiveFix, append: [RoutePiece]) {
        guard isHere(session.id) else { return }
        adopt(session)
        guard let shown = live[session.id] else { return }
        shown.fix = fix
        heard(session.id)
        for piece in append {
            shown.extend(piece)
            extendForNodes(session.id, piece)
        }
        pictures.move(shown)
        touchElsewhere(session.id)
    }

    /// Late points changed the past: distance and route are new, and the position may be.
    public func rewrite(_ session: Session, route: [[LatLon]], fix: LiveFix?) {
        guard isHere(session.id) else { return }
        adopt(session)
        live[session.id]?.replaceRoute(route)
        redrawForNodes(session.id)
        if let fix {
            move(session, fix: fix, append: [])
        } else {
            update(session)
        }
    }

    /// The session's state changed (paused, resumed, sums).
    public func update(_ session: Session) {
        guard isHere(session.id) else { return }
        adopt(session)
        heard(session.id)
        touch(session.id)
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

    /// The session is finished: it leaves the map, and its subscriptions end.
    public func end(_ session: Session) {
        live[session.id]?.session = session
        announce(session.id)
        nodes?.finish(session.id)
        endWatch(session.id)
        endShares(with: session)
        guard live[session.id] != nil else { return }
        if let last = live[session.id] { pictures.remove(last, reason: .finished) }
        touch(session.id)
        flush(session.id)
        let runner = live[session.id]?.runner
        publish(
            SessionUpdate(type: .ended, serverTime: serverTime, session: session, runner: runner), session: session.id,
            lane: .reliable)
        for viewer in sessionViewers.removeValue(forKey: session.id)?.values ?? [:].values {
            topicsOf[viewer.subscriber.subscriberID]?.remove(.session(session.id))
        }
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

    /// A link was revoked: whoever watches by it alone is cut at once.
    public func revoke(link: Int64, session: Int64) {
        tell(.link(link, session: session))
        endLinks(of: session, reason: "the link was revoked") { $0.linkID == link }
    }

    /// The zones changed: everyone is placed anew.
    public func rezone(_ zoneAt: @Sendable (LatLon) -> Int64?) {
        for (id, session) in live {
            guard let fix = session.fix else { continue }
            let zone = zoneAt(fix.position)
            guard zone != fix.zone else { continue }
            live[id]?.fix?.zone = zone
            place(id)
            touch(id)
        }
    }

    private func heard(_ id: Int64) {
        live[id]?.lastHeard = monotonic()
        live[id]?.isOffline = false
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
        changedSessions.insert(id)
        touchForNodes(id)
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

    /// Writes down how many it keeps and serves, for a scraper. O(subscribers).
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
        reportNotices()
    }

    func publish(_ publications: [Pictures.Publication]) {
        for (delivery, viewers) in publications { outbox.publish(delivery, to: viewers) }
    }

    /// Sends what a session's viewers wait for now: it is part of the snapshot that follows, and must not come again.
    func flush(_ id: Int64) {
        if changedSessions.remove(id) != nil { publishSession(id) }
    }

    /// What is new of it is not told any more.
    func forgetChange(_ id: Int64) { changedSessions.remove(id) }

    private func publishSession(_ id: Int64) {
        guard let session = live[id] else { return }
        defer { live[id]?.clearPending() }
        guard sessionViewers[id]?.isEmpty == false else { return }
        let update =
            session.routeChanged
            ? SessionUpdate(
                type: .route, serverTime: serverTime, session: session.session, runner: session.runner,
                route: session.route.points)
            : SessionUpdate(
                type: .session, serverTime: serverTime, session: session.session, runner: session.runner,
                append: session.append, startsPiece: session.appendStartsPiece)
        publish(update, session: id, lane: .conflating)
    }

    func publish(_ update: SessionUpdate, session: Int64, lane: Delivery.Lane) {
        guard let viewers = sessionViewers[session], !viewers.isEmpty else { return }
        let topic = Topic.session(session)
        let delivery = Delivery(topic: topic, json: Self.json(topic, update), lane: lane)
        var set = SubscriberSet()
        for viewer in viewers.values { set.insert(viewer.subscriber) }
        outbox.publish(delivery, to: set)
    }

    func send(_ delivery: Delivery, to subscriber: any Subscriber) { outbox.send(delivery, to: subscriber) }

    func send(_ json: [UInt8], topic: Topic, to subscriber: any Subscriber, lane: Delivery.Lane = .reliable) {
        outbox.send(Delivery(topic: topic, json: json, lane: lane), to: subscriber)
    }

    static func json(_ topic: Topic, _ data: some Codable & Sendable) -> [UInt8] {
        // Encoding our own plain types cannot fail; an empty payload would not be sent.
        (try? WireJSON.encode(Push(topic: topic.description, data: data))) ?? []
    }

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
            live[id]?.isOffline = true
            touch(id)
            askAfter(id)
        }
        let time = serverTime
        for id in sessionViewers.keys {
            endLinks(of: id, reason: "the link expired") { $0.expiresAt.map { $0 <= time } ?? false }
        }
        if sweepNodes() || !live.isEmpty { startSweeping() }
    }
}
