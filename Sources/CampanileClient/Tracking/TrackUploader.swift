import DequeModule
import EventLoop
import Foundation
import Wire

/// One tracked session, sent the way a phone must: nothing that was recorded is lost when the connection, the server or its
/// database goes away for a while, and nothing is stored twice.
///
/// Fixes are numbered from 1 and kept until a reply acknowledges them. One request is under way at a time; it holds what
/// has gathered since the last one, as a binary message (the article on binary frames), so positions are told to the centimetre. After a failure the same points are sent again, which the server takes for duplicates.
/// Pauses, resumptions and the stop take their place behind the points that were added before them. The session itself is
/// started with a UUID of the client's, so that starting again gives the same one.
///
/// Errors that trying again cannot mend (the session is not the caller's, the token was revoked) end the uploader; all its
/// methods then throw that error. A single point that the server cannot read is dropped and reported as refused.
///
/// Isolation: an actor on its client's event loop.
public actor TrackUploader {
    /// What is tracked, and the uploader's limits.
    public struct Options: Sendable {
        /// What the session is started with; `clientId` makes starting again harmless.
        public var start: TrackingStart.Params
        /// Points of one request, 1 to 500.
        public var batchPointsMax = TrackingPoints.pointsPerRequestMax
        /// Points kept until they are acknowledged, eleven hours at one a second; ``TrackUploader/add(_:)`` waits beyond.
        public var queuedPointsMax = 40_000
        /// For a reply; a connection that keeps one waiting longer is given up for another.
        public var replyTimeout = Duration.seconds(15)
        /// The waits after errors that name none.
        public var backoff = Backoff()

        /// - Parameters:
        ///   - activity: Run or cycle.
        ///   - clientId: The session's UUID; the same again continues the same session on the server, so its points must be
        ///     numbered on: start anew with a new one.
        ///   - title: At most 80 characters.
        ///   - audience: Private when nil.
        ///   - startedAt: For a start made offline.
        ///   - clock: For recordings of simulated accounts.
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
        /// When it was added, nanoseconds of the monotonic clock.
        case point(TrackPoint, added: UInt64)
        case command(Command, at: Timestamp?)
    }

    /// What it sends over.
    public nonisolated let client: ResilientClient
    /// What is tracked, and the limits.
    public nonisolated let options: Options
    /// The event loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { client.loop.asUnownedSerialExecutor() }

    /// The session as the server last told it; nil before it was started. Answers to points tell its distance and times to the
    /// tenth.
    public internal(set) var session: Session?
    /// Requests that failed and were sent again.
    public internal(set) var retries = 0
    /// The number of the last fix that was added.
    public private(set) var lastSeq: Int64 = 0
    /// Points that are stored for good.
    public internal(set) var acknowledgedPoints = 0
    /// Points that will never be stored.
    public internal(set) var refusedPoints = 0

    let events: TrackEvents
    let work: WakeUp
    /// In the order of recording; the head is under way.
    var queue = Deque<Entry>()
    var failure: (any Error)?
    var isDone = false
    private var isRunning = false
    private var stopIsQueued = false
    private var roomWaiters = Deque<CheckedContinuation<Void, Never>>()
    private var startWaiters: [CheckedContinuation<Void, Never>] = []
    private var finishWaiters: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - client: What to send over; it must be signed in, or be so by the time it is connected.
    ///   - options: What is tracked.
    ///   - events: What to tell.
    public init(client: ResilientClient, options: Options, events: TrackEvents = TrackEvents()) {
        self.client = client
        self.options = options
        self.events = events
        work = WakeUp(loop: client.loop)
    }

    /// Points that are not acknowledged yet.
    public var queuedPoints: Int {
        queue.reduce(0) { if case .point = $1 { $0 + 1 } else { $0 } }
    }

    // MARK: Recording

    /// Starts the session, or finds it started, and gives it back. Later calls give the same.
    /// - Throws: `RPCError` when the server will not have it, ``ClientError`` when the client has ended.
    @discardableResult
    public func start() async throws -> Session {
        begin()
        await withCheckedContinuation { waiter in
            // Every such condition is looked at in here: the way into a continuation may itself give the loop to another
            // job, which would then wake nobody.
            if session == nil, !isDone { startWaiters.append(waiter) } else { waiter.resume() }
        }
        if let failure { throw failure }
        guard let session else { throw ClientError.closed }
        return session
    }

    /// Adds a fix; see ``add(contentsOf:)``.
    /// - Returns: Its number.
    @discardableResult
    public func add(_ fix: TrackFix) async throws -> Int64 {
        try await add(contentsOf: CollectionOfOne(fix))
        return lastSeq
    }

    /// Adds fixes in the order of recording; those added together leave together. Waits for room while
    /// ``Options/queuedPointsMax`` points are not acknowledged.
    /// - Throws: The error the uploader ended with; ``ClientError/closed`` after ``stop(at:)`` or ``cancel()``.
    public func add(contentsOf fixes: some Collection<TrackFix> & Sendable) async throws {
        begin()
        for fix in fixes {
            while queue.count >= options.queuedPointsMax, !isDone {
                work.signal()
                await withCheckedContinuation { waiter in
                    if queue.count >= options.queuedPointsMax, !isDone {
                        roomWaiters.append(waiter)
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

    /// Pauses the session behind the points added so far; returns at once.
    /// - Parameter at: When, on the session's clock; the server's now when nil.
    public func pause(at: Timestamp? = nil) throws { try enqueue(.pause, at) }

    /// Resumes the session; returns at once.
    /// - Parameter at: When, on the session's clock; the server's now when nil.
    public func resume(at: Timestamp? = nil) throws { try enqueue(.resume, at) }

    /// Stops the session behind all points; returns at once. Nothing can be added any more.
    /// - Parameter at: When, on the session's clock; the server's now when nil.
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

    /// Stops the session, unless that was done, and returns once everything is acknowledged, the stop included.
    /// - Returns: The finished session.
    /// - Throws: The error the uploader ended with.
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

    /// Gives up: what is not acknowledged is dropped, and all that wait fail with ``ClientError/closed``. The session stays
    /// as it is on the server.
    public func cancel() { fail(ClientError.closed) }

    // MARK: Waking those who wait

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

    /// Wakes as many as there is room for; each checks again.
    func makeRoom() {
        var room = options.queuedPointsMax - queue.count
        while room > 0, let waiter = roomWaiters.popFirst() {
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
        for waiter in startWaiters + finishWaiters + Array(roomWaiters) { waiter.resume() }
        startWaiters.removeAll()
        finishWaiters.removeAll()
        roomWaiters.removeAll()
    }
}
