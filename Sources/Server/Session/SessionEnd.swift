import WebSocket

/// State machine of how a session ends: open → leaving → closed, or directly open → closed. It never goes back.
enum SessionEnd {
    case open
    /// Closes once the request in flight is answered, at the latest after a grace time. The first reason holds.
    case leaving(code: CloseCode, reason: String)
    /// The close code is counted, and the session is removed from all registries.
    case closed

    var isClosed: Bool { if case .closed = self { true } else { false } }

    /// The code and reason to close with after the reply; nil unless the session is leaving.
    var farewell: (code: CloseCode, reason: String)? {
        if case .leaving(let code, let reason) = self { (code, reason) } else { nil }
    }

    /// - Returns: Whether the session starts to leave now.
    mutating func leave(_ code: CloseCode, _ reason: String) -> Bool {
        guard case .open = self else { return false }
        self = .leaving(code: code, reason: reason)
        return true
    }

    /// - Returns: Whether the session closes now, and not before.
    mutating func close() -> Bool {
        guard !isClosed else { return false }
        self = .closed
        return true
    }
}
