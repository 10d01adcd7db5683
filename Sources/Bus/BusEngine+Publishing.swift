import EventLoop

/// Publishing of messages, requests and replies.
extension BusEngine {
    func publish(_ bytes: [UInt8], to subject: Subject) throws(BusError) -> Bool {
        guard bytes.count <= BusLimits.messageBytesMax else { throw .messageTooLarge }
        return state.withLock { state in publish(bytes, to: subject, request: nil, &state) }
    }

    /// Numbers a message and passes it to the transport. A dropped message consumes its number, so that receivers detect the gap.
    private func publish(_ bytes: [UInt8], to subject: Subject, request: UInt64?, _ state: inout State) -> Bool {
        guard state.transport != nil else { return !state.isClosed }
        let (sequence, isFirst) = nextSequence(of: subject, &state)
        guard state.connection == .connected else {
            metrics.drop(.disconnected)
            return false
        }
        let frame = BusFrame(
            kind: request == nil ? .message : .request, isFlagged: isFirst, node: node.id, sequence: sequence,
            request: request)
        return transmit(frame, bytes, to: subject.description, &state)
    }

    /// Passes a frame to the transport.
    /// - Parameter isVital: True to queue the frame even if the send queue is full.
    @discardableResult
    func transmit(
        _ frame: BusFrame, _ payload: [UInt8], to subject: String, isVital: Bool = false, _ state: inout State
    ) -> Bool {
        let plain = frame.encoded(payload)
        let bytes = seal?.seal(plain, subject: subject) ?? plain
        guard state.transport?.send(bytes, to: subject, isVital: isVital) == true else {
            metrics.drop(.sendQueue)
            return false
        }
        metrics.messagesOut.add()
        metrics.bytesOut.add(bytes.count)
        return true
    }

    private func nextSequence(of subject: Subject, _ state: inout State) -> (sequence: UInt64, isFirst: Bool) {
        state.publishedTotal &+= 1
        if var published = state.published[subject] {
            published.sequence &+= 1
            published.tick = state.ticks
            if !published.isChanged {
                published.isChanged = true
                state.changed.append(subject)
            }
            state.published[subject] = published
            return (published.sequence, false)
        }
        if state.published.count >= BusLimits.publishedSubjectsMax { forgetPublished(&state) }
        // Starts above every sequence that this subject can have had before.
        let published = Published(sequence: state.publishedTotal, isChanged: true, tick: state.ticks)
        state.published[subject] = published
        state.changed.append(subject)
        return (published.sequence, true)
    }

    /// Makes room by forgetting all published subjects. A heartbeat sends their sequences first. Without a connection the node
    /// skips one heartbeat number instead: receivers detect the gap and know that their sequences are outdated.
    private func forgetPublished(_ state: inout State) {
        if state.connection == .connected {
            sendHeartbeat(&state)
        } else {
            state.beat &+= 1
        }
        state.changed.removeAll()
        state.published.removeAll(keepingCapacity: true)
    }

    // MARK: Requests and replies

    func request(
        _ bytes: [UInt8], of subject: Subject, within limit: Duration, on loop: EventLoop,
        _ handler: @escaping @Sendable (BusReplies) -> Void
    ) throws(BusError) {
        guard bytes.count <= BusLimits.messageBytesMax else { throw .messageTooLarge }
        let number: UInt64? = try state.withLock { state throws(BusError) in
            guard state.requests.count < BusLimits.requestsMax else { throw .tooManyRequests }
            state.lastNumber += 1
            let number = state.lastNumber
            var request = PendingRequest(
                queue: queue(of: loop, &state), subject: subject, handler: handler,
                expected: Set(state.nodes.keys))
            if !publish(bytes, to: subject, request: number, &state) {
                request.silent = request.expected
                request.expected = []
            }
            state.requests[number] = request
            guard request.expected.isEmpty else { return number }
            finish(number, &state)
            return nil
        }
        guard let number else { return }
        after(limit) { engine in engine.state.withLock { engine.finish(number, &$0) } }
    }

    func reply(to message: BusMessage, with bytes: [UInt8]) throws(BusError) {
        guard bytes.count <= BusLimits.messageBytesMax else { throw .messageTooLarge }
        guard let request = message.request else { return }
        let frame = BusFrame(kind: .reply, isFlagged: false, node: node.id, sequence: request, request: nil)
        state.withLock { state in
            guard state.transport != nil, state.connection == .connected else { return }
            transmit(frame, bytes, to: Self.repliesSubject(of: message.node), &state)
        }
    }

    func receivedReply(_ frame: BusFrame, _ payload: UnsafeRawBufferPointer) {
        state.withLock { state in
            guard state.requests[frame.sequence]?.expected.remove(frame.node) != nil else { return }
            if let subject = state.requests[frame.sequence]?.subject {
                state.requests[frame.sequence]?.replies
                    .append(BusMessage(subject: subject, node: frame.node, bytes: Array(payload), request: nil))
            }
            if state.requests[frame.sequence]?.expected.isEmpty == true { finish(frame.sequence, &state) }
        }
    }

    /// Ends a request: passes the replies to its handler. Called when the time is up or every expected node has replied.
    func finish(_ number: UInt64, _ state: inout State) {
        guard let request = state.requests.removeValue(forKey: number) else { return }
        let replies = BusReplies(messages: request.replies, silent: request.silent.union(request.expected))
        request.queue.post(.call { request.handler(replies) })
    }

    /// Stops waiting for replies of a node that has left or is lost.
    func stopExpectingReply(of id: NodeID, _ state: inout State) {
        for number in state.requests.keys where state.requests[number]?.expected.remove(id) != nil {
            state.requests[number]?.silent.insert(id)
            if state.requests[number]?.expected.isEmpty == true { finish(number, &state) }
        }
    }
}
