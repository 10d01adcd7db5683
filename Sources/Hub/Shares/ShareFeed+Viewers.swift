import Campus
import EventLoop
import HubCore
import Wire

/// The topics `share/<id>`: the location that a share shows. It is computed once for each share, in its precision, and encoded once for
/// all viewers. A viewer that may not watch any more is cut off at once (B-4, B-5).
extension ShareFeed {
    /// The share has ended, or is not for this viewer any more.
    public struct ShareClosed: Error {}

    /// Makes a connection a viewer of a share. The caller has checked that it may watch; this method checks changes since then.
    /// - Parameters:
    ///   - account: Nil for a guest with the link.
    ///   - opening: Number of the entry in the access log; 0 for the owner.
    ///   - byLink: The viewer came by the share's link.
    ///   - isCounted: The owner's count of viewers includes this one.
    ///   - reply: Encodes the reply around the snapshot as JSON.
    /// - Throws: ``ShareClosed``, and ``Wire/RPCError`` when the connection has too many topics.
    public func watch(
        _ subscriber: any Subscriber, _ stored: StoredShare, account: Int64?, opening: Int64, byLink: Bool,
        isCounted: Bool = true, reply: @Sendable (ShareSnapshot) -> [UInt8]
    ) throws {
        let topic = Topic.share(stored.id)
        guard !registry.ended.contains(stored.id), stored.expiresAt > serverTime,
            opening != 0 || stored.endPublishedAt == nil,
            !blocks.hold(between: account, and: stored.owner)
        else { throw ShareClosed() }
        if let group = stored.group, let account, registry.hasLeft(group, account, now: monotonic()) {
            throw ShareClosed()
        }
        try core.remember(topic, of: subscriber)
        core.accounts.note(subscriber, as: account)
        let live = adopt(stored)
        if live.own == nil { moved(live) }
        if let before = live.viewers[subscriber.subscriberID] { close(before) }
        live.viewers[subscriber.subscriberID] = ShareViewer(
            subscriber: subscriber, account: account, opening: opening, isCounted: isCounted)
        live.audience.insert(subscriber)
        follow(live)
        shareViewersMoved(stored.id)
        // The snapshot is what other viewers have already; newer changes are published to all together.
        let published = publishable(live)
        let snapshot = ShareSnapshot(
            serverTime: serverTime, share: live.share.seen(byLink: byLink), state: published.state,
            location: published.location)
        send(reply(snapshot), topic: topic, to: subscriber)
        publishShown(live)
        if opening == 0, live.publishedViewerCount > 0 { sendWatching(live, to: subscriber) }
        scheduleSweep()
    }

    /// Adds a share to the hub, or updates it if the stored version is newer.
    func adopt(_ stored: StoredShare) -> LiveShare {
        var stored = stored
        stored.endPublishedAt = stored.endPublishedAt ?? registry.ending[stored.id]
        guard let live = registry.shares[stored.id] else {
            let live = LiveShare(stored)
            registry.take(up: live)
            return live
        }
        if stored.version > live.share.version { change(live, to: stored) }
        return live
    }

    private func change(_ live: LiveShare, to stored: StoredShare) {
        let before = live.share
        live.share = stored
        if live.isEnding { return hold(live) }
        let isOther = before.chosenAt != stored.chosenAt || before.precision != stored.precision
        guard isOther || before.expiresAt != stored.expiresAt else { return }
        if isOther {
            // Locations in the earlier precision are invalid, at this node and from others.
            let isSilentlyHidden = live.silencePublishedAt != nil && live.own?.state == .hidden
            (live.own, live.sourceFix, live.others, live.sampledAt, live.sampled) = (nil, nil, [:], nil, 0)
            // The change must not reveal that the device has been silent.
            if isSilentlyHidden { live.own = .hidden(of: stored) } else { live.silencePublishedAt = nil }
            registry.move(live, to: nil)
            registry.forgetSeen(stored.id)
            live.isChanging = true
            moved(live)
            live.isChanging = false
            if stored.audience == .campus { takeOffMap { $0.share == stored.id } }
        }
        // When the change is answered, earlier deliveries must have left.
        for group in live.audience.groups.values { registry.drained[ObjectIdentifier(group.loop)] = group.loop }
        let shown = current(live)
        live.published = shown
        publish(
            ShareUpdate(
                type: .location, serverTime: serverTime, state: shown.state, location: shown.location,
                precision: isOther ? stored.precision : nil,
                expiresAt: before.expiresAt != stored.expiresAt ? stored.expiresAt : nil), to: live, lane: .reliable)
    }

    func leaveShare(_ id: Int64, _ subscriber: any Subscriber) {
        guard let live = registry.shares[id],
            let viewer = live.viewers.removeValue(forKey: subscriber.subscriberID)
        else { return }
        live.audience.remove(subscriber)
        close(viewer)
        shareViewersMoved(id)
    }

