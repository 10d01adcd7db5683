import EventLoop
import HubCore
import Wire

/// Confirmation that shares still hold: PostgreSQL has the ends whose messages were lost, and the outcome of commits in doubt.
extension ShareFeed {
    /// Confirms periodically which shares hold, while the hub has not joined other nodes; afterwards, ``HubCore/NodeRecovery`` does. So
    /// the outcome of commits in doubt is found, and nothing is shown while PostgreSQL does not answer.
    public func confirmRegularly() async {
        var failingSince: UInt64?
        while !Task.isCancelled {
            await loop.sleep(for: NodeRecovery.confirmInterval)
            guard link == nil, !Task.isCancelled else { continue }
            do {
                try await confirmShares()
                failingSince = nil
                resumeShares()
            } catch {
                let since = failingSince ?? EventLoop.nowNanoseconds
                failingSince = since
                if EventLoop.nowNanoseconds &- since >= NodeRecovery.holdTimeMax.nanoseconds { withholdShares() }
            }
        }
    }

    /// Reads which of the shown shares still hold. The read may be older than messages that arrived meanwhile, so it only ever takes
    /// access away.
    /// - Throws: The store's error.
    func confirmShares() async throws {
        guard let store = registry.store, !registry.shares.isEmpty || !registry.people.isEmpty else { return }
        let ids = Array(Set(registry.shares.keys).union(registry.people.values.flatMap { $0.foreign }))
        let groups = Array(Set(registry.shares.values.compactMap(\.share.group)))
        let viewers = Set(registry.shares.values.filter { $0.share.group != nil }.flatMap { $0.viewers.keys })
        var found: [Int64: StoredShare] = [:]
        for start in stride(from: 0, to: ids.count, by: ShareLimits.confirmedMax) {
            let some = Array(ids[start..<min(start + ShareLimits.confirmedMax, ids.count)])
            for share in try await store.shares(some) { found[share.id] = share }
        }
        let members = groups.isEmpty ? [:] : try await store.members(of: groups)
        endLocally(ids.filter { found[$0] == nil })
        for (id, stored) in found {
            guard let live = registry.shares[id] else { continue }
            live.isWithheld = false
            if stored.version > live.share.version { moved(adopt(stored)) }
            if let group = live.share.group {
                let joined = members[group] ?? []
                cut(live) { viewer in
                    viewers.contains(viewer.subscriber.subscriberID) && !(viewer.account.map(joined.contains) ?? false)
                }
            }
        }
    }

    /// Withholds all shares, because PostgreSQL does not answer.
    func withholdShares() {
        for live in registry.shares.values {
            live.isWithheld = true
            publishShown(live)
        }
        tickPeople()
    }

    /// Publishes what was withheld.
    func resumeShares() {
        for live in registry.shares.values { publishShown(live) }
        tickPeople()
    }

    package func withhold() {
        for share in registry.shares.values { share.isWithheld = true }
    }

    package func confirm() async throws -> (@Sendable () -> Void)? {
        try await confirmShares()
        return nil
    }

    package func hideWithheld() { withholdShares() }

    package func resume() { resumeShares() }
}
