import Metrics

/// The TLS handshake, in steps that ``TLSHandshakeQueue`` spreads over the loop's iterations.
extension SocketConnection {
    /// See ``TLSHandshakeQueue``.
    func setParked(_ isParked: Bool) {
        self.isParked = isParked
        updateInterest()
    }

    func advanceHandshake() {
        guard let tls else { return }
        switch tls.handshake() {
        case .done:
            countHandshake(tls.isResumed ? .resumed : .full, version: tls.version)
            phase = .open
            wantsWrite = false
            opened()
            // The last handshake record may have carried the first request.
            readAvailable()
        case .wantsRead:
            wantsWrite = false
            updateInterest()
        case .wantsWrite:
            wantsWrite = true
            updateInterest()
        case .failed(let error):
            failHandshake(.failed, error)
        }
    }

    func failHandshake(_ result: TransportMetrics.Handshake, _ error: any Error) {
        countHandshake(result)
        // Debug level: any client can cause failures, as often as the limits of its address allow.
        if connectCompletion == nil {
            loop.tlsLogger.debug("a handshake failed", metadata: ["error": "\(error)"])
        }
        finish(error: error)
    }

    /// Counts a handshake of an accepted connection.
    func countHandshake(_ result: TransportMetrics.Handshake, version: String? = nil) {
        guard connectCompletion == nil, let metrics = loop.metrics.transport else { return }
        metrics.handshakes[result]?.add()
        if let version { metrics.tlsVersions[version]?.add() }
    }
}
