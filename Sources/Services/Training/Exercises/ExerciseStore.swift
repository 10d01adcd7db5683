import Postgres
import Training
import Wire

/// Imported exercises in PostgreSQL: `campanile exercises import` writes them, servers load them.
public struct ExerciseStore: Sendable {
    /// Largest number of imported exercises of all sources.
    public static let exercisesMax = 5_000
    /// Largest number of rows in one statement.
    static let rowsPerStatementMax = 500

    let database: PostgresPool

    /// - Parameter database: Pool with the server's role.
    public init(database: PostgresPool) { self.database = database }

    /// Result of an import.
    public struct Report: Sendable, Equatable {
        public var added = 0
        public var changed = 0
        public var unchanged = 0
        /// Exercises of the source that the file no longer contains.
        public var removed = 0
    }

    /// Number that grows with each import.
    func version() async throws -> Int64 {
        try await database.query("SELECT coalesce(sum(version), 0)::bigint AS version FROM exercise_imports").first?
            .int("version") ?? 0
    }

    /// Loads the imported exercises, ordered by id.
    func load() async throws -> [Exercise] {
        let rows = try await database.query(
            "SELECT exercise::text AS exercise FROM exercises ORDER BY id LIMIT $1", [.int(Int64(Self.exercisesMax))])
        return try rows.map { try WireJSON.decode(Exercise.self, from: Array(try $0.text("exercise").utf8)) }
    }

    /// More than ``exercisesMax`` imported exercises.
    public struct TooManyExercises: Error, Sendable, CustomStringConvertible {
        /// Number of imported exercises of all sources that there would be.
        public let count: Int64
        public var description: String {
            "there would be \(count) imported exercises of all catalogues, and a server offers at most \(exercisesMax): leave some out"
        }
    }

    /// Replaces the exercises of a source: equal ones stay, others are added, changed or removed.
    /// - Throws: ``TooManyExercises``, ``Postgres/PostgresError``; nothing has changed then.
    public func store(_ exercises: [Exercise], of source: ExerciseSource, at time: Timestamp) async throws -> Report {
        let rows = try exercises.map { ($0.id, String(decoding: try WireJSON.encode($0), as: UTF8.self)) }
        return try await database.transaction { transaction in
            // One import at a time, of all sources: they share the limit.
            _ = try await transaction.query("LOCK TABLE exercise_imports IN SHARE ROW EXCLUSIVE MODE")
            _ = try await transaction.query(
                """
                INSERT INTO exercise_imports (source, version, imported_at) VALUES ($1, 1, $2)
                ON CONFLICT (source) DO UPDATE SET version = exercise_imports.version + 1, imported_at = excluded.imported_at
                """, [.text(source.rawValue), .timestamp(time.milliseconds)])
            var report = Report()
            for first in stride(from: 0, to: rows.count, by: Self.rowsPerStatementMax) {
                let chunk = rows[first..<min(first + Self.rowsPerStatementMax, rows.count)]
                let written = try await transaction.query(
                    """
                    INSERT INTO exercises AS e (id, source, exercise)
                    SELECT v.id, $1, v.exercise::jsonb FROM unnest($2::text[], $3::text[]) AS v (id, exercise)
                    ON CONFLICT (id) DO UPDATE SET exercise = excluded.exercise WHERE e.exercise <> excluded.exercise
                    RETURNING xmax = 0 AS is_new
                    """, [.text(source.rawValue), .textArray(chunk.map(\.0)), .textArray(chunk.map(\.1))])
                let added = try written.filter { try $0.bool("is_new") }.count
                report.added += added
                report.changed += written.count - added
                report.unchanged += chunk.count - written.count
            }
            report.removed = try await transaction.query(
                "DELETE FROM exercises WHERE source = $1 AND id <> ALL ($2::text[])",
                [.text(source.rawValue), .textArray(rows.map(\.0))]
            ).affected
            let count = try await transaction.query("SELECT count(*) AS n FROM exercises").first?.int("n") ?? 0
            guard count <= Int64(Self.exercisesMax) else { throw TooManyExercises(count: count) }
            return report
        }
    }
}
