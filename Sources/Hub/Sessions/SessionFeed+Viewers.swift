import EventLoop
import HubCore
import Wire

/// The reasons why a viewer may watch a session. The caller determines them; the hub revokes access when the last one ends.
public struct SessionAccess: Sendable {
    /// The viewer owns the session.
    public var isOwner: Bool
    /// The viewer is signed in, and the account is not provisional.
    public var isMember: Bool
    /// The link that the viewer came by.
    public var linkID: Int64?
    /// When that link expires.
    public var expiresAt: Timestamp?
    /// The account that the owner sees as watching; nil for a guest.
    public var account: PresenceAccount?

    public init(
        isOwner: Bool, isMember: Bool, linkID: Int64? = nil, expiresAt: Timestamp? = nil,
        account: PresenceAccount? = nil
    ) {
        self.account = account
        self.isOwner = isOwner
        self.isMember = isMember
        self.linkID = linkID
        self.expiresAt = expiresAt
    }

    /// The access that remains when the link ends.
    var withoutLink: SessionAccess { SessionAccess(isOwner: isOwner, isMember: isMember, account: account) }

    /// Whether this access suffices for a session with this audience.
    public func allows(audience: Audience) -> Bool {
        isOwner || linkID != nil || audience == .public || (audience == .campus && isMember)
    }
}

extension SessionAccess {
    /// The owner sees names and is no spectator; every other viewer is counted and sees the count.
    var presenceMember: PresenceMember { PresenceMember(account: account, isCounted: !isOwner, seesNames: isOwner) }
}

extension SessionFeed {
    /// Subscribes a connection to a zone. The reply goes out here, before any push, so that no push is lost or comes twice.
    /// - Parameter reply: Encodes the reply around the snapshot as JSON.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics.
    public func subscribe(
        _ subscriber: any Subscriber, zone: Int64, viewer: Viewer, reply: @Sendable (ZoneSnapshot) -> [UInt8]
    ) throws {
        try core.remember(.zonePositions(zone), of: subscriber)
        core.accounts.note(subscriber, as: viewer.accountID)
        // Only one rendition: otherwise a viewer that has signed in since its subscription would get those of both tiers.
        let key = areaFeeds.watch(
            .zone(zone), by: subscriber, as: AreaFeeds.RenditionKey(tier: viewer.tier, encoding: .json),
            account: viewer.accountID, live: live)
        viewersMoved()
        send(reply(snapshot(zone: zone, as: key)), topic: .zonePositions(zone), to: subscriber)
    }

    private func snapshot(zone: Int64, as key: AreaFeeds.RenditionKey) -> ZoneSnapshot {
        let sessions = areaFeeds.visible(in: .zone(zone), to: key, live: live)
        var trails: [String: [LatLon]] = [:]
        // Trails are shorter in a crowded zone, so that a phone can take the snapshot of a race's start.
        let points = min(RouteLimits.trailPointsMax, Self.snapshotTrailPointsMax / max(1, sessions.count))
        for session in sessions { trails[String(session.session.id)] = Array(session.trail.suffix(points)) }
        return ZoneSnapshot(serverTime: serverTime, runners: sessions.compactMap(\.runner), trails: trails)
    }

    /// Subscribes a connection to a session that is not finished.
    /// - Returns: False when the hub does not have the session: it is finished, or ``fetch(_:)`` must load it from another node.
    public func subscribe(
        _ subscriber: any Subscriber, session id: Int64, access: SessionAccess,
        reply: @Sendable (SessionSnapshot) -> [UInt8]
    ) throws -> Bool {
        guard let session = live[id], session.isRouteKnown, isFollowed(id) else { return false }
        // A session that has shown no position yet is reported as missing, except to its owner and to viewers with a link.
        let isUnseen = session.isHidden && session.session.points == 0
        guard access.allows(audience: session.session.audience),
            !isUnseen || access.isOwner || access.linkID != nil,
            !blocks.hold(between: access.account?.id, and: session.session.owner.id)
        else {
            throw RPCError(.notFound, "there is no such session, or it is not shared with you", field: "topic")
        }
        try core.remember(.session(id), of: subscriber)
        flush(id)
        sessionViewers[id, default: [:]][subscriber.subscriberID] = SessionViewer(
            subscriber: subscriber, access: access)
        let shown = access.isOwner ? session.ownerPerspective : session
        var snapshot = SessionSnapshot(
            serverTime: serverTime, session: shown.session, runner: shown.runner, route: shown.route.points,
            hidden: shown.isHidden ? true : nil)
        snapshot.presence = presence.assumeIsolated {
            $0.join(.session(id), subscriber, as: access.presenceMember)
        }
        send(reply(snapshot), topic: .session(id), to: subscriber)
        return true
    }

