import Campus
import EventLoop
import Wire

/// What one connection's map shows.
struct View {
    let look: Pictures.Look
    let cells: Set<Cell>
}

extension Hub {
    /// A connection's map shows this from now on. The reply goes out first, then a snapshot of each cell that came into view;
    /// of the others nothing more comes (B-2). O(cells), and the runners of a cell that nobody looked at.
    /// - Parameters:
    ///   - viewport: Nil to look away.
    ///   - reply: Encodes the reply around the cells as JSON.
    public func view(
        _ subscriber: any Subscriber, _ viewport: Viewport?, encoding: PositionEncoding, viewer: Viewer,
        reply: @Sendable ([Cell]) -> [UInt8]
    ) {
        let look = Pictures.Look(tier: viewer.tier, encoding: encoding)
        // Who sees otherwise now, having signed in, sees everything anew.
        if let before = views[subscriber.subscriberID], before.look != look { lookAway(subscriber) }
        let before = views[subscriber.subscriberID]?.cells ?? []
        let cells = viewport?.cells ?? []
        let now = Set(cells)
        for cell in before where !now.contains(cell) { pictures.unwatch(.cell(cell), by: subscriber) }
        views[subscriber.subscriberID] = now.isEmpty ? nil : View(look: look, cells: now)
        let topic = cells.first.map(Topic.cellPositions) ?? .zonePositions(0)
        send(reply(cells), topic: topic, to: subscriber)
        for cell in cells where !before.contains(cell) {
            pictures.watch(.cell(cell), by: subscriber, as: look, live: live)
            show(.cell(cell), to: subscriber, as: look)
        }
    }

    /// A connection's map is closed. Harmless when it has none.
    func lookAway(_ subscriber: any Subscriber) {
        for cell in views.removeValue(forKey: subscriber.subscriberID)?.cells ?? [] {
            pictures.unwatch(.cell(cell), by: subscriber)
        }
    }

    /// Sends a whole picture to one who looks at it.
    func show(_ area: Area, to subscriber: any Subscriber, as look: Pictures.Look) {
        guard let snapshot = pictures.snapshot(of: area, as: look, live: live, serverTime: serverTime) else { return }
        send(snapshot, to: subscriber)
    }
}
