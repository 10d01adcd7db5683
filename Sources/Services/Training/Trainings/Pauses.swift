import Wire

/// Pauses of a training: in order, without overlaps, within the training. Only the last one may last.
struct Pauses: Sendable, Equatable {
    static let max = 200

    private(set) var list: [TrainingPause]

    /// Brings the pauses of a client into order: what is outside the training is cut off, and overlapping pauses become one. An open pause
    /// ends where the next one begins.
    /// - Parameters:
    ///   - end: End of the training; nil while it lasts.
    ///   - now: Pauses do not begin or end later.
    /// - Throws: ``Wire/RPCError`` for too many.
    init(_ given: [TrainingPause], from start: Timestamp, to end: Timestamp?, now: Timestamp) throws {
        guard given.count <= Self.max else { throw RPCError.invalid("pauses", "has at most \(Self.max) pauses") }
        let last = end ?? now
        var list: [TrainingPause] = []
        let ordered = given.sorted { one, other in
            (one.from, one.until ?? .distantFuture) < (other.from, other.until ?? .distantFuture)
        }
        for (index, pause) in ordered.enumerated() {
            let next = index + 1 < ordered.count ? ordered[index + 1].from : nil
            // A pause that has just begun may be ahead of the server's clock.
            let from = Swift.min(Swift.max(pause.from, start), last)
            let until = (pause.until ?? next).map { Swift.min($0, last) } ?? end
            guard until.map({ from < $0 }) ?? true else { continue }
            if let former = list.last?.until, from <= former {
                list[list.count - 1].until = until.map { Swift.max(former, $0) }
            } else {
                list.append(TrainingPause(from: from, until: until))
            }
        }
        self.list = list
    }

    /// Reads the column: an array of pairs of milliseconds.
    init(json: String) throws {
        list = try WireJSON.decode([Stored].self, from: Array(json.utf8)).map {
            TrainingPause(
                from: Timestamp(milliseconds: $0.from), until: $0.until.map { Timestamp(milliseconds: $0) })
        }
    }

    var json: String {
        get throws {
            let stored = list.map { Stored(from: $0.from.milliseconds, until: $0.until?.milliseconds) }
            return String(decoding: try WireJSON.encode(stored), as: UTF8.self)
        }
    }

    private struct Stored: Codable {
        var from: Int64
        var until: Int64?
    }
}

extension Timestamp {
    fileprivate static let distantFuture = Timestamp(milliseconds: millisecondsRange.upperBound)
}
