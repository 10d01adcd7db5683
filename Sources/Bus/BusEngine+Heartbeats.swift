import EventLoop

/// Heartbeats: which nodes are alive, and which sequence each subject has reached.
extension BusEngine {
    /// Heartbeat intervals after which a node forgets a subject that it no longer publishes to. Receivers remember the subject for
    /// twice as long.
    static let idleTicksMax: UInt32 = 60

    // MARK: Sending

    /// Runs once each heartbeat interval.
    /// - Returns: False if the bus is closed.
    func tick() -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.ticks &+= 1
            if state.connection == .connected {
                // The first heartbeat is sent when this bus can receive those of the others, see `confirmed(_:connection:)`.
                if state.beat > 0 { sendHeartbeat(&state) }
                if state.isSettled { removeTimedOutNodes(&state) }
            }
            if state.ticks % Self.idleTicksMax == 0 { forgetIdle(&state) }
            dropHeld(&state)
            return true
        }
    }

    /// Handles a sync request: includes the matching subjects in the next heartbeat, and sends that heartbeat immediately unless
    /// the last one is too recent (``BusTiming/beatSpacingMin``).
    func receivedSyncRequest(_ frame: BusFrame, _ request: SyncRequest) {
        state.withLock { state in
            guard !state.isClosed, state.connection == .connected,
                state.unansweredSyncRequests.count < BusLimits.nodesMax
            else {
                return
            }
            for pattern in request.patterns where !pattern.hasWildcard {
                include(Subject(spelled: pattern.description), &state)
            }
            let wildcards = request.patterns.filter(\.hasWildcard)
            if !wildcards.isEmpty {
                for subject in state.published.keys where wildcards.contains(where: { $0.matches(subject) }) {
                    include(subject, &state)
                }
            }
            state.unansweredSyncRequests[frame.node] = frame.sequence
            scheduleHeartbeat(&state)
        }
    }

    /// Includes a subject in the next heartbeat, if the node remembers its sequence.
    private func include(_ subject: Subject, _ state: inout State) {
        guard state.published[subject]?.isChanged == false else { return }
        state.published[subject]?.isChanged = true
        state.changed.append(subject)
    }

    private func scheduleHeartbeat(_ state: inout State) {
        guard !state.isBeatScheduled else { return }
        let spacing = timing.beatSpacingMin.nanoseconds
        let age = now() &- state.lastBeatAt
        guard age < spacing else { return sendHeartbeat(&state) }
        state.isBeatScheduled = true
        after(.nanoseconds(Int64(spacing - age))) { engine in
            engine.state.withLock { state in
                state.isBeatScheduled = false
                guard !state.isClosed, state.connection == .connected else { return }
                engine.sendHeartbeat(&state)
            }
        }
    }

    func sendHeartbeat(_ state: inout State, isLast: Bool = false) {
        state.lastBeatAt = now()
        let entries = state.changed.compactMap { subject in
            state.published[subject].map { (subject: subject, sequence: $0.sequence) }
        }
        for (subject, _) in entries { state.published[subject]?.isChanged = false }
        state.changed.removeAll(keepingCapacity: true)
        let answered = state.unansweredSyncRequests.map { (node: $0.key, number: $0.value) }
        state.unansweredSyncRequests.removeAll()
        let payloads = Heartbeat.payloads(name: node.name, answered: answered, entries: entries)
        for (index, payload) in payloads.enumerated() {
            state.beat &+= 1
            let frame = BusFrame(
                kind: .heartbeat, isFlagged: isLast && index == payloads.count - 1, node: node.id, sequence: state.beat,
                request: nil)
            transmit(frame, payload, to: Self.controlSubject, isVital: true, &state)
        }
    }

    private func forgetIdle(_ state: inout State) {
        let tick = state.ticks
        state.published = state.published.filter { $0.value.isChanged || tick &- $0.value.tick < Self.idleTicksMax }
        for followed in state.followed.values {
            for id in followed.tracked.keys {
                followed.tracked[id] = followed.tracked[id]?.filter { tick &- $0.value.tick < 2 * Self.idleTicksMax }
            }
        }
    }

    // MARK: Receiving

    func receivedHeartbeat(_ frame: BusFrame, _ beat: Heartbeat) {
        state.withLock { state in
            guard !state.isClosed, state.connection == .connected else { return }
            // A node's first heartbeat lists every subject it has ever published to, so nothing is missing before it. A later one
            // does not, but no subscription is live while the bus settles.
            var isKnown = frame.sequence == 1 || !state.isSettled
            if let remote = state.nodes[frame.node] {
                if let last = remote.beat {
                    guard frame.sequence > last else { return }
                    isKnown = frame.sequence == last &+ 1
                }
            } else {
                guard join(frame.node, beat, &state) else { return }
            }
            if !isKnown { reportToAll(.gap(frame.node), state) }
            compare(beat, of: frame.node, isKnown: isKnown, &state)
            state.nodes[frame.node]?.beat = frame.sequence
            state.nodes[frame.node]?.lastReceived = now()
            if let answered = beat.answered.first(where: { $0.node == node.id })?.number {
                for number in Array(state.pending) where (state.followed[number]?.syncRequest ?? .max) <= answered {
                    state.followed[number]?.nodesToAnswer.remove(frame.node)
                    goLive(number, &state)
                }
            }
            if frame.isFlagged { leave(frame.node, &state) }
        }
    }

    private func join(_ id: NodeID, _ beat: Heartbeat, _ state: inout State) -> Bool {
        guard state.nodes.count < BusLimits.nodesMax, let node = try? BusNode(id: id, name: beat.name) else {
            logger.error("a node is ignored: the limit of known nodes is reached", metadata: ["other": "\(beat.name)"])
            return false
        }
        state.nodes[id] = RemoteNode(node: node, beat: nil, lastReceived: now())
        if let index = state.lost.firstIndex(of: id) {
            state.lost.remove(at: index)
            // That node may have received every message and never have missed this one. But since it was lost, nothing was published
            // that only it wants: a skipped number makes it read everything again.
            state.beat &+= 1
        }
        metrics.nodes.set(state.nodes.count)
        logger.notice("a node has joined", metadata: ["other": "\(node.name)", "other-run": "\(id)"])
        notify(.joined(node), state)
        return true
    }

    /// Compares the sequences in a heartbeat with the messages that arrived, and reports a gap where they differ.
    private func compare(_ beat: Heartbeat, of id: NodeID, isKnown: Bool, _ state: inout State) {
        var losers: Set<UInt64> = []
        for (subject, sequence) in beat.entries {
            var numbers = state.wildcards.filter { state.followed[$0]?.pattern.matches(subject) == true }
            if let number = state.numbers[SubjectPattern(subject)] { numbers.insert(number) }
            for number in numbers {
                guard let followed = state.followed[number], followed.isConfirmed else { continue }
                if isKnown && followed.tracked[id]?[subject]?.sequence != sequence { losers.insert(number) }
                track(subject, of: id, at: sequence, followed, state.ticks)
            }
        }
        // Only live subscriptions get the event; the others read from PostgreSQL when they go live.
        for number in losers {
            if let followed = state.followed[number] { notify(.gap(id), to: followed) }
        }
    }

    private func leave(_ id: NodeID, _ state: inout State) {
        guard let remote = remove(id, &state) else { return }
        logger.notice("a node has left", metadata: ["other": "\(remote.node.name)", "other-run": "\(id)"])
        notify(.left(remote.node), state)
    }

    private func removeTimedOutNodes(_ state: inout State) {
        let silence = timing.silenceMax.nanoseconds
        let now = now()
        for id in state.nodes.filter({ now &- $0.value.lastReceived > silence }).keys {
            guard let remote = remove(id, &state) else { continue }
            logger.warning("a node is lost", metadata: ["other": "\(remote.node.name)", "other-run": "\(id)"])
            state.lost.append(id)
            if state.lost.count > BusLimits.nodesMax { state.lost.removeFirst() }
            notify(.lost(remote.node), state)
            reportToAll(.nodeLost(id), state)
        }
    }

    private func remove(_ id: NodeID, _ state: inout State) -> RemoteNode? {
        let remote = state.nodes.removeValue(forKey: id)
        metrics.nodes.set(state.nodes.count)
        for followed in state.followed.values {
            followed.tracked[id] = nil
            followed.nodesToAnswer.remove(id)
        }
        for number in Array(state.pending) { goLive(number, &state) }
        stopExpectingReply(of: id, &state)
        return remote
    }
}
