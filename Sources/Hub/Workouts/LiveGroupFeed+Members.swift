import EventLoop
import HubCore
import Wire

import struct Foundation.UUID

/// Changes of the members of live groups. PostgreSQL is the owner of the truth: a state with a newer version replaces an older one.
extension LiveGroupFeed {
    /// Applies a committed change, here and at the other nodes. When this returns, nothing more is sent to members that were cut off, at
    /// this node or at another one that answered in time.
    public func changed(_ stored: StoredLiveGroup) async {
        apply(stored)
        async let here: Void = drain()
        async let there: Void = askGroups(.changed(stored))
        _ = await (here, there)
    }

    /// Applies a stored state, unless a newer one is known. A group in doubt stays so: the state may be from before the change in doubt.
    func apply(_ stored: StoredLiveGroup) {
        let stored = withoutBlocked(stored)
        guard note(stored.version, of: stored.id), let room = rooms[stored.id] else { return }
        guard stored.version >= room.stored.version else { return }
        guard stored.endedAt == nil else { return end(room) }
        let accounts = room.accounts
        let cutOff = room.members.filter { $0.value.stored.takesPart && stored.member($0.key)?.takesPart != true }
        for account in cutOff.keys.sorted() { cut(account, from: room, because: .notShared) }
        let before = room.replaceMembers(by: stored)
        index(room, since: accounts)
        publishGone(since: before, of: room)
        separateViewers(of: room)
        markChanged(room)
    }

    /// Ends a group for all.
    func end(_ room: LiveGroupRoom) {
        for account in room.accounts { cut(account, from: room, because: .groupEnded) }
        drop(room)
    }

    /// Ends the groups of an account that is removed or disabled, and its membership. PostgreSQL has the same by itself.
    public func end(of account: Int64) async {
        endLocally(of: account)
        async let here: Void = drain()
        async let there: Void = askGroups(.account(account))
        _ = await (here, there)
    }

    func endLocally(of account: Int64) {
        for id in roomsOf[account] ?? [] {
            guard let room = rooms[id] else { continue }
            if room.stored.host == account { end(room) } else { takeOut(account, of: room) }
        }
    }

    /// Removes a member in memory, ahead of PostgreSQL's state.
    private func takeOut(_ account: Int64, of room: LiveGroupRoom) {
        guard room[account] != nil else { return }
        cut(account, from: room, because: .notShared)
        let before = room.members.mapValues(\.stored)
        room.stored.members.removeAll { $0.account == account }
        room[account] = nil
        index(room, since: Set(before.keys))
        publishGone(since: before, of: room)
        separateViewers(of: room)
    }

    /// Stops publishing to a group whose latest change may have been committed, until PostgreSQL has been read.
    public func markInDoubt(_ id: UUID) {
        guard let room = rooms[id], !room.isInDoubt else { return }
        room.isInDoubt = true
        Task { await resolve(room) }
    }

    private func resolve(_ room: LiveGroupRoom) async {
        while room.isInDoubt, rooms[room.stored.id] === room {
            if let store, let groups = try? await store.groups([room.stored.id]) {
                if let found = groups.first { apply(found) } else { end(room) }
                room.isInDoubt = false
                markAllChanged(room)
                return
            }
            await loop.sleep(for: LiveGroupLimits.retryInterval)
        }
    }

    /// Returns when deliveries that were handed to connections before have been written.
    func drain() async {
        let loops = drained.values
        drained = [:]
        for loop in loops {
            await withCheckedContinuation { done in loop.execute { loop.executeDeferred { done.resume() } } }
        }
    }

    // MARK: Blocks

    /// Decides which viewers need a rendition of their own.
    func separateViewers(of room: LiveGroupRoom) {
        let accounts = room.accounts
        let isComplete = room.members.values.allSatisfy(\.stored.takesPart)
        for account in accounts {
            let isCommon = blocks[account].isDisjoint(with: accounts) && (isComplete || account != room.stored.host)
            separate(account, in: room, isApart: !isCommon)
        }
        room.apart.formIntersection(accounts)
    }

    func separate(_ account: Int64, in room: LiveGroupRoom, isApart: Bool) {
        guard let devices = room[account]?.devices else { return }
        if !isApart {
            guard room.apart.remove(account) != nil else { return }
            for subscriber in devices.subscribers { room.common.insert(subscriber) }
        } else if room.apart.insert(account).inserted {
            for subscriber in devices.subscribers { room.common.remove(subscriber) }
        }
    }

    func separated(_ blocker: Int64, _ blocked: Int64) {
        for id in (roomsOf[blocker] ?? []).intersection(roomsOf[blocked] ?? []) {
            guard let room = rooms[id] else { continue }
            if room.stored.host == blocker {
                takeOut(blocked, of: room)
            } else if room.stored.host == blocked {
                takeOut(blocker, of: room)
            } else {
                separateViewers(of: room)
                sendGone(blocked, to: blocker, of: room)
                sendGone(blocker, to: blocked, of: room)
            }
        }
    }

    /// Sends the name of a member that a block hides from now on. A member that was not shown before stays unknown.
    private func sendGone(_ gone: Int64, to account: Int64, of room: LiveGroupRoom) {
        guard room.isShown(gone, to: account), let username = room[gone]?.stored.username else { return }
        let topic = Topic.workout(room.stored.id)
        let json = Self.json(topic, LiveGroupUpdate(type: .members, serverTime: serverTime, gone: [username]))
        for subscriber in room[account]?.devices.subscribers ?? [] { send(json, topic: topic, to: subscriber) }
    }

    func joinedAgain(_ one: Int64, _ other: Int64) {
        for id in (roomsOf[one] ?? []).intersection(roomsOf[other] ?? []) {
            guard let room = rooms[id] else { continue }
            separateViewers(of: room)
            guard mayPublish(room) else { continue }
            for account in [one, other] {
                for subscriber in room[account]?.devices.subscribers ?? [] {
                    sendAll(of: room, to: subscriber, as: account, lane: .reliable)
                }
            }
        }
    }

    // MARK: Lost messages

    /// Reads which groups have changed, or are gone.
    /// - Throws: The store's error.
    func confirmGroups() async throws {
        guard let store, !rooms.isEmpty else { return }
        let versions = rooms.mapValues(\.stored.version)
        let ids = Array(versions.keys)
        for start in stride(from: 0, to: ids.count, by: LiveGroupLimits.confirmedMax) {
            let some = ids[start..<min(start + LiveGroupLimits.confirmedMax, ids.count)]
            let asked = Dictionary(uniqueKeysWithValues: some.map { ($0, versions[$0] ?? 0) })
            let found = try await store.changed(asked)
            for stored in found.changed { apply(stored) }
            for id in found.gone {
                if let room = rooms[id], room.stored.version == asked[id] { end(room) }
            }
        }
    }

    package func withhold() { isWithheld = true }

    package func confirm() async throws -> (@Sendable () -> Void)? {
        try await confirmGroups()
        return nil
    }

    package func resume() {
        guard isWithheld else { return }
        isWithheld = false
        for room in rooms.values { markAllChanged(room) }
    }

    /// Has the next tick publish all members.
    func markAllChanged(_ room: LiveGroupRoom) {
        for account in room.accounts { room[account]?.isChanged = true }
        markChanged(room)
    }
}
