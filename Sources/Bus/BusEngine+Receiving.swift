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
        case Self.repliesNumber: answersSubject
        default:
            state.withLock { state in
                state.interests[number].flatMap { $0.pattern.hasWildcard ? nil : $0.pattern.description }
            } ?? subject()
        }
    }

    /// Dispatches a frame that is authenticated, or that needs no authentication.
    func deliver(_ number: UInt64, subject: () -> String, frame bytes: UnsafeRawBufferPointer) {
        guard let (frame, payload) = BusFrame.read(bytes) else { return unreadable(number) }
        guard frame.node != node.id else { return }
        switch (frame.kind, number) {
        case (.beat, Self.controlNumber):
            guard let beat = Beat(payload) else { return unreadable(number) }
            receivedHeartbeat(frame, beat)
        case (.mark, Self.controlNumber):
            guard let mark = SyncRequest(payload) else { return unreadable(number) }
            asked(frame, mark)
        case (.answer, Self.repliesNumber): answered(frame, payload)
        case (.message, _), (.question, _): receivedMessage(frame, payload, number, subject)
        // A pattern that matches every subject receives these frames too.
        case (.beat, _), (.mark, _), (.answer, _): break
        }
    }

    private func receivedMessage(
        _ frame: BusFrame, _ payload: UnsafeRawBufferPointer, _ number: UInt64, _ subject: () -> String
    ) {
        state.withLock { state in
            guard let interest = state.interests[number] else { return }
            let subject = Subject(spelled: interest.pattern.hasWildcard ? subject() : interest.pattern.description)
            let last = interest.tracked[frame.node]?[subject]?.sequence
            let isNext =
                if let last {
                    frame.sequence <= last &+ 1 || frame.isFlagged
                } else {
                    frame.isFlagged || interest.nodesToAnswer.contains(frame.node)
                }
            if !isNext { notify(.gap(frame.node), to: interest) }
            track(subject, of: frame.node, at: max(frame.sequence, last ?? 0), interest, state.ticks)
            let message = BusMessage(
                subject: subject, node: frame.node, bytes: Array(payload), question: frame.question)
            for member in interest.members where !member.subscription.deliver(message) { metrics.drop(.slowConsumer) }
        }
    }

    func track(
        _ subject: Subject, of node: NodeID, at sequence: UInt64, _ interest: PatternSubscription, _ tick: UInt32
    ) {
        if let count = interest.tracked[node]?.count, count >= BusLimits.trackedSubjectsMax,
            interest.tracked[node]?[subject] == nil
        {
            interest.tracked[node] = nil
            notify(.forgotten, to: interest)
        }
        interest.tracked[node, default: [:]][subject] = PatternSubscription.Tracked(sequence: sequence, tick: tick)
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
            } else if let interest = state.interests[number] {
                logger.warning(
                    "messages may be missing",
                    metadata: ["reason": "\(loss)", "subject": "\(interest.pattern.description)"])
                notify(loss, to: interest)
            }
        }
    }
}
