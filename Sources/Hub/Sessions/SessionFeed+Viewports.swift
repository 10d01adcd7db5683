import Campus
import EventLoop
import HubCore
import Wire

/// The viewport of one connection.
struct View {
    /// The rendition that was asked for; a viewer with blocks may get a private rendition of a cell instead.
    var key: AreaFeeds.RenditionKey
    let cells: Set<Cell>
    /// When the connection last counted as slow, monotonic nanoseconds.
    var slowedAt: UInt64?
}

extension SessionFeed {
    /// Time for which a connection that did not keep up gets the slow rendition.
    static let slowTime = Duration.seconds(60)

    /// Sets the viewport of a connection. The reply is sent first, then a snapshot of each cell that came into view. Cells that are not
    /// in the viewport any more send nothing further (B-2). O(cells), and O(sessions) for a cell that had no viewer.
    /// - Parameters:
    ///   - viewport: Nil to close the viewport.
    ///   - reply: Encodes the reply around the cells as JSON.
    public func view(
        _ subscriber: any Subscriber, _ viewport: Viewport?, encoding: PositionEncoding, viewer: Viewer,
        reply: @Sendable ([Cell]) -> [UInt8]
    ) {
        core.accounts.note(subscriber, as: viewer.accountID)
        let known = views[subscriber.subscriberID]
        let slowedAt = known?.slowedAt.flatMap { monotonic() &- $0 < Self.slowTime.nanoseconds ? $0 : nil }
        let key = AreaFeeds.RenditionKey(
            tier: viewer.tier, encoding: encoding, updateRate: slowedAt == nil ? .full : .slow)
        // A viewer whose rendition changed, by signing in or by having caught up, gets snapshots of all cells.
        if let known, known.key != key { closeViewport(subscriber) }
        let before = views[subscriber.subscriberID]?.cells ?? []
        let cells = viewport?.cells ?? []
        let now = Set(cells)
        for cell in before where !now.contains(cell) { areaFeeds.unwatch(.cell(cell), by: subscriber) }
        views[subscriber.subscriberID] = now.isEmpty ? nil : View(key: key, cells: now, slowedAt: slowedAt)
        viewersMoved()
        let topic = cells.first.map(Topic.cellPositions) ?? .zonePositions(0)
        send(reply(cells), topic: topic, to: subscriber)
        for cell in cells where !before.contains(cell) {
            let shown = areaFeeds.watch(
                .cell(cell), by: subscriber, as: key, account: viewer.accountID, live: live)
            show(.cell(cell), to: subscriber, as: shown)
        }
    }

    /// Synchronous path of ``view(_:_:encoding:viewer:reply:)``, on the hub's loop only; elsewhere it does nothing.
    /// - Returns: Whether the viewport was set.
    public nonisolated func viewInline(
        _ subscriber: any Subscriber, _ viewport: Viewport?, encoding: PositionEncoding, viewer: Viewer,
        reply: @Sendable ([Cell]) -> [UInt8]
    ) -> Bool {
        guard loop.isCurrent else { return false }
        assumeIsolated { $0.view(subscriber, viewport, encoding: encoding, viewer: viewer, reply: reply) }
        return true
    }

    /// Closes the viewport of a connection. Idempotent.
    func closeViewport(_ subscriber: any Subscriber) {
        for cell in views.removeValue(forKey: subscriber.subscriberID)?.cells ?? [] {
            areaFeeds.unwatch(.cell(cell), by: subscriber)
        }
        viewersMoved()
    }

    /// Sends snapshots of the cells whose publications a connection skipped.
    ///
    /// A slow connection gets the slow rendition of all its cells, until it moves its viewport and has not counted as slow for
    /// ``slowTime`` (B-2). If it has the slow rendition already, only the skipped cells are sent: snapshots of all cells would be
    /// more than the connection takes, and some would never arrive.
    func refreshView(_ subscriber: any Subscriber, _ topics: Set<Topic>, isSlow: Bool) {
        guard var view = views[subscriber.subscriberID] else { return }
        let missed = view.cells.filter { topics.contains(.cellPositions($0)) }
        guard !missed.isEmpty else { return }
        let becomesSlow = isSlow && view.key.updateRate == .full
        if isSlow { view.slowedAt = monotonic() }
        if becomesSlow { view.key.updateRate = .slow }
        views[subscriber.subscriberID] = view
        for cell in becomesSlow ? view.cells : missed {
            if becomesSlow {
                areaFeeds.watch(
                    .cell(cell), by: subscriber, as: view.key, account: core.accounts.account(of: subscriber),
                    live: live)
            }
            guard let shown = areaFeeds.renditionKey(of: subscriber, at: .cell(cell)) else { continue }
            show(.cell(cell), to: subscriber, as: shown)
        }
    }

    /// Sends a snapshot of an area's rendition to one viewer.
    func show(_ area: Area, to subscriber: any Subscriber, as key: AreaFeeds.RenditionKey) {
        guard let snapshot = areaFeeds.snapshot(of: area, as: key, live: live, serverTime: serverTime) else { return }
        send(snapshot, to: subscriber)
    }
}
