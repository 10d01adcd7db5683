import Campus
import EventLoop
import Wire

/// What one connection's map shows.
struct View {
    /// What was asked for; how a cell is seen may differ from it for who has blocks.
    var look: Pictures.Look
    let cells: Set<Cell>
    /// When the connection was last found not to keep up, monotonic nanoseconds.
    var slowedAt: UInt64?
}

extension Hub {
    /// How long a map is told more seldom.
    static let slowTime = Duration.seconds(60)

    /// A connection's map shows this from now on. The reply goes out first, then a snapshot of each cell that came into view;
    /// of the others nothing more comes (B-2). O(cells), and the runners of a cell that nobody looked at.
    /// - Parameters:
    ///   - viewport: Nil to look away.
    ///   - reply: Encodes the reply around the cells as JSON.
    public func view(
        _ subscriber: any Subscriber, _ viewport: Viewport?, encoding: PositionEncoding, viewer: Viewer,
        reply: @Sendable ([Cell]) -> [UInt8]
    ) {
        signedIn.note(subscriber, as: viewer.accountID)
        let known = views[subscriber.subscriberID]
        let slowedAt = known?.slowedAt.flatMap { monotonic() &- $0 < Self.slowTime.nanoseconds ? $0 : nil }
        let look = Pictures.Look(tier: viewer.tier, encoding: encoding, pace: slowedAt == nil ? .full : .slow)
        // Who sees otherwise now, having signed in or caught up, sees everything anew.
        if let known, known.look != look { lookAway(subscriber) }
        let before = views[subscriber.subscriberID]?.cells ?? []
        let cells = viewport?.cells ?? []
        let now = Set(cells)
        for cell in before where !now.contains(cell) { pictures.unwatch(.cell(cell), by: subscriber) }
        views[subscriber.subscriberID] = now.isEmpty ? nil : View(look: look, cells: now, slowedAt: slowedAt)
        viewersMoved()
        let topic = cells.first.map(Topic.cellPositions) ?? .zonePositions(0)
        send(reply(cells), topic: topic, to: subscriber)
        for cell in cells where !before.contains(cell) {
            let shown = pictures.watch(
                .cell(cell), by: subscriber, as: look, account: viewer.accountID, live: live)
            show(.cell(cell), to: subscriber, as: shown)
        }
    }

    /// The same without a task, on the hub's loop; elsewhere it does nothing.
    /// - Returns: Whether it was done.
    public nonisolated func viewAtOnce(
        _ subscriber: any Subscriber, _ viewport: Viewport?, encoding: PositionEncoding, viewer: Viewer,
        reply: @Sendable ([Cell]) -> [UInt8]
    ) -> Bool {
        guard loop.isCurrent else { return false }
        assumeIsolated { $0.view(subscriber, viewport, encoding: encoding, viewer: viewer, reply: reply) }
        return true
    }

    /// A connection's map is closed. Harmless when it has none.
    func lookAway(_ subscriber: any Subscriber) {
        for cell in views.removeValue(forKey: subscriber.subscriberID)?.cells ?? [] {
            pictures.unwatch(.cell(cell), by: subscriber)
        }
        viewersMoved()
    }

    /// Pictures that a connection was not told of, as they are now.
    ///
    /// The map of a slow one is told more seldom from here on, all of it, until it moves after ``slowTime`` in which the connection did
    /// keep up (B-2). Of one that is told seldom already only what it missed is sent again: more than it takes at once would
    /// otherwise never all arrive.
    func refreshView(_ subscriber: any Subscriber, _ topics: Set<Topic>, isSlow: Bool) {
        guard var view = views[subscriber.subscriberID] else { return }
        let missed = view.cells.filter { topics.contains(.cellPositions($0)) }
        guard !missed.isEmpty else { return }
        let becomesSlow = isSlow && view.look.pace == .full
        if isSlow { view.slowedAt = monotonic() }
        if becomesSlow { view.look.pace = .slow }
        views[subscriber.subscriberID] = view
        for cell in becomesSlow ? view.cells : missed {
            if becomesSlow {
                pictures.watch(
                    .cell(cell), by: subscriber, as: view.look, account: signedIn.account(of: subscriber), live: live)
            }
            guard let shown = pictures.look(of: subscriber, at: .cell(cell)) else { continue }
            show(.cell(cell), to: subscriber, as: shown)
        }
    }

    /// Sends a whole picture to one who looks at it.
    func show(_ area: Area, to subscriber: any Subscriber, as look: Pictures.Look) {
        guard let snapshot = pictures.snapshot(of: area, as: look, live: live, serverTime: serverTime) else { return }
        send(snapshot, to: subscriber)
    }
}
