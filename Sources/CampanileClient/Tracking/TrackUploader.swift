import DequeModule
import EventLoop
import Foundation
import Wire

/// Uploads one tracked session without loss or duplicates, also across outages of the connection, the server or its database.
///
/// The uploader numbers fixes from 1 and keeps them until a reply acknowledges them. One request is in flight at a time. It
/// contains the points added since the last one, as a binary message with positions rounded to the centimetre (the article on
/// binary frames). After a failure the uploader sends the same points again, and the server discards duplicates by their numbers. A
/// pause, resumption or stop is queued behind the points added before it. The session has a UUID from the client, so starting again
/// gives the same session.
///
/// An error that a retry cannot resolve (the session is not the caller's, the token was revoked) ends the uploader, and all methods
/// then throw it. A single point that the server cannot read is dropped and reported as refused.
///
/// Isolation: an actor on its client's event loop.
public actor TrackUploader {
    /// The session's settings and the uploader's limits.
    public struct Options: Sendable {
        /// Parameters of the session's start. `clientId` makes the start idempotent.
        public var start: TrackingStart.Params
        /// Maximum of points in one request, 1 to 500.
        public var batchPointsMax = TrackingPoints.pointsPerRequestMax
        /// Maximum of queued entries, eleven hours at one point a second. ``TrackUploader/add(_:)`` waits when the queue is full.
        public var queueEntriesMax = 40_000
        /// Timeout of a reply. The uploader then abandons the connection.
        public var replyTimeout = Duration.seconds(15)
        /// Delays after errors without a delay from the server.
        public var backoff = Backoff()

        /// - Parameters:
        ///   - activity: The activity, run or cycle.
        ///   - clientId: The session's UUID. A used one continues the same session on the server and would need later point
        ///     numbers, so use a new one.
        ///   - title: At most 80 characters.
        ///   - audience: The audience; private if nil.
        ///   - startedAt: Time of a start made offline.
        ///   - clock: The clock of a recording for a simulated account.
        public init(
            activity: Activity, clientId: String = UUID().uuidString.lowercased(), title: String? = nil,
            audience: Audience? = nil, startedAt: Timestamp? = nil, clock: SessionClock? = nil
        ) {
            start = TrackingStart.Params(
                activity: activity, clientId: clientId, title: title, audience: audience, startedAt: startedAt,
                clock: clock)
        }
    }

    enum Command { case pause, resume, stop }
    enum Entry {
        /// `added` is the time of adding, in monotonic nanoseconds.
        case point(TrackPoint, added: UInt64)
        case command(Command, at: Timestamp?)
    }

    public nonisolated let client: ResilientClient
    public nonisolated let options: Options
    /// The event loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { client.loop.asUnownedSerialExecutor() }

    /// The session as of the last reply; nil before it was started. Replies to points round its distance and times to one tenth.
    public internal(set) var session: Session?
    /// Number of failed requests that were sent again.
    public internal(set) var retries = 0
    /// The number of the last fix that was added.
    public private(set) var lastSeq: Int64 = 0
    /// Number of durably stored points.
    public internal(set) var acknowledgedPoints = 0
    /// Number of points that will never be stored.
    public internal(set) var refusedPoints = 0

    let events: TrackEvents
    let work: WakeUp
    /// Queued points and commands in the order of recording. The head is in flight.
    var queue = Deque<Entry>()
    var failure: (any Error)?
    var isDone = false
    private var isRunning = false
    private var stopIsQueued = false
    private var addWaiters = Deque<CheckedContinuation<Void, Never>>()
    private var startWaiters: [CheckedContinuation<Void, Never>] = []
    private var finishWaiters: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - client: The client to send with. It must be signed in when it is connected.
    ///   - options: The session's settings.
    ///   - events: The callbacks.
    public init(client: ResilientClient, options: Options, events: TrackEvents = TrackEvents()) {
        self.client = client
        self.options = options
        self.events = events
        work = WakeUp(loop: client.loop)
    }

    /// Number of points that are not acknowledged yet.
    public var queuedPoints: Int {
        queue.reduce(0) { if case .point = $1 { $0 + 1 } else { $0 } }
    }

    // MARK: Recording

    /// Starts the session if necessary and returns it. Later calls return the same session.
    /// - Throws: `RPCError` if the server refuses, ``ClientError`` if the client has ended.
    @discardableResult
    public func start() async throws -> Session {
        begin()
        await withCheckedContinuation { waiter in
            // Check inside the closure, as in every wait of this type: the loop may run another job before a continuation's body.
            // That job would find no continuation to resume.
            if session == nil, !isDone { startWaiters.append(waiter) } else { waiter.resume() }
        }
        if let failure { throw failure }
        guard let session else { throw ClientError.closed }
        return session
    }

    /// Adds a fix; see ``add(contentsOf:)``.
    /// - Returns: The number of the fix.
    @discardableResult
    public func add(_ fix: TrackFix) async throws -> Int64 {
        try await add(contentsOf: CollectionOfOne(fix))
        return lastSeq
    }

    /// Adds fixes in the order of recording. Waits while the queue has ``Options/queueEntriesMax`` entries.
    ///
    /// The uploader sends fixes that are added together in one request, as far as ``Options/batchPointsMax`` allows.
    /// - Throws: The error that ended the uploader; ``ClientError/closed`` after ``stop(at:)`` or ``cancel()``.
    public func add(contentsOf fixes: some Collection<TrackFix> & Sendable) async throws {
        begin()
        for fix in fixes {
            while queue.count >= options.queueEntriesMax, !isDone {
                work.signal()
                await withCheckedContinuation { waiter in
                    if queue.count >= options.queueEntriesMax, !isDone {
                        addWaiters.append(waiter)
                    } else {
                        waiter.resume()
                    }
                }
            }
            if let failure { throw failure }
            guard !stopIsQueued else { throw ClientError.closed }
            lastSeq += 1
            queue.append(
                .point(
                    TrackFrame.rounded(
                        TrackPoint(
                            seq: lastSeq, lat: fix.lat, lon: fix.lon, time: fix.time, accuracy: fix.accuracy,
                            altitude: fix.altitude, speed: fix.speed, heading: fix.heading)),
                    added: EventLoop.nowNanoseconds))
        }
        work.signal()
    }

    /// Queues a pause behind the points added so far, and returns immediately.
    /// - Parameter at: Time by the session's clock; nil for the server's current time.
    public func pause(at: Timestamp? = nil) throws { try enqueue(.pause, at) }

    /// Queues a resumption, and returns immediately.
    /// - Parameter at: Time by the session's clock; nil for the server's current time.
    public func resume(at: Timestamp? = nil) throws { try enqueue(.resume, at) }

    /// Queues the stop behind all points, and returns immediately. Nothing can be added after it.
    /// - Parameter at: Time by the session's clock; nil for the server's current time.
    public func stop(at: Timestamp? = nil) throws {
        guard !stopIsQueued else { return }
        try enqueue(.stop, at)
        stopIsQueued = true
    }

    private func enqueue(_ command: Command, _ at: Timestamp?) throws {
        if let failure { throw failure }
        guard !stopIsQueued else { throw ClientError.closed }
        begin()
        queue.append(.command(command, at: at))
        work.signal()
    }

    /// Stops the session if necessary, and waits until the server has acknowledged everything.
    /// - Returns: The finished session.
    /// - Throws: The error that ended the uploader.
    @discardableResult
    public func finish() async throws -> Session {
        if failure == nil { try stop() }
        await withCheckedContinuation { waiter in
            if isDone { waiter.resume() } else { finishWaiters.append(waiter) }
        }
        if let failure { throw failure }
        guard let session else { throw ClientError.closed }
        return session
    }

    /// Ends the uploader and drops unacknowledged points. Waiting callers fail with ``ClientError/closed``. The session on the
    /// server does not change.
    public func cancel() { fail(ClientError.closed) }

    // MARK: Waiting callers

    private func begin() {
        guard !isRunning, !isDone else { return }
        isRunning = true
        Task { await run() }
    }

    func started(_ session: Session) {
        self.session = session
        events.onStarted?(session)
        for waiter in startWaiters { waiter.resume() }
        startWaiters.removeAll()
    }

    /// Resumes as many waiting callers as there are free entries. Each checks the queue again.
    func makeRoom() {
        var room = options.queueEntriesMax - queue.count
        while room > 0, let waiter = addWaiters.popFirst() {
            waiter.resume()
            room -= 1
        }
    }

    func fail(_ error: any Error) {
        guard !isDone else { return }
        failure = error
        queue.removeAll()
        done()
    }

    func done() {
        isDone = true
        work.signal()
        for waiter in startWaiters + finishWaiters + Array(addWaiters) { waiter.resume() }
        startWaiters.removeAll()
        finishWaiters.removeAll()
        addWaiters.removeAll()
    }
}
