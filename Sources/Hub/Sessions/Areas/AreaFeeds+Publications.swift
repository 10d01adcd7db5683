import EventLoop
import HubCore
import Wire

/// Publications of an area feed: snapshots for new viewers, and the changes since the last tick for all.
extension AreaFeeds {
    /// The sessions of an area that a rendition shows.
    func visible(in area: Area, to key: RenditionKey, live: [Int64: LiveSession]) -> [LiveSession] {
        runners(in: area).compactMap { live[$0] }.filter { shows($0, key) }
            .sorted { $0.session.id < $1.session.id }
    }

    /// A snapshot of a rendition, from which the next tick's delta continues.
    func snapshot(
        of area: Area, as key: RenditionKey, live: [Int64: LiveSession], serverTime: Timestamp
    ) -> Delivery? {
        guard let feed = feeds[area], let rendition = feed.rendition(key) else { return nil }
        if let crowd = crowdSnapshot(of: feed, rendition, key, live: live, serverTime: serverTime) { return crowd }
        return snapshot(of: feed, rendition, key, live: live, serverTime: serverTime)
    }

    /// A snapshot that shows runners one by one.
    func snapshot(
        of feed: AreaFeed, _ rendition: Rendition, _ key: RenditionKey, live: [Int64: LiveSession],
        serverTime: Timestamp
    ) -> Delivery {
        if let made = rendition.snapshot, Self.isFresh(made.madeAt, serverTime) { return made.delivery }
        let area = feed.area
        let made: Delivery
        switch key.encoding {
        case .json:
            let runners = visible(in: area, to: key, live: live).compactMap(\.runner)
            var update = ZoneUpdate(serverTime: serverTime, runners: runners, left: [])
            update.full = true
            made = Delivery(topic: area.topic, json: HubCore.json(area.topic, update), lane: .conflating)
        case .binary:
            // Earlier viewers know these runners already, as of the last tick.
            if rendition.encoder == nil {
                var encoder = PositionEncoder(area: area.frameArea, grid: area.grid)
                let runners = visible(in: area, to: key, live: live).compactMap(\.runner)
                _ = encoder.update(runners, left: [], serverTime: serverTime)
                rendition.encoder = encoder
            }
            let frame = rendition.encoder?.snapshot(serverTime: serverTime) ?? []
            made = Delivery(topic: area.topic, binary: frame, lane: .conflating)
        }
        rendition.snapshot = (made, serverTime)
        return made
    }

    /// Whether a snapshot is young enough to be sent again: it also contains the server's time.
    static func isFresh(_ madeAt: Timestamp, _ now: Timestamp) -> Bool {
        (0..<Int64(HubCore.tickInterval.nanoseconds / 1_000_000)).contains(now.milliseconds - madeAt.milliseconds)
    }

    /// Withdraws a session from viewers of a tier immediately, also in areas that it has just left.
    func hide(
        _ id: Int64, from tier: Tier, live: [Int64: LiveSession], serverTime: Timestamp
    ) -> [Publication] {
        let here = placesOf[id] ?? []
        let left = changed.filter { feed in feed.hasUnpublishedLeave(of: id) && !here.contains { $0 === feed } }
        return (here + left).flatMap { feed in
            publish(
                feed, where: { key, _ in key.tier == tier }, live: live, serverTime: serverTime,
                runners: { _ in [] },
                left: { key in
                    // A viewer that is blocked with the owner never learned of the session.
                    if let session = live[id], isBlocked(session.session.owner.id, key) { return [] }
                    return [.init(session: id, reason: .hidden)]
                })
        }
    }

    /// Whether there are changes that are not due yet.
    var hasUnpublishedChanges: Bool { !changed.isEmpty }

    /// Update interval of an area; nil for every tick. On a wide view a runner takes seconds to cross a pixel.
    private static func interval(of area: Area) -> Duration? {
        guard case .cell(let cell) = area else { return nil }
        return switch cell.zoom {
        case ...11: .seconds(2)
        case ...13: .seconds(1)
        default: nil
        }
    }

