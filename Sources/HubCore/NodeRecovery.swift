import EventLoop

/// Recovery from lost bus messages: the feeds read PostgreSQL, and until then the hub assumes the worst (privacy fails closed).
package actor NodeRecovery {
    /// Delay before PostgreSQL is read again when it did not answer.
    static let retryInterval = Duration.milliseconds(250)
    /// Delay before another confirmation when more messages were lost during the last one.
    static let inDoubtSpacingMin = Duration.milliseconds(20)
    /// Interval between two confirmations while nothing is in doubt. Another node may be cut off from the bus but not from PostgreSQL;
    /// what it narrows or revokes is not announced to this node.
    package static let confirmInterval = Duration.seconds(2)
    /// Time for which all pushes wait while PostgreSQL does not answer. Afterwards the sessions of other nodes and all shares, also those
    /// of this node's own accounts, are hidden.
    package static let holdTimeMax = Duration.seconds(2)

    private nonisolated let loop: EventLoop
    private unowned let core: HubCore
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ core: HubCore) {
        self.core = core
        loop = core.loop
    }

    /// Marks all state of other nodes as in doubt: the bus may have lost messages that access was narrowed or revoked. Until PostgreSQL
    /// has confirmed the current access, no tick runs and no share is pushed, and no new viewer gets state of other nodes. Replies and
    /// reliable topics go on.
    func markInDoubt() {
        guard let nodes = core.nodes else { return }
        nodes.inDoubtCount += 1
        nodes.isInDoubt = true
        for feed in core.allFeeds { feed.onLoopWithhold() }
        guard !nodes.isConfirming else { return }
        nodes.isConfirming = true
        nodes.isHolding = true
        nodes.holds += 1
        let hold = nodes.holds
        loop.schedule(after: Self.holdTimeMax) { [weak core] in
            guard let core, core.nodes?.holds == hold else { return }
            core.endHold()
        }
        core.metrics.inDoubtCount.add()
        Task { [core] in await resolve(core) }
    }

    private func resolve(_ core: HubCore) async {
        while let nodes = core.nodes {
            let inDoubtCount = nodes.inDoubtCount
            let isConfirmed = await confirm()
            guard inDoubtCount == nodes.inDoubtCount else {
                await loop.sleep(for: Self.inDoubtSpacingMin)
                continue
            }
            if isConfirmed { break }
            await loop.sleep(for: Self.retryInterval)
        }
        core.nodes?.isConfirming = false
        core.nodes?.isInDoubt = false
        core.nodes?.isHolding = false
        for feed in core.allFeeds { feed.onLoopResume() }
        core.scheduleTick()
        for feed in core.allFeeds { feed.onLoopInDoubtEnded() }
    }

    /// Confirms the shown state periodically, until the hub leaves this link. While PostgreSQL does not answer, the sessions of
    /// other nodes and all shares are hidden.
    func confirmRegularly(_ link: NodeLink) {
        Task { [weak core] in
            while let linked = core?.nodes, linked === link {
                await loop.sleep(for: Self.confirmInterval)
                guard let core, core.nodes === link, !link.isInDoubt else { continue }
                if await confirm() {
                    link.unconfirmedSince = nil
                    for feed in core.allFeeds { feed.onLoopResume() }
                } else if !link.isInDoubt {
                    let since = link.unconfirmedSince ?? EventLoop.nowNanoseconds
                    link.unconfirmedSince = since
                    guard EventLoop.nowNanoseconds &- since >= Self.holdTimeMax.nanoseconds else { continue }
                    for feed in core.allFeeds { feed.onLoopWithhold() }
                    for feed in core.allFeeds { feed.onLoopHideWithheld() }
                }
            }
        }
    }

    /// Has each feed read the current state from PostgreSQL, and applies it if no more messages were lost meanwhile.
    /// - Returns: False when PostgreSQL could not be read, or more messages were lost meanwhile.
    func confirm() async -> Bool {
        guard let nodes = core.nodes else { return true }
        let (core, inDoubtCount) = (core, nodes.inDoubtCount)
        var confirmations: [@Sendable () -> Void] = []
        do {
            for feed in core.allFeeds {
                if let confirmation = try await feed.confirm() { confirmations.append(confirmation) }
            }
        } catch {
            return false
        }
        guard core.nodes === nodes, inDoubtCount == nodes.inDoubtCount else { return false }
        for apply in confirmations { apply() }
        return true
    }
}

extension HubCore {
    /// Ends the wait for a slow PostgreSQL: the sessions of other nodes and all shares are hidden, and publishing continues.
    fileprivate func endHold() {
        guard let nodes, nodes.isHolding else { return }
        nodes.isHolding = false
        for feed in allFeeds { feed.onLoopHideWithheld() }
        scheduleTick()
    }
}
