import HubCore
import Wire

/// Changes that an owner makes to a session.
extension SessionFeed {
    /// Renames a session. Viewers of a session that is hidden or ending learn the title with the next change that they are shown.
    public func rename(_ id: Int64, to title: String) {
        guard let session = live[id], nodes?.remote[id] == nil else { return }
        session.session.title = title
        session.own?.session.title = title
        announce(id)
        if session.isHidden || session.isEnding { touchForViewers(id) } else { touch(id) }
    }

    /// Removes a deleted session. The caller has cut off its viewers before, by its audience and its links.
    public func remove(_ id: Int64, of account: Int64) {
        guard let session = live[id]?.ownerPerspective.session, session.owner.id == account else { return }
        var last = session
        last.audience = .private
        last.state = .finished
        last.endedAt = last.endedAt ?? last.lastFixAt ?? last.startedAt
        changeAudience(of: last)
        end(last)
    }
}
