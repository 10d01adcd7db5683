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
            let interest = try interest(in: pattern, &state)
            interest.members.append(PatternSubscription.Member(subscription: subscription, wasLive: interest.isLive))
            if interest.isLive { subscription.deliver(.live) }
            return subscription
        }
    }

    private func interest(in pattern: SubjectPattern, _ state: inout State) throws(BusError) -> PatternSubscription {
        if let number = state.numbers[pattern], let interest = state.interests[number] { return interest }
        guard state.interests.count < BusLimits.patternsMax else { throw .tooManySubscriptions }
        state.lastNumber += 1
        let interest = PatternSubscription(number: state.lastNumber, pattern: pattern)
        state.interests[interest.number] = interest
        state.numbers[pattern] = interest.number
        if pattern.hasWildcard { state.wildcards.insert(interest.number) }
        metrics.patterns.set(state.interests.count)
        if let transport = state.transport {
            transport.listen(to: pattern.description, number: interest.number)
        } else {
            // A single-node bus: no other node publishes, so the subscription is live immediately.
            interest.isConfirmed = true
            interest.isLive = true
        }
        return interest
    }

    private func cancel(_ subscription: BusSubscription) {
        state.withLock { state in
            guard let number = state.numbers[subscription.pattern], let interest = state.interests[number] else {
                return
            }
            interest.members.removeAll { $0.subscription === subscription }
            guard interest.members.isEmpty else { return }
            state.interests[number] = nil
            state.numbers[subscription.pattern] = nil
            state.wildcards.remove(number)
            state.pending.remove(number)
            metrics.patterns.set(state.interests.count)
            state.transport?.ignore(number: number)
        }
    }

    /// Numbers and patterns that a transport must subscribe to on a new connection.
    func listening() -> [(number: UInt64, pattern: String)] {
        state.withLock { state in
            guard !state.isClosed else { return [] }
            return [(Self.controlNumber, Self.controlSubject), (Self.repliesNumber, answersSubject)]
                + state.interests.values.map { ($0.number, $0.pattern.description) }
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
                guard let interest = state.interests[number] else { continue }
                interest.isConfirmed = true
                interest.nodesToAnswer = Set(state.nodes.keys)
                interest.awaitsAnswers = true
                state.pending.insert(number)
            }
            if isNew || !state.nodes.isEmpty { mark(numbers, &state) }
            for number in numbers { goLive(number, &state) }
            guard isNew || numbers.contains(where: { state.interests[$0]?.isLive == false }) else { return }
            after(timing.settling) { $0.settle(numbers, connection: connection) }
        }
    }

    private func mark(_ numbers: [UInt64], _ state: inout State) {
        for patterns in SyncRequest.divided(numbers.compactMap { state.interests[$0]?.pattern }) {
            state.lastSyncRequest += 1
            for pattern in patterns {
                if let number = state.numbers[pattern] { state.interests[number]?.mark = state.lastSyncRequest }
            }
            let frame = BusFrame(
                kind: .mark, isFlagged: false, node: node.id, sequence: state.lastSyncRequest, question: nil)
            transmit(frame, SyncRequest.payload(patterns), to: Self.controlSubject, isVital: true, &state)
        }
    }

    /// Ends the wait for nodes that have not answered. A later heartbeat of such a node reveals messages that were missed.
    private func settle(_ numbers: [UInt64], connection: Int) {
        state.withLock { state in
            guard !state.isClosed, state.connection == .connected, connection == state.connectionNumber else { return }
            if numbers.contains(Self.controlNumber) { state.isSettled = true }
            for number in numbers {
                state.interests[number]?.awaitsAnswers = false
                goLive(number, &state)
            }
            // Patterns that were confirmed in the meantime and had no node to wait for.
            for number in Array(state.pending) { goLive(number, &state) }
        }
    }

    /// Marks a pattern as live and notifies its subscriptions, unless the pattern still waits for heartbeats.
    func goLive(_ number: UInt64, _ state: inout State) {
        guard let interest = state.interests[number], interest.isConfirmed, !interest.isLive, state.isSettled,
            !interest.awaitsAnswers || interest.nodesToAnswer.isEmpty
        else { return }
        interest.isLive = true
        // A message from a node that has not answered now counts as a gap, unless its sequence is known to be the next.
        interest.nodesToAnswer.removeAll()
        state.pending.remove(number)
        for index in interest.members.indices {
            let member = interest.members[index]
            if member.wasLive { metrics.count(.disconnected) }
            member.subscription.deliver(member.wasLive ? .missed(.disconnected) : .live)
            interest.members[index].wasLive = true
        }
    }

    // MARK: Losses

    func notify(_ loss: BusLoss, to interest: PatternSubscription) {
        guard interest.isLive else { return }
        for member in interest.members {
            metrics.count(loss)
            member.subscription.deliver(.missed(loss))
        }
    }

    func reportToAll(_ loss: BusLoss, _ state: State) {
        logger.warning("messages may be missing", metadata: ["reason": "\(loss)"])
        for interest in state.interests.values { notify(loss, to: interest) }
    }
}
