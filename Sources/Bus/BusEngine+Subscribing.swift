import EventLoop

/// Subscriptions, and the moment from which they receive every message.
extension BusEngine {
    func subscribe(
        to pattern: SubjectPattern, on loop: EventLoop, _ handler: @escaping @Sendable (BusEvent) -> Void
    ) throws(BusError) -> BusSubscription {
        try state.withLock { state throws(BusError) in
            state.lastNumber += 1
            let subscription = BusSubscription(
                id: state.lastNumber, pattern: pattern, queue: queue(of: loop, &state), handler: handler,
                onCancel: { [weak self] in self?.cancel($0) })
            guard !state.isClosed else { return subscription }
            let followed = try follow(pattern, &state)
            followed.members.append(FollowedPattern.Member(subscription: subscription, wasLive: followed.isLive))
            if followed.isLive { subscription.deliver(.live) }
            return subscription
        }
    }

    private func follow(_ pattern: SubjectPattern, _ state: inout State) throws(BusError) -> FollowedPattern {
        if let number = state.numbers[pattern], let followed = state.followed[number] { return followed }
        guard state.followed.count < BusLimits.patternsMax else { throw .tooManySubscriptions }
        state.lastNumber += 1
        let followed = FollowedPattern(number: state.lastNumber, pattern: pattern)
        state.followed[followed.number] = followed
        state.numbers[pattern] = followed.number
        if pattern.hasWildcard { state.wildcards.insert(followed.number) }
        metrics.patterns.set(state.followed.count)
        if let transport = state.transport {
            transport.listen(to: pattern.description, number: followed.number)
        } else {
            // A single-node bus: no other node publishes, so the subscription is live immediately.
            followed.isConfirmed = true
            followed.isLive = true
        }
        return followed
    }

    private func cancel(_ subscription: BusSubscription) {
        state.withLock { state in
            guard let number = state.numbers[subscription.pattern], let followed = state.followed[number] else {
                return
            }
            followed.members.removeAll { $0.subscription === subscription }
            guard followed.members.isEmpty else { return }
            state.followed[number] = nil
            state.numbers[subscription.pattern] = nil
            state.wildcards.remove(number)
            state.pending.remove(number)
            metrics.patterns.set(state.followed.count)
            state.transport?.ignore(number: number)
        }
    }

    /// Numbers and patterns that a transport must subscribe to on a new connection.
    func listening() -> [(number: UInt64, pattern: String)] {
        state.withLock { state in
            guard !state.isClosed else { return [] }
            return [(Self.controlNumber, Self.controlSubject), (Self.repliesNumber, repliesSubject)]
                + state.followed.values.map { ($0.number, $0.pattern.description) }
        }
    }

    /// Handles the transport's confirmation that it delivers messages for these patterns. A sync request asks the other nodes for
    /// heartbeats with the current sequences of the matching subjects. Messages published before the request were published before
    /// the subscription goes live.
    func confirmed(_ numbers: [UInt64], connection: Int) {
        state.withLock { state in
            guard !state.isClosed, state.connection == .connected, connection == state.connectionNumber else { return }
            let isNew = numbers.contains(Self.controlNumber)
            if isNew { sendHeartbeat(&state) }
            for number in numbers {
                guard let followed = state.followed[number] else { continue }
                followed.isConfirmed = true
                followed.nodesToAnswer = Set(state.nodes.keys)
                followed.awaitsAnswers = true
                state.pending.insert(number)
            }
            if isNew || !state.nodes.isEmpty { sendSyncRequests(for: numbers, &state) }
            for number in numbers { goLive(number, &state) }
            guard isNew || numbers.contains(where: { state.followed[$0]?.isLive == false }) else { return }
            after(timing.settling) { $0.settle(numbers, connection: connection) }
        }
    }

    private func sendSyncRequests(for numbers: [UInt64], _ state: inout State) {
        for patterns in SyncRequest.divided(numbers.compactMap { state.followed[$0]?.pattern }) {
            state.lastSyncRequest += 1
            for pattern in patterns {
                if let number = state.numbers[pattern] { state.followed[number]?.syncRequest = state.lastSyncRequest }
            }
            let frame = BusFrame(
                kind: .syncRequest, isFlagged: false, node: node.id, sequence: state.lastSyncRequest, request: nil)
            transmit(frame, SyncRequest.payload(patterns), to: Self.controlSubject, isVital: true, &state)
        }
    }

    /// Ends the wait for nodes that have not answered. A later heartbeat of such a node reveals messages that were missed.
    private func settle(_ numbers: [UInt64], connection: Int) {
        state.withLock { state in
            guard !state.isClosed, state.connection == .connected, connection == state.connectionNumber else { return }
            if numbers.contains(Self.controlNumber) { state.isSettled = true }
            for number in numbers {
                state.followed[number]?.awaitsAnswers = false
                goLive(number, &state)
            }
            // Patterns that were confirmed in the meantime and had no node to wait for.
            for number in Array(state.pending) { goLive(number, &state) }
        }
    }

    /// Marks a pattern as live and notifies its subscriptions, unless the pattern still waits for heartbeats.
    func goLive(_ number: UInt64, _ state: inout State) {
        guard let followed = state.followed[number], followed.isConfirmed, !followed.isLive, state.isSettled,
            !followed.awaitsAnswers || followed.nodesToAnswer.isEmpty
        else { return }
        followed.isLive = true
        // A message from a node that has not answered now counts as a gap, unless its sequence is known to be the next.
        followed.nodesToAnswer.removeAll()
        state.pending.remove(number)
        for index in followed.members.indices {
            let member = followed.members[index]
            if member.wasLive { metrics.count(.disconnected) }
            member.subscription.deliver(member.wasLive ? .missed(.disconnected) : .live)
            followed.members[index].wasLive = true
        }
    }

    // MARK: Losses

    func notify(_ loss: BusLoss, to followed: FollowedPattern) {
        guard followed.isLive else { return }
        for member in followed.members {
            metrics.count(loss)
            member.subscription.deliver(.missed(loss))
        }
    }

    func reportToAll(_ loss: BusLoss, _ state: State) {
        logger.warning("messages may be missing", metadata: ["reason": "\(loss)"])
        for followed in state.followed.values { notify(loss, to: followed) }
    }
}
