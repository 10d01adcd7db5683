import Bus
import EventLoop
import HubCore
import Wire

import struct Foundation.UUID

/// The topics `workout/<id>`: live groups, in which people who train together see each other's progress.
///
/// PostgreSQL has the members, and this feed the latest progress of each. A tick publishes all changes of a group together, once every
/// ``HubCore/HubCore/tickInterval`` at most. Only members that take part are subscribed; a viewer with blocks gets a private rendition
/// while a blocked account is in the group. A member that leaves, is removed or blocks the host is cut off at once, on every node.
public actor LiveGroupFeed: BlockObserver {
    /// The account does not take part in the group, or the group has ended.
    public struct NotAMember: Error {}
    /// The group has changed since it was read: the caller reads it again.
    public struct Outdated: Error {}
    /// This node has no room for another group.
    public struct TooManyGroups: Error {}

    package nonisolated let core: HubCore
    package nonisolated let kinds: [Topic.Kind] = [.workout]
    public nonisolated var unownedExecutor: UnownedSerialExecutor { core.loop.asUnownedSerialExecutor() }

    let blocks: Blocks
    let metrics: LiveGroupMetrics
    private(set) var store: (any LiveGroupStore)?
    private(set) var rooms: [UUID: LiveGroupRoom] = [:]
    /// Groups of each account in memory.
    private(set) var roomsOf: [Int64: Set<UUID>] = [:]
    /// Groups with changes that the next tick publishes.
    var changed: Set<UUID> = []
    /// Versions of recently changed groups, with when this node learned of them in monotonic nanoseconds.
    private var versions: [UUID: (version: Int64, at: UInt64)] = [:]
    /// Messages of other nodes may be lost: nothing is published until PostgreSQL has been read.
    var isWithheld = false
    private var isSweeping = false
    /// Groups that the present sweep has yet to announce.
    private var unannounced: [UUID] = []
    /// Loops of connections that were cut off.
    var drained: [ObjectIdentifier: EventLoop] = [:]
    var subscription: BusSubscription?

    init(_ core: HubCore, blocks: Blocks, metrics: LiveGroupMetrics) {
        self.core = core
        self.blocks = blocks
        self.metrics = metrics
    }

    public func setStore(_ store: any LiveGroupStore) { self.store = store }

    // MARK: Subscribers

    /// Subscribes a connection of a member.
    /// - Parameters:
    ///   - stored: The group as the caller has just read it.
    ///   - reply: Encodes the reply around the snapshot as JSON.
    /// - Throws: ``NotAMember``, ``Outdated``, ``TooManyGroups``; ``Wire/RPCError`` when the connection has too many topics.
    public func subscribe(
        _ subscriber: any Subscriber, to stored: StoredLiveGroup, as account: Int64,
        reply: @Sendable (LiveGroupSnapshot) -> [UInt8]
    ) throws {
        let topic = Topic.workout(stored.id)
        let room = try open(stored)
        guard room[account]?.stored.takesPart == true else { throw NotAMember() }
        try core.remember(topic, of: subscriber)
        core.accounts.note(subscriber, as: account)
        insert(subscriber, as: account, in: room)
        // The state is complete, also where a publication of the same change follows.
        let snapshot = LiveGroupSnapshot(serverTime: serverTime, group: rendition(of: room, for: account))
        send(reply(snapshot), topic: topic, to: subscriber)
        scheduleSweep()
    }

    private func insert(_ subscriber: any Subscriber, as account: Int64, in room: LiveGroupRoom) {
        if let before = room.viewers[subscriber.subscriberID] { remove(subscriber, of: before, from: room) }
        let wasPresent = room.isPresent(account)
        room.viewers[subscriber.subscriberID] = account
        room[account]?.devices.insert(subscriber)
        if !room.apart.contains(account) { room.common.insert(subscriber) }
        room.usedAt = monotonic()
        presenceChanged(of: account, in: room, wasPresent: wasPresent)
    }

    /// Removes a connection. Idempotent.
    func remove(_ subscriber: any Subscriber, of account: Int64, from room: LiveGroupRoom) {
        guard room.viewers.removeValue(forKey: subscriber.subscriberID) != nil else { return }
        let wasPresent = room.isPresent(account)
        room.common.remove(subscriber)
        room[account]?.devices.remove(subscriber)
        room.usedAt = monotonic()
        presenceChanged(of: account, in: room, wasPresent: wasPresent)
    }

    private func presenceChanged(of account: Int64, in room: LiveGroupRoom, wasPresent: Bool) {
        room.isPresenceUnsent = true
        if room.isPresent(account) != wasPresent { room[account]?.isChanged = true }
        markChanged(room)
    }

    package func left(_ topic: Topic, _ subscriber: any Subscriber) {
        guard case .workout(let id) = topic, let room = rooms[id], let account = room.viewers[subscriber.subscriberID]
        else { return }
        remove(subscriber, of: account, from: room)
    }

    package func refresh(_ subscriber: any Subscriber, _ topics: Set<Topic>, isSlow: Bool) {
        for case .workout(let id) in topics {
            guard let room = rooms[id], let account = room.viewers[subscriber.subscriberID], mayPublish(room) else {
                continue
            }
            sendAll(of: room, to: subscriber, as: account, lane: .conflating)
        }
    }

    // MARK: Groups in memory

    /// Adds a group to memory, or updates it if the stored version is newer.
    /// - Throws: ``NotAMember`` for a group that has ended, ``Outdated``, ``TooManyGroups``.
    func open(_ stored: StoredLiveGroup) throws -> LiveGroupRoom {
        let stored = withoutBlocked(stored)
        guard stored.endedAt == nil else {
            apply(stored)
            throw NotAMember()
        }
        if let known = versions[stored.id], known.version > stored.version { throw Outdated() }
        if let room = rooms[stored.id] {
            if stored.version > room.stored.version { apply(stored) }
            guard let room = rooms[stored.id] else { throw NotAMember() }
            return room
        }
        if rooms.count >= LiveGroupLimits.groupsMax { evict() }
        guard rooms.count < LiveGroupLimits.groupsMax else { throw TooManyGroups() }
        let room = LiveGroupRoom(stored, now: monotonic())
        rooms[stored.id] = room
        index(room, since: [])
        separateViewers(of: room)
        follow(room)
        scheduleSweep()
        return room
    }

    /// The state without members that a block separates from the host. The state may have been read before the block was committed.
    func withoutBlocked(_ stored: StoredLiveGroup) -> StoredLiveGroup {
        let blocked = blocks[stored.host]
        guard !blocked.isEmpty else { return stored }
        var stored = stored
        stored.members.removeAll { blocked.contains($0.account) }
        return stored
    }

    /// Keeps ``roomsOf`` in step with the members of a group.
    func index(_ room: LiveGroupRoom, since before: Set<Int64>) {
        let now = room.accounts
        for account in before.subtracting(now) { forget(room.stored.id, of: account) }
        for account in now.subtracting(before) { roomsOf[account, default: []].insert(room.stored.id) }
    }

    private func forget(_ id: UUID, of account: Int64) {
        roomsOf[account]?.remove(id)
        if roomsOf[account]?.isEmpty == true { roomsOf[account] = nil }
    }

    func drop(_ room: LiveGroupRoom) {
        room.subscription?.cancel()
        rooms[room.stored.id] = nil
        changed.remove(room.stored.id)
        for account in room.accounts { forget(room.stored.id, of: account) }
    }

    /// Remembers a version, so that an older state that was read concurrently is refused.
    /// - Returns: False when a newer version is known.
    func note(_ version: Int64, of id: UUID) -> Bool {
        if let known = versions[id], known.version > version { return false }
        let now = monotonic()
        if versions.count >= LiveGroupLimits.versionsMax {
            let limit = Duration.nanoseconds(ofSeconds: LiveGroupLimits.versionsSeconds)
            versions = versions.filter { now <= $0.value.at + limit }
            // If so many groups change, all versions are forgotten: the next read of each group counts as current.
            if versions.count >= LiveGroupLimits.versionsMax { versions = [:] }
        }
        versions[id] = (version, now)
        return true
    }

    /// Forgets groups that nobody at this node uses.
    func evict() {
        let now = monotonic()
        let limit = Duration.nanoseconds(ofSeconds: LiveGroupLimits.keptSeconds)
        for room in rooms.values where room.viewers.isEmpty && now > room.usedAt + limit { drop(room) }
    }

    func scheduleSweep() {
        guard !isSweeping else { return }
        isSweeping = true
        loop.schedule(after: .milliseconds(Int64(LiveGroupLimits.sweepSeconds * 1_000))) { [weak self] in
            self?.assumeIsolated { feed in
                feed.isSweeping = false
                feed.sweep()
            }
        }
    }

    func sweep() {
        evict()
        forgetSilent()
        let isAnnouncing = !unannounced.isEmpty
        // A node that opens a group asks for it, so that a group without another node needs no announcement.
        unannounced = rooms.values.filter { !$0.elsewhere.isEmpty }.map(\.stored.id)
        if !isAnnouncing { announceSome() }
        // With other nodes, the core confirms.
        if link == nil { Task { try? await confirmGroups() } }
        if !rooms.isEmpty { scheduleSweep() }
    }

    /// Announces some groups of the sweep, and the others in later event-loop iterations.
    private func announceSome() {
        let some = unannounced.suffix(LiveGroupLimits.announcedAtOnce)
        unannounced.removeLast(some.count)
        for id in some {
            if let room = rooms[id] { announce(room, isComplete: true) }
        }
        guard !unannounced.isEmpty else { return }
        loop.schedule(after: LiveGroupLimits.announcingInterval) { [weak self] in
            self?.assumeIsolated { $0.announceSome() }
        }
    }

    /// Groups that got updates since the last call.
    public func takeActive() -> [UUID] {
        var active: [UUID] = []
        for room in rooms.values where room.isActive {
            room.isActive = false
            active.append(room.stored.id)
        }
        return active
    }

    /// Updates the gauges for a scraper. O(groups).
    func report() {
        metrics.groups.set(rooms.count)
        metrics.subscriptions.set(rooms.values.reduce(0) { $0 + $1.viewers.count })
    }
}
