import DequeModule
import EventLoop
import Services
import Synchronization
import WebSocket
import Wire

/// The open connections and the token of each WebSocket. Usable from any thread.
final class ConnectionRegistry: Sendable {
    /// Number of recently revoked tokens that the registry remembers, for connections that are signing in with one of them.
    static let revokedMax = 4_096
    /// Connections that a loop closes in one iteration when the server stops.
    static let closesPerIterationMax = 100
    /// Pause between two such iterations.
    static let closesPause = Duration.milliseconds(1)

    fileprivate struct State {
        var all: [UInt64: WebSocketSession] = [:]
        var byToken: [Int64: Connections] = [:]
        /// Number of connections of each account that has one.
        var accounts: [Int64: Int32] = [:]
        var http: [ObjectIdentifier: HTTPConnection] = [:]
        var sending: [ObjectIdentifier: SocketConnection] = [:]
        var revoked: [Int64: SignOutCause] = [:]
        var revokedOrder = Deque<Int64>()
        var isStopping = false
    }
    private let state = Mutex(State())

    func add(_ session: WebSocketSession) {
        let isStopping = state.withLock { state in
            state.all[session.subscriberID] = session
            return state.isStopping
        }
        // The connection arrived after the stop had closed the others.
        guard isStopping else { return }
        let reason = RestartNotice.reason(milliseconds: RestartNotice.spreadMillisecondsMin)
        session.subscriberLoop.execute { session.depart(.serviceRestart, reason) }
    }

    /// True once the server is stopping and admits no new connections.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Registers an HTTP connection.
    func add(_ connection: HTTPConnection) {
        state.withLock { $0.http[ObjectIdentifier(connection)] = connection }
    }

    /// Records that a connection has all its responses and only has to send them. A stopping server no longer counts it.
    func answered(_ connection: HTTPConnection, socket: SocketConnection) {
        state.withLock { state in
            guard state.http.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
            state.sending[ObjectIdentifier(connection)] = socket
        }
    }

    func remove(_ connection: HTTPConnection) {
        state.withLock { state in
            state.http[ObjectIdentifier(connection)] = nil
            state.sending[ObjectIdentifier(connection)] = nil
        }
    }

    /// Number of connections that are sending their last response. Its duration depends on the peers.
    var sendingCount: Int { state.withLock { $0.sending.count } }

    /// Aborts connections that are still sending their last response.
    func abortSending() {
        for socket in state.withLock({ Array($0.sending.values) }) { socket.loop.execute { socket.abort() } }
    }

    /// Records the new token of a connection.
    /// - Returns: The reason if that token was revoked recently, otherwise nil.
    func move(_ session: WebSocketSession, from old: Identity?, to new: Identity?) -> SignOutCause? {
        state.withLock { state in
            if let old { state.remove(session.subscriberID, old) }
            guard let new else { return nil }
            state.byToken[new.tokenID, default: .none].insert(session.subscriberID)
            state.accounts[new.account.id, default: 0] += 1
            return state.revoked[new.tokenID]
        }
    }

    func remove(_ session: WebSocketSession) {
        let identity = session.identity
        state.withLock { state in
            state.all[session.subscriberID] = nil
            if let identity { state.remove(session.subscriberID, identity) }
        }
    }

    /// Ids of the tokens of signed-in connections.
    var tokens: [Int64] { state.withLock { Array($0.byToken.keys) } }

    /// Number of open WebSockets and of accounts with at least one.
    var counts: (sockets: Int, accounts: Int) { state.withLock { ($0.all.count, $0.accounts.count) } }

    /// Closes all connections of revoked tokens.
    func revoke(_ revocations: [Revocation]) {
        let sessions = state.withLock { state in
            state.remember(revocations)
            return revocations.flatMap { revocation in
                (state.byToken[revocation.token]?.all ?? []).compactMap { state.all[$0] }.map { ($0, revocation) }
            }
        }
        for (session, revocation) in sessions {
            session.subscriberLoop.execute {
                session.revoked(revocation.cause(for: session.identity?.account.role))
            }
        }
    }

    /// Number of open connections of both kinds that have not been closed or still await a response.
    var count: Int { state.withLock { $0.all.count + $0.http.count } }

    /// Closes all connections for a restart: requests in flight complete, and each WebSocket is closed with 1012 and a reconnect delay.
    /// - Parameter random: Chooses each delay from a range of milliseconds.
    func closeAll(random: (ClosedRange<Int>) -> Int = { Int.random(in: $0) }) {
        let (sessions, connections) = state.withLock { state in
            state.isStopping = true
            return (Array(state.all.values), Array(state.http.values))
        }
        for connection in connections { connection.loop.execute { connection.stop() } }
        let spread = RestartNotice.spreadMilliseconds(connections: sessions.count)
        var byLoop: [ObjectIdentifier: [Departure]] = [:]
        for session in sessions {
            let departure = Departure(session: session, reason: RestartNotice.reason(milliseconds: random(0...spread)))
            byLoop[ObjectIdentifier(session.subscriberLoop), default: []].append(departure)
        }
        for departures in byLoop.values {
            guard let loop = departures.first?.session.subscriberLoop else { continue }
            loop.execute { Self.close(departures[...], on: loop) }
        }
    }

    private struct Departure: Sendable {
        let session: WebSocketSession
        let reason: String
    }

    /// Closes some connections now and the rest in later iterations, so that the loop can reply to requests in between.
    private static func close(_ departures: ArraySlice<Departure>, on loop: EventLoop) {
        for departure in departures.prefix(closesPerIterationMax) {
            departure.session.depart(.serviceRestart, departure.reason)
        }
        let rest = departures.dropFirst(closesPerIterationMax)
        guard !rest.isEmpty else { return }
        loop.schedule(after: closesPause) { close(rest, on: loop) }
    }
}

/// The connections of one token: nearly always one, which needs no set.
private enum Connections {
    case none
    case one(UInt64)
    case many(Set<UInt64>)

    var all: Set<UInt64> {
        switch self {
        case .none: []
        case .one(let id): [id]
        case .many(let ids): ids
        }
    }

    mutating func insert(_ id: UInt64) {
        switch self {
        case .none: self = .one(id)
        case .one(let other): if other != id { self = .many([other, id]) }
        case .many(var ids):
            // Assigned first, so that the set is uniquely referenced and changes in place.
            self = .none
            ids.insert(id)
            self = .many(ids)
        }
    }

    mutating func remove(_ id: UInt64) {
        switch self {
        case .none: break
        case .one(let other): if other == id { self = .none }
        case .many(var ids):
            self = .none
            ids.remove(id)
            self = ids.isEmpty ? .none : .many(ids)
        }
    }
}

extension ConnectionRegistry.State {
    fileprivate mutating func remove(_ id: UInt64, _ identity: Identity) {
        byToken[identity.tokenID]?.remove(id)
        if case .none? = byToken[identity.tokenID] { byToken[identity.tokenID] = nil }
        let left = (accounts[identity.account.id] ?? 1) - 1
        accounts[identity.account.id] = left > 0 ? left : nil
    }

    fileprivate mutating func remember(_ revocations: [Revocation]) {
        for revocation in revocations where revoked[revocation.token] == nil {
            revoked[revocation.token] = revocation.cause
            revokedOrder.append(revocation.token)
        }
        while revokedOrder.count > ConnectionRegistry.revokedMax {
            revoked[revokedOrder.removeFirst()] = nil
        }
    }
}
