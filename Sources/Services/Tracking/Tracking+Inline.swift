import EventLoop
import Wire

/// Synchronous path for the points that phones send every second. With thousands of phones, a task per request and its executor hops
/// would cost as much as all other processing.
extension Tracking {
    /// Takes points that follow the stored ones in an unlocked session. It handles requests on the service's loop only and leaves all
    /// others, also invalid ones, to ``points(_:_:)``.
    /// - Parameter completion: Called on the loop with the result that ``points(_:_:)`` would return or throw.
    /// - Returns: Whether the points were taken; if so, `completion` will be called.
    public nonisolated func storePointsInline(
        _ identity: Identity, _ params: TrackingPoints.Params,
        _ completion: @escaping @Sendable (Result<TrackingPoints.Result, any Error>) -> Void
    ) -> Bool {
        guard loop.isCurrent else { return false }
        return assumeIsolated { $0.takeInline(identity, params, completion) }
    }

    private func takeInline(
        _ identity: Identity, _ params: TrackingPoints.Params,
        _ completion: @escaping @Sendable (Result<TrackingPoints.Result, any Error>) -> Void
    ) -> Bool {
        let id = params.session
        guard let record = records[id], record.fencingToken != 0, record.session.owner.id == identity.account.id,
            (try? Self.validate(params)) != nil, rules.places(of: identity.account.id) != nil,
            areNextOf(record, params.points), locks.tryAcquire(id)
        else { return false }
        if record.clock.kind == .live, let last = params.points.last {
            clock.note([last.time], of: identity.account.id, now: now())
        }
        var updated = record
        guard let move = try? judge(params.points, appendedTo: &updated) else {
            locks.release(id)
            return false
        }
        if isAlone { show(move, of: updated) }
        let write = PointWrite(record: updated, judged: move.judged)
        store(write) { [self] outcome in
            assumeIsolated { $0.finish(write, move, outcome) }
            completion(outcome.map { Self.result(stored: move.judged, of: write.record) })
        }
        return true
    }

    /// Whether each point is new, acceptable, and follows the previous one.
    private func areNextOf(_ record: SessionRecord, _ points: [TrackPoint]) -> Bool {
        let time = now()
        var last = record.lastSeq
        for point in points {
            guard point.seq > last, point.time.milliseconds >= record.streamsFromMilliseconds,
                TimeRules.refusal(of: point.time, in: record, now: time) == nil
            else { return false }
            last = point.seq
        }
        return record.session.points + points.count <= Self.sessionPointsMax
    }

    private func finish(_ write: PointWrite, _ move: Move, _ outcome: Result<Void, any Error>) {
        let id = write.record.session.id
        switch outcome {
        case .success:
            if !isAlone { show(move, of: write.record) }
            records[id] = write.record.session.state == .finished ? nil : write.record
        // The commit is in doubt: the next request reads the session from the database.
        case .failure: records[id] = nil
        }
        locks.release(id)
    }
}
