import Bus
import EventLoop
import Wire

/// What may have been lost is looked up in PostgreSQL, and until then it is taken for the worst (privacy fails closed).
extension Hub {
    /// Before PostgreSQL is asked again when it did not answer.
    static let confirmRetryInterval = Duration.milliseconds(250)
    /// Between two looks when there has been new doubt meanwhile.
    static let doubtSpacingMin = Duration.milliseconds(20)
    /// Between two looks while nothing is in doubt: another node may be cut off from the bus and not from PostgreSQL, and what was narrowed
    /// or revoked there is told to nobody.
    static let confirmInterval = Duration.seconds(2)
    /// How long everything stands still while PostgreSQL does not answer; then what cannot be confirmed is hidden.
    static let holdTimeMax = Duration.seconds(2)

    /// Messages may be missing that said who may not see a session any more, or came by which link or token. Nothing is pushed, and nobody
    /// new is shown what others track, until PostgreSQL has confirmed it.
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

    /// PostgreSQL takes too long: what it has not confirmed is hidden, and the rest goes on.
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
                publish(pictures.hide(id, from: tier, live: live, serverTime: serverTime))
            }
        }
    }

    /// Looks again and again, for as long as the hub has joined. While PostgreSQL does not answer, what is others' is hidden.
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

    /// Looks up who may see what is shown, which links work, which tokens do, and in doubt who blocks whom.
    /// - Returns: False when PostgreSQL could not be read, or there has been new doubt since.
    @discardableResult
    func confirm() async -> Bool {
        guard let nodes else { return true }
        let doubts = nodes.doubts
        let ids = Array(live.keys)
        let audiences = live.mapValues(\.session.audience)
        let links = Set(sessionViewers.values.lazy.flatMap(\.values).compactMap(\.access.linkID))
        let truth: [Int64: SessionTruth]
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

    /// What was read may be older than what was told meanwhile, so it only ever takes away.
    /// - Parameter audience: What the hub knew before it was read: when that has changed, it says nothing of it.
    private func apply(_ truth: SessionTruth?, to id: Int64, asOf audience: Audience?) {
        guard let nodes, var session = live[id]?.session else { return }
        let wasWithheld = live[id]?.isWithheld == true
        live[id]?.isWithheld = false
        // Others are told later that it is over, but not who may not see it any more.
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
            // Another node wrote it: what is in memory here is old.
            surrender(id)
        }
        if wasWithheld { touch(id) }
    }
}

extension Audience {
    /// More may see what has a higher one.
    var rank: Int { Self.allNodeCases.firstIndex(of: self) ?? 0 }
}
