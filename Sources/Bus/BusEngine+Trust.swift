import EventLoop

/// Whom this node believes: senders that have the campus's key, in the order in which they said it, and only if they live now.
///
/// A sealed message that was recorded can be sent again. Of a run that this node has heard, only higher counters count. Of one that it has
/// not heard since its connection began, anything might be old: its messages wait until a beat of it answers a mark of this connection.
extension BusEngine {
    /// Runs of other nodes whose counters are remembered.
    static let sendersMax = 1_024
    /// Messages and bytes that wait until their sender has answered.
    static let heldMessagesMax = 1_024
    static let heldBytesMax = 1_048_576
    /// At most one line, and one look into PostgreSQL, for forged and repeated messages in this time.
    static let rejectionSpacing = Duration.seconds(5)

    struct Sender {
        var counter: UInt64 = 0
        /// What the latest message was listened to under: it comes once for each pattern that it matches.
        var numbers: [UInt64] = []
        var isProven = false
        var held: [Held] = []
        var heldBytes = 0
        /// Some had no room.
        var isIncomplete = false
        var lastHeard: UInt64 = 0
    }

    struct Held {
        let number: UInt64
        let subject: String
        let frame: [UInt8]
    }

    /// Opens a sealed message and hands over what may be believed now.
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
            guard frame.kind == .beat, number == Self.controlNumber else { return (frame, nil) }
            return (frame, Beat(payload)?.marks.first { $0.node == node.id }?.number)
        }
        guard let read else { return reject(.unreadable) }
        let held = Held(number: number, subject: subject, frame: opened.frame)
        switch state.withLock({ judge(opened, held, isMark: read.frame.kind == .mark, answers: read.answers, &$0) }) {
        case .none: reject(.replayed)
        case .some(let believed):
            for held in believed {
                held.frame.withUnsafeBytes { deliver(held.number, subject: { held.subject }, frame: $0) }
            }
        }
    }

    /// - Returns: What is believed now, in order; nil for what was said before.
    private func judge(
        _ opened: BusSeal.Opened, _ message: Held, isMark: Bool, answers: UInt64?, _ state: inout State
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
        sender.lastHeard = now()
        defer {
            if state.senders[opened.node] == nil, state.senders.count >= Self.sendersMax { forgetSenders(&state) }
            state.senders[opened.node] = sender
        }
        if sender.isProven { return [message] }
        if let answers, answers > state.proofFloor {
            sender.isProven = true
            let believed = sender.held + [message]
            if sender.isIncomplete { tellAll(.gap(opened.node), state) }
            sender.held.removeAll()
            sender.heldBytes = 0
            sender.isIncomplete = false
            return believed
        }
        challenge(&state)
        // A mark only asks for a beat, and two nodes that are new to each other would wait for each other.
        if isMark { return [message] }
        if sender.held.count < Self.heldMessagesMax, sender.heldBytes + message.frame.count <= Self.heldBytesMax {
            sender.held.append(message)
            sender.heldBytes += message.frame.count
        } else {
            sender.isIncomplete = true
        }
        return []
    }

    /// Asks all nodes for a beat that answers, unless they were asked just now.
    private func challenge(_ state: inout State) {
        let spacing = timing.beatSpacingMin.nanoseconds
        guard state.connection == .connected, state.transport != nil else { return }
        guard state.lastChallengeAt == 0 || now() &- state.lastChallengeAt >= spacing else {
            guard !state.isChallengeScheduled else { return }
            state.isChallengeScheduled = true
            return after(timing.beatSpacingMin) { engine in
                engine.state.withLock { state in
                    state.isChallengeScheduled = false
                    if state.senders.values.contains(where: { !$0.isProven }) { engine.challenge(&state) }
                }
            }
        }
        state.lastChallengeAt = now()
        state.lastMark += 1
        let frame = BusFrame(kind: .mark, isFlagged: false, node: node.id, sequence: state.lastMark, question: nil)
        transmit(frame, [], to: Self.controlSubject, isVital: true, &state)
    }

    /// Nobody is believed before an answer to a mark that is still to come.
    func distrust(_ state: inout State) {
        state.proofFloor = state.lastMark
        for id in state.senders.keys {
            state.senders[id]?.isProven = false
            state.senders[id]?.held.removeAll()
            state.senders[id]?.heldBytes = 0
            state.senders[id]?.isIncomplete = true
        }
    }

    /// What waits for senders that were not heard for long, such as those of old recordings, is dropped.
    func dropHeld(_ state: inout State) {
        let silence = timing.silenceMax.nanoseconds
        for (id, sender) in state.senders where !sender.held.isEmpty && now() &- sender.lastHeard > silence {
            state.senders[id]?.held.removeAll()
            state.senders[id]?.heldBytes = 0
            state.senders[id]?.isIncomplete = true
        }
    }

    /// Makes room: counters of runs that are gone. What these said may be heard again, but is not believed.
    private func forgetSenders(_ state: inout State) {
        state.senders = state.senders.filter { state.nodes[$0.key] != nil }
        state.proofFloor = state.lastMark
    }

    /// Drops a message that no node of the campus has said, or not now. Anybody who reaches NATS can cause this, so it costs next to
    /// nothing; but it may be another release's, so that something is missing.
    private func reject(_ reason: BusMetrics.Drop) {
        metrics.drop(reason)
        state.withLock { state in
            state.rejected += 1
            guard state.rejectedAt == 0 || now() &- state.rejectedAt >= Self.rejectionSpacing.nanoseconds else {
                return
            }
            state.rejectedAt = now()
            logger.warning(
                "messages were dropped that no node of this campus has just sent: somebody else publishes at NATS, or a node runs another release or another key",
                metadata: ["reason": "\(reason.rawValue)", "count": "\(state.rejected)"])
            state.rejected = 0
            if reason != .replayed { tellAll(.unreadable, state) }
        }
    }
}