    /// Publishes the changes to all renditions that are due.
    /// - Parameter now: Monotonic nanoseconds.
    mutating func tick(live: [Int64: LiveSession], serverTime: Timestamp, now: UInt64) -> [Publication] {
        var publications: [Publication] = []
        let listed = changed
        changed.removeAll(keepingCapacity: true)
        for feed in listed {
            publications += publishChanges(
                \.full, .full, of: feed, every: Self.interval(of: feed.area), live, serverTime, now)
            if feed.slow != nil {
                publications += publishChanges(
                    \.slowChanges, .slow, of: feed, every: Self.slowInterval, live, serverTime, now)
            }
            feed.isListed = false
            if feed.hasPendingChanges { list(feed) }
            forgetIdle(feed)
        }
        return publications
    }

    private func publishChanges(
        _ changes: ReferenceWritableKeyPath<AreaFeed, Changes>, _ updateRate: UpdateRate, of feed: AreaFeed,
        every interval: Duration?,
        _ live: [Int64: LiveSession], _ serverTime: Timestamp, _ now: UInt64
    ) -> [Publication] {
        // Timers are not exact: a publication that is due within half a tick is made now.
        let early = HubCore.tickInterval.nanoseconds / 2
        let pending = feed[keyPath: changes]
        guard !pending.isEmpty else { return [] }
        if let interval, now &- pending.publishedAt &+ early < interval.nanoseconds { return [] }
        feed[keyPath: changes] = Changes(publishedAt: now)
        return publish(
            feed, where: { $1.updateRate == updateRate }, live: live, serverTime: serverTime,
            runners: { key in
                pending.changed.compactMap { id in
                    guard let session = live[id], shows(session, key), session.state != .finished else { return nil }
                    return session.runner
                }
            },
            left: { key in left(pending.left, of: feed.runners, key, live: live) })
    }

    /// One entry for each session that left, with the zone that it is in now; none for a session that came back before the tick.
    private func left(
        _ leaves: [Leave], of present: Set<Int64>, _ key: RenditionKey, live: [Int64: LiveSession]
    ) -> [ZoneUpdate.Left] {
        var left: [Int64: ZoneUpdate.Left] = [:]
        for leave in leaves where leave.tiers.contains(key.tier) && !isBlocked(leave.owner, key) {
            var entry = leave.entry
            if let session = live[entry.session], session.isVisible(to: key.tier) {
                if present.contains(entry.session) { continue }
                entry.to = session.fix?.zone
            } else {
                entry.to = nil
            }
            left[entry.session] = entry
        }
        return left.values.sorted { $0.session < $1.session }
    }

    func publish(
        _ feed: AreaFeed, where matches: (RenditionKey, Rendition) -> Bool, live: [Int64: LiveSession],
        serverTime: Timestamp,
        runners: (RenditionKey) -> [Runner], left: (RenditionKey) -> [ZoneUpdate.Left]
    ) -> [Publication] {
        var publications: [Publication] = []
        func appendUpdates(of renditions: [RenditionKey: Rendition]) {
            for (key, rendition) in renditions where matches(key, rendition) {
                let (runners, left) = (runners(key), left(key))
                guard !runners.isEmpty || !left.isEmpty,
                    let delivery = update(
                        of: feed, rendition, key, runners: runners, left: left, live: live, serverTime: serverTime)
                else { continue }
                publications.append((delivery, rendition.viewers))
            }
        }
        appendUpdates(of: feed.commonRenditions)
        if !feed.privateRenditions.isEmpty { appendUpdates(of: feed.privateRenditions) }
        return publications
    }

    /// The update of a rendition; nil when its viewers need none.
    private func update(
        of feed: AreaFeed, _ rendition: Rendition, _ key: RenditionKey, runners: [Runner], left: [ZoneUpdate.Left],
        live: [Int64: LiveSession], serverTime: Timestamp
    ) -> Delivery? {
        switch crowd(of: feed, rendition, key, live: live, serverTime: serverTime) {
        case .none: break
        case .same: return nil
        case .changed(let delivery): return delivery
        }
        rendition.snapshot = nil
        let topic = feed.area.topic
        switch key.encoding {
        case .json:
            // The next snapshot corrects a skipped leave, so the update may be conflated.
            let update = ZoneUpdate(serverTime: serverTime, runners: runners, left: left)
            return Delivery(topic: topic, json: HubCore.json(topic, update), lane: .conflating)
        case .binary:
            return rendition.encoder?.update(runners, left: left, serverTime: serverTime).map {
                Delivery(topic: topic, binary: $0, lane: .conflating)
            }
        }
    }
}
