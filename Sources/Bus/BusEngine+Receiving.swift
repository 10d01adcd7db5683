/// Receiving of frames.
extension BusEngine {
    /// Handles a frame that arrived. The transport calls it from any thread, in the order of one node's publications.
    /// - Parameters:
    ///   - number: Number of the pattern that the frame matched.
    ///   - subject: Returns the subject without the prefix of the campus; called only when needed.
    func received(_ number: UInt64, subject: () -> String, frame bytes: UnsafeRawBufferPointer) {
        metrics.messagesIn.add()
        metrics.bytesIn.add(bytes.count)
        guard let seal else { return deliver(number, subject: subject, frame: bytes) }
        receivedSealed(number, subject: self.subject(number, subject), bytes, seal)
    }

    /// The subject that a frame was published to. Only a pattern with wildcards needs the subject from the transport.
    private func subject(_ number: UInt64, _ subject: () -> String) -> String {
        switch number {
        case Self.controlNumber: Self.controlSubject
        case Self.repliesNumber: repliesSubject
        default:
            state.withLock { state in
                state.followed[number].flatMap { $0.pattern.hasWildcard ? nil : $0.pattern.description }
            } ?? subject()
        }
    }

    /// Dispatches a frame that is authenticated, or that needs no authentication.
    func deliver(_ number: UInt64, subject: () -> String, frame bytes: UnsafeRawBufferPointer) {
        guard let (frame, payload) = BusFrame.read(bytes) else { return unreadable(number) }
        guard frame.node != node.id else { return }
        switch (frame.kind, number) {
        case (.heartbeat, Self.controlNumber):
            guard let beat = Heartbeat(payload) else { return unreadable(number) }
            receivedHeartbeat(frame, beat)
        case (.syncRequest, Self.controlNumber):
            guard let request = SyncRequest(payload) else { return unreadable(number) }
            receivedSyncRequest(frame, request)
        case (.reply, Self.repliesNumber): receivedReply(frame, payload)
        case (.message, _), (.request, _): receivedMessage(frame, payload, number, subject)
        // A pattern that matches every subject receives these frames too.
        case (.heartbeat, _), (.syncRequest, _), (.reply, _): break
        }
    }

    private func receivedMessage(
        _ frame: BusFrame, _ payload: UnsafeRawBufferPointer, _ number: UInt64, _ subject: () -> String
    ) {
        state.withLock { state in
            guard let followed = state.followed[number] else { return }
            let subject = Subject(spelled: followed.pattern.hasWildcard ? subject() : followed.pattern.description)
            let last = followed.tracked[frame.node]?[subject]?.sequence
            let isNext =
                if let last {
                    frame.sequence <= last &+ 1 || frame.isFlagged
                } else {
                    frame.isFlagged || followed.nodesToAnswer.contains(frame.node)
                }
            if !isNext { notify(.gap(frame.node), to: followed) }
            track(subject, of: frame.node, at: max(frame.sequence, last ?? 0), followed, state.ticks)
            let message = BusMessage(
                subject: subject, node: frame.node, bytes: Array(payload), request: frame.request)
            for member in followed.members where !member.subscription.deliver(message) { metrics.drop(.slowConsumer) }
        }
    }

    func track(
        _ subject: Subject, of node: NodeID, at sequence: UInt64, _ followed: FollowedPattern, _ tick: UInt32
    ) {
        if let count = followed.tracked[node]?.count, count >= BusLimits.trackedSubjectsMax,
            followed.tracked[node]?[subject] == nil
        {
            followed.tracked[node] = nil
            notify(.forgotten, to: followed)
        }
        followed.tracked[node, default: [:]][subject] = FollowedPattern.Tracked(sequence: sequence, tick: tick)
    }

    /// Handles messages that the transport's library has dropped.
    func dropped(_ number: UInt64) {
        metrics.drop(.slowConsumer)
        lost(.slowConsumer, number)
    }

    private func unreadable(_ number: UInt64) {
        metrics.drop(.unreadable)
        lost(.unreadable, number)
    }

    /// Reports a loss: to all subscriptions if it concerns the bus's own subjects, otherwise to the subscriptions of one pattern.
    private func lost(_ loss: BusLoss, _ number: UInt64) {
        state.withLock { state in
            if number <= Self.repliesNumber {
                reportToAll(loss, state)
            } else if let followed = state.followed[number] {
                logger.warning(
                    "messages may be missing",
                    metadata: ["reason": "\(loss)", "subject": "\(followed.pattern.description)"])
                notify(loss, to: followed)
            }
        }
    }
}
