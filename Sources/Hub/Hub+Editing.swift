import Wire

/// What an owner changes about a session that is shown.
extension Hub {
    /// The session has another title. Viewers learn the title and nothing else, in the dark not before the session is seen again.
    public func rename(_ id: Int64, to title: String) {
        guard let session = live[id], nodes?.elsewhere[id] == nil else { return }
        session.session.title = title
        session.own?.session.title = title
        announce(id)
        if session.isDark || session.isEnding { touchForViewers(id) } else { touch(id) }
    }

    /// The session is deleted: nothing of it is left here. Its viewers have been cut before, by its audience and its links.
    public func remove(_ id: Int64, of account: Int64) {
        guard let session = live[id]?.forOwner.session, session.owner.id == account else { return }
        var last = session
        last.audience = .private
        last.state = .finished
        last.endedAt = last.endedAt ?? last.lastFixAt ?? last.startedAt
        changeAudience(of: last)
        end(last)
    }
}