    package func refresh(_ subscriber: any Subscriber, _ topics: Set<Topic>, isSlow: Bool) {
        refreshView(subscriber, topics, isSlow: isSlow)
        for topic in topics {
            switch topic {
            case .zonePositions(let zone):
                guard let key = areaFeeds.renditionKey(of: subscriber, at: .zone(zone)) else { continue }
                show(.zone(zone), to: subscriber, as: key)
            case .session(let id): refresh(subscriber, session: id)
            default: break
            }
        }
    }

    private func refresh(_ subscriber: any Subscriber, session id: Int64) {
        let topic = Topic.session(id)
        guard core.subscriptions.contains(topic, of: subscriber.subscriberID) else { return }
        flush(id)
        let isOwner = sessionViewers[id]?[subscriber.subscriberID]?.access.isOwner == true
        guard let session = isOwner ? live[id]?.ownerPerspective : live[id] else { return }
        let update = SessionUpdate(
            type: .route, serverTime: serverTime, session: session.session, runner: session.runner,
            route: session.route.points, hidden: session.isHidden ? true : nil)
        send(Self.json(topic, update), topic: topic, to: subscriber, lane: .conflating)
        presence.assumeIsolated { $0.refresh(subscriber, topic: topic, seesNames: isOwner) }
    }

    package func left(_ topic: Topic, _ subscriber: any Subscriber) {
        if let area = topic.area {
            areaFeeds.unwatch(area, by: subscriber)
            viewersMoved()
        }
        guard case .session(let id) = topic else { return }
        sessionViewers[id]?[subscriber.subscriberID] = nil
        if sessionViewers[id]?.isEmpty == true { sessionViewers[id] = nil }
        presence.assumeIsolated { $0.leave(topic, subscriber) }
    }

    package func closed(_ subscriber: any Subscriber) { closeViewport(subscriber) }

    /// Ends links of a session. Viewers that may not watch the session without their link are cut off.
    func endLinks(of id: Int64, reason: TopicCloseReason, where hasEnded: (SessionAccess) -> Bool) {
        for (key, viewer) in sessionViewers[id] ?? [:] where viewer.access.linkID != nil && hasEnded(viewer.access) {
            sessionViewers[id]?[key]?.access = viewer.access.withoutLink
        }
        guard let audience = live[id]?.session.audience else { return }
        cutViewers(of: id, reason: reason) { !$0.access.allows(audience: audience) }
    }

    /// Ends the subscriptions of a session's viewers for which `mustGo` returns true, and sends them `closed` with the reason.
    /// - Returns: Whether any viewer was cut off.
    @discardableResult
    func cutViewers(of id: Int64, reason: TopicCloseReason, where mustGo: (SessionViewer) -> Bool) -> Bool {
        let topic = Topic.session(id)
        var isAnyoneCut = false
        for (key, viewer) in sessionViewers[id] ?? [:] where mustGo(viewer) {
            isAnyoneCut = true
            sessionViewers[id]?[key] = nil
            core.forget(topic, of: key)
            presence.assumeIsolated { $0.leave(topic, viewer.subscriber) }
            let update = SessionUpdate(type: .closed, serverTime: serverTime, reason: reason.rawValue)
            send(Self.json(topic, update), topic: topic, to: viewer.subscriber)
        }
        if sessionViewers[id]?.isEmpty == true { sessionViewers[id] = nil }
        return isAnyoneCut
    }
}
