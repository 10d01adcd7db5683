import Synchronization
import WebSocket
import Wire

/// The open WebSocket connections, and which token each came with. From any thread.
final class ConnectionRegistry: Sendable {
    fileprivate struct State {
        var all: [UInt64: WebSocketSession] = [:]
        var byToken: [Int64: Set<UInt64>] = [:]
    }
    private let state = Mutex(State())

    /// Open connections.
    var count: Int { state.withLock { $0.all.count } }

    func add(_ session: WebSocketSession) {
        state.withLock { $0.all[session.subscriberID] = session }
    }

    func move(_ session: WebSocketSession, from old: Int64?, to new: Int64?) {
        state.withLock { state in
            if let old { state.remove(session.subscriberID, token: old) }
            if let new { state.byToken[new, default: []].insert(session.subscriberID) }
        }
    }

    func remove(_ session: WebSocketSession) {
        let token = session.identity?.tokenID
        state.withLock { state in
            state.all[session.subscriberID] = nil
            if let token { state.remove(session.subscriberID, token: token) }
        }
    }

    /// Closes every connection of revoked tokens.
    func revoke(tokens: [Int64]) {
        let sessions = state.withLock { state in
            tokens.flatMap { state.byToken[$0] ?? [] }.compactMap { state.all[$0] }
        }
        for session in sessions {
            // Behind the reply to the logout that caused it: the reply is sent in this turn or an earlier one.
            session.subscriberLoop.execute {
                session.subscriberLoop.schedule(after: .milliseconds(50)) {
                    session.close(CloseCode(rawValue: CampanileCloseCode.tokenRevoked.rawValue), "signed out")
                }
            }
        }
    }

    /// Closes everything, for a restart.
    func closeAll(code: CloseCode, reason: String) {
        for session in state.withLock({ Array($0.all.values) }) {
            session.subscriberLoop.execute { session.close(code, reason) }
        }
    }
}

extension ConnectionRegistry.State {
    fileprivate mutating func remove(_ id: UInt64, token: Int64) {
        byToken[token]?.remove(id)
        if byToken[token]?.isEmpty == true { byToken[token] = nil }
    }
}
