import EventLoop
import Wire

extension TrackUploader {
    /// Starts the session, then sends the head of the queue until the stop is acknowledged.
    func run() async {
        do {
            let reply = try await untilAnswered(TrackingStart.self, options.start)
            guard !isDone else { return }
            started(reply.session)
            while !isDone {
                switch queue.first {
                case nil: await work.wait(for: nil)
                case .point?: try await sendPoints(of: reply.session.id)
                case .command(let command, let at)?: try await carryOut(command, at: at, of: reply.session.id)
                }
            }
        } catch {
            fail(error)
        }
    }

    // MARK: Points

    /// The points at the head of the queue, up to the next command.
    private func head() -> [TrackPoint] {
        var points: [TrackPoint] = []
        for entry in queue {
            guard case .point(let point, _) = entry, points.count < options.batchPointsMax else { break }
            points.append(point)
        }
        return points
    }

    /// Time when the point at the head was added.
    private var oldestAdded: UInt64 {
        if case .point(_, let added)? = queue.first { added } else { EventLoop.nowNanoseconds }
    }

    private func sendPoints(of session: Int64) async throws {
        let points = head()
        var sent: UInt64 = 0
        do {
            let timeout = options.replyTimeout
            let taken = try await untilAnswered {
                try await $0.send(points: points, session: session, timeout: timeout)
            } onSend: { [events] in
                sent = EventLoop.nowNanoseconds
                events.onSend?(session, points, sent)
            }
            acknowledge(points, taken, sent: sent)
        } catch let error as RPCError {
            guard let index = Self.pointAtFault(error), points.indices.contains(index) else { throw error }
            // A point that can never be sent must not block the points behind it.
            drop(points[index], at: index, sent: sent)
        }
    }

    private func acknowledge(_ points: [TrackPoint], _ reply: TrackReply.Taken, sent: UInt64) {
        guard !isDone, var session else { return }
        let added = oldestAdded
        queue.removeFirst(points.count)
        let refused = Set(reply.refused.map(\.seq))
        let stored = refused.isEmpty ? points : points.filter { !refused.contains($0.seq) }
        acknowledgedPoints += stored.count
        refusedPoints += points.count - stored.count
        session.update(reply, stored: stored)
        self.session = session
        events.onAcknowledged?(
            TrackAcknowledgement(
                points: stored, refused: reply.refused, notCounted: reply.notCounted, duplicates: reply.duplicates,
                session: session, addedNanoseconds: added, sentNanoseconds: sent,
                acknowledgedNanoseconds: EventLoop.nowNanoseconds))
        makeRoom()
    }

    private func drop(_ point: TrackPoint, at index: Int, sent: UInt64) {
        guard !isDone, let session else { return }
        let added = oldestAdded
        queue.remove(at: index)
        refusedPoints += 1
        events.onAcknowledged?(
            TrackAcknowledgement(
                points: [], refused: [TrackingPoints.Remark(seq: point.seq, reason: "invalidParams")], notCounted: [],
                duplicates: 0, session: session, addedNanoseconds: added, sentNanoseconds: sent,
                acknowledgedNanoseconds: EventLoop.nowNanoseconds))
        makeRoom()
    }

    /// The index in a field name such as `points[3].lat`.
    static func pointAtFault(_ error: RPCError) -> Int? {
        guard error.registered == .invalidParams, let field = error.data?.field, field.hasPrefix("points["),
            let end = field.firstIndex(of: "]")
        else { return nil }
        return Int(field[field.index(field.startIndex, offsetBy: "points[".count)..<end])
    }

    // MARK: Commands

    private func carryOut(_ command: Command, at: Timestamp?, of session: Int64) async throws {
        let moment = SessionTimeParams(session: session, at: at)
        do {
            let reply =
                switch command {
                case .pause: try await untilAnswered(TrackingPause.self, moment)
                case .resume: try await untilAnswered(TrackingResume.self, moment)
                case .stop: try await untilAnswered(TrackingStop.self, moment)
                }
            self.session = reply.session
        } catch let error as RPCError where error.registered == .conflict {
            // The session is already in that state: the reply to an earlier request was lost, or another device of the same account
            // was faster.
            let reply = try await untilAnswered(TrackingSession.self, TrackingSession.Params(session: session))
            self.session = reply.session
            if command != .stop, reply.session.state == .finished { throw error }
        }
        guard !isDone else { return }
        queue.removeFirst()
        makeRoom()
        if command == .stop { done() }
    }

    // MARK: Retries

    /// Repeats a request until the server returns a result or an error that a retry cannot resolve.
    private func untilAnswered<M: RPCMethod>(_ method: M.Type, _ params: M.Params) async throws -> M.Result {
        let timeout = options.replyTimeout
        return try await untilAnswered {
            try await $0.call(method, params, timeout: timeout)
        } onSend: {
        }
    }

    private func untilAnswered<Reply: Sendable>(
        _ request: (CampanileConnection) async throws -> Reply, onSend: () -> Void
    ) async throws -> Reply {
        var attempt = 0
        while true {
            let connection = try await client.connected()
            guard !isDone else { throw ClientError.closed }
            onSend()
            do {
                return try await request(connection)
            } catch let error as RPCError {
                guard error.registered?.isRetryable == true else { throw error }
                await retry(after: error, waiting: wait(after: error, attempt: attempt))
            } catch let error as ClientError {
                switch error {
                case .protocolViolation: throw error
                case .tooManyCalls: await retry(after: error, waiting: wait(after: nil, attempt: attempt))
                case .timeout:
                    // Only one request may be in flight: the late reply must not arrive between replies to later requests.
                    await connection.abandon("a request was not answered in time")
                    await retry(after: error, waiting: nil)
                default: await retry(after: error, waiting: nil)
                }
            }
            guard !isDone else { throw ClientError.closed }
            attempt += 1
        }
    }

    private func wait(after error: RPCError?, attempt: Int) -> Duration {
        error?.retryDelay ?? options.backoff.delay(attempt: attempt)
    }

    private func retry(after error: any Error, waiting delay: Duration?) async {
        retries += 1
        events.onRetry?(error)
        guard let delay else { return }
        await client.loop.wait(for: delay)
    }
}

extension Session {
    /// Applies a reply to points.
    mutating func update(_ taken: TrackReply.Taken, stored: [TrackPoint]) {
        state = taken.state
        (distance, elapsed, moving, points) = (taken.distance, taken.elapsed, taken.moving, taken.points)
        averageSpeed = elapsed > 0 ? distance / elapsed : 0
        guard let last = stored.max(by: { $0.seq < $1.seq }), last.seq > lastSeq ?? 0 else { return }
        (lastSeq, lastFixAt) = (last.seq, last.time)
    }
}
