import HubCore
import Wire

/// Confirmation of the shown sessions: the bus may have lost the message that an audience was narrowed or a link was revoked.
extension SessionFeed {
    package func withhold() {
        guard let nodes else { return }
        for id in live.keys where nodes.owned[id] == nil { live[id]?.isWithheld = true }
    }

    package func hideWithheld() {
        for (id, session) in live where session.isWithheld {
            for tier in Tier.allCases where session.isAllowed(to: tier) {
                publish(areaFeeds.hide(id, from: tier, live: live, serverTime: serverTime))
            }
        }
    }

    package func inDoubtEnded() { exchangeOwnership() }

    /// Reads the audiences of the shown sessions and the working links.
    package func confirm() async throws -> (@Sendable () -> Void)? {
        guard let nodes else { return nil }
        let ids = Array(live.keys)
        let audiences = live.mapValues(\.session.audience)
        let links = Set(sessionViewers.values.lazy.flatMap(\.values).compactMap(\.access.linkID))
        let truth = ids.isEmpty ? [:] : try await nodes.backing.truth(of: ids)
        let working = links.isEmpty ? [] : try await nodes.backing.working(links: Array(links))
        return { [weak self] in
            self?.assumeIsolated { feed in
                for id in ids { feed.apply(truth[id], to: id, asOf: audiences[id]) }
                for id in feed.sessionViewers.keys {
                    feed.endLinks(of: id, reason: .linkRevoked) { access in
                        access.linkID.map { links.contains($0) && !working.contains($0) } ?? false
                    }
                }
            }
        }
    }

    /// Applies a stored audience and state. The read may be older than messages that arrived meanwhile, so it only ever takes access
    /// away.
    /// - Parameter audience: The audience that the hub knew before the read; if that has changed since, the read's audience is ignored.
    private func apply(_ truth: StoredSessionState?, to id: Int64, asOf audience: Audience?) {
        guard let nodes, var session = live[id]?.session else { return }
        let wasWithheld = live[id]?.isWithheld == true
        live[id]?.isWithheld = false
        // The end is published to others later, but a narrower audience applies at once.
        guard live[id]?.isEnding != true else {
            let stored = truth?.audience ?? .private
            guard stored.rank < session.audience.rank, session.audience == audience else { return }
            return changeAudience(ofEnding: id, to: stored)
        }
        guard let truth, truth.state != .finished else {
            session.state = .finished
            if truth == nil { session.audience = .private }
            changeAudience(of: session)
            surrender(id)
            nodes.remote[id] = nil
            return end(session)
        }
        if truth.audience.rank < session.audience.rank, session.audience == audience {
            session.audience = truth.audience
            changeAudience(of: session)
            // Another node narrowed the audience: this node's state of the session is outdated.
            surrender(id)
        }
        if wasWithheld { touch(id) }
    }
}

extension Audience {
    /// Order of audiences: more viewers may see a session with a higher rank.
    var rank: Int { Self.allNodeCases.firstIndex(of: self) ?? 0 }
}
