import Postgres
import Wire

/// Heart rates of trainings: one byte for each second, in rows of ten minutes.
///
/// Of two samples of one second the higher stays, so that samples in any order, and repeated ones, lead to the same bytes. All are within
/// 24 hours, which bounds the rows of a training.
enum StoredPulse {
    /// Seconds of one row.
    static let rowSeconds = 600
    /// Largest number of samples in a request.
    static let samplesMax = 600
    static let bpm = 20...260
    /// A byte is the heart rate minus this.
    private static let offset = 19

    /// Checks the samples of a request.
    /// - Throws: ``Wire/RPCError``.
    static func check(_ samples: [PulseSample]) throws {
        guard samples.count <= samplesMax else { throw RPCError.invalid("pulse", "has at most \(samplesMax) samples") }
        for (index, sample) in samples.enumerated() where !bpm.contains(sample.bpm) {
            throw RPCError.invalid("pulse[\(index)].bpm", "must be 20 to 260")
        }
    }

    /// Merges samples that are within a span into a training, whose row the caller has locked.
    /// - Returns: Whether anything changed.
    static func merge(
        _ samples: [PulseSample], within span: ClosedRange<Timestamp>, into training: String, of account: Int64,
        in transaction: PostgresTransaction
    ) async throws -> Bool {
        var rows: [Int64: [UInt8]] = [:]
        for sample in samples where span.contains(sample.at) {
            let second = sample.at.milliseconds / 1_000
            let index = Int(second % Int64(rowSeconds))
            let start = second - Int64(index)
            var bytes = rows[start] ?? [UInt8](repeating: 0, count: rowSeconds)
            bytes[index] = max(bytes[index], UInt8(clamping: sample.bpm - offset))
            rows[start] = bytes
        }
        guard !rows.isEmpty else { return false }
        let stored = try await transaction.query(
            """
            SELECT starts_at, samples FROM training_pulses
            WHERE account_id = $1 AND training_id = $2 AND starts_at = ANY ($3::bigint[])
            """, [.int(account), .uuid(training), .intArray(rows.keys.sorted())])
        for row in stored {
            let start = try row.int("starts_at")
            let former = try row.bytes("samples")
            guard let new = rows[start] else { continue }
            let merged = zip(former, new).map { max($0, $1) }
            rows[start] = merged == former ? nil : merged
        }
        for (start, bytes) in rows {
            _ = try await transaction.query(
                """
                INSERT INTO training_pulses (account_id, training_id, starts_at, samples) VALUES ($1, $2, $3, $4)
                ON CONFLICT (account_id, training_id, starts_at) DO UPDATE SET samples = excluded.samples
                """, [.int(account), .uuid(training), .int(start), .bytes(bytes)])
        }
        return !rows.isEmpty
    }

    /// Removes the rows of a training that are outside a span; all rows without a span.
    static func remove(
        outside span: ClosedRange<Timestamp>?, of training: String, _ account: Int64,
        in transaction: PostgresTransaction
    ) async throws {
        _ = try await transaction.query(
            """
            DELETE FROM training_pulses WHERE account_id = $1 AND training_id = $2
                AND NOT coalesce(starts_at BETWEEN $3 AND $4, false)
            """,
            [
                .int(account), .uuid(training), .optional(span.map { starts($0).lowerBound }),
                .optional(span.map { starts($0).upperBound }),
            ])
    }

    /// Values of `starts_at` of rows that overlap a span.
    private static func starts(_ span: ClosedRange<Timestamp>) -> ClosedRange<Int64> {
        let (first, last) = (span.lowerBound.milliseconds / 1_000, span.upperBound.milliseconds / 1_000)
        return (first - Int64(rowSeconds) + 1)...last
    }

    /// Samples of a training within the seconds of a span, in order.
    static func samples(
        of training: String, within span: ClosedRange<Timestamp>, _ account: Int64, in transaction: PostgresTransaction
    ) async throws -> [PulseSample] {
        let rows = try await transaction.query(
            """
            SELECT starts_at, samples FROM training_pulses
            WHERE account_id = $1 AND training_id = $2 AND starts_at BETWEEN $3 AND $4 ORDER BY starts_at
            """,
            [.int(account), .uuid(training), .int(starts(span).lowerBound), .int(starts(span).upperBound)])
        let seconds = span.lowerBound.milliseconds / 1_000...span.upperBound.milliseconds / 1_000
        return try rows.flatMap { row in
            let start = try row.int("starts_at")
            return try row.bytes("samples").enumerated().compactMap { index, byte -> PulseSample? in
                let second = start + Int64(index)
                guard byte > 0, seconds.contains(second) else { return nil }
                return PulseSample(at: Timestamp(milliseconds: second * 1_000), bpm: Int(byte) + offset)
            }
        }
    }
}
