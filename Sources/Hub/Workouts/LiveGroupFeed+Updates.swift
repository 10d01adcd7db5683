import EventLoop
import HubCore
import Wire

import struct Foundation.UUID

/// Progress of members, in memory only.
extension LiveGroupFeed {
    /// Outcome of an update.
    public enum UpdateOutcome: Sendable, Equatable {
        case accepted
        /// The account does not take part.
        case notAMember
        /// The plan has no such exercise.
        case unknownExercise
        /// A change of the group is in doubt.
        case inDoubt
        /// PostgreSQL must be read or written first: the group is not in memory, or the member begins, ends or changes what it shares.
        case needsDatabase
    }

    /// Takes the progress of a member. O(1). While messages of other nodes may be lost, it is taken without the zone
    /// and published later.
    public func update(
        _ id: UUID, by account: Int64, _ position: TrainingPosition, sharesZone: Bool?
    ) -> UpdateOutcome {
        guard let room = rooms[id] else { return .needsDatabase }
        guard !room.isInDoubt else { return .inDoubt }
        // While messages may be lost, PostgreSQL decides: the message that somebody has joined may be among them.
        guard let member = room[account], member.stored.takesPart else {
            return isWithheld ? .needsDatabase : .notAMember
        }
        if let exercise = position.exercise, !room.stored.exercises.contains(exercise) { return .unknownExercise }
        guard sharesZone == nil || sharesZone == member.stored.sharesZone,
            (position.phase == .finished) == (member.stored.state == .finished)
        else { return .needsDatabase }
        var position = position
        // A zone that is not shared is not even kept. While messages may be lost, another node may have ended the
        // sharing.
        if !member.stored.sharesZone || isWithheld { position.zone = nil }
        room[account]?.position = position
        // Another node with a clock that is ahead may have had the position before.
        let next = member.updatedAt.map { Timestamp(milliseconds: $0.milliseconds + 1) }
        room[account]?.updatedAt = max(serverTime, next ?? serverTime)
        room[account]?.isMoved = true
        room[account]?.isUnsent = true
        room.usedAt = monotonic()
        room.isActive = true
        metrics.updates.add()
        markChanged(room)
        return .accepted
    }

    /// Calls ``update(_:by:_:sharesZone:)`` from another isolation; synchronous on the hub's loop.
    /// - Parameter done: Called on the hub's loop.
    public nonisolated func post(
        _ id: UUID, by account: Int64, _ position: TrainingPosition, sharesZone: Bool?,
        _ done: @escaping @Sendable (UpdateOutcome) -> Void
    ) {
        let apply: @Sendable () -> Void = { [self] in
            done(assumeIsolated { $0.update(id, by: account, position, sharesZone: sharesZone) })
        }
        if loop.isCurrent { apply() } else { loop.execute(apply) }
    }

    /// Withdraws the zone of a member, here and at the other nodes, ahead of the commit that stops the sharing.
    public func withdrawZone(of account: Int64, in id: UUID) {
        guard let room = rooms[id], room[account]?.stored.sharesZone == true else { return }
        room[account]?.stored.sharesZone = false
        room[account]?.position?.zone = nil
        // Other nodes take only a newer position.
        if let at = room[account]?.updatedAt {
            room[account]?.updatedAt = Timestamp(milliseconds: at.milliseconds + 1)
        }
        room[account]?.isChanged = true
        room[account]?.isUnsent = true
        sendChanges(of: room)
        markChanged(room)
    }

    /// Loads a group that was just read, so that updates reach it.
    /// - Throws: ``NotAMember``, ``Outdated``, ``TooManyGroups``.
    public func load(_ stored: StoredLiveGroup) throws { _ = try open(stored) }

    /// The group as an account may see it, with the progress that this node has.
    public func rendition(of stored: StoredLiveGroup, for account: Int64) -> LiveGroup {
        if let room = rooms[stored.id], room.stored.version >= stored.version {
            return rendition(of: room, for: account)
        }
        return rendition(of: LiveGroupRoom(withoutBlocked(stored), now: monotonic()), for: account)
    }
}
