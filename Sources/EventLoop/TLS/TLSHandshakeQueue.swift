import CEpoll
import DequeModule
import Glibc

/// A TLS handshake was not completed in time.
public struct TLSHandshakeTimeout: Error, CustomStringConvertible, Sendable {
    let limit: Duration
    public var description: String { "the TLS handshake took longer than \(limit)" }
}

/// Spreads a loop's TLS handshakes over its iterations, so that a burst of new connections does not delay the open ones.
///
/// A handshake step signs or agrees on keys: 0.1 to 1 ms, hundreds of times the cost of a message. An iteration runs at most
/// ``stepsPerIterationMax`` steps; further connections wait in a queue, and between iterations the loop serves its open connections. A
/// waiting connection is not watched for events, because epoll would announce its unread bytes repeatedly.
///
/// On the loop only.
final class TLSHandshakeQueue {
    /// Handshake steps in one iteration of the loop. A full handshake takes two; most of its cost is in the first.
    static let stepsPerIterationMax = 8
    /// Maximum time from a connection's acceptance to the end of its handshake, including the wait in the queue.
    static let timeLimitDefault = Duration.seconds(10)

    /// Time limit of connections accepted from now on. Must not be shortened while older handshakes are pending, because deadlines
    /// are kept in order.
    var timeLimit = timeLimitDefault

    private var stepsLeft = stepsPerIterationMax
    /// At most one entry for each connection, so bounded by the limit of connections.
    private var line = Deque<SocketConnection>()
    /// Accepted connections in the order of their deadlines.
    private var watched = Deque<Watched>()
    private var isTimerSet = false

    private struct Watched {
        let deadline: UInt64
        weak var connection: SocketConnection?
    }

    /// Steps that wait for a later iteration.
    var waiting: Int { line.count }

    /// Runs the next step now, or queues the connection.
    /// - Parameter events: Events from epoll.
    func advance(_ connection: SocketConnection, events: UInt32) {
        if connection.isParked {
            // Only events that cannot be masked arrive while it waits: the peer is gone.
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

    /// Closes an accepted connection whose handshake exceeds the time limit.
    func watch(_ connection: SocketConnection) {
        let deadline = EventLoop.nowNanoseconds &+ timeLimit.nanoseconds
        watched.append(Watched(deadline: deadline, connection: connection))
        setTimer(on: connection.loop)
    }

    // MARK: Iterations

    /// Runs the steps of waiting connections. On the loop, once in each iteration; the loop iterates without pause while
    /// connections wait.
    func runQueuedSteps() {
        stepsLeft = Self.stepsPerIterationMax
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
