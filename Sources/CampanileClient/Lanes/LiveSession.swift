import EventLoop
import Wire

/// The current state of a session, as far as it is shared with the reader.
public struct FollowedSession: Sendable {
    public var session: Session
    /// The runner's last position; nil before the first fix.
    public var runner: Runner?
    /// The route in segments. A pause, a gap or a jump starts a new one.
    public var route: [[LatLon]]
    /// The server's time of this state.
    public var serverTime: Timestamp
    /// Whether the session has finished. True only in the last state; false there if the session is no longer shared.
    public var isFinished: Bool
}

/// The current state of one session, across reconnections.
///
/// A slow reader skips intermediate states; at most one is pending. The sequence ends (nil) when the session finishes or is no
/// longer shared. It throws as ``Publications`` does, and `RPCError` if the session was never shared.
public struct LiveSession: AsyncSequence, Sendable {
    /// Maximum of route points kept. Beyond it, the client subscribes again and the server sends a thinned route.
    public static let routePointsMax = 20_000

    public typealias Element = FollowedSession

    let client: ResilientClient
    let session: Int64
    let share: String?

    /// Starts to read. A client can have one reader per session at a time.
    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: SessionSubscription(client: client, session: session, share: share))
    }

    public struct Iterator: AsyncIteratorProtocol, Sendable {
        /// Unsubscribes when the iterator is released.
        private final class Leaving: Sendable {
            let feed: SessionSubscription
            init(_ feed: SessionSubscription) { self.feed = feed }
            deinit { Task { [feed] in await feed.leave() } }
        }
        private let leaving: Leaving

        init(feed: SessionSubscription) { leaving = Leaving(feed) }

        /// Waits for a state that differs from the last one returned, and returns the newest.
        public mutating func next() async throws -> FollowedSession? {
            let feed = leaving.feed
            return try await withTaskCancellationHandler {
                try await feed.next()
            } onCancel: {
                Task { await feed.leave() }
            }
        }
    }
}

extension ResilientClient {
    /// The current state of one session: see ``LiveSession``.
    /// - Parameters:
    ///   - id: The session's number.
    ///   - share: A link's token, for a session that is not otherwise shared with the caller.
    public nonisolated func session(_ id: Int64, share: String? = nil) -> LiveSession {
        LiveSession(client: self, session: id, share: share)
    }
}

/// The subscription behind ``LiveSession``. Isolation: an actor on its client's event loop.
actor SessionSubscription: ReaderSubscription {
    nonisolated let client: ResilientClient
    nonisolated var unownedExecutor: UnownedSerialExecutor { client.loop.asUnownedSerialExecutor() }
    nonisolated var claimed: String { topic }
    private let topic: String
    private let share: String?

    private enum Ending {
        /// The session finished or is no longer shared.
        case over
        case failed(any Error)
    }
    private var state: FollowedSession?
    private var routePoints = 0
    private var isNew = false
    private var readers: [CheckedContinuation<FollowedSession?, any Error>] = []
    private var ending: Ending?
    private var running: Task<Void, Never>?
    var attempt = 0
    private var isFollowing = false
    /// The connection with a subscription, or a request for one.
    private var asked: CampanileConnection?
    private let work: WakeUp

    init(client: ResilientClient, session: Int64, share: String?) {
        (self.client, self.share, topic) = (client, share, "session/\(session)")
        work = WakeUp(loop: client.loop)
    }

    // MARK: Reading

    func next() async throws -> FollowedSession? {
        try Task.checkCancellation()
        if running == nil, ending == nil { running = Task { await run() } }
        return try await withCheckedThrowingContinuation { reader in
            readers.append(reader)
            give()
        }
    }

    func leave() {
        state = nil
        isNew = false
        end(CancellationError())
    }

    var hasEnded: Bool { ending != nil }

    func end(_ error: any Error) { end(.failed(error)) }

    private func end(_ ending: Ending) {
        guard self.ending == nil else { return }
        self.ending = ending
        give()
        // Cancel the task in case it waits for a connection that may never come.
        running?.cancel()
        work.signal()
    }

    private func give() {
        guard !readers.isEmpty else { return }
        if isNew, let state {
            isNew = false
            for reader in readers { reader.resume(returning: state) }
        } else {
            switch ending {
            case nil: return
            case .over: for reader in readers { reader.resume(returning: nil) }
            case .failed(let error): for reader in readers { reader.resume(throwing: error) }
            }
        }
        readers = []
    }

    // MARK: Subscribing

    func follow(on connection: CampanileConnection) async throws {
        isFollowing = false
        while ending == nil, await connection.isOpen {
            guard !isFollowing else {
                await work.wait(for: nil)
                continue
            }
            isFollowing = true
            asked = connection
            try await connection.attach(
                TopicSink(
                    topic: topic, share: share,
                    snapshot: { bytes in self.assumeIsolated { $0.take(reply: bytes) } },
                    update: { bytes in self.assumeIsolated { $0.take(push: bytes) } },
                    finish: { self.assumeIsolated { $0.finished() } }))
        }
        attempt = 0
    }

    func stopFollowing() async { await asked?.unsubscribe(topic) }

    private func finished() {
        asked = nil
        isFollowing = false
        work.signal()
    }

    // MARK: Received messages

    private func take(reply bytes: [UInt8]) -> TopicSink.Outcome {
        guard
            let snapshot = try? WireJSON.decode(Success<Subscribed<SessionSnapshot>>.self, from: bytes).result.snapshot
        else { return unreadable() }
        state = FollowedSession(
            session: snapshot.session, runner: snapshot.runner, route: snapshot.route, serverTime: snapshot.serverTime,
            isFinished: snapshot.session.state == .finished)
        routePoints = snapshot.route.reduce(0) { $0 + $1.count }
        isNew = true
        // The server sends no updates of a finished session.
        guard state?.isFinished == false else {
            end(.over)
            return .end
        }
        give()
        return .goOn
    }

    private func take(push bytes: [UInt8]) -> TopicSink.Outcome {
        guard let update = try? WireJSON.decode(Push<SessionUpdate>.self, from: bytes).params.data else {
            return unreadable()
        }
        guard ending == nil, var new = state else { return .goOn }
        // Release the stored state first, so that the route is appended in place and not copied.
        state = nil
        new.serverTime = update.serverTime
        if let session = update.session { new.session = session }
        if update.type == .session || update.type == .route { new.runner = update.runner }
        if let route = update.route {
            new.route = route
            routePoints = route.reduce(0) { $0 + $1.count }
        }
        if let append = update.append, !append.isEmpty {
            if update.startsPiece == true || new.route.isEmpty { new.route.append([]) }
            new.route[new.route.count - 1] += append
            routePoints += append.count
        }
        new.isFinished = update.type == .ended
        state = new
        isNew = true
        if update.type == .ended || update.type == .closed {
            end(.over)
            return .end
        }
        give()
        // End this subscription. The next one begins with a thinned route.
        return routePoints > LiveSession.routePointsMax ? .end : .goOn
    }

    private func unreadable() -> TopicSink.Outcome {
        end(ClientError.protocolViolation("a message of \(topic) cannot be read"))
        return .end
    }
}