    /// Sends the newest location to a connection whose pushes were skipped.
    func refreshShare(_ id: Int64, _ subscriber: any Subscriber) {
        guard let live = registry.shares[id], live.viewers[subscriber.subscriberID] != nil else { return }
        send(
            Self.json(.share(id), update(publishable(live))), topic: .share(id), to: subscriber, lane: .conflating)
    }

    /// The last published location, for one of the viewers. While it is in doubt whether the share holds, it shows nothing, and
    /// everyone gets the location later.
    private func publishable(_ live: LiveShare) -> ShownLocation {
        guard link?.isInDoubt == true || live.isWithheld || live.share.expiresAt <= serverTime else {
            return live.published
        }
        live.mustPublish = true
        return .none(of: live.share)
    }

    // MARK: The shown location

    /// Samples the location if it is time to, after a report or on the clock.
    /// - Parameter isOnClock: The call is periodic. A coarse precision is sampled on the clock only: a sample with each report would
    ///   reveal when the device reports, which it does more often while it moves.
    func moved(_ live: LiveShare, isOnClock: Bool = false) {
        guard !live.isEnding, let held = registry.locations[live.share.owner], held.elsewhere == nil else { return }
        live.silencePublishedAt = nil
        if live.share.precision == .exact {
            let now = monotonic()
            let next = live.sampled &+ Duration.nanoseconds(ofSeconds: ShareLimits.exactSeconds)
            guard live.sampled == 0 || now >= next else {
                guard !live.isSampleScheduled else { return }
                live.isSampleScheduled = true
                loop.schedule(after: .nanoseconds(Int64(clamping: next - now))) { [weak self, id = live.share.id] in
                    self?.assumeIsolated { feed in
                        guard let live = feed.registry.shares[id], live.isSampleScheduled else { return }
                        live.isSampleScheduled = false
                        // The share's precision may have changed since.
                        if live.share.precision == .exact { feed.sample(live) }
                    }
                }
                return
            }
            sample(live)
        } else if let time = live.share.samplingTime(before: serverTime) {
            if let last = live.sampledAt {
                // Also when the clock was put back.
                if isOnClock, time != live.share.samplingTime(before: last) { sample(live, at: time) }
            } else if serverTime.seconds(since: live.share.chosenAt) < Double(live.share.precision.samplingSeconds) {
                // The owner has just started the share or chosen its precision: the time of that is no secret.
                sample(live, at: max(serverTime, live.share.chosenAt))
            } else {
                // Not now, which would reveal when the owner came to this node, but at the next sampling time.
                live.sampledAt = time
            }
        }
    }

    /// Recomputes the shown location immediately. Only for changes that take something away.
    func resampleNow(_ live: LiveShare) {
        defer { if live.share.audience == .campus { takeOffMap { $0.share == live.share.id } } }
        let isElsewhere = registry.locations[live.share.owner]?.elsewhere != nil
        if live.share.precision == .exact, !isElsewhere { return sample(live) }
        live.own = live.own.map { _ in .none(of: live.share) }
        live.own?.state = .hidden
        live.sourceFix = nil
        if live.silencePublishedAt != nil { live.silencePublishedAt = live.endClock.publication(of: serverTime) }
        registry.move(live, to: nil)
        send(live)
        publishShown(live)
    }

    /// Computes the location that the share shows.
    /// - Parameter time: The sampling time, for a coarse precision.
    private func sample(_ live: LiveShare, at time: Timestamp? = nil) {
        guard !live.isEnding, let held = registry.locations[live.share.owner], held.elsewhere == nil else { return }
        let now = monotonic()
        live.sampled = now
        live.sampledAt = time
        live.sourceFix = nil
        var shown = ShownLocation(
            state: .live, location: nil, receivedAt: held.receivedAt, chosenAt: live.share.chosenAt)
        if isHidden(held.fix, of: live.share.owner) {
            shown.state = .hidden
        } else {
            let isOld = held.isOld(now)
            shown.state = isOld ? .old : .live
            live.sourceFix = held.fix
            live.seenAt = serverTime
            shown.location = registry.rules.shown(held.fix, as: live.share.precision)
            if let time {
                // When the location was last valid, by the same sampling clock.
                let last = live.own?.location?.at ?? live.share.samplingTime(before: held.receivedAt) ?? held.receivedAt
                shown.location?.at = isOld ? min(last, time) : time
            }
        }
        live.own = shown
        putOnMap(live)
        send(live)
        publishShown(live)
    }

    /// Puts a campus-wide share into its cell of the campus map.
    private func putOnMap(_ live: LiveShare) {
        guard live.share.audience == .campus, live.share.precision != .campus, let location = live.own?.location,
            let lat = location.lat, let lon = location.lon, let point = try? GeoPoint(latitude: lat, longitude: lon)
        else { return registry.move(live, to: nil) }
        registry.move(live, to: Cell(containing: point, zoom: Topic.peopleZoom))
    }

