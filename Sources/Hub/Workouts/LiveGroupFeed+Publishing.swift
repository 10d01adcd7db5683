import EventLoop
import HubCore
import Wire

/// Publications of live groups: all changes of a tick together, encoded once for all viewers without blocks.
extension LiveGroupFeed {
    /// Whether the members of a group are certain enough to publish.
    func mayPublish(_ room: LiveGroupRoom) -> Bool { !isWithheld && !room.isInDoubt }

    func markChanged(_ room: LiveGroupRoom) {
        changed.insert(room.stored.id)
        scheduleTick()
    }

    package func tick() {
        let due = changed
        changed = []
        for id in due {
            guard let room = rooms[id] else { continue }
            // What is withheld is published when the doubt is over.
            if mayPublish(room) { publishChanges(of: room) }
            sendChanges(of: room)
        }
        if !changed.isEmpty { scheduleTick() }
    }

    private func publishChanges(of room: LiveGroupRoom) {
        let now = monotonic()
        var due: [Int64] = []
        for (account, member) in room.members where member.isChanged || member.isMoved {
            // A position waits for its turn; the next one replaces it. Everything else is published now, with the newest position.
            guard member.isChanged || room.takeAllowance(of: account, now: now) else {
                changed.insert(room.stored.id)
                continue
            }
            room[account]?.isChanged = false
            room[account]?.isMoved = false
            due.append(account)
        }
        guard !due.isEmpty else { return }
        due.sort()
        publish(room, lane: .conflating) { account in
            let shown = due.filter { room.isShown($0, to: account) && !self.blocks.hold(between: account, and: $0) }
                .compactMap(room.shown)
            guard !shown.isEmpty else { return nil }
            return LiveGroupUpdate(type: .members, serverTime: self.serverTime, members: shown)
        }
    }

    /// Publishes that members are not shown any more, or not by this username, at once. Call it before
    /// ``separateViewers(of:)``: a viewer that had a block with a member learns nothing of it by the common rendition.
    /// - Parameter before: The members before the change.
    func publishGone(since before: [Int64: StoredLiveMember], of room: LiveGroupRoom) {
        let host = room.stored.host
        // Clients know members by username: a member with another one is published again with the next tick.
        let former = before.filter { room[$0.key]?.stored.username != $0.value.username }
        // To all but the host, only members that take part were shown.
        let stopped = before.filter {
            ($0.value.takesPart || $0.key == host) && (former[$0.key] != nil || !room.isShown($0.key, to: nil))
        }
        guard !former.isEmpty || !stopped.isEmpty else { return }
        separate(host, in: room, isApart: true)
        publish(room, lane: .reliable) { account in
            let gone = account == host ? former : stopped.filter { !self.blocks.hold(between: account, and: $0.key) }
            let names = gone.values.map(\.username).sorted()
            guard !names.isEmpty else { return nil }
            return LiveGroupUpdate(type: .members, serverTime: self.serverTime, gone: names)
        }
    }

    /// Publishes to all viewers at this node: once to those without blocks, and once to each account with some.
    /// - Parameter update: The publication for an account; nil for the common one.
    private func publish(
        _ room: LiveGroupRoom, lane: Delivery.Lane, _ update: (_ account: Int64?) -> LiveGroupUpdate?
    ) {
        let topic = Topic.workout(room.stored.id)
        if !room.common.isEmpty, let update = update(nil) {
            count(room.common.count)
            publish(Delivery(topic: topic, json: Self.json(topic, update), lane: lane), to: room.common)
        }
        for account in room.apart {
            guard let devices = room[account]?.devices, !devices.isEmpty, let update = update(account) else { continue }
            count(devices.count)
            publish(Delivery(topic: topic, json: Self.json(topic, update), lane: lane), to: devices)
        }
    }

    private func count(_ deliveries: Int) {
        metrics.publications.add()
        metrics.deliveries.add(deliveries)
    }

    /// The group as an account may see it. An account that does not take part sees no progress, and of the members the host and itself.
    func rendition(of room: LiveGroupRoom, for account: Int64) -> LiveGroup {
        var group = LiveGroup(room.stored)
        let takesPart = room[account]?.stored.takesPart == true && mayPublish(room)
        let visible = room.members.filter { !blocks.hold(between: account, and: $0.key) }.mapValues(\.stored)
        group.participants = visible.values.count { $0.takesPart }
        group.members = visible.keys.sorted().compactMap { one -> LiveGroupMember? in
            guard let member = visible[one], room.stored.shows(member, to: account, takingPart: takesPart) else {
                return nil
            }
            return takesPart ? room.shown(one) : room.shown(one)?.withoutProgress(isOwn: one == account)
        }
        return group
    }

    /// Sends the complete state to one connection.
    func sendAll(of room: LiveGroupRoom, to subscriber: any Subscriber, as account: Int64, lane: Delivery.Lane) {
        let topic = Topic.workout(room.stored.id)
        let update = LiveGroupUpdate(
            type: .members, serverTime: serverTime, members: rendition(of: room, for: account).members, full: true)
        count(1)
        send(Self.json(topic, update), topic: topic, to: subscriber, lane: lane)
    }

    /// Ends the subscriptions of a member.
    func cut(_ account: Int64, from room: LiveGroupRoom, because reason: TopicCloseReason) {
        let topic = Topic.workout(room.stored.id)
        let closed = Self.json(
            topic, LiveGroupUpdate(type: .closed, serverTime: serverTime, reason: reason.rawValue))
        for subscriber in room[account]?.devices.subscribers ?? [] {
            remove(subscriber, of: account, from: room)
            core.forget(topic, of: subscriber.subscriberID)
            send(closed, topic: topic, to: subscriber)
            drained[ObjectIdentifier(subscriber.subscriberLoop)] = subscriber.subscriberLoop
        }
    }
}

extension LiveGroup {
    /// The group without its members.
    public init(_ stored: StoredLiveGroup) {
        self.init(
            id: stored.id.uuidString.lowercased(), title: stored.title, host: stored.hostName, event: stored.event,
            conversation: stored.conversation, createdAt: stored.createdAt, endedAt: stored.endedAt, participants: 0,
            members: [])
    }
}

extension LiveGroupMember {
    /// The member as accounts see it that do not take part.
    /// - Parameter isOwn: The account sees itself, with what it shares.
    func withoutProgress(isOwn: Bool) -> LiveGroupMember {
        LiveGroupMember(
            account: account, username: username, isHost: isHost, state: state, sharesZone: isOwn && sharesZone,
            isPresent: false)
    }
}
