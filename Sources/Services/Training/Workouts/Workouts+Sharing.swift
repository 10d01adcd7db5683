import Foundation
import Postgres
import Wire

extension Workouts {
    static let noBuddy = RPCError(
        .notFound, "there is no such buddy of yours: buddies.list has them", field: "buddy")

    /// Gives a buddy a copy of a workout. The answer is the same for an unknown name, a person who is no buddy, and a block.
    /// - Throws: ``Wire/RPCError``: `notFound`; `conflict` if the buddy has no room; ``Postgres/PostgresError``.
    public func share(_ params: WorkoutsShare.Params, by identity: Identity) async throws -> WorkoutsShared {
        let id = try Inputs.clientID(params.workout, "workout")
        let name = Inputs.key(Inputs.trimmed(params.buddy))
        let account = identity.account.id
        let shared = try await database.transaction { [now] transaction -> (buddy: Int64, copy: String)? in
            let found = try await transaction.query(
                "SELECT id FROM accounts WHERE username_key = $1 AND disabled_at IS NULL", [.text(name)])
            guard let buddy = try found.first?.int("id"), buddy != account else { throw Self.noBuddy }
            // Ends of friendships and blocks take the same locks.
            _ = try await transaction.query(Accounts.lock, [.intArray([account, buddy])])
            let allowed = try await transaction.query(
                "SELECT person_is_buddy($1, $2) AND NOT is_blocked($1, $2) AS allowed", [.int(account), .int(buddy)])
            guard try allowed.first?.bool("allowed") == true else { throw Self.noBuddy }
            guard let workout = try await Self.row(id, of: account, in: transaction) else { throw Self.notFound }
            if try await Self.has(workout, buddy, from: account, in: transaction) {
                return nil
            }
            let copy = UUID().uuidString.lowercased()
            try await Self.requireRoom(of: buddy, isShared: true, in: transaction)
            try await Self.insert(
                NewWorkout(
                    id: copy, plan: workout.plan, from: account, original: id,
                    originalRevision: workout.revision), of: buddy, at: now(), in: transaction)
            return (buddy, copy)
        }
        if let shared { await announce(shared.copy, of: shared.buddy, by: account) }
        return WorkoutsShared(isNew: shared != nil)
    }

    /// Whether the buddy has this revision: as a copy, or because the workout is the buddy's own and the caller did not change it.
    private static func has(
        _ workout: WorkoutRow, _ buddy: Int64, from account: Int64, in transaction: PostgresTransaction
    ) async throws -> Bool {
        let rows = try await transaction.query(
            """
            SELECT FROM workouts WHERE account_id = $2 AND from_id = $1 AND original_id = $3 AND original_revision = $4
            UNION ALL
            SELECT FROM workouts mine JOIN workouts theirs ON theirs.account_id = $2 AND theirs.id = mine.original_id
                AND theirs.revision = mine.original_revision
            WHERE mine.account_id = $1 AND mine.id = $3 AND mine.from_id = $2
                AND mine.changed_at = mine.created_at
            """, [.int(account), .int(buddy), .uuid(workout.id), .int(Int64(workout.revision))])
        return rows.first != nil
    }
}
