import Bus
import EventLoop
import Wire

/// Recovery from lost bus messages: the hub reads PostgreSQL, and until then it assumes the worst (privacy fails closed).
extension Hub {
    /// Delay before PostgreSQL is read again when it did not answer.
    static let confirmRetryInterval = Duration.milliseconds(250)
    /// Delay before another confirmation when more messages were lost during the last one.
    static let doubtSpacingMin = Duration.milliseconds(20)
    /// Interval between two confirmations while nothing is in doubt. Another node may be cut off from the bus but not from PostgreSQL;
    /// what it narrows or revokes is not announced to this node.
    static let confirmInterval = Duration.seconds(2)
    /// Time for which all pushes wait while PostgreSQL does not answer; afterwards, unconfirmed sessions are hidden.
    static let holdTimeMax = Duration.seconds(2)

    /// Puts everything of other nodes in doubt: the bus may have lost messages that a session's audience was narrowed, or that a link
    /// or token was revoked. Nothing is pushed, and no new viewer is shown other nodes' sessions, until PostgreSQL has confirmed what
    /// holds.
    func doubt() {
        guard let nodes else { return }
        nodes.doubts += 1
        nodes.isInDoubt = true
        for id in live.keys where nodes.here[id] == nil { live[id]?.isWithheld = true }
        for share in board.shares.values { share.isWithheld = true }
        guard !nodes.isConfirming else { return }
        nodes.isConfirming = true
        nodes.isHolding = true
        nodes.holds += 1
        let hold = nodes.holds
        loop.schedule(after: Self.holdTimeMax) { [weak self] in
            self?.assumeIsolated { if $0.nodes?.holds == hold { $0.endHold() } }
        }
        metrics.doubts.add()
        Task { await resolve() }
    }

    /// Ends the wait for a slow PostgreSQL: unconfirmed sessions are hidden, and all others go on.
    private func endHold() {
        guard let nodes, nodes.isHolding else { return }
        nodes.isHolding = false
        hideWithheld()
        withholdShares()
        scheduleTick()
    }

    private func resolve() async {
        while let nodes {
            let doubts = nodes.doubts
            let isConfirmed = await confirm()
            guard doubts == nodes.doubts else {
                await loop.sleep(for: Self.doubtSpacingMin)
                continue
            }
            if isConfirmed { break }
            await loop.sleep(for: Self.confirmRetryInterval)
        }
        nodes?.isConfirming = false
        nodes?.isInDoubt = false
        nodes?.isHolding = false
        resumeShares()
        scheduleTick()
        meet()
    }

    private func hideWithheld() {
        for (id, session) in live where session.isWithheld {
            for tier in Tier.allCases where session.isAllowed(to: tier) {
                publish(areaFeeds.hide(id, from: tier, live: live, serverTime: serverTime))
            }
        }
    }

    /// Confirms periodically what is shown, for as long as the hub has joined. While PostgreSQL does not answer, other nodes' sessions
    /// are hidden.
    func confirmRegularly(_ joined: HubNodes) async {
        while nodes === joined {
            await loop.sleep(for: Self.confirmInterval)
            guard nodes === joined, !joined.isInDoubt else { continue }
            if await confirm() {
                joined.unconfirmedSince = nil
                resumeShares()
            } else if !joined.isInDoubt {
                let since = joined.unconfirmedSince ?? EventLoop.nowNanoseconds
                joined.unconfirmedSince = since
                guard EventLoop.nowNanoseconds &- since >= Self.holdTimeMax.nanoseconds else { continue }
                for id in live.keys where joined.here[id] == nil { live[id]?.isWithheld = true }
                hideWithheld()
                withholdShares()
            }
        }
    }

    /// Reads from PostgreSQL the audiences of the shown sessions, the working links and tokens, and, while in doubt, the blocks.
    /// - Returns: False when PostgreSQL could not be read, or more messages were lost meanwhile.
    @discardableResult
    func confirm() async -> Bool {
        guard let nodes else { return true }
        let doubts = nodes.doubts
        let ids = Array(live.keys)
        let audiences = live.mapValues(\.session.audience)
        let links = Set(sessionViewers.values.lazy.flatMap(\.values).compactMap(\.access.linkID))
        let truth: [Int64: StoredSessionState]
        let working: Set<Int64>
        do {
            truth = ids.isEmpty ? [:] : try await nodes.backing.truth(of: ids)
            working = links.isEmpty ? [] : try await nodes.backing.working(links: Array(links))
            try await nodes.backing.recheckTokens()
            try await nodes.backing.recheckPrivacy()
            if nodes.isInDoubt { try await readBlocks() }
            try await confirmShares()
        } catch {
            return false
        }
        guard self.nodes === nodes, doubts == nodes.doubts else { return false }
        for id in ids { apply(truth[id], to: id, asOf: audiences[id]) }
        for id in sessionViewers.keys {
            endLinks(of: id, reason: "the link was revoked") { access in
                access.linkID.map { links.contains($0) && !working.contains($0) } ?? false
            }
        }
        return true
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
            nodes.elsewhere[id] = nil
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
