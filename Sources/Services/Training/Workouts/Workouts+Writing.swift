import Postgres
import Wire

/// A workout before it is stored.
struct NewWorkout: Sendable {
    let id: String
    let plan: WorkoutPlan
    /// Buddy who shares it.
    var from: Int64?
    var original: String?
    var originalRevision: Int?
}

/// Statements within transactions that change workouts.
extension Workouts {
    /// Runs a change while no other change of the account's workouts or trainings runs.
    func changing<T: Sendable>(
        _ account: Int64, _ body: @escaping @Sendable (PostgresTransaction) async throws -> T
    ) async throws -> T {
        try await database.transaction { transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            return try await body(transaction)
        }
    }

    /// A time after that of all the account's workouts, which lists are ordered by.
    static func nextUse(_ moment: String) -> String {
        """
        greatest(\(moment)::timestamptz,
            (SELECT max(u.used_at) + interval '1 millisecond' FROM workouts u WHERE u.account_id = $1))
        """
    }

    static func row(_ id: String, of account: Int64, in transaction: PostgresTransaction) async throws -> WorkoutRow? {
        try await transaction.query(WorkoutRow.one, [.int(account), .uuid(id)]).first.map { try WorkoutRow($0) }
    }

    static func required(
        _ id: String, of account: Int64, in transaction: PostgresTransaction
    ) async throws -> WorkoutRow {
        guard let row = try await row(id, of: account, in: transaction) else { throw notFound }
        return row
    }

    static func requireNotRemoved(
        _ id: String, of account: Int64, in transaction: PostgresTransaction
    ) async throws {
        if try await Removals.contains(.workout, id, of: account, in: transaction) { throw removed }
    }

    static func requireRoom(of account: Int64, isShared: Bool, in transaction: PostgresTransaction) async throws {
        let row = try await transaction.query(
            "SELECT count(*) AS n, count(from_id) AS shared FROM workouts WHERE account_id = $1", [.int(account)]
        ).first
        let (all, shared) = (try row?.int("n") ?? 0, try row?.int("shared") ?? 0)
        if isShared {
            guard all < workoutsMax, shared < sharedMax else {
                throw RPCError(.conflict, "your buddy has no room for more workouts", field: "buddy")
            }
        } else if all >= workoutsMax {
            throw RPCError(.conflict, "there are \(workoutsMax) workouts already: remove one first")
        }
    }

    static func insert(
        _ workout: NewWorkout, of account: Int64, at time: Timestamp, in transaction: PostgresTransaction
    ) async throws {
        _ = try await transaction.query(
            """
            INSERT INTO workouts (account_id, id, revision, plan, from_id, original_id, original_revision, created_at,
                changed_at, used_at)
            VALUES ($1, $2, 1, $3::jsonb, $4, $5, $6, $7, $7, coalesce(\(nextUse("$7")), $7))
            """,
            [
                .int(account), .uuid(workout.id), .text(try workout.plan.json), .optional(workout.from),
                workout.original.map { .uuid($0) } ?? .null, .optional(workout.originalRevision.map(Int64.init)),
                .timestamp(time.milliseconds),
            ])
    }
}
