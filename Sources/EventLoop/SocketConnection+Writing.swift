import CEpoll
import DequeModule
import Glibc

/// Sending: a bounded queue of shared byte arrays. It is flushed at the end of the connection's own handler for what the handler wrote, and
/// later in the iteration for what others wrote.
extension SocketConnection {
    /// Limits the unsent bytes that the kernel accepts (TCP_NOTSENT_LOWAT, tcp(7)). Bytes in the connection's own queue can still
    /// be replaced by newer ones. On the loop.
    public func limitUnsent(bytes: Int32) {
        loop.preconditionIsolated()
        var bytes = bytes
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Queues bytes, which are sent within the loop's iteration: at the end of the connection's handler if it runs, else at the next flush
    /// of the loop. On the loop.
    /// - Returns: False if the connection is closing, or was closed because its queue is full.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        loop.preconditionIsolated()
        guard isOpen else { return false }
        // An empty queue accepts one message of any size: the array exists already, and is shared.
        guard queuedBytes == 0 || queuedBytes + bytes.count <= Self.sendQueueBytesMax else {
            finish(error: SendQueueOverflow())
            return false
        }
        guard !bytes.isEmpty else { return true }
        if queuedBytes == 0 {
            head = bytes
        } else {
            tail.append(bytes)
            if tail.count > Self.keptArraysMax { isTailLong = true }
        }
        queuedBytes += bytes.count
        markDirty()
        return true
    }

    /// Sends bytes that are valid during the call only. Sends them immediately if the queue is empty, and copies into the queue the
    /// part that the kernel does not take. On the loop.
    ///
    /// Use it for the last response to the input at hand. Several responses are better queued, because they leave in one system
    /// call.
    /// - Returns: As ``send(_:)``.
    @discardableResult
    public func send(copying bytes: UnsafeRawBufferPointer) -> Bool {
        loop.preconditionIsolated()
        guard queuedBytes == 0, phase == .open, tls == nil else { return send(Array(bytes)) }
        // An error recurs, and is handled, when the rest is flushed.
        let written = max(0, campanile_send(descriptor, bytes.baseAddress, bytes.count))
        loop.sentBytes &+= written
        if written == bytes.count { return true }
        return send(Array(bytes[written...]))
    }

    func markDirty() {
        guard !isDirty else { return }
        isDirty = true
        if !isHandling, registration != nil { loop.markDirty(self) }
    }

    /// Prefetches the delegate, which is called by an imminent flush.
    @inline(__always)
    func prefetchDelegate() { campanile_prefetch(delegateAddress, 1) }

    func flush() {
        isDirty = false
        guard phase == .open || phase == .flushingToClose else { return }
        while queuedBytes > 0, !writeSingleArray() {
            switch tls?.write(from: self) ?? writePlain() {
            case .bytes(let count): consume(count)
            case .wouldBlock: return blocked()
            case .end: return finish(error: nil)
            case .failed(let error): return finish(error: error)
            }
        }
        if wantsWrite {
            wantsWrite = false
            updateInterest()
        }
        countQueued()
        if phase == .flushingToClose { linger() } else { delegate?.connectionDrained(self) }
    }

    /// Updates the loop's gauge, once for each flush. In most flushes nothing changes: the queue was empty before and is empty
    /// again.
    func countQueued() {
        guard countedBytes != queuedBytes else { return }
        loop.metrics.queuedBytes.add(queuedBytes - countedBytes)
        countedBytes = queuedBytes
    }

    /// Writes the queue in the common case: one array, no TLS, and the kernel takes all of it.
    /// - Returns: False if bytes are left for the general path.
    private func writeSingleArray() -> Bool {
        guard tls == nil, tail.isEmpty else { return false }
        // Swapped out instead of read: otherwise a thousand connections that send the same array would increment and decrement its
        // reference count a thousand times.
        var bytes: [UInt8] = []
        swap(&bytes, &head)
        let written = Self.write(bytes, from: headOffset, to: descriptor)
        guard written == queuedBytes else {
            head = bytes
            if written > 0 { consume(written) }
            return false
        }
        stallWindowBytes += written
        loop.sentBytes &+= written
        queuedBytes = 0
        headOffset = 0
        shrinkTail()
        return true
    }

    private func writePlain() -> IOResult {
        while true {
            let written =
                tail.isEmpty
                ? Self.write(head, from: headOffset, to: descriptor)
                : queuedBytes <= Self.gatheredBytesMax ? writeGathered() : writeVectors()
            if written >= 0 { return .bytes(written) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            default: return .failed(SystemError(call: "send", code: errno))
            }
        }
    }

    private static func write(_ bytes: [UInt8], from offset: Int, to descriptor: Int32) -> Int {
        bytes.withUnsafeBytes {
            campanile_send(descriptor, $0.baseAddress! + offset, $0.count - offset)
        }
    }

    private func writeGathered() -> Int {
        let buffer = loop.writeBuffer
        var count = 0
        forEachQueued(.max) { bytes in
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
            count += bytes.count
        }
        return campanile_send(descriptor, buffer.baseAddress, count)
    }

    private func writeVectors() -> Int {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: Self.vectorsPerWriteMax) { vectors in
            var count = 0
            forEachQueued(Self.vectorsPerWriteMax) { bytes in
                // The queue keeps the array alive during the call.
                vectors[count] = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
                count += 1
            }
            var message = msghdr()
            message.msg_iov = vectors.baseAddress
            message.msg_iovlen = count
            return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
        }
    }

    /// Calls `body` with the queued arrays in order, the first without the part already sent.
    func forEachQueued(_ arraysMax: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
        guard queuedBytes > 0 else { return }
        head.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[headOffset...])) }
        for bytes in tail.prefix(arraysMax - 1) { bytes.withUnsafeBytes(body) }
    }

    /// Calls `body` with the first queued array, if it is the only one or fills `bytes`; nil if several arrays are needed to fill
    /// them.
    func withFirstQueued<Result>(filling bytes: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        guard queuedBytes > 0, tail.isEmpty || head.count - headOffset >= bytes else { return nil }
        return head.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[headOffset...].prefix(bytes))) }
    }

    private func consume(_ count: Int) {
        queuedBytes -= count
        stallWindowBytes += count
        loop.sentBytes &+= count
        if queuedBytes == 0 {
            (head, headOffset) = ([], 0)
            if !tail.isEmpty { tail.removeAll(keepingCapacity: true) }
            return shrinkTail()
        }
        var left = count
        while left > 0 {
            let available = head.count - headOffset
            guard left >= available else {
                headOffset += left
                return
            }
            left -= available
            headOffset = 0
            head = tail.popFirst() ?? []
        }
    }

    /// Releases the memory of a queue that was long.
    private func shrinkTail() {
        guard isTailLong else { return }
        (tail, isTailLong) = (Deque(), false)
    }
}
