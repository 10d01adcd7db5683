import Bus
import Campus
import EventLoop
import Logging
import Wire

/// Several nodes that serve one campus: joining the bus, and messages to all nodes.
///
/// Each tracked, unfinished session has one *owner node*, which takes its points. The other nodes keep a copy while one of their
/// viewers views the area that the session is in. A session that is not being tracked has no owner: each node loads it from PostgreSQL.
extension Hub {
    /// Largest time that other nodes have for an answer.
    static let answerTimeMax = Duration.seconds(1)

    /// Joins the other nodes of the campus. Call it once, before any other method.
    /// - Parameters:
    ///   - bus: Carries messages between nodes. Its handlers run on the hub's loop.
    ///   - backing: Reads PostgreSQL.
    ///   - logger: Receives the hub's log messages about nodes.
    /// - Throws: `BusError`.
    public func join(
        _ bus: any Bus, backing: any NodeStorage, logger: Logger = Logger(label: "campanile.nodes")
    ) throws {
        let nodes = HubNodes(bus: bus, backing: backing, logger: logger)
        self.nodes = nodes
        let control = try listen(to: HubNodes.Subjects.control.map { .init($0) }) { $0.receiveControl($1) }
        let questions = try listen(to: HubNodes.Subjects.questions.map { .init($0) }) { $0.receiveQuestion($1) }
        let blocks = try listen(to: HubNodes.Subjects.blocks.map { .init($0) }) { $0.receiveBlock($1) }
        let shares = try listen(to: HubNodes.Subjects.shares.map { .init($0) }) { $0.receiveShares($1) }
        let located = try listen(to: HubNodes.Subjects.located.map { .init($0) }) { $0.receiveLocated($1) }
        nodes.subscriptions = [control, questions, blocks, shares, located].compactMap(\.self)
        joinPresence()
        try joinHeatmap()
        Task { await confirmRegularly(nodes) }
        nodes.observation = bus.observe(on: loop) { [weak self] notice in
            self?.assumeIsolated { $0.noticed(notice) }
        }
    }

    /// Leaves the other nodes: nothing is sent or received any more.
    public func leaveNodes() {
        guard let nodes else { return }
        self.nodes = nil
        observePresence(nil)
        leaveHeatmapNodes()
        notices.subscription?.cancel()
        notices.subscription = nil
        nodes.observation?.cancel()
        let subscriptions =
            nodes.subscriptions + nodes.listening.values.compactMap(\.subscription)
            + nodes.watches.values.compactMap(\.subscription) + Array(nodes.logs.values)
            + Array(nodes.presences.values) + Array(nodes.users.values)
            + board.shares.values.compactMap(\.subscription) + board.people.values.compactMap(\.subscription)
        for subscription in subscriptions { subscription.cancel() }
    }

    func listen(
        to pattern: SubjectPattern?, _ handler: @escaping @Sendable (isolated Hub, BusEvent) -> Void
    ) throws -> BusSubscription? {
        guard let pattern else { return nil }
        return try nodes?.bus.subscribe(to: pattern, on: loop) { [weak self] event in
            self?.assumeIsolated { handler($0, event) }
        }
    }

    // MARK: Sending

    /// Publishes a message to all other nodes, or to the subscribers of a subject.
    func publishToNodes(_ message: NodeMessage, on subject: Subject? = HubNodes.Subjects.control) {
        guard let nodes, !nodes.others.isEmpty, let subject else { return }
        do {
            // The other nodes notice a message that could not be sent as a gap.
            try nodes.bus.publish(message.encoded, to: subject)
        } catch {
            nodes.logger.error("a message to other nodes could not be published", metadata: ["error": "\(error)"])
        }
    }

    /// Sends a question to all other nodes.
    func ask(_ question: NodeMessage) async -> BusReplies {
        guard let nodes, let subject = HubNodes.Subjects.questions else { return BusReplies(messages: [], silent: []) }
        return await withCheckedContinuation { continuation in
            do {
                try nodes.bus.request(question.encoded, of: subject, within: Self.answerTimeMax, on: loop) {
                    continuation.resume(returning: $0)
                }
            } catch {
                nodes.logger.error("a question to other nodes could not be sent", metadata: ["error": "\(error)"])
                continuation.resume(returning: BusReplies(messages: [], silent: nodes.others))
            }
        }
    }

    /// Decodes a message of another node. Logs an error and returns nil for bytes that no node of this version writes.
    func read(_ message: BusMessage) -> NodeMessage? {
        do {
            return try NodeMessage(decoding: message.bytes)
        } catch {
            metrics.unreadable.add()
            nodes?.logger.error(
                "a node's message cannot be decoded: do all nodes run the same version?",
                metadata: ["other-run": "\(message.node)", "error": "\(error)"])
            return nil
        }
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

    // MARK: Receiving

    private func receiveControl(_ event: BusEvent) {
        switch event {
        case .live: meet()
        case .missed(let loss):
            nodes?.logger.notice("messages may be lost: reading PostgreSQL", metadata: ["reason": "\(loss)"])
            doubt()
        case .message(let message):
            guard let said = read(message) else { return doubt() }
            switch said {
            case .session(let state): take(state, from: message.node)
            case .interest(let interest): note(interest, of: message.node)
            case .tokens(let ids, let cause): nodes?.backing.revoked(tokens: ids, cause)
            case .link(let link, let session):
                endLinks(of: session, reason: "the link was revoked") { $0.linkID == link }
                if let backing = nodes?.backing { Task { await backing.revokedLink() } }
            case .privacy(let account):
                if let backing = nodes?.backing { Task { await backing.privacyChanged(of: account) } }
            case .campus:
                if let backing = nodes?.backing { Task { await backing.campusChanged() } }
            default: break
            }
        }
    }

    private func receiveBlock(_ event: BusEvent) {
        switch event {
        case .live:
            // Blocks that were announced before this are stored. If they cannot be read now, the next confirmation finds them.
            Task { try? await readBlocks() }
        case .missed: doubt()
        case .message(let message):
            guard case .block(let one, let other, let isOn)? = read(message) else { return doubt() }
            take(one, other, isOn: isOn)
        }
    }

    private func receiveQuestion(_ event: BusEvent) {
        guard let nodes, case .message(let message) = event, message.question != nil else { return }
        let answer: NodeMessage
        switch read(message) {
        case .askHomes(let after): answer = .homes(homes(after: after))
        case .askRunners(let cells, let node, let after):
            guard node == nil || node == nodes.bus.node.id else {
                answer = .runners(NodeRunners(asOf: 0, entries: [], next: 0))
                break
            }
            answer = .runners(runners(in: cells, after: after))
        case .askRoute(let id): answer = .route(route(of: id, for: message.node))
        default: return
        }
        do {
            try nodes.bus.answer(message, with: answer.encoded)
        } catch {
            nodes.logger.error("an answer to a node could not be sent", metadata: ["error": "\(error)"])
        }
    }

    private func noticed(_ notice: BusObserverEvent) {
        guard let nodes else { return }
        switch notice {
        case .state(.connected): nodes.isDisconnected = false
        case .state(.disconnected):
            guard !nodes.isDisconnected else { break }
            nodes.isDisconnected = true
            disconnected()
        case .joined(let node):
            nodes.others.insert(node.id)
            // It missed everything that was announced before it joined, and may want to follow regions of this node.
            announceInterest()
            announceAllLocated()
            scheduleOwnershipExchange()
        case .left(let node): lose(node.id, isSilent: false)
        case .lost(let node): lose(node.id, isSilent: true)
        }
        metrics.otherNodes.set(nodes.others.count)
    }
}
