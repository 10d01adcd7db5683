import Bus
import EventLoop
import HubCore
import Logging
import Wire

/// Several nodes that serve one campus: joining and leaving them, and messages that concern all feeds or none.
extension Hub {
    /// Joins the other nodes of the campus. Call it once, before any other method.
    /// - Parameters:
    ///   - bus: Carries messages between nodes. Its handlers run on the hub's loop.
    ///   - backing: Reads PostgreSQL.
    ///   - logger: Receives the hub's log messages about nodes.
    /// - Throws: `BusError`.
    public func join(
        _ bus: any Bus, backing: any NodeStorage, logger: Logger = Logger(label: "campanile.nodes")
    ) throws {
        let link = NodeLink(bus: bus, logger: logger)
        core.setNodes(link)
        self.backing = backing
        subscription = try listen(to: NodeSubjects.control.map { .init($0) }) { $0.receive($1) }
        try sessions.assumeIsolated { try $0.joinNodes(link, backing) }
        try blocks.assumeIsolated { try $0.joinNodes() }
        try shares.assumeIsolated { try $0.joinNodes() }
        try liveGroups.assumeIsolated { try $0.joinNodes() }
        presence.assumeIsolated { $0.joinNodes() }
        try heatmap.assumeIsolated { try $0.joinNodes() }
    }

    /// Leaves the other nodes: nothing is sent or received any more.
    public func leaveNodes() { core.setNodes(nil) }

    package func leftNodes() {
        subscription?.cancel()
        subscription = nil
        backing = nil
    }

    /// Announces that this server revoked tokens.
    public func announceRevokedTokens(_ tokens: [Int64], _ cause: SignOutCause) {
        for chunk in stride(from: 0, to: tokens.count, by: NodeLimits.sessionsMax) {
            publishToNodes(.tokens(Array(tokens[chunk..<min(chunk + NodeLimits.sessionsMax, tokens.count)]), cause))
        }
    }

    /// Announces that an account's suppression zones have changed.
    public func announcePrivacyChange(of account: Int64) { publishToNodes(.privacy(account)) }

    /// Announces that this server has found another campus in the database.
    public func announceCampusChange() { publishToNodes(.campus) }

    private func receive(_ event: BusEvent) {
        switch event {
        case .live: sessions.assumeIsolated { $0.exchangeOwnership() }
        case .missed(let loss):
            link?.logger.notice("messages may be lost: reading PostgreSQL", metadata: ["reason": "\(loss)"])
            core.markInDoubt()
        case .message(let message):
            guard let content = read(message) else { return core.markInDoubt() }
            sessions.assumeIsolated { $0.receive(content, from: message.node) }
            guard let backing else { return }
            switch content {
            case .tokens(let ids, let cause): backing.revoked(tokens: ids, cause)
            case .link: Task { await backing.revokedLink() }
            case .privacy(let account): Task { await backing.privacyChanged(of: account) }
            case .campus: Task { await backing.campusChanged() }
            default: break
            }
        }
    }

    package func confirm() async throws -> (@Sendable () -> Void)? {
        try await backing?.recheckTokens()
        try await backing?.recheckPrivacy()
        return nil
    }
}
