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
        guard !rows.isEmpty else { return false }
        // The rows in one value, one after the other: the driver has no arrays of bytes.
        let starts = rows.keys.sorted()
        _ = try await transaction.query(
            """
            INSERT INTO training_pulses (account_id, training_id, starts_at, samples)
            SELECT $1, $2, v.starts_at, substring($4::bytea FROM (v.number::integer - 1) * \(rowSeconds) + 1 FOR \(rowSeconds))
            FROM unnest($3::bigint[]) WITH ORDINALITY AS v (starts_at, number)
            ON CONFLICT (account_id, training_id, starts_at) DO UPDATE SET samples = excluded.samples
            """,
            [
                .int(account), .uuid(training), .intArray(starts), .bytes(starts.flatMap { rows[$0] ?? [] }),
            ])
        return true
    }

    /// Removes all samples of a training.
    static func removeAll(
        of training: String, _ account: Int64, in transaction: PostgresTransaction
    ) async throws {
        _ = try await transaction.query(
            "DELETE FROM training_pulses WHERE account_id = $1 AND training_id = $2", [.int(account), .uuid(training)])
    }

    /// Samples of the rows at the bounds `$3` and `$4`, with zeros outside.
    private static let trimSQL = """
        UPDATE training_pulses p SET samples = decode(repeat('00', c.before), 'hex')
            || substring(p.samples FROM c.before + 1 FOR \(rowSeconds) - c.before - c.after) || decode(repeat('00', c.after), 'hex')
        FROM (SELECT starts_at, greatest(0, $3::bigint - starts_at)::integer AS before,
                greatest(0, starts_at + \(rowSeconds - 1) - $4::bigint)::integer AS after
            FROM training_pulses
            WHERE account_id = $1 AND training_id = $2 AND starts_at > $3::bigint - \(rowSeconds) AND starts_at <= $4) c
        WHERE p.account_id = $1 AND p.training_id = $2 AND p.starts_at = c.starts_at AND (c.before > 0 OR c.after > 0)
        """

    /// Removes the samples of a training outside the seconds of a span.
    static func remove(
        outside span: ClosedRange<Timestamp>, of training: String, _ account: Int64,
        in transaction: PostgresTransaction
    ) async throws {
        let seconds = seconds(span)
        let parameters: [PostgresValue] = [
            .int(account), .uuid(training), .int(seconds.lowerBound), .int(seconds.upperBound),
        ]
        _ = try await transaction.query(trimSQL, parameters)
        _ = try await transaction.query(
            """
            DELETE FROM training_pulses WHERE account_id = $1 AND training_id = $2
                AND (starts_at <= $3::bigint - \(rowSeconds) OR starts_at > $4 OR samples = decode(repeat('00', \(rowSeconds)), 'hex'))
            """, parameters)
    }

    /// Seconds since 1970 of the samples of a span.
    private static func seconds(_ span: ClosedRange<Timestamp>) -> ClosedRange<Int64> {
        span.lowerBound.milliseconds / 1_000...span.upperBound.milliseconds / 1_000
    }

    /// Samples of a training within the seconds of a span, in order.
    static func samples(
        of training: String, within span: ClosedRange<Timestamp>, _ account: Int64, in transaction: PostgresTransaction
    ) async throws -> [PulseSample] {
        let seconds = seconds(span)
        let rows = try await transaction.query(
            """
            SELECT starts_at, samples FROM training_pulses
            WHERE account_id = $1 AND training_id = $2 AND starts_at > $3::bigint - \(rowSeconds) AND starts_at <= $4 ORDER BY starts_at
            """, [.int(account), .uuid(training), .int(seconds.lowerBound), .int(seconds.upperBound)])
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
