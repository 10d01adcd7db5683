import EventLoop

/// Sender verification: accepts messages only from senders that have the campus's key, in the order of sending, and only if the
/// sender is live.
///
/// An attacker can record an encrypted message and send it again. From a verified run of a node, the engine accepts only increasing
/// counters. A run that is not verified on this connection may be a recording: the engine holds its messages until one of its
/// heartbeats answers a sync request of this connection.
extension BusEngine {
    /// Runs of other nodes whose counters are remembered.
    static let sendersMax = 1_024
    /// Messages held for one sender until it is verified.
    static let heldMessagesMax = 1_024
    static let heldBytesMax = 1_048_576
    /// Minimum time between two reports of forged, unreadable or replayed messages. A report is a log line and, except for replays,
    /// a loss event that makes every subscription read from PostgreSQL.
    static let rejectionSpacing = Duration.seconds(5)

    struct Sender {
        var counter: UInt64 = 0
        /// Numbers of the patterns under which the latest message arrived. A message arrives once for each matching pattern.
        var numbers: [UInt64] = []
        var isVerified = false
        var held: [Held] = []
        var heldBytes = 0
        /// Some messages were dropped because the limits of held messages were reached.
        var isIncomplete = false
        var lastReceived: UInt64 = 0
    }

    struct Held {
        let number: UInt64
        let subject: String
        let frame: [UInt8]
    }

    /// Decrypts a message and dispatches all messages that are acceptable now.
    func receivedSealed(_ number: UInt64, subject: String, _ bytes: UnsafeRawBufferPointer, _ seal: BusSeal) {
        let opened: BusSeal.Opened
        do {
            opened = try seal.open(bytes, subject: subject)
        } catch {
            switch error {
            case .forged: return reject(.forged)
            case .unreadable: return reject(.unreadable)
            }
        }
        guard opened.node != node.id else { return }
        let read: (frame: BusFrame, answers: UInt64?)? = opened.frame.withUnsafeBytes { bytes in
            guard let (frame, payload) = BusFrame.read(bytes), frame.node == opened.node else { return nil }
            guard frame.kind == .heartbeat, number == Self.controlNumber else { return (frame, nil) }
            return (frame, Heartbeat(payload)?.answered.first { $0.node == node.id }?.number)
        }
        guard let read else { return reject(.unreadable) }
        let held = Held(number: number, subject: subject, frame: opened.frame)
        let isSyncRequest = read.frame.kind == .syncRequest
        switch state.withLock({ judge(opened, held, isSyncRequest: isSyncRequest, answers: read.answers, &$0) }) {
        case .none: reject(.replayed)
        case .some(let believed):
            for held in believed {
                held.frame.withUnsafeBytes { deliver(held.number, subject: { held.subject }, frame: $0) }
            }
        }
    }

    /// - Returns: The messages that are accepted now, in order; nil for a replayed message.
    private func judge(
        _ opened: BusSeal.Opened, _ message: Held, isSyncRequest: Bool, answers: UInt64?, _ state: inout State
    ) -> [Held]? {
        var sender = state.senders[opened.node] ?? Sender()
        if opened.counter == sender.counter {
            guard !sender.numbers.contains(message.number) else { return nil }
        } else {
            guard opened.counter > sender.counter else { return nil }
            sender.counter = opened.counter
            sender.numbers.removeAll(keepingCapacity: true)
        }
        sender.numbers.append(message.number)
        sender.lastReceived = now()
        defer {
            if state.senders[opened.node] == nil, state.senders.count >= Self.sendersMax { forgetSenders(&state) }
            state.senders[opened.node] = sender
        }
        if sender.isVerified { return [message] }
        if let answers, answers > state.verificationFloor {
            sender.isVerified = true
            let believed = sender.held + [message]
            if sender.isIncomplete { reportToAll(.gap(opened.node), state) }
            sender.held.removeAll()
            sender.heldBytes = 0
            sender.isIncomplete = false
            return believed
        }
        requestProof(&state)
        // A sync request only asks for a heartbeat. Were it held, two nodes that are new to each other would wait for each other.
        if isSyncRequest { return [message] }
        if sender.held.count < Self.heldMessagesMax, sender.heldBytes + message.frame.count <= Self.heldBytesMax {
            sender.held.append(message)
            sender.heldBytes += message.frame.count
        } else {
            sender.isIncomplete = true
        }
        return []
    }

    /// Sends a sync request without patterns to all nodes, at most one each ``BusTiming/beatSpacingMin``.
    private func requestProof(_ state: inout State) {
        let spacing = timing.beatSpacingMin.nanoseconds
        guard state.connection == .connected, state.transport != nil else { return }
        guard state.lastProofRequestAt == 0 || now() &- state.lastProofRequestAt >= spacing else {
            guard !state.isProofRequestScheduled else { return }
            state.isProofRequestScheduled = true
            return after(timing.beatSpacingMin) { engine in
                engine.state.withLock { state in
                    state.isProofRequestScheduled = false
                    if state.senders.values.contains(where: { !$0.isVerified }) { engine.requestProof(&state) }
                }
            }
        }
        state.lastProofRequestAt = now()
        state.lastSyncRequest += 1
        let frame = BusFrame(
            kind: .syncRequest, isFlagged: false, node: node.id, sequence: state.lastSyncRequest, request: nil)
        transmit(frame, [], to: Self.controlSubject, isVital: true, &state)
    }

    /// Marks all senders as unverified until they answer a sync request that is sent after this call.
    func distrust(_ state: inout State) {
        state.verificationFloor = state.lastSyncRequest
        for id in state.senders.keys {
            state.senders[id]?.isVerified = false
            state.senders[id]?.held.removeAll()
            state.senders[id]?.heldBytes = 0
            state.senders[id]?.isIncomplete = true
        }
    }

    /// Drops the messages held for senders that have been silent for ``BusTiming/silenceMax``, such as those of old recordings.
    func dropHeld(_ state: inout State) {
        let silence = timing.silenceMax.nanoseconds
        for (id, sender) in state.senders where !sender.held.isEmpty && now() &- sender.lastReceived > silence {
            state.senders[id]?.held.removeAll()
            state.senders[id]?.heldBytes = 0
            state.senders[id]?.isIncomplete = true
        }
    }

    /// Makes room by removing senders that are not known nodes. Recorded messages of a removed sender pass the counter check again,
    /// but are held, because only answers to later sync requests verify a sender.
    private func forgetSenders(_ state: inout State) {
        state.senders = state.senders.filter { state.nodes[$0.key] != nil }
        state.verificationFloor = state.lastSyncRequest
    }

    /// Drops a message that is forged, unreadable or replayed. Anyone with access to NATS can cause this, so it must be cheap. A
    /// forged or unreadable message may also come from a node with another key or release, so subscriptions may have missed a
    /// message.
    private func reject(_ reason: BusMetrics.Drop) {
        metrics.drop(reason)
        state.withLock { state in
            state.rejected += 1
            guard state.rejectedAt == 0 || now() &- state.rejectedAt >= Self.rejectionSpacing.nanoseconds else {
                return
            }
            state.rejectedAt = now()
            logger.warning(
                "dropped bus messages that are forged, replayed or unreadable: check NATS's clients, and all nodes' releases and keys",
                metadata: ["reason": "\(reason.rawValue)", "count": "\(state.rejected)"])
            state.rejected = 0
            if reason != .replayed { reportToAll(.unreadable, state) }
        }
    }
}
