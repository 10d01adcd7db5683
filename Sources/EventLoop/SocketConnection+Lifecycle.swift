import CEpoll
import Glibc

/// Opening and closing of a connection.
extension SocketConnection {
    func finishConnect() {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { return finish(error: SystemError(call: "connect", code: code)) }
        phase = tls == nil ? .open : .handshaking
        if tls == nil { opened() } else { loop.handshakes.advance(self, events: 0) }
    }

    func opened() {
        wantsWrite = false
        updateInterest()
        if let completion = connectCompletion {
            connectCompletion = nil
            completion(.success(()))
        }
        flush()
    }

    /// Sends the queued bytes, shuts the connection down, and closes it. On the loop.
    /// - Parameter limit: Time for all of this. Nil for ``lingerMax`` plus the time that the queued bytes need at
    ///   ``flushBytesPerSecondMin``. A peer that does not read at all has ``stallMax``.
    public func closeAfterFlush(within limit: Duration? = nil) {
        loop.preconditionIsolated()
        guard isOpen else { return }
        guard phase == .open else { return finish(error: nil) }
        phase = .flushingToClose
        let flushSeconds = limit == nil ? queuedBytes / Self.flushBytesPerSecondMin : 0
        isFlushTimed = flushSeconds > 0
        end(within: (limit ?? loop.lingerMax) + .seconds(flushSeconds))
        markDirty()
    }

    func end(within limit: Duration) {
        lingerTimer?.cancel()
        lingerTimer = loop.schedule(after: limit) { [weak self] in self?.finish(error: nil) }
    }

    /// Closes immediately and drops the queued bytes. On the loop.
    public func abort() {
        loop.preconditionIsolated()
        finish(error: nil)
    }

    func linger() {
        phase = .lingering
        if isFlushTimed { end(within: loop.lingerMax) }
        tls?.shutdown()
        Glibc.shutdown(descriptor, Int32(SHUT_WR))
        updateInterest()
    }
}
