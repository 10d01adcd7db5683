import CEpoll
import DequeModule
import Glibc

/// The way out: a bounded queue of shared arrays, emptied at the end of a turn.
extension SocketConnection {
    /// Has the kernel take no more than so many bytes that it cannot send yet (TCP_NOTSENT_LOWAT, tcp(7)): what waits here can still be
    /// left out for something newer. On the loop.
    public func limitUnsent(bytes: Int32) {
        loop.preconditionIsolated()
        var bytes = bytes
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Queues bytes; they leave at the end of the loop's turn. On the loop.
    /// - Returns: False when the connection is closing, or was closed because its queue is full.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        loop.preconditionIsolated()
        guard isOpen else { return false }
        // One message always fits an empty queue: its bytes are there already, and shared.
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

    /// Sends bytes that are valid during the call only: at once when nothing is queued before them. What the kernel does not
    /// take is copied into the queue. On the loop.
    ///
    /// For the answer to the last of what arrived: several answers are better queued, as they leave in one system call.
    /// - Returns: As ``send(_:)``.
    @discardableResult
    public func send(copying bytes: UnsafeRawBufferPointer) -> Bool {
        loop.preconditionIsolated()
        guard queuedBytes == 0, phase == .open, tls == nil else { return send(Array(bytes)) }
        // An error is met again, and dealt with, when the rest is flushed.
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

    /// It hears of the flush, which may begin soon.
    @inline(__always)
    func prefetchDelegate() { campanile_prefetch(delegateAddress, 1) }

    func flush() {
        isDirty = false
        guard phase == .open || phase == .flushingToClose else { return }
        while queuedBytes > 0, !writeAtOnce() {
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

    /// Brings the loop's gauge up to date, once a flush: mostly nothing is left, and nothing was before.
    func countQueued() {
        guard countedBytes != queuedBytes else { return }
        loop.metrics.queuedBytes.add(queuedBytes - countedBytes)
        countedBytes = queuedBytes
    }

    /// The common case: one array, no TLS, and the kernel takes all of it.
    /// - Returns: False when something is left to be written, the usual way.
    private func writeAtOnce() -> Bool {
        guard tls == nil, tail.isEmpty else { return false }
        // Taken out, not read: a thousand connections sending one array would count a thousand references up and down again.
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
                // The array is kept alive by the queue during the call.
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

    /// The arrays that wait, in order, the first without what was sent of it.
    func forEachQueued(_ arraysMax: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
        guard queuedBytes > 0 else { return }
        head.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[headOffset...])) }
        for bytes in tail.prefix(arraysMax - 1) { bytes.withUnsafeBytes(body) }
    }

    /// What waits, when it is one array and no more, or fills `bytes` anyway; nil when it takes more to fill them.
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

    /// A queue that was long gives its memory back.
    private func shrinkTail() {
        guard isTailLong else { return }
        (tail, isTailLong) = (Deque(), false)
    }
}
