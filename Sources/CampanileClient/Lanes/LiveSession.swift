import EventLoop
import Wire

/// A session as it is now, as far as it is shared with the reader.
public struct SessionPicture: Sendable {
    /// The session.
    public var session: Session
    /// Nil before the first fix.
    public var runner: Runner?
    /// The route in pieces: a pause, a gap or a jump starts a new one.
    public var route: [[LatLon]]
    /// The server's clock when it told of it.
    public var serverTime: Timestamp
    /// True in the last picture, when the session was finished; false when it is not shared any more.
    public var isFinished: Bool
}

/// The conflating lane of one session: at any time the newest of it, over as many connections as it takes.
///
/// A slow reader skips to the newest; one picture waits for it. It ends (nil) when the session is finished, or not shared any more,
/// and throws as ``Publications`` does, `RPCError` also when the session was never shared.
public struct LiveSession: AsyncSequence, Sendable {
    /// Points of a route that are kept; beyond, it is asked for anew, which the server thins.
    public static let routePointsMax = 20_000

    /// What is given.
    public typealias Element = SessionPicture

    let client: ResilientClient
    let session: Int64
    let share: String?

    /// Begins to read. One reader of a session at a time may be on a client.
    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: SessionFeed(client: client, session: session, share: share))
    }

    /// The reader.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        /// Leaves the topic when the iterator goes.
        private final class Leaving: Sendable {
            let feed: SessionFeed
            init(_ feed: SessionFeed) { self.feed = feed }
            deinit { Task { [feed] in await feed.leave() } }
        }
        private let leaving: Leaving

        init(feed: SessionFeed) { leaving = Leaving(feed) }

        /// The newest picture, when it is another than the last one given; waits for it.
        public mutating func next() async throws -> SessionPicture? {
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
    /// One session: see ``LiveSession``.
    /// - Parameters:
    ///   - id: Its number.
    ///   - share: A link's token, for one that is not otherwise shared with the caller.
    public nonisolated func session(_ id: Int64, share: String? = nil) -> LiveSession {
        LiveSession(client: self, session: id, share: share)
    }
}

/// What ``LiveSession`` reads from. Isolation: an actor on its client's event loop.
actor SessionFeed: LaneFeed {
    nonisolated let client: ResilientClient
    nonisolated var unownedExecutor: UnownedSerialExecutor { client.loop.asUnownedSerialExecutor() }
    nonisolated var claimed: String { topic }
    private let topic: String
    private let share: String?

    private enum Ending {
        /// Nothing more will come.
        case over
        case failed(any Error)
    }
    private var picture: SessionPicture?
    private var routePoints = 0
    private var isNew = false
    private var readers: [CheckedContinuation<SessionPicture?, any Error>] = []
    private var ending: Ending?
    private var running: Task<Void, Never>?
    var attempt = 0
    private var isFollowing = false
    /// Where the session was asked for and has not been left since.
    private var asked: CampanileConnection?
    private let work: WakeUp

    init(client: ResilientClient, session: Int64, share: String?) {
        (self.client, self.share, topic) = (client, share, "session/\(session)")
        work = WakeUp(loop: client.loop)
    }

    // MARK: Reading

    func next() async throws -> SessionPicture? {
        try Task.checkCancellation()
        if running == nil, ending == nil { running = Task { await run() } }
        return try await withCheckedThrowingContinuation { reader in
            readers.append(reader)
            give()
        }
    }

    func leave() {
        picture = nil
        isNew = false
        end(CancellationError())
    }

    var hasEnded: Bool { ending != nil }

    func end(_ error: any Error) { end(.failed(error)) }

    private func end(_ ending: Ending) {
        guard self.ending == nil else { return }
        self.ending = ending
        give()
        // Whatever it waits for, a connection that may never come among it.
        running?.cancel()
        work.signal()
    }

    private func give() {
        guard !readers.isEmpty else { return }
        if isNew, let picture {
            isNew = false
            for reader in readers { reader.resume(returning: picture) }
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

    // MARK: What comes

    private func take(reply bytes: [UInt8]) -> TopicSink.Outcome {
        guard
            let snapshot = try? WireJSON.decode(Success<Subscribed<SessionSnapshot>>.self, from: bytes).result.snapshot
        else { return unreadable() }
        picture = SessionPicture(
            session: snapshot.session, runner: snapshot.runner, route: snapshot.route, serverTime: snapshot.serverTime,
            isFinished: snapshot.session.state == .finished)
        routePoints = snapshot.route.reduce(0) { $0 + $1.count }
        isNew = true
        // A finished session has no more to say.
        guard picture?.isFinished == false else {
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
        guard ending == nil, var new = picture else { return .goOn }
        // Given up first, so that the route grows in place.
        picture = nil
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
        picture = new
        isNew = true
        if update.type == .ended || update.type == .closed {
            end(.over)
            return .end
        }
        give()
        // Ends this subscription; the next one begins with a thinned route.
        return routePoints > LiveSession.routePointsMax ? .end : .goOn
    }

    private func unreadable() -> TopicSink.Outcome {
        end(ClientError.protocolViolation("what the server says of \(topic) cannot be read"))
        return .end
    }
}