    /// The newest of the locations shown according to the nodes that have the owner's location.
    func current(_ live: LiveShare) -> ShownLocation {
        let nothing = ShownLocation.none(of: live.share)
        guard !live.isWithheld, live.share.expiresAt > serverTime else { return nothing }
        guard !live.isEnding else { return .hidden(of: live.share) }
        let all = [live.own].compactMap(\.self) + live.others.values.map(\.shown)
        return all.filter { $0.chosenAt == live.share.chosenAt }.max { $0.receivedAt < $1.receivedAt } ?? nothing
    }

    /// Publishes the shown location to viewers at this node, if it has changed.
    func publishShown(_ live: LiveShare) {
        guard !live.isChanging, link?.isInDoubt != true || link?.isHolding != true else { return }
        let shown = current(live)
        guard live.mustPublish || shown.differs(from: live.published) else { return }
        if shown.location != nil { live.seenAt = serverTime }
        live.published = shown
        live.mustPublish = false
        publish(update(shown), to: live, lane: .conflating)
    }

    private func update(_ shown: ShownLocation) -> ShareUpdate {
        ShareUpdate(type: .location, serverTime: serverTime, state: shown.state, location: shown.location)
    }

    private func publish(_ update: ShareUpdate, to live: LiveShare, lane: Delivery.Lane) {
        guard !live.audience.isEmpty else { return }
        let topic = Topic.share(live.share.id)
        publish(Delivery(topic: topic, json: Self.json(topic, update), lane: lane), to: live.audience)
    }

    // MARK: The owner's count of viewers

    /// Numbers of viewers of these shares, on all nodes.
    public func watching(_ shares: [Int64]) -> [Int64: Int] {
        Dictionary(shares.map { ($0, registry.watching($0)) }) { first, _ in first }
    }

    func publishViewerCount(_ live: LiveShare) {
        let count = registry.watching(live.share.id)
        guard count != live.publishedViewerCount else { return }
        live.publishedViewerCount = count
        for viewer in live.viewers.values where viewer.opening == 0 { sendWatching(live, to: viewer.subscriber) }
    }

    private func sendWatching(_ live: LiveShare, to subscriber: any Subscriber) {
        let update = ShareUpdate(type: .watching, serverTime: serverTime, watching: live.publishedViewerCount)
        send(Self.json(.share(live.share.id), update), topic: .share(live.share.id), to: subscriber, lane: .conflating)
    }

    // MARK: Sweeps

    /// Schedules the sweep, which runs once a second while there is work.
    func scheduleSweep() {
        guard !registry.isSweeping else { return }
        registry.isSweeping = true
        loop.schedule(after: Self.sweepInterval) { [weak self] in
            self?.assumeIsolated { feed in
                feed.registry.isSweeping = false
                feed.runSweep()
            }
        }
    }

    /// Applies everything that depends on time. O(locations and shares at this node).
    func runSweep() {
        let now = monotonic()
        sweepLocations(now)
        forgetSilent(now)
        for (id, live) in registry.shares {
            guard live.share.expiresAt > serverTime, live.share.endPublishedAt.map({ $0 > serverTime }) ?? true else {
                expire(id)
                continue
            }
            if let at = live.silencePublishedAt, at <= serverTime {
                live.silencePublishedAt = nil
                withdraw(live)
            }
            // The shown position is hidden by now: a suppression zone or the map changed, here or elsewhere.
            if let from = live.sourceFix, isHidden(from, of: live.share.owner) { resampleNow(live) }
            if let elsewhere = registry.locations[live.share.owner]?.elsewhere {
                passOn(live, elsewhere, now)
            } else if registry.locations[live.share.owner] != nil {
                age(live, now)
            }
            publishShown(live)
            publishViewerCount(live)
            sendAgain(live, now)
            let isNeeded =
                !live.viewers.isEmpty || registry.locations[live.share.owner] != nil || live.silencePublishedAt != nil
            if !isNeeded { _ = registry.drop(id) }
        }
        announceLocated(now)
        lease(now)
        tickPeople()
        flushAccessLog()
        if !registry.shares.isEmpty || !registry.locations.isEmpty || !registry.people.isEmpty
            || !registry.leases.isEmpty
            || !registry.leasedShares.isEmpty || !registry.peopleLeases.isEmpty
        {
            scheduleSweep()
        }
    }

    private func age(_ live: LiveShare, _ now: UInt64) {
        guard live.share.precision == .exact else { return moved(live, isOnClock: true) }
        guard let held = registry.locations[live.share.owner] else { return }
        let isShownAgain = live.own?.state == .hidden && !isHidden(held.fix, of: live.share.owner)
        let isOld = held.isOld(now) && live.own?.state == .live
        if live.own == nil || isShownAgain || isOld { sample(live) }
    }
}

extension ShareFeed {
    /// Shares of an account that this node has.
    public func ids(of account: Int64) -> Set<Int64> { registry.of[account] ?? [] }
}
