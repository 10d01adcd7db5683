import CEpoll
import Glibc

/// The ends of a connection's life.
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

    /// Delivers what is queued, says goodbye, and closes. On the loop.
    /// - Parameter limit: How long all that may take; nil for ``lingerMax`` and as long as what is queued needs at
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

    /// Closes at once; queued bytes are dropped. On the loop.
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
