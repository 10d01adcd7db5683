import CEpoll
import DequeModule
import Glibc

/// A TLS handshake was not through in time.
public struct TLSHandshakeTimeout: Error, CustomStringConvertible, Sendable {
    let limit: Duration
    /// One plain fact.
    public var description: String { "the TLS handshake took longer than \(limit)" }
}

/// Spreads a loop's TLS handshakes over its turns, so that a storm of new connections leaves room for those that are open.
///
/// A step of a handshake signs or agrees on keys: 0.1 to 1 ms, hundreds of times what a message costs. So many steps are
/// done in a turn; who comes later waits in line for the next, and in between the loop looks after its open connections.
/// While it waits, a connection is not watched for bytes: what is readable would be announced again and again.
///
/// On the loop only.
final class TLSHandshakeGate {
    /// Steps of handshakes in one turn of the loop. A full handshake takes two; most of its cost is in the first.
    static let stepsPerTurnMax = 8
    /// How long a client may take from the connection's acceptance to the end of the handshake, waiting in line included.
    static let timeLimitDefault = Duration.seconds(10)

    /// The limit of connections from now on. Not shorter than for those before, unless there are none.
    var timeLimit = timeLimitDefault

    private var stepsLeft = stepsPerTurnMax
    /// At most one entry a connection, so bounded by the connections there may be.
    private var line = Deque<SocketConnection>()
    /// Accepted connections in the order of their deadlines, which all have the same distance.
    private var watched = Deque<Watched>()
    private var isTimerSet = false

    private struct Watched {
        let deadline: UInt64
        weak var connection: SocketConnection?
    }

    /// Steps that wait for a later turn.
    var waiting: Int { line.count }

    /// Does the next step now, or puts the connection in line.
    /// - Parameter events: What epoll announced.
    func advance(_ connection: SocketConnection, events: UInt32) {
        if connection.isParked {
            // Only what cannot be masked comes while it waits: the peer is gone.
            guard events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 else { return }
            return connection.finish(error: SystemError(call: "TLS handshake", code: ECONNRESET))
        }
        guard stepsLeft > 0 else {
            connection.setParked(true)
            line.append(connection)
            return
        }
        stepsLeft -= 1
        connection.advanceHandshake()
    }

    /// Ends the handshake of an accepted connection when it takes too long.
    func watch(_ connection: SocketConnection) {
        let deadline = EventLoop.nowNanoseconds &+ timeLimit.nanoseconds
        watched.append(Watched(deadline: deadline, connection: connection))
        setTimer(on: connection.loop)
    }

    // MARK: Turns

    /// Those in line have their steps. On the loop, once in each of its turns, which follow each other without a wait while
    /// somebody is in line.
    func takeTurn() {
        stepsLeft = Self.stepsPerTurnMax
        while stepsLeft > 0, let connection = line.popFirst() {
            guard connection.phase == .handshaking else { continue }
            stepsLeft -= 1
            connection.setParked(false)
            connection.advanceHandshake()
        }
    }

    // MARK: Deadlines

    private func setTimer(on loop: EventLoop) {
        guard !isTimerSet, let first = watched.first else { return }
        isTimerSet = true
        let now = EventLoop.nowNanoseconds
        loop.schedule(after: .nanoseconds(first.deadline > now ? first.deadline - now : 0)) { [weak loop] in
            guard let loop else { return }
            self.isTimerSet = false
            self.endOverdue()
            self.setTimer(on: loop)
        }
    }

    private func endOverdue() {
        let now = EventLoop.nowNanoseconds
        while let first = watched.first, first.deadline <= now {
            watched.removeFirst()
            if let connection = first.connection, connection.phase == .handshaking {
                connection.failHandshake(.timeout, TLSHandshakeTimeout(limit: timeLimit))
            }
        }
    }
}
