extension GPSFilter {
    /// A period in which a session was paused.
    public struct Pause: Codable, Sendable, Equatable {
        /// The start, in milliseconds since 1970-01-01T00:00:00Z.
        public var fromMilliseconds: Int64
        /// The end; nil while the pause lasts.
        public var toMilliseconds: Int64?

        public init(fromMilliseconds: Int64, toMilliseconds: Int64?) {
            self.fromMilliseconds = fromMilliseconds
            self.toMilliseconds = toMilliseconds
        }
    }

    /// The result of filtering all points of a session.
    public struct Recomputation: Sendable, Equatable {
        /// The state after the last point, ready for further ``GPSFilter/accept(_:)`` calls.
        public var filter: GPSFilter
        /// One verdict per fix, in the same order.
        public var verdicts: [Verdict]
    }

    /// Judges all points of a session afresh; used after a late point was inserted.
    ///
    /// The result is the same as that of streaming the same fixes with ``pause()`` and ``resume()`` called between
    /// them.
    /// - Parameters:
    ///   - activity: The session's activity.
    ///   - fixes: All points, ordered by sequence number.
    ///   - pauses: The session's pauses, ordered by start, not overlapping. A point belongs to a pause if
    ///     `from <= time < to`.
    public static func recompute(
        activity: Activity, fixes: some Sequence<Fix>, pauses: [Pause] = []
    ) -> Recomputation {
        var filter = GPSFilter(activity: activity)
        var verdicts: [Verdict] = []
        verdicts.reserveCapacity(fixes.underestimatedCount)
        var pending = pauses[...]
        for fix in fixes {
            while let pause = pending.first, fix.timeMilliseconds >= pause.fromMilliseconds {
                filter.pause()
                guard let end = pause.toMilliseconds, fix.timeMilliseconds >= end else { break }
                filter.resume()
                pending.removeFirst()
            }
            verdicts.append(filter.accept(fix))
        }
        // A pause that began after the last point still applies to the next one.
        for pause in pending {
            filter.pause()
            if pause.toMilliseconds != nil { filter.resume() }
        }
        return Recomputation(filter: filter, verdicts: verdicts)
    }
}
